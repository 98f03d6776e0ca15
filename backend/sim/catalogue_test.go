package sim_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// linkCase is one link of a chip of the catalogue.
type linkCase struct {
	chip buffer.Chip
	thresholds.Link
}

func (c *linkCase) String() string {
	return fmt.Sprintf("%s at %v over %v", c.chip.Name, c.Rate, c.Cable)
}

// intent is one port with one class, sized by default; in the smallest steps of its threshold.
func (c *linkCase) intent() buffer.Intent {
	in := wish(c.chip, c.Link)
	in.Classes[0].Alpha = new(c.chip.MinAlpha)
	return in
}

// catalogue returns the links from racks to sites that each chip can have at each speed, as far as a port of them fits.
func catalogue(t *testing.T) (out []linkCase) {
	for _, chip := range asic.All() {
		for _, rate := range append(slices.Clone(rates), 1600*unit.Gbps) {
			if len(chip.Slices) == 0 || chip.PortSpeed > 0 && rate > unit.BitRate(chip.PortSpeed)*unit.Gbps {
				continue
			}
			for _, cable := range []unit.Length{5 * unit.Metre, 300 * unit.Metre, 2 * unit.Kilometre, 10 * unit.Kilometre} {
				c := linkCase{chip, thresholds.Link{Rate: rate, Cable: cable, MTU: 9216, LosslessMTU: 4096}}
				p, err := buffer.New(c.intent())
				require.NoError(t, err, c.String())
				if p.Fits {
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// The default plan of every chip of the catalogue, at every speed and over each of four lengths, is what verify proves:
// with its cells no frame is lost, and with one cell less than the worst case a frame is. Cases of equal cells on equal
// links are simulated once, and a quarter of those that are not by go test alone.
func TestDefaultPlansAreProvedToTheCell(t *testing.T) {
	effort.Alone(t)
	effort.SkipShort(t, "it simulates kilometres at 1.6T")
	type alike struct {
		memory    thresholds.Memory
		link      thresholds.Link
		behaviour string
	}
	needs := map[alike]cells.Count{} // 0: in another part of the run
	all := catalogue(t)
	first, end := effort.Seeds(uint64(len(all)))
	proved, simulated := 0, 0
	for i, c := range all {
		in := c.intent()
		layout := layoutOf(t, in)
		device, err := sim.New(in.Chip, sim.Ports(in)...)
		require.NoError(t, err)
		p, err := buffer.New(in)
		require.NoError(t, err)
		k := &p.Sizing.Kinds[0]
		key := alike{c.chip.Memory(), c.Link, device.Family(behaviour.Family{}).Name}
		need, known := needs[key]
		if at := uint64(i*7919) % uint64(len(all)); !known && (at < first || at >= end) {
			needs[key] = 0
		} else if !known {
			v := verify(t, in, layout, sim.VerifyOptions{})
			require.Zero(t, v.Drops, c.String())
			for _, condition := range v.Conditions { // of what is no headroom
				require.Regexp(t, "^packets move to the memory beside the chip|several virtual output queues", condition)
			}
			require.Equal(t, len(v.Conditions) == 0, v.Lossless, c.String())
			need = v.Groups[0].FirstDropBelow
			less := verify(t, in, holding(layout, need-1), sim.VerifyOptions{})
			require.Positive(t, less.Groups[0].Drops, c.String())
			require.Equal(t, need, less.Groups[0].FirstDropBelow, c.String())
			needs[key] = need
			simulated++
		}
		if needs[key] == 0 {
			continue
		}
		proved++
		require.Equal(t, need, k.Worst.Cells, c.String())
		require.GreaterOrEqual(t, k.Granted, need, c.String())
		require.Empty(t, p.SizeNotes(), c.String())
	}
	require.Greater(t, len(all), 600)
	require.Positive(t, proved)
	t.Logf("%d default plans proved to the cell, of %d; %d simulations", proved, len(all), simulated)
}

// holding is the layout with this headroom for every group.
func holding(l buffer.Layout, headroom cells.Count) buffer.Layout {
	out := slices.Clone(l)
	for i := range out {
		if out[i].Kind == buffer.GroupHeadroom {
			out[i].Value = int64(headroom)
		}
	}
	return out
}

// tight is the case on a chip with little to share, so that the pause comes soon, and with no more headroom than the
// worst case needs.
func (c *linkCase) tight(t *testing.T, headroom cells.Count) (buffer.Intent, *sim.ASIC, behaviour.Family) {
	t.Helper()
	in := c.intent()
	in.Chip.Slices = []buffer.Slice{{Cells: 2*headroom + 5000}}
	in.Chip.Pipes, in.Chip.EgressPipes, in.Chip.Rounding = nil, nil, buffer.Rounding{}
	device, err := sim.New(in.Chip, sim.Ports(in)...)
	require.NoError(t, err)
	require.NoError(t, device.Apply(t.Context(), buffer.Diff(nil, holding(layoutOf(t, in), headroom))))
	return in, device, device.Family(behaviour.Family{})
}

// No attack with a mixture of frames loses one of a default plan: 2,000 attacks over all seeds, each on a random case
// of the catalogue, with the delays of the worst case.
func TestNoMixtureBreaksADefaultPlan(t *testing.T) {
	first, end := effort.Seeds(2000)
	all, close := catalogue(t), 0
	for seed := first; seed < end; seed++ {
		r := rand.New(rand.NewPCG(31, seed))
		c := all[r.IntN(len(all))]
		w := thresholds.IEEE{}.WorstCase(c.Link, c.chip.Memory())
		in, device, family := c.tight(t, w.Cells)
		run := traffic(t, r, true, []unit.Bytes{64, w.Frame}, in, device, family)
		require.Zero(t, run.Summary().Drops, "seed %d: %s", seed, c.String())
		require.Positive(t, run.Summary().PauseSent, "seed %d: %s", seed, c.String())
		if 10*peakOf(run) >= 9*w.Cells {
			close++
		}
	}
	t.Logf("%d attacks, none loses a frame; %d take 90 %% of the headroom", end-first, close)
	require.Greater(t, close, int(end-first)/20)
}

func peakOf(run *fabric.Sim) cells.Count { return run.MMU(0).Watermarks(0, 3).GroupHeadroom }

// The size from which on a headroom holds frames is that of every mixture, not of frames of one size: at 200G over 40
// m, in the cells of Spectrum-2, mixtures of frames of 874 and 1024 bytes need more cells than each of these sizes
// alone. No mixture from the size on loses a frame, and one with frames of a byte less does.
func TestFramesAndMoreHoldForMixtures(t *testing.T) {
	chip, err := asic.Load("spectrum-2")
	require.NoError(t, err)
	c := linkCase{chip, thresholds.Link{Rate: 200 * unit.Gbps, Cable: 40 * unit.Metre, MTU: 9216, LosslessMTU: 1024}}
	w := thresholds.IEEE{}.WorstCase(c.Link, chip.Memory())
	first, end := effort.Seeds(200)
	sizes := map[unit.Bytes]bool{}
	for seed := first; seed < end; seed++ {
		r := rand.New(rand.NewPCG(37, seed))
		shortest := unit.Bytes(80 + r.IntN(940))
		if seed%2 == 0 {
			shortest = 874
		}
		headroom := w.Need(shortest, w.Ends)
		in, device, family := c.tight(t, headroom)
		layout := holding(layoutOf(t, in), headroom)
		v := verify(t, in, layout, sim.VerifyOptions{})
		from := v.Groups[0].Sufficient.Frames
		require.LessOrEqual(t, from, shortest)
		sizes[from] = true
		what := fmt.Sprintf("seed %d: %d cells hold %v and more", seed, headroom, from)
		require.Zero(t, verify(t, in, layout, sim.VerifyOptions{Frame: from}).Groups[0].Drops, what)
		if from > thresholds.MinFrame {
			require.Positive(t, verify(t, in, layout, sim.VerifyOptions{Frame: from - 1}).Groups[0].Drops, what)
		}
		v = verify(t, in, layout, sim.VerifyOptions{Frame: shortest})
		require.Equal(t, headroom, v.Groups[0].FirstDropBelow, what)
		run := traffic(t, r, true, []unit.Bytes{from, from}, in, device, family)
		require.Zero(t, run.Summary().Drops, what)
		require.Positive(t, run.Summary().PauseSent, what)
	}
	require.Greater(t, len(sizes), int(end-first)/40)
}

// With frames of a size and more verify needs the cells of the plan's sum, also in cells of a byte, where the longest
// frames are most of the worst mixture.
func TestVerifyNeedsTheSumOfEveryFrame(t *testing.T) {
	for _, name := range []string{"jericho2cplus", "spectrum-2", "tomahawk"} {
		chip, err := asic.Load(name)
		require.NoError(t, err)
		c := linkCase{chip, thresholds.Link{Rate: 25 * unit.Gbps, MTU: 9216, LosslessMTU: 1024}}
		in := c.intent()
		layout := layoutOf(t, in)
		w := thresholds.IEEE{}.WorstCase(c.Link, chip.Memory())
		for size := unit.Bytes(64); size <= 1024; size += 1 + max(1011-size, 0)/40 {
			v := verify(t, in, layout, sim.VerifyOptions{Frame: size})
			require.Equal(t, w.Need(size, w.Ends), v.Groups[0].FirstDropBelow, "%s: %v", name, size)
		}
	}
}
