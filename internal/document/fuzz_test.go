package document_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

// FuzzReader reads any text by every method, a few levels deep. Whatever the text is: nothing panics, a value that was
// refused has a complaint and one that was not has none, no complaint comes twice, and each has file and line.
func FuzzReader(f *testing.F) {
	for _, text := range []string{
		"", "{", "null", "5", "- 1\n- [2, {a: b}]\n", "a: 1\na: 2\nb: {a: x}\n",
		"a: &n 5\nb: *n\n", "a: &l [*l]\nb: &m {a: *m}\n", `{"a": true, "b": [null, "9216B", 1.5, -1]}`,
		"? [a]\n: b\n", "\"\": 1\n", "a: \"\\e[31m\"\nc\x85: 1\n", "<<: {a: 1}\n", "a: !!int x\nb: !!bool 7\n",
		"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "a: \"\\u202e\"\n", "%TAG !a! x\n---\na: 1\n",
		"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1",
		"-----BEGIN KEY-----\nx\n", "root:*:1:2::\n", "a: *\u0001b\n",
		"a: |\n  text\n  of lines\n", "--- 1\n--- 2\n", "\ufeffa: 1\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := document.New("fuzz.yaml")
		if root := r.Parse([]byte(text)); root != nil {
			readAll(t, root, 3)
		} else {
			require.Error(t, r.Err(), "a document without a root is refused")
		}
		if err := r.Err(); err != nil {
			require.Equal(t, fielderr.Escape(err.Error(), true), err.Error(), "a complaint prints")
			require.Less(t, len(err.Error()), 60*8192, "a complaint is short")
		}
		seen := map[string]bool{}
		for _, err := range fielderr.Split(r.Err()) {
			require.True(t, strings.HasPrefix(err.Error(), "fuzz.yaml:"), "%v", err)
			require.False(t, seen[err.Error()], "twice: %v", err)
			seen[err.Error()] = true
		}
	})
}

// readAll reads a value by every method that it has.
func readAll(t *testing.T, v *document.Value, depth int) {
	refuses := func(read func() (zero bool)) {
		before := v.Complaints()
		zero := read()
		require.True(t, zero || v.Complaints() == before, "%s: a value that was refused is zero", v.Name())
	}
	refuses(func() bool { return v.Text() == "" })
	refuses(func() bool { return !v.Boolean() })
	refuses(func() bool { return document.Quantity(v, unit.ParseBytes) == 0 })
	refuses(func() bool {
		n := v.Integer(-5, 9)
		require.True(t, n >= -5 && n <= 9)
		return n == 0
	})
	require.LessOrEqual(t, len(v.Keys()), v.Len())
	if depth == 0 {
		return
	}
	fields := v.Fields("a", "b")
	v.Need(fields, "a")
	for _, x := range fields {
		require.GreaterOrEqual(t, x.Line, 1)
		readAll(t, x, depth-1)
	}
	for i, x := range v.Items() {
		if i < 2 { // a list may be long, and hold itself
			readAll(t, x, depth-1)
		}
	}
	if len(v.Keys()) > 0 {
		require.NotNil(t, v.Field(v.Keys()[0]))
	}
}
