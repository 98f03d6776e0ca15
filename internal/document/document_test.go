package document_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

// parse reads a text that has a root.
func parse(t *testing.T, text string) (*document.Reader, *document.Value) {
	r := document.New("f.yaml")
	root := r.Parse([]byte(text))
	require.NotNil(t, root, "%v", r.Err())
	return r, root
}

func TestScalars(t *testing.T) {
	r, root := parse(t, "text: a b\nnumber: -7\nyes: True\nempty: ''\nrate: 100G\n")
	f := root.Fields("text", "number", "yes", "empty", "rate", "absent")
	require.Equal(t, "a b", f["text"].Text())
	require.EqualValues(t, -7, f["number"].Integer(-7, 7))
	require.True(t, f["yes"].Boolean())
	require.Empty(t, f["empty"].Text())
	require.Equal(t, 100*unit.Gbps, document.Quantity(f["rate"], unit.ParseBitRate))
	require.Equal(t, []string{"text", "number", "yes", "empty", "rate"}, root.Keys())
	require.Equal(t, "rate", f["rate"].Name())
	require.Equal(t, document.Whole, root.Name())
	for path, want := range map[string]int{"": 1, "text": 1, "number": 2, "yes": 3, "empty": 4, "rate": 5} {
		line, read := r.Line(path)
		require.True(t, read, path)
		require.Equal(t, want, line, path)
	}
	_, read := r.Line("nothing")
	require.False(t, read)
	require.NoError(t, r.Err())
}

// A key that the file does not have is zero, without a test for it.
func TestAbsentValuesAreZero(t *testing.T) {
	var v *document.Value
	require.Empty(t, v.Text())
	require.Zero(t, v.Integer(5, 6), "even where zero is not accepted")
	require.False(t, v.Boolean())
	require.Empty(t, v.Items())
	require.Zero(t, document.Quantity(v, unit.ParseBitRate))
}

func TestEveryKindOfComplaint(t *testing.T) {
	for want, c := range map[string]struct {
		text string
		read func(*document.Value)
	}{
		`f.yaml:1: document: text: want a mapping with the keys a, b`: {"5", func(v *document.Value) {
			v.Fields("a", "b")
		}},
		`f.yaml:2: c: unknown key: want a, b`: {"a: 1\nc: 2", func(v *document.Value) {
			v.Fields("a", "b")
		}},
		`f.yaml:2: a: given twice: want each key once`: {"a: 1\na: 2", func(v *document.Value) {
			v.Fields("a", "b")
		}},
		`f.yaml:1: b: missing: want this key`: {"a: 1", func(v *document.Value) {
			v.Need(v.Fields("a", "b"), "a", "b")
		}},
		`f.yaml:1: method: missing: want this key`: {"a: 1", func(v *document.Value) {
			require.Nil(t, v.Field("method"))
		}},
		`f.yaml:1: document: a mapping: want a list`: {"a: 1", func(v *document.Value) { v.Items() }},
		`f.yaml:1: [0]: a list: want text`: {"[[x]]", func(v *document.Value) {
			v.Items()[0].Text()
		}},
		`f.yaml:1: [1]: "null": want text`: {"[x, null]", func(v *document.Value) {
			v.Items()[1].Text()
		}},
		`f.yaml:1: [0]: "true ": want true or false`: {"['true ']", func(v *document.Value) {
			v.Items()[0].Boolean()
		}},
		`f.yaml:1: [0]: "1.5": want a whole number from 0 to 9`: {"[1.5]", func(v *document.Value) {
			v.Items()[0].Integer(0, 9)
		}},
		`f.yaml:1: [0]: "10": want a whole number from 0 to 9`: {"[10]", func(v *document.Value) {
			v.Items()[0].Integer(0, 9)
		}},
		`f.yaml:1: [0]: "a\nb": want text in one line, without tabs`: {`["a\nb"]`, func(v *document.Value) {
			v.Items()[0].Text()
		}},
		`f.yaml:1: document: 2 keys, none of them accepted: want c, d`: {"a: 1\nb: 2", func(v *document.Value) {
			v.Fields("c", "d")
		}},
		`f.yaml:1: document: a list: want text such as 9216B, 400G, 300m or 20%`: {"[1]", func(v *document.Value) {
			document.Quantity(v, unit.ParseBytes)
		}},
		`f.yaml:1: document: no, not this`: {"x", func(v *document.Value) {
			document.Quantity(v, func(string) (int, error) { return 5, errors.New("no, not this") })
		}},
	} {
		r, root := parse(t, c.text)
		c.read(root)
		require.EqualError(t, r.Err(), want)
		require.Equal(t, 1, root.Complaints())
	}
}

func TestFilesThatAreNoDocument(t *testing.T) {
	for text, want := range map[string]string{
		"":        "f.yaml:1: document: empty: want a mapping",
		"# words": "f.yaml:1: document: empty: want a mapping",
		"{":       "want a complete YAML or JSON document",
		"a: *b":   "want a complete YAML or JSON document",
		"\x00":    "want a complete YAML or JSON document",
	} {
		r := document.New("f.yaml")
		require.Nil(t, r.Parse([]byte(text)), "%q", text)
		require.ErrorContains(t, r.Err(), want)
	}
}

// A node with several aliases is read at each of its places; the same fault is one complaint.
func TestAliasesComplainOnce(t *testing.T) {
	r, root := parse(t, "- &n 99\n- *n\n")
	items := root.Items()
	require.Len(t, items, 2)
	for range 2 {
		items[0].Integer(0, 9)
	}
	items[1].Integer(0, 9)
	require.Equal(t, 2, r.Total(), "one for each path: %v", r.Err())
	require.Equal(t, []string{"[0]", "[0]", "[1]"}, r.Refused)
}

func TestShapeOfAValue(t *testing.T) {
	_, root := parse(t, "{list: [1, 2, 3], text: all, none: }")
	f := root.Fields("list", "text", "none")
	require.True(t, root.IsMapping())
	require.False(t, f["list"].IsMapping())
	require.Equal(t, []int{3, 3, 0, 0}, []int{root.Len(), f["list"].Len(), f["text"].Len(), f["none"].Len()})
	require.Equal(t, []string{"", "", "all", ""}, []string{root.Raw(), f["list"].Raw(), f["text"].Raw(), f["none"].Raw()})
	require.Nil(t, f["list"].Keys())
	require.Equal(t, "text", root.Field("text").Path())
}

// What a Validate found stands at the line of its path, and without a line if the path is not in the file.
func TestPlace(t *testing.T) {
	r, root := parse(t, "pool:\n  size: 5\n")
	root.Field("pool").Field("size")
	var bad fielderr.List
	bad.Add("pool.size", "5", "6 or more")
	bad.Addf("nothing goes together")
	r.Place(bad.Err())
	r.Place(nil)
	require.EqualError(t, r.Err(), "f.yaml:2: pool.size: 5 (want 6 or more)\nf.yaml: nothing goes together")
}

// What the file's author wrote cannot flood a terminal.
func TestComplaintsAreShort(t *testing.T) {
	r, root := parse(t, `{"key": 1, "size": "`+strings.Repeat("9", 10_000)+`", "name": "`+strings.Repeat("x", 61)+`"}`)
	f := root.Fields("size", "name")
	f["size"].Integer(0, 9)
	document.Quantity(f["size"], unit.ParseBytes)
	f["name"].Boolean()
	f["name"].Fail("not the name \u001b]0;x\u0007 of anything")
	text := r.Err().Error()
	require.Contains(t, text, `f.yaml:1: key: unknown key: want size, name`)
	require.Contains(t, text, `f.yaml:1: size: "`+strings.Repeat("9", 60)+`"... (10000 bytes): want a whole number`)
	require.Contains(t, text, `f.yaml:1: name: "`+strings.Repeat("x", 60)+`"... (61 bytes): want true or false`)
	require.Contains(t, text, `f.yaml:1: name: not the name \x1b]0;x\a of anything`)
	require.Less(t, len(text), 1000)
}

// What was read of one mapping holds for another that differs in one key alone.
func TestAlikeBut(t *testing.T) {
	_, root := parse(t, "- {a: 1, b: [x, 2], n: 5}\n- {a: 1, b: [x, 2], n: {m: 6}}\n- {a: 1, n: 5, b: [x, 2]}\n"+
		"- {a: '1', b: [x, 2], n: 5}\n- {a: 1, b: [x], n: 5}\n- {a: 1, b: [x, 2]}\n- 5\n- {a: 1, b: [x, 2], k: 5}\n")
	items := root.Items()
	for i, alike := range []bool{true, true, false, false, false, false, false, false} {
		require.Equal(t, alike, items[i].AlikeBut(items[0], "n"), i)
		require.Equal(t, alike, items[0].AlikeBut(items[i], "n"), i)
	}
	require.False(t, items[5].AlikeBut(items[5], "n"), "neither has the key")
}
