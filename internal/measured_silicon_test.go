package internal_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/calibrate"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/measured"
)

// read reads a file of testdata.
func read(t *testing.T, name string) measured.File {
	t.Helper()
	path := filepath.Join("measured/testdata", name)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	f, err := measured.Read(path, data, 0)
	require.NoError(t, err)
	return f
}

// Public measurements of switches give the pools of their configurations, which are stated here and nowhere in the
// files: bytes of the pool less the shared headroom if it is included, in cells of one slice, less what others have
// reserved.
func TestMeasuredPublicPools(t *testing.T) {
	effort.Alone(t)
	for name, want := range map[string]map[string]int64{
		"tomahawk2-trace": {calibrate.Shared: 33329088 / 208 / 4, calibrate.ReservedCells: 1248 / 208,
			calibrate.HeadroomCells: 101088 / 208, calibrate.HeadroomPool: 7827456 / 208 / 4, calibrate.DynamicTh: 0,
			calibrate.XOFFRule: 1},
		"tomahawk5-t0":          {calibrate.Shared: (165660324-29520896)/254/2 - 27904, calibrate.ReservedCells: 74},
		"tomahawk5-ft2":         {calibrate.Shared: (164733224-17962880)/254/2 - 4416, calibrate.ReservedCells: 34},
		"tomahawk5-lt2":         {calibrate.Shared: (164619432-33690560)/254/2 - 6624, calibrate.ReservedCells: 34},
		"tomahawk5-t0-isolated": {calibrate.Shared: (164110924-20181824)/254/2 - 14022, calibrate.ReservedCells: 74},
		"tomahawk5-t1-isolated": {calibrate.Shared: (164505640-22010624)/254/2 - 13952, calibrate.ReservedCells: 74},
		"tomahawk":              {calibrate.Shared: 10875072 / 208 / 4, calibrate.XONOffset: 2288 / 208},
		"hpcc-s1":               {calibrate.Shared: 480000}, "hpcc-s2": {calibrate.Shared: 1200000},
		"hpcc-s6": {calibrate.Shared: 1020000}, "ns3dc-s1": {calibrate.Shared: 480000},
		"ns3dc-s2": {calibrate.Shared: 1200000}, "ns3dc-s6": {calibrate.Shared: 840000},
	} {
		t.Run(name, func(t *testing.T) {
			f := read(t, name+".yaml")
			r, err := calibrate.Calibrate(f.Measurements, f.Known)
			require.NoError(t, err)
			require.True(t, r.Agrees, "%v", r.Contradictions)
			found := 0
			for _, p := range r.Parameters {
				if n, ok := want[p.Name]; ok && (p.Of == "" || p.Name == calibrate.XONOffset) {
					require.True(t, p.Known && p.Is.Has(n), "%s: %s, configured %d", p.Name, p.Value(), n)
					found++
				}
			}
			require.Equal(t, len(want), found)
			shared, _ := r.Parameter(calibrate.Shared, "")
			if strings.HasPrefix(name, "tomahawk") {
				require.LessOrEqual(t, shared.Is.Width(), int64(2))
			}
		})
	}
}

// Each group of a public trace is predicted from the others to the cell. A prediction is an interval of two numbers at
// most where the others are complete; in the trace of five groups of 21 the first ones are predicted by less.
func TestMeasuredLeaveOneGroupOut(t *testing.T) {
	effort.SkipShort(t, "it fits each group of measurements anew")
	files, err := filepath.Glob(filepath.Join("measured/testdata", "*.yaml"))
	require.NoError(t, err)
	files = slices.DeleteFunc(files, func(path string) bool { return filepath.Base(path) == "tomahawk2-differs.yaml" })
	total, matches, exact := 0, 0, 0
	first, end := effort.Seeds(uint64(len(files)))
	for _, path := range files[first:end] {
		name := filepath.Base(path)
		f := read(t, name)
		all, err := calibrate.LeaveOneOut(f.Measurements, f.Known)
		require.NoError(t, err)
		for _, p := range all {
			if !p.Known { // XON was measured of one group alone
				require.Equal(t, "xon_below", p.What, name)
				continue
			}
			total++
			if p.Agrees {
				matches++
			} else {
				t.Logf("does not match: %s: group %s: %s: measured %v, predicted %v", name, p.Group, p.What, p.Measured,
					p.Predicted)
			}
			if p.Predicted.Width() <= 1 {
				exact++
			}
			if strings.HasPrefix(name, "tomahawk5") {
				require.LessOrEqual(t, p.Predicted.Width(), int64(1), "%s: group %s: %v", name, p.Group, p.Predicted)
			}
		}
	}
	t.Logf("%d of %d readings agree with what the other groups predict; %d predictions are one cell wide at most", matches,
		total, exact)
	require.Equal(t, total, matches)
}

// Public measurements that do not fit their public configuration are shown as a contradiction with the configured pool.
func TestMeasuredPublicConfigurationsThatDiffer(t *testing.T) {
	f := read(t, "tomahawk2-differs.yaml")
	r, err := calibrate.Calibrate(f.Measurements, f.Known)
	require.NoError(t, err)
	require.False(t, r.Agrees)
	var shows []string
	for _, c := range r.Contradictions {
		shows = append(shows, c.What+": "+c.Shows)
	}
	require.Contains(t, strings.Join(shows, "\n"), "shared_cells is 8,315,632 bytes")
}
