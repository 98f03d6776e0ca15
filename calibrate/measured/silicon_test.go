package measured_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/calibrate"
	"github.com/cellwarden/cellwarden/calibrate/measured"
)

func read(t *testing.T, name string) measured.File {
	t.Helper()
	path := filepath.Join("testdata", name)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	f, err := measured.Read(path, data, 0)
	require.NoError(t, err)
	return f
}

func TestX(t *testing.T) {
	all, err := filepath.Glob("testdata/*.yaml")
	require.NoError(t, err)
	for _, path := range all {
		f := read(t, filepath.Base(path))
		r, err := calibrate.Calibrate(f.Measurements, f.Known)
		require.NoError(t, err)
		t.Log(path, r.Agrees, r.Contradictions)
		for _, p := range r.Parameters {
			if p.Known {
				t.Log("   ", p.Name, p.Of, p.Value(), p.Outer)
			}
		}
		all, err := calibrate.LeaveOneOut(f.Measurements, f.Known)
		require.NoError(t, err)
		for _, p := range all {
			t.Log("      ", p.Group, p.What, p.Measured, p.Predicted, p.Agrees)
		}
	}
}
