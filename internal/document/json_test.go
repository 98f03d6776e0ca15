package document

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// FuzzJSONIsYAML compares the short way of plain JSON with the YAML parser: where there is a short way, both make the
// same nodes on the same lines.
func FuzzJSONIsYAML(f *testing.F) {
	for _, text := range []string{
		`{"a": 1, "b": [true, null, "9216B", -5, 1.5, 1e3, false], "c": {}}`, "{\n \"a\": [\n1,\n\n2], \"b\":\n\"x\"}\n",
		`{"a": "x", "a": "y"}`, `{"": "", "<<": {"a": 1}}`, `{"a": 12345678901234567890}`, `{"a": -0, "b": 0}`,
		`{"a": "&x *y !z"}`,
		`{"a":1}{"b":2}`, `{"a": "\u0041"}`, `{a: 1}`, `{"a": "=", "b": "~", "c": "null", "d": "1"}`,
		"{\"a\":\n{\"b\"\n: [\n]}}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		short := fromJSON(data)
		if short == nil {
			return
		}
		var doc yaml.Node
		if yaml.Unmarshal(data, &doc) != nil {
			return // such as a line feed between a key and its colon, which JSON allows
		}
		require.True(t, json.Valid(data), "%q", data)
		want := converter{}.node(doc.Content[0])
		require.True(t, want.equal(short), "%q", data)
		lines, got := map[string]int{}, map[string]int{}
		want.places("", lines)
		short.places("", got)
		require.Equal(t, lines, got, "%q", data)
	})
}

func TestJSONBeyondTheBoundsIsNotRead(t *testing.T) {
	require.NotNil(t, fromJSON([]byte(`{"a": [[1]]}`)))
	deep := func(n int) []byte {
		text := []byte(`{"a": `)
		for range n {
			text = append(text, '[')
		}
		for range n {
			text = append(text, ']')
		}
		return append(text, '}')
	}
	require.NotNil(t, fromJSON(deep(maxDepth-1)))
	require.Nil(t, fromJSON(deep(maxDepth)))
	require.Nil(t, fromJSON([]byte(`[1]`)), "a list is no document of ours")
	require.Nil(t, fromJSON([]byte(`{"a": 1`)))
}
