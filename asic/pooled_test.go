package asic_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/unit"
)

// refusals are the complaints about what was given of a chip's pool.
func refusals(t *testing.T, err error) []buffer.Complaint {
	t.Helper()
	var invalid *buffer.InvalidError
	require.ErrorAs(t, err, &invalid)
	return invalid.Complaints
}

// The cores of the chips that SONiC ships have one pool. A core of Jericho 3 has no more than FBOSS says that it
// reaches, and the lower end of its interval is within one part in a thousand of that.
func TestPoolOfACore(t *testing.T) {
	const reaches = 3 << 30 // 75 % of a million buffers of 4,096 bytes
	first, err := asic.Load("jericho2")
	require.NoError(t, err)
	core := first.Slices[0]
	for _, name := range []string{"jericho2", "jericho2cplus", "qumran3d", "jericho3", "jericho3-ai"} {
		c, err := asic.Load(name)
		require.NoError(t, err)
		for _, s := range c.Slices {
			require.Equal(t, core, s, name)
		}
		sourced := !strings.HasPrefix(c.Sources.Slices, "inferred")
		require.Equal(t, !strings.HasPrefix(name, "jericho3"), sourced, name)
	}
	require.Less(t, int64(core.Cells), int64(reaches))
	require.InEpsilon(t, reaches, int64(core.Cells), 0.001)
}

// Every chip with memory beside it can be planned with once its pool is given, and, where no source has them, its
// cores. Without the pool the refusal says which key is missing, its unit and where its number is found; nothing is
// changed then.
func TestPooled(t *testing.T) {
	const pool unit.Bytes = 12883220000
	var missing, without []string
	for _, c := range asic.All() {
		name := c.Name
		before := c
		if err := asic.Pooled(&c, 0, 0); err != nil {
			missing = append(missing, name)
			require.Equal(t, before, c, name)
			for _, complaint := range refusals(t, err) {
				require.Contains(t, []string{"chip.pool_bytes", "chip.cores"}, complaint.Path, name)
				require.Equal(t, "not given", complaint.Value, name)
				require.Regexp(t, "SONiC .* data sheet", complaint.Accepted, name)
			}
			require.Contains(t, c.Notes[0], "chip.pool_bytes", name)
		}
		err := asic.Pooled(&c, pool, 0)
		switch {
		case err == nil:
		case refusals(t, err)[0].Path == "chip.cores":
			without = append(without, name)
			require.Equal(t, before, c, name)
			require.NoError(t, asic.Pooled(&c, pool, 4), name)
			require.Len(t, c.Slices, 4, name)
		default:
			require.Equal(t, "chip.pool_bytes", refusals(t, err)[0].Path, name)
			require.ErrorContains(t, err, "none for "+name+", which is not known to have memory beside it")
			require.False(t, c.Deep(), name)
			continue
		}
		require.True(t, c.Deep(), name)
		require.NoError(t, c.Validate(), name)
		require.Empty(t, c.Unsourced(), name)
		require.Equal(t, len(c.Slices), c.PipeCount(), name)
		require.InDelta(t, int64(pool), int64(c.Cell.Bytes(c.TotalCells())), float64(int(c.Cell)*len(c.Slices)), name)
		require.Contains(t, c.RestsOn()[0], "bytes in ", name)
		require.Contains(t, c.RestsOn()[0], "given by the topology", name)
	}
	require.Equal(t, []string{"qumran2d", "jericho4", "q4d", "qumran4d"}, missing)
	require.Equal(t, []string{"qumran2d", "jericho4"}, without)
}

// What is given of the catalogue's copy is the caller's alone.
func TestPooledIsTheCallers(t *testing.T) {
	c, err := asic.Load("jericho2")
	require.NoError(t, err)
	require.NoError(t, asic.Pooled(&c, 1000, 4))
	again, err := asic.Load("jericho2")
	require.NoError(t, err)
	require.Len(t, again.Slices, 2)
	require.Empty(t, again.RestsOn())
}

func TestPooledRefuses(t *testing.T) {
	for _, x := range []struct {
		chip       string
		pool       unit.Bytes
		cores      int
		path, want string
	}{
		{"jericho4", -5, 2, "chip.pool_bytes", "2 to "},
		{"jericho4", 3, 4, "chip.pool_bytes", "4 to "},
		{"jericho4", 1 << 62, 4, "chip.pool_bytes", "4 to "},
		{"jericho4", 100, -1, "chip.cores", "1 to 64"},
		{"jericho4", 100, 65, "chip.cores", "1 to 64"},
		{"q4d", 0, 4, "chip.pool_bytes", "bytes, of the pool of all cores"},
		{"silicon-one-p200", 1 << 30, 2, "chip.cores", "1, or no key: silicon-one-p200 has one buffer"},
		{"silicon-one-q200", 383, 0, "chip.pool_bytes", "384 to "},
		{"tomahawk4", 0, 2, "chip.cores", "none for tomahawk4"},
	} {
		c, err := asic.Load(x.chip)
		require.NoError(t, err)
		before := c
		all := refusals(t, asic.Pooled(&c, x.pool, x.cores))
		require.Equal(t, before, c, x)
		require.True(t, slices.ContainsFunc(all, func(c buffer.Complaint) bool {
			return c.Path == x.path && strings.HasPrefix(c.Accepted, x.want)
		}), "%v: %v", x, all)
	}
}

// A Silicon One without a pool is planned with the memory on it alone, where a queue is no deeper than the tests have
// it. With one, groups count in it, and no source says how deep a queue is.
func TestPooledSiliconOne(t *testing.T) {
	for _, name := range []string{"silicon-one-q200", "silicon-one-p200"} {
		c, err := asic.Load(name)
		require.NoError(t, err)
		require.False(t, c.Deep(), name)
		require.NoError(t, asic.Pooled(&c, 8<<30, 0))
		require.True(t, c.Deep(), name)
		require.Len(t, c.Slices, 1, name)
		require.Zero(t, c.MaxQueue, name)
		require.Contains(t, c.RestsOn()[0], "inferred: that a group counts the bytes in both memories", name)
	}
}
