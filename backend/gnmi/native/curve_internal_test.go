package native

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/jsontree"
)

// A marking curve of which others have changed a leaf is left as a whole. Other objects are taken back leaf by leaf.
func TestTakenBackLeavesCurvesWhole(t *testing.T) {
	for _, c := range []struct {
		now, before, made, back string
		foreign                 bool
	}{
		{`{"green_min_threshold":"2","green_max_threshold":"9"}`, `{"green_min_threshold":"1","green_max_threshold":"5"}`,
			`{"green_min_threshold":"2","green_max_threshold":"8"}`, `{"green_min_threshold":"2","green_max_threshold":"9"}`,
			true},
		{`{"A":{"min-threshold":2,"max-threshold":9},"B":2}`, `{"A":{"min-threshold":1,"max-threshold":5},"B":1}`,
			`{"A":{"min-threshold":2,"max-threshold":8},"B":2}`, `{"A":{"min-threshold":2,"max-threshold":9},"B":1}`, true},
		{`{"green_min_threshold":"2","green_max_threshold":"8"}`, `{"green_min_threshold":"1","green_max_threshold":"5"}`,
			`{"green_min_threshold":"2","green_max_threshold":"8"}`, `{"green_min_threshold":"1","green_max_threshold":"5"}`,
			false},
		{`{"pfc_enable":"4","map":"X"}`, `{"pfc_enable":"2","map":"Y"}`, `{"pfc_enable":"3","map":"X"}`,
			`{"pfc_enable":"4","map":"Y"}`, true},
	} {
		read := func(text string) any {
			v, err := jsontree.Decode([]byte(text))
			require.NoError(t, err)
			return v
		}
		back, foreign := takenBack(read(c.now), read(c.before), read(c.made))
		require.JSONEq(t, c.back, jsonText(back))
		require.Equal(t, c.foreign, foreign)
	}
}
