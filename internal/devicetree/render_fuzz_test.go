package devicetree

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// No answer of an interpreter makes its reader fail otherwise than by an error in the result.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"text": "{\n}", "origins": [[0, 1], null], "files": ["a"]}`))
	f.Add([]byte(`{"text": "{", "origins": [[-1, 1], [1, 2, 3], [0, -1]], "files": []}`))
	f.Add([]byte(`{"error": {"kind": "time", "file": "", "line": -1, "message": "m"}}`))
	f.Add([]byte(`{"text": "{}", "error": {}}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, line []byte) {
		result := readAnswer(Request{Folder: "f", Template: "t"}, line)
		if result.Err != nil {
			require.NotEmpty(t, result.Err.File)
			require.NotEmpty(t, result.Err.Error())
			return
		}
		for n := range len(result.Origins) + 2 {
			if place, known := result.Origin(n); known {
				require.Positive(t, place.Line)
			}
		}
	})
}
