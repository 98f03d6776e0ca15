package sim_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

// What a plan says of a headroom is what verify finds: enough loses nothing, less
// than the worst case loses frames unless it misses only the one frame that a delay
// short of its bound saves.
func TestPlanAndVerifyAgreeOnSizes(t *testing.T) {
	first, end := effort.Seeds(300)
	r := rand.New(rand.NewPCG(5, 6+first))
	found := map[thresholds.Sufficiency]int{}
	for range end - first {
		l := thresholds.Link{Rate: rates[r.IntN(len(rates))], Cable: unit.Length(r.Int64N(int64(400 * unit.Metre))),
			MTU: 1500 + unit.Bytes(r.IntN(8000)), MACsec: r.IntN(5) == 0}
		if r.IntN(4) == 0 {
			l.Response = unit.Given(unit.Time(r.Int64N(int64(4 * unit.Microsecond))))
		}
		l.LosslessMTU = 64 + unit.Bytes(r.Int64N(int64(l.MTU-63)))
		in := wish(endless(cells.Size(80+r.IntN(400)), unit.Bytes(r.IntN(64))), l)
		in.Ports[0].MACsec, in.Ports[0].Response = l.MACsec, l.Response
		in.Sizing = []thresholds.Sizer{thresholds.IEEE{}, thresholds.IEEE{Mix: thresholds.Frames(64)},
			thresholds.IEEE{Delays: thresholds.Delays{Sum: thresholds.DelaySum(r.IntN(3))}},
			thresholds.IEEE{Mix: thresholds.Frames(min(1024, l.LosslessMTU))}, method.Juniper{MRU: unit.Given(l.LosslessMTU)},
			method.MLXSW{},
			method.BroadcomDelay{}, method.MLX5{}}[r.IntN(8)]
		p, err := buffer.New(in)
		require.NoError(t, err)
		k := p.Sizing.Kinds[0]
		found[k.Enough]++
		v := verify(t, in, p.Layout(), sim.VerifyOptions{})
		what := fmt.Sprintf("%s %v %s: %s, %v", k.Terms[0].Source, l.Rate, l.Path(), k.Enough, p.SizeNotes())
		require.Equal(t, k.Worst.Sum, v.Groups[0].Delays, what)
		require.Equal(t, k.Worst.Frame, v.Groups[0].Frame, what)
		require.LessOrEqual(t, v.Groups[0].FirstDropBelow, k.Worst.Cells, what)
		require.LessOrEqual(t, k.Worst.Cells-v.Groups[0].FirstDropBelow,
			in.Chip.Cell.Packet(k.Worst.Frame, in.Chip.Overhead), what)
		switch k.Enough {
		case thresholds.Enough:
			require.True(t, v.Lossless, what)
			require.Empty(t, p.SizeNotes())
		case thresholds.LessThanWorstCase:
			require.Equal(t, k.Granted >= v.Groups[0].FirstDropBelow, v.Lossless, what)
			require.Len(t, p.SizeNotes(), 1)
		case thresholds.LessThanInFlight:
			require.False(t, v.Lossless, what)
		}
	}
	for _, s := range []thresholds.Sufficiency{thresholds.Enough, thresholds.LessThanWorstCase,
		thresholds.LessThanInFlight} {
		require.GreaterOrEqual(t, uint64(found[s]), 5*(end-first)/300, s)
	}
}

// A default plan of any chip says in its head where the texts' sum is not enough,
// and with which parameters the method gives enough. With these, the plan says
// nothing more, and verify finds it lossless.
func TestSizeRemedyIsEnough(t *testing.T) {
	named := map[unit.BitRate]int{}
	for _, chip := range asic.All() {
		if len(chip.Slices) == 0 {
			continue
		}
		for _, rate := range []unit.BitRate{10 * unit.Gbps, 25 * unit.Gbps, 40 * unit.Gbps, 50 * unit.Gbps, 100 * unit.Gbps} {
			in := wish(chip, thresholds.Link{Rate: rate, Cable: 5 * unit.Metre, MTU: 9216, LosslessMTU: 4096})
			in.Classes[0].Alpha = new(chip.MinAlpha)
			in.Sizing = thresholds.IEEE{}
			p, err := buffer.New(in)
			require.NoError(t, err)
			notes := p.SizeNotes()
			if len(notes) == 0 {
				continue
			}
			named[rate]++
			what := fmt.Sprintf("%s at %v: %v", chip.Name, rate, notes)
			require.Contains(t, notes[0], "; delays: larger gives ", what)
			if chip.Name != "tomahawk" && chip.Name != "spectrum-1" {
				continue // verify takes long for all of them
			}
			in.Sizing = thresholds.IEEE{Delays: thresholds.Delays{Sum: thresholds.LargerSum}}
			p, err = buffer.New(in)
			require.NoError(t, err)
			require.Empty(t, p.SizeNotes(), what)
			require.Contains(t, notes[0], fmt.Sprintf("gives %d cells, which are enough", p.Sizing.Kinds[0].Granted))
			require.True(t, verify(t, in, p.Layout(), sim.VerifyOptions{}).Lossless, what)
		}
	}
	for _, rate := range []unit.BitRate{10 * unit.Gbps, 25 * unit.Gbps, 40 * unit.Gbps, 50 * unit.Gbps} {
		require.GreaterOrEqual(t, named[rate], 28, "of 29 chips at %v; in large cells both sums may take as many", rate)
	}
	require.Zero(t, named[100*unit.Gbps], "there the texts' sum is the larger one")
}
