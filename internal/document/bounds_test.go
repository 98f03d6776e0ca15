package document_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// bomb is a text in which every line has nine aliases of the line before: each line stands for nine times as many
// values.
func bomb(lines int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < lines; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), ", "))
	}
	return b.String()
}

// Every bound refuses with its number, and nothing that is refused is read.
func TestBoundsRefuse(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"bytes":    {strings.Repeat("# word\n", document.MaxBytes/7+1), "16777222 bytes: want at most 16777216"},
		"values":   {"[" + strings.Repeat("1,", document.MaxValues) + "]", "up to 262147 keys and values, by the marks"},
		"one line": {strings.Repeat("[", 1<<20), "up to 1048577 keys and values"},
		"depth": {strings.Repeat("[", 33) + strings.Repeat("]", 33),
			"mappings and lists nested 33 deep: want at most 32"},
		"scalar":    {"a: " + strings.Repeat("x", document.MaxScalar+1), "a text of 16385 bytes: want at most 16384"},
		"block":     {"a: |\n" + strings.Repeat("  line of text\n", 5000), "a text of 65000 bytes: want at most 16384"},
		"key":       {strings.Repeat("k", document.MaxKey+1) + ": 1", "a key of 129 bytes: want at most 128"},
		"aliases":   {bomb(9), "too many keys and values, each use of an alias counted: want at most 262144"},
		"tags":      {strings.Repeat("%TAG !a! x\n", 17) + "---\na: 1", "more than 16 %TAG directives"},
		"own alias": {"a: &a [*a]", "an alias of a value that it is in: want a value that ends"},
		"escape":    {`a: "\e[31mFITS"`, "a text with the character U+001B: want characters that print"},
		"key's bel": {`"\a": 1`, "a text with the character U+0007"},
		"bidi":      {"a: Ethernet\u202e1", "a text with the character U+202E"},
		"separator": {`a: "x\u2028y"`, "a text with the character U+2028"},
		"return":    {`a: "x\ry"`, "a text with the character U+000D"},
	} {
		r := document.New("f.yaml")
		require.Nil(t, r.Parse([]byte(c.text)), name)
		require.ErrorContains(t, r.Err(), c.want, name)
		require.Less(t, len(r.Err().Error()), 300, name)
	}
}

// What stands at a bound is read.
func TestBoundsAccept(t *testing.T) {
	effort.SkipShort(t, "it reads documents as large as they may be")
	for name, text := range map[string]string{
		"comments": strings.Repeat("# a, b: c\n", 1<<20) + "a: 1",
		"depth":    strings.Repeat("[", 32) + strings.Repeat("]", 32),
		"scalar":   "a: " + strings.Repeat("x", document.MaxScalar),
		"key":      strings.Repeat("k", document.MaxKey) + ": 1",
		"aliases":  bomb(5),
		"prose":    "a: |\n  two\n  lines, 5 µs and €\n",
	} {
		r := document.New("f.yaml")
		require.NotNil(t, r.Parse([]byte(text)), "%s: %v", name, r.Err())
	}
}

// A file that is no mapping may be a key or a list of passwords: its text is not repeated. Neither is an anchor of it,
// which the YAML library quotes.
func TestOtherFilesAreNotQuoted(t *testing.T) {
	for name, text := range map[string]string{
		"key":      "-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----\n",
		"shadow":   "root:$6$secret:19000:0:99999:7:::\nbin:*:19000:0:99999:7:::\n",
		"list":     "- secret\n",
		"anchor":   "*secret\n",
		"other":    "password: secret\nsecret: 5\n",
		"unquoted": "a: *secret\n",
	} {
		r := document.New("f.yaml")
		if root := r.Parse([]byte(text)); root != nil {
			root.Fields("chip", "ports")
		}
		require.Error(t, r.Err(), name)
		require.NotContains(t, r.Err().Error(), "secret", name)
		require.NotContains(t, r.Err().Error(), "BEGIN", name)
	}
}

// A reader keeps as many complaints as it prints, and counts the others.
func TestManyComplaints(t *testing.T) {
	r, root := parse(t, "["+strings.Repeat("x,", 30_000)+"]")
	for _, v := range root.Items() {
		v.Integer(0, 9)
	}
	require.Equal(t, 30_000, r.Total())
	require.Equal(t, 30_000, root.Complaints())
	require.Contains(t, r.Err().Error(), "\nand 29950 more: 30000 complaints in all")
	require.Len(t, strings.Split(r.Err().Error(), "\n"), 51)

	all := document.New("g.yaml")
	all.Complain(1, "a", "b", "c")
	all.Join(r.Err())
	require.Equal(t, 30_001, all.Total())
}

// A document costs at most 512 MiB of memory, whatever stands in it, and each of its values is handed out once.
func TestBudget(t *testing.T) {
	effort.SkipShort(t, "it reads documents as large as they may be")
	const most = 512 << 20
	for name, text := range map[string]string{
		"list":       "[" + strings.Repeat("1,", document.MaxValues-3) + "]",
		"lines":      strings.Repeat("- 1\n", document.MaxValues/2-1),
		"mapping":    keys(document.MaxValues / 4),
		"flow":       "{" + strings.Repeat("a: 1,", document.MaxValues/2-5) + "}",
		"remarks":    strings.Repeat("- a\n# c\n# d\n", document.MaxValues/2-5),
		"comments":   strings.Repeat("#\n", document.MaxBytes/2-4) + "a: 1",
		"words":      strings.Repeat("x ", document.MaxBytes/2),
		"aliases":    bomb(5),
		"nested":     strings.Repeat("[", 9_990) + strings.Repeat("]", 9_990),
		"refused":    strings.Repeat("[", document.MaxBytes),
		"documents":  strings.Repeat("---\n", document.MaxValues/5),
		"directives": strings.Repeat("%TAG !a! x\n", document.MaxBytes/11),
	} {
		before := allocated()
		r := document.New("f.yaml")
		if root := r.Parse([]byte(text)); root != nil {
			root.Fields("a")
			root.Items()
		}
		require.LessOrEqual(t, int(allocated()-before), most, "%s: %d bytes of text", name, len(text))
	}
}

// allocated returns how much memory the test has allocated so far.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// keys returns a mapping with so many keys.
func keys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d: 1\n", i)
	}
	return b.String()
}
