package document_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/unit"
)

// changed reads a text with changes and returns the quantity at a: a[0].length, and the reader.
func changed(t *testing.T, text string, changes ...string) (*document.Reader, *document.Value) {
	t.Helper()
	r := document.New("f.yaml")
	for _, c := range changes {
		change, err := document.ParseOverride(c)
		require.NoError(t, err)
		r.Change(change)
	}
	return r, r.Parse([]byte(text))
}

func TestChanges(t *testing.T) {
	r, root := changed(t, "list: [{length: 5m}, {length: 7m}]\n",
		"list[1].length=2km", "other.deep=[1, 2]", "name='a = b'")
	f := root.Fields("list", "other", "name")
	items := f["list"].Items()
	require.Equal(t, 5*unit.Metre, document.Quantity(items[0].Field("length"), unit.ParseLength))
	require.Equal(t, 2*unit.Kilometre, document.Quantity(items[1].Field("length"), unit.ParseLength))
	require.Equal(t, 2, f["other"].Field("deep").Len(), "a mapping on the way is made")
	require.Equal(t, "a = b", f["name"].Text())
	require.NoError(t, r.Err())
}

// An anchor stands for several places; a change is of the one that its path names.
func TestChangeOfOneAlias(t *testing.T) {
	_, root := changed(t, "a: &x {length: 5m}\nb: *x\nc: *x\n", "b.length=7m")
	for key, want := range map[string]string{"a": "5m", "b": "7m", "c": "5m"} {
		require.Equal(t, want, root.Field(key).Field("length").Text(), key)
	}
}

// What a change says wrongly is refused as the file's own is, and the message names the change.
func TestChangesAreRefused(t *testing.T) {
	for change, want := range map[string]string{
		"list[0].length=5":   `--set list[0].length=5: list[0].length: "5" is not a length: it has no unit`,
		"list[0].lenght=5m":  `--set list[0].lenght=5m: list[0].lenght: unknown key: want length`,
		"list[2].length=5m":  `--set list[2].length=5m: list: [2]: want [0] to [1]`,
		"list.length=5m":     `--set list.length=5m: list: no key "length": it is a list, not a mapping`,
		"name[0]=5m":         `--set name[0]=5m: name: [0]: want a key; it is "x", not a list`,
		"list[0].length=[":   `--set list[0].length=[: list[0].length: "[": yaml: `,
		"list[0].length=*no": `--set list[0].length=*no: list[0].length: "*no": yaml: unknown anchor`,
		"list=5":             `--set list=5: list: "5": want a list`,
	} {
		r, root := changed(t, "list: [{length: 5m}, {length: 7m}]\nname: x\n", change)
		f := root.Fields("list", "name")
		for _, v := range f["list"].Items() {
			document.Quantity(v.Fields("length")["length"], unit.ParseLength)
		}
		require.ErrorContains(t, r.Err(), want, change)
	}
	r, _ := changed(t, "a: 1\n", "a=2", "a=3")
	require.EqualError(t, r.Err(), `--set a=3: a: changed twice, by "a=2" too (want one change of a value)`)
	r, _ = changed(t, "a: {b: 1}\n", "a.b=2", "a={b: 3}")
	require.ErrorContains(t, r.Err(), "changed twice")
}

func TestChangesThatAreNone(t *testing.T) {
	for _, text := range []string{"", "a", "a=", "=5", "a= ", "[0]=1", "a[x]=1", "a[-1]=1", "a[00]=1", "a[0=1", "a..b=1",
		".a=1", "a.=1", "a[0]b=1", strings.Repeat("a.", 40) + "a=1", "a=" + strings.Repeat("x", 70_000)} {
		_, err := document.ParseOverride(text)
		require.Error(t, err, "%.40q", text)
	}
}

// FuzzChange makes any change in any document: nothing panics.
func FuzzChange(f *testing.F) {
	f.Add("a: [1, {b: 2}]\n", "a[1].b=3")
	f.Add("a: &x {b: 1}\nc: *x\n", "c.b=[1, 2]")
	f.Add("a: &l [*l]\n", "a[0][0]=5")
	f.Add("- 1\n", "a=1")
	f.Fuzz(func(t *testing.T, text, change string) {
		c, err := document.ParseOverride(change)
		if err != nil {
			return
		}
		require.Equal(t, change, c.String())
		r := document.New("fuzz.yaml")
		r.Change(c)
		if root := r.Parse([]byte(text)); root != nil {
			for _, v := range append(root.Items(), root.Fields("a", "b")["a"], root) {
				v.Text()
			}
		}
	})
}
