package complain_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/complain"
)

func TestComplaintLeavesOutWhatItDoesNotHave(t *testing.T) {
	for text, c := range map[string]complain.Complaint{
		"cell: 0 (accepted: 1 to 9)":          {Path: "cell", Value: "0", Accepted: "1 to 9"},
		"pool of 0 cells (accepted: 1 to 9)":  {Value: "pool of 0 cells", Accepted: "1 to 9"},
		"cell: it is not a number":            {Path: "cell", Value: "it is not a number"},
		"no rows; expected lines of: a b c d": {Value: "no rows; expected lines of: a b c d"},
	} {
		require.EqualError(t, c, text)
	}
}

func TestEmptyListIsNoError(t *testing.T) {
	var bad complain.List
	bad.Join(nil)
	bad.Under("part", nil)
	bad.Within("n", 5, 5, 5)
	bad.Check(true, "n", 5, "5")
	require.NoError(t, bad.Err())
	require.Empty(t, bad)
	require.Nil(t, bad.Complaints())
	require.Nil(t, bad.Texts())
}

func TestBoundsAreAccepted(t *testing.T) {
	for n, ok := range map[int64]bool{-1: false, 0: true, 7: true, 8: false} {
		var bad complain.List
		bad.Within("n", n, 0, 7)
		require.Equal(t, ok, bad.Err() == nil, "%d", n)
	}
}

// Errors of other functions keep their identity: a caller's errors.Is and errors.As find them through every layer.
func TestForeignErrorsStayThemselves(t *testing.T) {
	sentinel := errors.New("no such file")
	var part, bad complain.List
	part.Join(fmt.Errorf("table: %w", sentinel))
	part.Add("", "no rows", "")
	bad.Add("chip", "none", "a chip")
	bad.Under("sizing", part.Err())
	err := bad.Err()
	require.ErrorIs(t, err, sentinel)
	require.EqualError(t, err, "chip: none (accepted: a chip)\nsizing: table: no such file\nsizing: no rows")
	var c complain.Complaint
	require.ErrorAs(t, err, &c)
	require.Equal(t, complain.Complaint{Path: "chip", Value: "none", Accepted: "a chip"}, c)
	unread := complain.Complaint{Path: "sizing", Value: "table: no such file"}
	empty := complain.Complaint{Path: "sizing", Value: "no rows"}
	require.Equal(t, []complain.Complaint{c, unread, empty}, bad.Complaints())
	texts := []string{"chip: none (accepted: a chip)", "sizing: table: no such file", "sizing: no rows"}
	require.Equal(t, texts, bad.Texts())

	var outer complain.List
	outer.Under("switch", err)
	require.EqualError(t, outer.Err(), "switch.chip: none (accepted: a chip)\n"+
		"switch.sizing: table: no such file\nswitch.sizing: no rows")
	require.ErrorIs(t, outer.Err(), sentinel)

	at := &complain.Located{File: "leaf.yaml", Err: err}
	require.ErrorIs(t, at, sentinel)
	require.EqualError(t, at, "leaf.yaml: "+err.Error(), "line 0 is the whole file")
}

// Split takes apart what errors.Join made, and nothing else: an error that wraps several has a text of its own.
func TestSplit(t *testing.T) {
	a, b, c := errors.New("a"), errors.New("b"), errors.New("c")
	require.Nil(t, complain.Split(nil))
	require.Equal(t, []error{a}, complain.Split(a))
	require.Equal(t, []error{a, b, c}, complain.Split(errors.Join(errors.Join(a, b), c)))
	both := fmt.Errorf("%w and %w", a, b)
	require.Equal(t, []error{both, c}, complain.Split(errors.Join(both, c)))
}

func TestQuote(t *testing.T) {
	require.Equal(t, `"a\"b\x1b[31m\n"`, complain.Quote("a\"b\x1b[31m\n"))
	longest := strings.Repeat("x", 200)
	require.Equal(t, `"`+longest+`"`, complain.Quote(longest))
	require.Equal(t, `"`+longest+`"... (201 bytes)`, complain.Quote(longest+"y"))
	euros := strings.Repeat("€", 100)
	require.Equal(t, `"`+euros[:66*len("€")]+`"... (300 bytes)`, complain.Quote(euros), "a character is not cut in two")
	require.NotPanics(t, func() { complain.Quote(strings.Repeat("\x80", 1000)) })
}

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"ports[3].speed":          "ports[3].speed",
		"two\nlines, µs and €":    "two\nlines, µs and €",
		"\x1b[31mred\a":           `\x1b[31mred\a`,
		"bell\u0085 \u202e right": `bell\u0085 \u202e right`,
		"\xff":                    `�`,
		"":                        "",
	} {
		require.Equal(t, want, complain.Printable(text))
	}
	long := strings.Repeat("x", 5000)
	require.Equal(t, long[:4096]+"...", complain.Printable(long))
}
