package internal_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

func TestFielderrComplaintLeavesOutWhatItDoesNotHave(t *testing.T) {
	for text, c := range map[string]fielderr.Complaint{
		"cell: 0 (want 1 to 9)":               {Path: "cell", Value: "0", Accepted: "1 to 9"},
		"pool of 0 cells (want 1 to 9)":       {Value: "pool of 0 cells", Accepted: "1 to 9"},
		"cell: it is not a number":            {Path: "cell", Value: "it is not a number"},
		"no rows; expected lines of: a b c d": {Value: "no rows; expected lines of: a b c d"},
	} {
		require.EqualError(t, c, text)
	}
}

func TestFielderrEmptyListIsNoError(t *testing.T) {
	var bad fielderr.List
	bad.Join(nil)
	bad.Under("part", nil)
	bad.Within("n", 5, 5, 5)
	bad.Check(true, "n", 5, "5")
	require.NoError(t, bad.Err())
	require.Empty(t, bad)
	require.Nil(t, bad.Complaints())
	require.Nil(t, bad.Texts())
}

func TestFielderrBoundsAreAccepted(t *testing.T) {
	for n, ok := range map[int64]bool{-1: false, 0: true, 7: true, 8: false} {
		var bad fielderr.List
		bad.Within("n", n, 0, 7)
		require.Equal(t, ok, bad.Err() == nil, "%d", n)
	}
}

// Errors of other functions keep their identity: a caller's errors.Is and errors.As find them through every layer.
func TestFielderrForeignErrorsStayThemselves(t *testing.T) {
	sentinel := errors.New("no such file")
	var part, bad fielderr.List
	part.Join(fmt.Errorf("table: %w", sentinel))
	part.Add("", "no rows", "")
	bad.Add("chip", "none", "a chip")
	bad.Under("sizing", part.Err())
	err := bad.Err()
	require.ErrorIs(t, err, sentinel)
	require.EqualError(t, err, "chip: none (want a chip)\nsizing: table: no such file\nsizing: no rows")
	var c fielderr.Complaint
	require.ErrorAs(t, err, &c)
	require.Equal(t, fielderr.Complaint{Path: "chip", Value: "none", Accepted: "a chip"}, c)
	unread := fielderr.Complaint{Path: "sizing", Value: "table: no such file"}
	empty := fielderr.Complaint{Path: "sizing", Value: "no rows"}
	require.Equal(t, []fielderr.Complaint{c, unread, empty}, bad.Complaints())
	texts := []string{"chip: none (want a chip)", "sizing: table: no such file", "sizing: no rows"}
	require.Equal(t, texts, bad.Texts())

	var outer fielderr.List
	outer.Under("switch", err)
	require.EqualError(t, outer.Err(), "switch.chip: none (want a chip)\n"+
		"switch.sizing: table: no such file\nswitch.sizing: no rows")
	require.ErrorIs(t, outer.Err(), sentinel)

	at := &fielderr.Located{File: "leaf.yaml", Err: err}
	require.ErrorIs(t, at, sentinel)
	require.EqualError(t, at, "leaf.yaml: "+err.Error(), "line 0 is the whole file")
}

// Split takes apart what errors.Join made, and nothing else: an error that wraps several has a text of its own.
func TestFielderrSplit(t *testing.T) {
	a, b, c := errors.New("a"), errors.New("b"), errors.New("c")
	require.Nil(t, fielderr.Split(nil))
	require.Equal(t, []error{a}, fielderr.Split(a))
	require.Equal(t, []error{a, b, c}, fielderr.Split(errors.Join(errors.Join(a, b), c)))
	both := fmt.Errorf("%w and %w", a, b)
	require.Equal(t, []error{both, c}, fielderr.Split(errors.Join(both, c)))
}

func TestFielderrQuote(t *testing.T) {
	require.Equal(t, `"a\"b\x1b[31m\n"`, fielderr.Quote("a\"b\x1b[31m\n"))
	longest := strings.Repeat("x", 60)
	require.Equal(t, `"`+longest+`"`, fielderr.Quote(longest))
	require.Equal(t, `"`+longest+`"... (61 bytes)`, fielderr.Quote(longest+"y"))
	euros := strings.Repeat("€", 100)
	require.Equal(t, `"`+euros[:60*len("€")]+`"... (300 bytes)`, fielderr.Quote(euros), "a character is not cut in two")
	require.NotPanics(t, func() { fielderr.Quote(strings.Repeat("\x80", 1000)) })
}

func TestFielderrPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"ports[3].speed":          "ports[3].speed",
		"two\nlines, µs and €":    "two\nlines, µs and €",
		"\x1b[31mred\a":           `\x1b[31mred\a`,
		"bell\u0085 \u202e right": `bell\u0085 \u202e right`,
		"\xff":                    `�`,
		"a\u2028b\ufeffc\x7f":     `a\u2028b\ufeffc\x7f`,
		"":                        "",
	} {
		require.Equal(t, want, fielderr.Printable(text))
	}
	long := strings.Repeat("x", 5000)
	require.Equal(t, long[:4096]+"...", fielderr.Printable(long))
}

// A text that must stay in its line has no line break that could begin a line of another's making.
func TestFielderrLine(t *testing.T) {
	require.Equal(t, `leaf.yaml\nFITS: all\t`, fielderr.Line("leaf.yaml\nFITS: all\t"))
	require.Equal(t, "a b € ü", fielderr.Line("a b € ü"))
}

func TestFielderrRequote(t *testing.T) {
	long := strings.Repeat("9", 10_000)
	require.Equal(t, `"`+long[:60]+`"... (10000 bytes) is no time`,
		fielderr.Requote(fmt.Errorf("%q is no time", long), long))
	require.Equal(t, `"5" is no time`, fielderr.Requote(errors.New(`"5" is no time`), "5"))
	require.True(t, fielderr.Quotes(errors.New(`"5" is no time`), "5"))
	require.False(t, fielderr.Quotes(errors.New(`"5" is no time`), "55"))
	require.Less(t, len(fielderr.Requote(errors.New(long), long)), 500, "an error may quote a part of the value")
}

// Of a long list the first complaints are printed, and the number of the others. Lists that were cut can be joined: no
// complaint gets lost from the number.
func TestFielderrLongList(t *testing.T) {
	var rows fielderr.List
	for i := range 30_000 {
		rows.Addf("row %d", i)
	}
	text := rows.Err().Error()
	lines := strings.Split(text, "\n")
	require.Len(t, lines, fielderr.MostShown+1)
	require.Equal(t, "row 49", lines[49])
	require.Equal(t, "and 29950 more: 30000 complaints in all", lines[50])

	var all fielderr.List
	all.Addf("first")
	all.Join(append(rows[:3:3], fielderr.Rest(7)).Err())
	require.Equal(t, 11, all.Total())
	require.EqualError(t, all.Err(), "first\nrow 0\nrow 1\nrow 2\nand 7 more: 11 complaints in all")
	require.EqualError(t, fielderr.Join(errors.New("a"), nil, all[:1].Err()), "a\nfirst")
	require.NoError(t, fielderr.Join(nil, nil))

	sentinel := errors.New("the last")
	require.ErrorIs(t, append(rows, sentinel).Err(), sentinel, "also a complaint that is not printed")
}

func TestFielderrNames(t *testing.T) {
	require.Equal(t, "", fielderr.Names(nil))
	require.Equal(t, `a, b\x1b`, fielderr.Names([]string{"a", "b\x1b"}))
	long := strings.Repeat("x", 61)
	many := fielderr.Names(slices.Repeat([]string{long}, 14))
	require.True(t, strings.HasPrefix(many, long[:60]+"..., "))
	require.True(t, strings.HasSuffix(many, ", and 2 more"))
}

// Quantities are shown with their units. The path is made of its parts for a complaint alone.
func TestFielderrQuantities(t *testing.T) {
	var bad fielderr.List
	for _, l := range []unit.Length{-1, 0, unit.Metre, unit.Metre + 1} {
		fielderr.Bounds(&bad, "ports[0]", ".cable", l, 0, unit.Metre)
		fielderr.Between(&bad, "cable", l, 0, unit.Metre)
	}
	require.EqualError(t, bad.Err(), "ports[0].cable: -1mm (want 0m to 1m)\ncable -1mm is not between 0m and 1m\n"+
		"ports[0].cable: 1.001m (want 0m to 1m)\ncable 1.001m is not between 0m and 1m")
	path, ok := "ports[0]", unit.Metre
	require.Zero(t, testing.AllocsPerRun(10, func() { fielderr.Bounds(&bad, path, ".cable", ok, 0, unit.Metre) }))
}
