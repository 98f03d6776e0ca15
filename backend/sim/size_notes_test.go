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
// than the worst case loses frames, and the need is the same to the cell.
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
			thresholds.IEEE{Delays: thresholds.Delays{Sum: thresholds.DelaySum(r.IntN(5))}},
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
		require.Equal(t, k.Worst.Cells, v.Groups[0].FirstDropBelow, what)
		switch k.Enough {
		case thresholds.Enough:
			require.True(t, v.Lossless, what)
			require.Empty(t, p.SizeNotes())
		case thresholds.LessThanWorstCase:
			require.False(t, v.Lossless, what)
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

// A plan by the texts' sum says in its head where that sum is not enough, and with which parameters the method gives
// enough. With these, which are the defaults, the plan says nothing more, and verify finds it lossless.
func TestSizeRemedyIsEnough(t *testing.T) {
	named := map[unit.BitRate]int{}
	for _, chip := range asic.All() {
		if len(chip.Slices) == 0 {
			continue
		}
		for _, rate := range []unit.BitRate{10 * unit.Gbps, 25 * unit.Gbps, 40 * unit.Gbps, 50 * unit.Gbps, 100 * unit.Gbps} {
			in := wish(chip, thresholds.Link{Rate: rate, Cable: 5 * unit.Metre, MTU: 9216, LosslessMTU: 4096})
			in.Classes[0].Alpha = new(chip.MinAlpha)
			in.Sizing = thresholds.IEEE{Delays: thresholds.Delays{Sum: thresholds.SumOfTexts}}
			p, err := buffer.New(in)
			require.NoError(t, err)
			notes := p.SizeNotes()
			in.Sizing = thresholds.IEEE{}
			again, err := buffer.New(in)
			require.NoError(t, err)
			require.Empty(t, again.SizeNotes(), "%s at %v: the default is the worst case", chip.Name, rate)
			if len(notes) == 0 {
				continue
			}
			named[rate]++
			what := fmt.Sprintf("%s at %v: %v", chip.Name, rate, notes)
			require.Contains(t, notes[0], fmt.Sprintf("; delays: both-ends gives %d cells, which are enough",
				again.Sizing.Kinds[0].Granted), what)
			if chip.Name == "tomahawk" || chip.Name == "spectrum-1" { // verify takes long for all of them
				require.True(t, verify(t, in, again.Layout(), sim.VerifyOptions{}).Lossless, what)
			}
		}
	}
	for _, rate := range []unit.BitRate{10 * unit.Gbps, 25 * unit.Gbps, 40 * unit.Gbps, 50 * unit.Gbps} {
		require.GreaterOrEqual(t, named[rate], 28, "of 29 chips at %v; in large cells both sums may take as many", rate)
	}
	require.Zero(t, named[100*unit.Gbps], "there the texts' sum is the larger one")
}
