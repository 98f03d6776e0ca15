package linkcheck_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/dcbx/linkcheck"
)

// A list of cables is read with its lines; everything that is wrong with it is said at once.
func TestCables(t *testing.T) {
	got, err := linkcheck.Cables("c.csv", []byte("a,b\n# a comment\nl.yaml:E1, s.yaml:et-0/0/0:1\n"))
	require.NoError(t, err)
	require.Equal(t, []linkcheck.Cable{{Line: 3, A: linkcheck.FilePort{File: "l.yaml", Port: "E1"},
		B: linkcheck.FilePort{File: "s.yaml", Port: "et-0/0/0:1"}}}, got)
	require.Equal(t, "s.yaml:et-0/0/0:1", got[0].B.String())
	for text, want := range map[string]string{
		"":                     "c.csv: no cable (want a first line a,b and a line for each cable)",
		"a,b\n":                "c.csv: no cable (want a first line a,b and a line for each cable)",
		"b,a\n":                `c.csv:1: "b,a" (want a first line a,b)`,
		"a,b\nx:1\n":           "c.csv: record on line 2: wrong number of fields (want two columns, a and b)",
		"a,b\nx:1,y\nx:1,:2\n": `c.csv:2: "y" is no port of a topology`,
	} {
		_, err := linkcheck.Cables("c.csv", []byte(text))
		require.ErrorContains(t, err, want)
	}
	_, err = linkcheck.Cables("c.csv", []byte("a,b\nx:1,y\nx:1,:2\n"))
	require.ErrorContains(t, err, "c.csv:3: x:1 has a cable already, in line 2")
	_, err = linkcheck.Cables("c.csv", []byte("a,b\n"+strings.Repeat("x:1,y:1\n", 65536+1)))
	require.ErrorContains(t, err, "more cables than are want 65536")
}

// No list makes the reader fail in another way than by an error.
func FuzzCables(f *testing.F) {
	f.Add([]byte("a,b\nl.yaml:E1,s.yaml:E2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		cables, err := linkcheck.Cables("c.csv", data)
		if err != nil {
			return
		}
		for _, c := range cables {
			again, err := linkcheck.ParseFilePort(c.A.String())
			require.NoError(t, err)
			require.Equal(t, c.A, again)
		}
	})
}
