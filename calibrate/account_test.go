package calibrate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/rules"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// hidden is the switch of a run: the packet-level model with sizes that Calibrate does not see.
type hidden struct {
	mmu.Probe
	shared, reserved, headroom, spare, offset int64 // cells
	alpha                                     thresholds.Alpha
	cell                                      int64
}

// hide makes a switch from a seed.
func hide(r *rand.Rand) hidden {
	h := hidden{shared: 2000 + r.Int64N(60000), reserved: r.Int64N(80), headroom: 20 + r.Int64N(600),
		offset: r.Int64N(30), alpha: thresholds.Alpha(r.IntN(7) - 4), cell: []int64{80, 144, 208, 254, 256, 416}[r.IntN(6)]}
	h.spare = h.headroom * (1 + r.Int64N(12)) / 2
	size := func(n int64) unit.Bytes { return unit.Bytes(n * h.cell) }
	h.Probe = mmu.Probe{Cell: cells.Size(h.cell), Overhead: unit.Bytes(r.IntN(40)), Pool: size(h.shared),
		SharedHeadroom: size(h.spare), Reserved: size(h.reserved), Limit: thresholds.Dynamic(h.alpha),
		Headroom: size(h.headroom), XONOffset: size(h.offset), Latched: r.IntN(2) == 0,
		Rule: mmu.Rule{LimitAfter: r.IntN(2) == 0, PauseAtLimit: r.IntN(2) == 0}}
	return h
}

// measure probes the switch. A number is off by up to noise, and says so.
func (h *hidden) measure(t *testing.T, r *rand.Rand, from string, packet unit.Bytes, groups int, inTurn bool,
	noise int64) Fill {
	p := h.Probe
	p.Packet, p.Groups, p.InTurn = packet, groups, inTurn
	a, err := p.Run()
	require.NoError(t, err)
	f := Fill{From: from, Packet: packet, Groups: groups, InTurn: inTurn}
	for g, x := range a.Groups {
		for what, n := range []int64{x.XOFF, x.Drop, x.XONBelow} {
			read := max(n+r.Int64N(2*noise+1)-noise, 0)
			is := Range{max(read-noise, 0), read + noise}
			f.Readings = append(f.Readings, FillReading{Group: g, What: Quantity(what), Is: is})
		}
	}
	return f
}

// wrong returns the parameters whose intervals do not hold the truth.
func (h *hidden) wrong(r *Result) (out []string) {
	truth := map[string]int64{Shared: h.shared, ReservedCells: h.reserved, DynamicTh: int64(h.alpha),
		LimitRule: rules.One(h.Rule.LimitAfter), XOFFRule: rules.One(h.Rule.PauseAtLimit),
		XONRule: rules.One(h.Latched), LeakOut: 0,
		HeadroomCells: h.headroom, HeadroomPool: h.spare, XONOffset: h.offset, Cell: h.cell, Overhead: int64(h.Overhead)}
	for _, p := range r.Parameters {
		if n, there := truth[p.Name]; there && (!p.Is.Has(n) || p.Values != nil && !slices.Contains(p.Values, n)) {
			out = append(out, p.Name)
		}
	}
	return out
}

// Parameters of the simulated switch, hidden and with noise, come back inside their intervals, and the intervals are
// not wide.
func TestHiddenParametersComeBack(t *testing.T) {
	first, end := effort.Seeds(100)
	runs, held := end-first, uint64(0)
	widths := map[string][]int64{}
	for seed := first; seed < end; seed++ {
		r := rand.New(rand.NewPCG(seed, 15))
		h := hide(r)
		noise := int64(seed % 3)
		m := Measurements{Fills: []Fill{
			h.measure(t, r, "in turn", 64, 8, true, noise), h.measure(t, r, "alone", 64, 1, true, noise),
			h.measure(t, r, "long", 1000, 1, true, noise), h.measure(t, r, "together", 64, 3, false, noise),
		}, Stored: []Stored{
			{From: "short packets", Packet: 64, Packets: 100, Bytes: true,
				Mark: Exactly(100 * h.cell * int64(h.Cell.Packet(64, h.Overhead)))},
			{From: "long packets", Packet: 1000, Packets: 10, Bytes: true,
				Mark: Exactly(10 * h.cell * int64(h.Cell.Packet(1000, h.Overhead)))},
		}}
		got, err := Calibrate(m, nil)
		require.NoError(t, err)
		wrong := h.wrong(&got)
		if wrong == nil && got.Agrees {
			held++
		} else {
			t.Logf("seed %d: %v, agrees %v %v: S %d R %d H %d HP %d off %d a %d %+v latched %v cell %d %d", seed, wrong,
				got.Agrees,
				got.Contradictions, h.shared, h.reserved, h.headroom, h.spare, h.offset, h.alpha, h.Rule, h.Latched, h.cell,
				h.Overhead)
		}
		for _, p := range got.Parameters {
			widths[p.Name] = append(widths[p.Name], p.Is.Width())
		}
	}
	require.GreaterOrEqual(t, held, runs*95/100, "of %d runs", runs)
	t.Logf("%d of %d runs: every interval holds the truth", held, runs)
	for _, name := range []string{Cell, Overhead, Shared, ReservedCells, DynamicTh, LimitRule, XOFFRule, XONRule,
		HeadroomCells, HeadroomPool, XONOffset} {
		w := widths[name]
		slices.Sort(w)
		t.Logf("%s: the interval is %d wide in the middle run, %d in the worst of 90", name, w[len(w)/2], w[len(w)*9/10])
	}
}
