package configdb_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/configdb"
)

func Example() {
	data := []byte(`{
  "BUFFER_POOL": {
    "ingress_lossless_pool": {"size": "10875072", "type": "ingress"}
  }
}`)
	db, err := configdb.Read("config_db.json", data, "BUFFER_POOL")
	if err != nil {
		fmt.Println(err)
		return
	}
	size := db.Table("BUFFER_POOL").Entry("ingress_lossless_pool").Field("size")
	fmt.Println(size.At, size.Value)
	// Output: config_db.json:3 10875072
}

// TestReadsAsTheSwitchDoes reads numbers, truth values and lists as texts, and keeps blanks.
func TestReadsAsTheSwitchDoes(t *testing.T) {
	db, err := configdb.Read("f", []byte("\xef\xbb\xbf"+
		`{"A": {"k": {"n": 7, "b": true, "l@": ["1", "2"], "t": " 5 "}}, "bgpraw": ""}`),
		"A")
	require.NoError(t, err)
	e := db.Table("A").Entry("k")
	for name, want := range map[string]string{"n": "7", "b": "true", "l": "1,2", "t": " 5 "} {
		require.Equal(t, want, e.Field(name).Value, name)
	}
	text, given := e.Text("t")
	require.True(t, given)
	require.Equal(t, "5", text)
	require.Equal(t, []string{"bgpraw"}, db.Other)
	require.Nil(t, db.Table("B").Entry("k").Field("x"), "what is not there is nil, at any depth")
	require.Empty(t, db.Table("B").All())
	require.Equal(t, []string{"a", "b"}, configdb.References("[BUFFER_PROFILE|a],[BUFFER_PROFILE|b]"))
	require.Equal(t, []string{"a"}, configdb.References("a"))
}

// TestNamesWhatIsGivenTwice lists duplicates, of which the last counts, and what CONFIG_DB does not have.
func TestNamesWhatIsGivenTwice(t *testing.T) {
	db, err := configdb.Read("f", []byte(`{
"A": {"k": {"x": "1"},
      "k": {"x": "2", "x": "3", "deep": {"y": [1]}, "list": [{}], "null": null},
      "m": "text"},
"B": 5,
"A": {"z": {}}}`))
	require.NoError(t, err)
	var got []string
	for _, p := range db.Problems {
		got = append(got, p.At.String()+" "+p.Object+": "+p.Text)
	}
	require.Equal(t, []string{
		`f:3 A|k: field "x" is given twice; the switch takes the second`,
		`f:3 A|k: field "deep": want texts, or a list of texts`,
		`f:3 A|k: field "list": want texts, or a list of texts`,
		`f:3 A|k: field "null": want texts, or a list of texts`,
		`f:3 A|k: the entry is given twice; the switch takes the second`,
		`f:4 A|m: no object of fields`,
		`f:5 B: no object of entries`,
		`f:6 A: the table is given twice; the switch takes the second alone`,
	}, got)
	require.Nil(t, db.Table("A").Entry("k"))
	require.NotNil(t, db.Table("A").Entry("z"))
}

// TestMergeTakesTheLater merges documents as a switch loads them.
func TestMergeTakesTheLater(t *testing.T) {
	a, err := configdb.Read("a", []byte(`{"T": {"k": {"x": "1"}, "l": {}}}`))
	require.NoError(t, err)
	b, err := configdb.Read("b", []byte(`{"T": {"k": {"x": "2"}}, "U": {"m": {}}}`))
	require.NoError(t, err)
	all := configdb.Merge(a, nil, b)
	require.Len(t, all.Tables, 2)
	require.Equal(t, finding.Place{File: "b", Line: 1}, all.Table("T").Entry("k").At)
	require.Len(t, all.Table("T").Entries, 2)
	require.Equal(t, "1", a.Table("T").Entry("k").Fields[0].Value, "the documents stay as they are")
}

// TestReadsTheFlatForm reads entries whose keys have the name of the table, as the database has them: those of
// sonic-utilities' tests, and the hashes of sonic-db-dump. They are the entries of the tables.
func TestReadsTheFlatForm(t *testing.T) {
	want, err := configdb.Read("f", []byte(`{"A": {"k": {"x": "1"}, "k|2": {"x": "2", "value": "5"}}, "B": {"m": {}}}`))
	require.NoError(t, err)
	want.WithoutLines()
	for name, text := range map[string]string{
		"flat": `{"A|k": {"x": "1"},
			"A|k|2": {"x": "2", "value": "5"}, "B|m": {}}`,
		"dump": `{"A|k": {"expireat": 1700000000.5, "ttl": -0.001, "type": "hash", "value": {"x": "1"}},
			"A|k|2": {"type": "hash", "value": {"x": "2", "value": "5"}, "ttl": -1},
			"B|m": {"type": "hash", "value": {}}}`,
		"both": `{"A": {"k": {"x": "1"}}, "A|k|2": {"x": "2", "value": "5"}, "B": {"m": {}}}`,
	} {
		got, err := configdb.Read("f", []byte(text))
		require.NoError(t, err, name)
		got.WithoutLines()
		require.Equal(t, want, got, name)
		some, err := configdb.Read("f", []byte(text), "B")
		require.NoError(t, err, name)
		require.Equal(t, []string{"A"}, some.Other, name)
		require.Nil(t, some.Table("A"), name)
	}
	db, err := configdb.Read("f", []byte("{\"A|k\": {\"x\": \"1\"},\n\"A|k\": {\"type\": \"string\", \"value\": "+
		"\"2\"}, \"A|l\": 5}"))
	require.NoError(t, err)
	require.Equal(t, 2, db.Table("A").Entry("k").At.Line)
	require.Equal(t, "2", db.Table("A").Entry("k").Field("value").Value, "no hash: it is a field")
	require.Len(t, db.Problems, 2)
	require.Contains(t, db.Problems[0].Text, "given twice")
	require.Contains(t, db.Problems[1].Text, "no object of fields")
}

// TestRefuses is about what is no CONFIG_DB: the error has the line and says what is accepted.
func TestRefuses(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)
	var fields strings.Builder
	fields.WriteString(`{"A":{"k":{`)
	for i := range configdb.MaxFields + 1 {
		fields.WriteString(fmt.Sprintf(`"f%d":"1",`, i))
	}
	for name, c := range map[string]struct{ text, want string }{
		"empty":         {" \n", "f: empty"},
		"truncated":     {"{\n\"A\": {\"k\": {\"x\": \"1\"}\n", "f:2: the document ends before its last bracket"},
		"in a text":     {"{\n\"A\": {\"k", "f:2: "},
		"a list":        {"[1]", "f:1: no object: want CONFIG_DB"},
		"two documents": {"{}\n{}", "f:2: no JSON: invalid character '{' after top-level value"},
		"comma":         {"{\"A\": {\"k\": {\"x\": \"1\",\n}}}", "f:2: no JSON"},
		"another vendor": {"interface Ethernet1/1\n  speed 100000\n",
			"f:1: no JSON: invalid character 'i' looking for beginning of value: want CONFIG_DB"},
		"utf-16":     {"\xff\xfe{\x00}\x00", "f:1: a text in UTF-16, little endian: want UTF-8"},
		"big utf-16": {"\xfe\xff\x00{\x00}", "f:1: a text in UTF-16, big endian: want UTF-8"},
		"no mark":    {"{\x00}\x00", "f:1: a text in UTF-16, little endian"},
		"deep":       {`{"B": ` + deep + `}`, "nested more than 32 deep"},
		"large":      {strings.Repeat(" ", configdb.MaxBytes+1), "want at most 16777216"},
		"text":       {`{"A": {"` + strings.Repeat("k", configdb.MaxText+1) + `": {}}}`, "a text of 262145 bytes"},
		"values":     {`{"B": [` + strings.Repeat("1,", configdb.MaxValues) + "1]}", "more than 1048576 keys and values"},
		"fields":     {fields.String() + `"z":"1"}}}`, "an entry with more than 8192 fields"},
	} {
		_, err := configdb.Read("f", []byte(c.text), "A")
		require.ErrorContains(t, err, c.want, name)
		require.Less(t, len(err.Error()), 300, name)
	}
}

// FuzzRead reads any text: it ends, places are inside the text, and what is read is found again.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"A": {"k": {"x": "1", "y": [1, true, "z"]}}}`))
	f.Add([]byte("{\n\"A\": {\"k\": {\"x\": \"1\"}\n"))
	f.Add([]byte(`{"A|k": {"type": "hash", "value": {"x": "1"}}, "A|k": {"value": {}, "value": {"x": 1}}, "A": {}}`))
	f.Add([]byte(`{"A": {"k": {"x": {"y": []}}}, "A": 1, "B": [[{}]]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		db, err := configdb.Read("f", data)
		if err != nil {
			return
		}
		lines := strings.Count(string(data), "\n") + 1
		for _, table := range db.Tables {
			require.Same(t, table, db.Table(table.Name))
			for _, e := range table.All() {
				require.Same(t, e, table.Entry(e.Key))
				require.LessOrEqual(t, table.At.Line, lines)
				require.LessOrEqual(t, e.At.Line, lines)
				for _, field := range e.Fields {
					require.Equal(t, field, *e.Field(field.Name))
				}
			}
		}
		require.Equal(t, len(db.Tables), len(configdb.Merge(db, db).Tables))
	})
}

// BenchmarkRead reads the configuration of 512 ports.
func BenchmarkRead(b *testing.B) {
	var text strings.Builder
	text.WriteString(`{"BUFFER_QUEUE": {`)
	for port := range 512 {
		for q := range 20 {
			fmt.Fprintf(&text, "\"Ethernet%d|%d\": {\n\"profile\": \"egress_lossless_profile\"\n},\n", port, q)
		}
	}
	text.WriteString(`"x|0": {}}}`)
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := configdb.Read("f", []byte(text.String())); err != nil {
			b.Fatal(err)
		}
	}
}
