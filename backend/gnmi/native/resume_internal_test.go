package native

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// contentOf is a switch that holds one table.
func contentOf(t testing.TB, table, text string) Trees {
	v, err := parse([]byte(text), true)
	require.NoError(t, err)
	return Trees{{path: sonic.Path(table), raw: true, tree: v}}
}

// What is left of a table that the push made or took away, beside what others
// have in it: an entry each; all of it where the updater wants it so.
func TestLeftOfATable(t *testing.T) {
	const entry, theirs, table = `{"profile":"a"}`, `"Ethernet8|0":{"profile":"b"}`, "/CONFIG_DB/localhost/BUFFER_PG"
	at := func(key string, before, planned string, phase int) recordedChange {
		path := sonic.Path("BUFFER_PG")
		if key != "" {
			path = sonic.Path("BUFFER_PG", key)
		}
		return recordedChange{Origin: sonic.Origin, Path: path, Before: before, Planned: planned, Phase: phase}
	}
	whole := `{"E|0":` + entry + `,"E|3":` + entry + `}`
	for name, test := range map[string]struct {
		changes []recordedChange
		undo    bool
		now     string
		want    [][2]string // path beneath the table, and to
	}{
		"a new table": {[]recordedChange{at("", "", whole, 0)}, false, `null`, [][2]string{{"", whole}}},
		"a new table, and theirs": {[]recordedChange{at("", "", whole, 0)}, false, `{` + theirs + `}`,
			[][2]string{{"/E|0", entry}, {"/E|3", entry}}},
		"half of it, and theirs": {[]recordedChange{at("", "", whole, 0)}, false, `{"E|3":` + entry + `,` + theirs +
			`}`, [][2]string{{"/E|0", entry}}},
		"all of it, and theirs": {[]recordedChange{at("", "", whole, 0)}, false, whole[:len(whole)-1] + `,` + theirs +
			`}`, nil},
		"a new table back": {[]recordedChange{at("", "", whole, 0)}, true, whole, [][2]string{{"", ""}}},
		"a new table back, theirs stays": {[]recordedChange{at("", "", whole, 0)}, true, whole[:len(whole)-1] + `,` + theirs +
			`}`, [][2]string{{"/E|3", ""}, {"/E|0", ""}}},
		"a table goes": {[]recordedChange{at("", whole, "", 1)}, false, whole, [][2]string{{"", ""}}},
		"a table goes, theirs stays": {[]recordedChange{at("", whole, "", 1)}, false, `{"E|0":` + entry + `,` + theirs +
			`}`, [][2]string{{"/E|0", ""}}},
		"a table comes back": {[]recordedChange{at("", whole, "", 1)}, true, `null`, [][2]string{{"", whole}}},
		"a table comes back, theirs stays": {[]recordedChange{at("", whole, "", 1)}, true, `{` + theirs + `}`,
			[][2]string{{"/E|3", entry}, {"/E|0", entry}}},
		"the last entries go": {[]recordedChange{at("E|0", "", entry, 0), at("E|3", "", entry, 0)}, true, whole,
			[][2]string{{"", ""}}},
		"the last entries go in phases": {[]recordedChange{at("E|0", entry, "", 0), at("E|3", entry, "", 1)}, false, whole,
			[][2]string{{"/E|0", ""}, {"", ""}}},
		"entries without their table": {[]recordedChange{at("E|0", "", entry, 0), at("E|3", "", entry, 1)}, false, `null`,
			[][2]string{{"", `{"E|0":` + entry + `}`}, {"/E|3", entry}}},
		"a value of another client": {[]recordedChange{at("E|0", "", entry, 0)}, true, `{"E|0":{"profile":"c"},` + theirs +
			`}`, [][2]string{{"/E|0", ""}}},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, validate(test.changes))
			i := &interrupted{Changes: test.changes, Undo: test.undo}
			var got [][2]string
			left, others := i.left(contentOf(t, "BUFFER_PG", test.now))
			require.Equal(t, name == "a value of another client", len(others) > 0)
			if len(others) > 0 {
				require.Empty(t, left, "it is left")
				i.Overwrite = true
				left, others = i.left(contentOf(t, "BUFFER_PG", test.now))
				require.Empty(t, others)
			}
			for _, c := range left {
				got = append(got, [2]string{c.Path[len(table):], c.To})
				require.Equal(t, c.To, string(c.update.JSON))
			}
			require.Equal(t, test.want, got)
		})
	}
}

// Whatever is written down and whatever a switch holds, what is left can be told.
func FuzzLeft(f *testing.F) {
	f.Add("E|0", `{"profile":"a"}`, ``, `{"E|0":{"profile":"a"}}`, true)
	f.Add("", ``, `{"E|0":{"profile":"a"}}`, `null`, false)
	f.Add("", `{"a":{}}`, `{"b":{"c":"d"}}`, `{"a":7,"b":[]}`, true)
	f.Add("E|0", ``, `{"profile":"a"}`, `"no table"`, false)
	f.Fuzz(func(t *testing.T, key, before, planned, now string, undo bool) {
		path := sonic.Path("BUFFER_PG")
		if key != "" {
			path = sonic.Path("BUFFER_PG", key)
		}
		i := &interrupted{Undo: undo, Changes: []recordedChange{{Origin: sonic.Origin, Path: path, Before: before,
			Planned: planned}}}
		tree, err := parse([]byte(now), true)
		if err != nil || validate(i.Changes) != nil {
			return
		}
		at := Trees{{path: sonic.Path("BUFFER_PG"), raw: true, tree: tree}}
		left, _ := i.left(at)
		for _, c := range left {
			require.False(t, c.made(c.before), "it is left because it is not there")
		}
		i.Changes[0].found(at)
	})
}

// What is back already of a push that is undone, or is made already of one that is finished, is compared in the end,
// too: others may change it, and so may a Set that was not answered.
func TestMadeAlready(t *testing.T) {
	const from, to = `{"profile":"a"}`, `{"profile":"b"}`
	for undo, there := range map[bool]string{false: to, true: from} {
		i := interrupted{Undo: undo, Changes: []recordedChange{{Origin: sonic.Origin, Path: sonic.Path("BUFFER_PG", "E|0"),
			Before: from, Planned: to}}}
		now := contentOf(t, "BUFFER_PG", `{"E|0":`+there+`}`)
		left, others := i.left(now)
		require.Empty(t, left)
		require.Empty(t, others)
		d := &device{language: written(i.Changes), plan: i.made(now)}
		require.Empty(t, d.Diff(now))
		require.Len(t, d.Diff(contentOf(t, "BUFFER_PG", `{"E|0":{"profile":"c"}}`)), 1)
	}
}

// What a Set that was not answered would still do: one of CONFIG_DB writes entries and tables as a whole, and takes
// away what others have beside its values. The same update of a model leaves it, and its undoing does not.
func TestRemainsOfASet(t *testing.T) {
	const entry, more = `{"profile":"a"}`, `{"profile":"a","other":"b"}`
	table := recordedChange{Origin: sonic.Origin, Path: sonic.Path("BUFFER_PG"), Planned: `{"E|0":` + entry + `}`}
	one := recordedChange{Origin: sonic.Origin, Path: sonic.Path("BUFFER_PG", "E|0"), Planned: entry}
	gone := one
	gone.Before, gone.Planned = entry, ""
	for name, test := range map[string]struct {
		set  recordedChange
		now  string
		want bool
	}{
		"a table":                         {table, `{"E|0":` + entry + `}`, false},
		"a table that is not there":       {table, `null`, true},
		"a table, and theirs":             {table, `{"E|0":` + entry + `,"E|3":` + entry + `}`, true},
		"a table, and a field of theirs":  {table, `{"E|0":` + more + `}`, true},
		"an entry":                        {one, `{"E|0":` + entry + `}`, false},
		"an entry, and theirs":            {one, `{"E|0":` + entry + `,"E|3":` + entry + `}`, false},
		"an entry, and a field of theirs": {one, `{"E|0":` + more + `}`, true},
		"an entry that goes":              {gone, `{"E|3":` + entry + `}`, false},
		"an entry that is still there":    {gone, `{"E|0":` + entry + `}`, true},
	} {
		now := contentOf(t, "BUFFER_PG", test.now)
		require.Equal(t, test.want, remains(now, []recordedChange{test.set}, false), name)
		running := device{language: written{test.set}, flight: []Change{test.set.change(now)}}
		require.Equal(t, !test.want, running.Settled(now), name)
	}
	model := recordedChange{Path: []nos.Elem{{Name: "qos"}, {Name: "x"}}, Planned: `{"size":1}`}
	tree, err := parse([]byte(`{"x":{"size":1,"on":true}}`), true)
	require.NoError(t, err)
	now := Trees{{path: root, tree: tree}}
	require.False(t, remains(now, []recordedChange{model}, false))
	require.True(t, remains(now, []recordedChange{model}, true))
}
