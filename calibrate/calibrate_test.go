package calibrate

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/rules"
	"github.com/cellwarden/cellwarden/unit"
)

// filled returns a fill in turn with the packets of XOFF of its groups.
func filled(from string, xoff ...int64) Fill {
	f := Fill{From: from, Packet: 64, Groups: len(xoff), InTurn: true}
	for g, n := range xoff {
		f.Readings = append(f.Readings, FillReading{Group: g, What: XOFF, Is: Exactly(n)})
	}
	return f
}

// tomahawk2 returns what a Tomahawk 2 gives for groups that are filled in turn.
func tomahawk2() Fill {
	p := rules.Point{Numbers: rules.Numbers{rules.Shared: 40059, rules.Reserved: 6, rules.Headroom: mostPackets}}
	var xoff []int64
	for _, g := range rules.NewModel(&p).Fill(18, 1, true, nil) {
		xoff = append(xoff, g.XOFF)
	}
	return filled("trace", xoff...)
}

// must calibrates measurements that are valid.
func must(t *testing.T, m Measurements, assumed ...Assumption) Result {
	t.Helper()
	r, err := Calibrate(m, assumed)
	require.NoError(t, err)
	return r
}

// value returns what a result says of a parameter; "unknown" if it is not known.
func value(t *testing.T, r Result, name, of string) string {
	t.Helper()
	p, ok := r.Parameter(name, of)
	require.True(t, ok, "%s %s", name, of)
	if !p.Known {
		return "unknown"
	}
	return p.Value()
}

// Nothing is known that nothing bounds: neither from no measurement nor from one that many switches would give.
func TestUnknownIsUnknown(t *testing.T) {
	r := must(t, Measurements{})
	require.True(t, r.Agrees)
	for _, p := range r.Parameters {
		require.False(t, p.Known, p.Name)
		require.Empty(t, p.Basis)
	}
	r = must(t, Measurements{Fills: []Fill{filled("one", 6542)}})
	for _, name := range []string{Cell, Overhead, ReservedCells, DynamicTh, LimitRule, XOFFRule, XONRule, HeadroomPool} {
		require.Equal(t, "unknown", value(t, r, name, ""), name)
	}
	p, _ := r.Parameter(Shared, "")
	require.True(t, p.Is.Has(13071), "S of a Tomahawk at alpha 1: %v", p.Is)
	require.True(t, p.Is.Has(6542), "alpha is large")
	require.Equal(t, "unknown", value(t, r, HeadroomCells, ""))
}

// A count that was capped is a lower bound.
func TestCappedCounts(t *testing.T) {
	f := filled("capped", 100)
	f.Readings[0].Is = AtLeast(5000)
	r := must(t, Measurements{Fills: []Fill{f}}, Assumption{Parameter: DynamicTh, Source: "configured"},
		Assumption{Parameter: ReservedCells, Is: Exactly(6), Source: "configured"})
	p, _ := r.Parameter(Shared, "")
	require.Equal(t, Range{9985, mostCells}, p.Is, "5,000 packets, 6 reserved")
	require.True(t, p.Known)
}

// The assumption that the data contradicts is named, with what the data gives.
func TestContradictedAssumptions(t *testing.T) {
	effort.SkipShort(t, "it calibrates many times")
	m := Measurements{Fills: []Fill{filled("trace", 20036+36, 10021, 5013, 2510, 1258, 632)}}
	r := must(t, m)
	require.False(t, r.Agrees)
	require.Len(t, r.Contradictions, 1)
	require.Equal(t, "leak_out_packets is 0 (assumed)", r.Contradictions[0].What)
	require.True(t, r.Contradictions[0].Assumption)
	p, _ := r.Parameter(LeakOut, "")
	require.True(t, p.Is.Has(36), "%v", p.Is)
	require.Less(t, p.Is.Width(), int64(40), "%v", p.Is)

	// A configured pool that the chip does not have.
	m = Measurements{Fills: []Fill{filled("trace", 20036, 10021, 5013, 2510, 1258)}}
	r = must(t, m, Assumption{Parameter: Shared, Is: Exactly(50000), Source: "configured"})
	require.False(t, r.Agrees)
	require.Equal(t, Contradiction{"shared_cells is 50,000 (configured)", true, "40,059 to 40,060"}, r.Contradictions[0])
	_, err := r.Chip(nil, "lab", "2026-11-22")
	require.ErrorIs(t, err, ErrNoChip)

	// A reading that the others contradict.
	m = Measurements{Fills: []Fill{filled("trace", 20036, 10021, 5013, 2610, 1258, 632)}}
	r = must(t, m, Assumption{Parameter: LeakOut, Source: "known"})
	require.False(t, r.Agrees)
	require.Contains(t, r.Contradictions, Contradiction{What: "trace: xoff of group 4"})
}

// What is only assumed is not called measured.
func TestAssumedIsNotMeasured(t *testing.T) {
	f := tomahawk2()
	r := must(t, Measurements{Fills: []Fill{f}}, Assumption{Parameter: LimitRule, Source: "chip"},
		Assumption{Parameter: DynamicTh, Source: "configured"})
	limit, _ := r.Parameter(LimitRule, "")
	require.True(t, limit.Exact())
	require.False(t, limit.Measured(), "one fill with packets of one cell does not tell")
	alpha, _ := r.Parameter(DynamicTh, "")
	require.True(t, alpha.Exact())
	require.True(t, alpha.Measured())
}

// Watermarks in bytes of stored packets give cell and overhead.
func TestCellsOfStoredPackets(t *testing.T) {
	var m Measurements
	for _, length := range []unit.Bytes{64, 144, 145, 352, 353, 1000} {
		n := storage{208, 64}.cells(length)
		m.Stored = append(m.Stored, Stored{From: "marks", Packet: length, Packets: 100, Mark: Exactly(100 * n * 208),
			Bytes: true})
	}
	r := must(t, m)
	require.Equal(t, "208", value(t, r, Cell, ""))
	require.Equal(t, "64", value(t, r, Overhead, ""))

	m.Stored[0].Mark = Exactly(20801)
	r = must(t, m)
	require.False(t, r.Agrees)
	require.Equal(t, "unknown", value(t, r, Cell, ""))
}

// Watermarks under traffic are lower bounds of the pool, and whole cells.
func TestUses(t *testing.T) {
	m := Measurements{Uses: []Use{
		{From: "marks", Group: "Ethernet0 3", Shared: unit.Given(unit.Bytes(4000 * 254))},
		{From: "marks", Group: "Ethernet4 3", Shared: unit.Given(unit.Bytes(4001 * 254))},
		{From: "marks", Headroom: unit.Given(unit.Bytes(900 * 254))},
	}}
	r := must(t, m)
	cell, _ := r.Parameter(Cell, "")
	require.Equal(t, []int64{127, 254}, cell.Values, "divisors of the difference")
	chip := []Assumption{{Parameter: Cell, Is: Exactly(254), Source: "chip"}}
	r = must(t, m, append(chip, Assumption{Parameter: DynamicTh, Is: Exactly(0), Source: "configured"},
		Assumption{Parameter: ReservedCells, Source: "configured"})...)
	spare, _ := r.Parameter(HeadroomPool, "")
	require.Equal(t, AtLeast(900), spare.Is)
}

// The delays of links lie between those that would have dropped nothing and those that would have dropped.
func TestLinkDelays(t *testing.T) {
	at := func(cable unit.Length, headroom unit.Bytes, drops int64) PausedLink {
		return PausedLink{From: "links", Rate: 100 * unit.Gbps, Cable: cable, Headroom: headroom, Drops: drops,
			Frames: unit.Given(unit.Bytes(18432))}
	}
	// 4 us and 5 ns a metre: 50,000 bytes at 0 m, 87,500 at 300 m, beside the frames.
	m := Measurements{Links: []PausedLink{at(0, 18432+50000, 0), at(0, 18432+49000, 3), at(300*unit.Metre, 18432+87500, 0),
		at(300*unit.Metre, 18432+86500, 1)}}
	r := must(t, m)
	require.True(t, r.Agrees)
	d, _ := r.Parameter(delaysName, "100G")
	require.True(t, d.Is.Has(int64(4*unit.Microsecond)), "%v", d.Is)
	require.Less(t, d.Is.Width(), int64(100*unit.Nanosecond))
	p, _ := r.Parameter(Propagation, "")
	require.True(t, p.Is.Has(5000), "%v", p.Is)
	require.Less(t, p.Is.Width(), int64(300))

	r = must(t, m, Assumption{Parameter: Interfaces, Is: Exactly(int64(unit.Microsecond)), Source: "standard"})
	response, _ := r.Parameter(Response, "100G")
	require.Equal(t, Range{d.Is.Lo - int64(unit.Microsecond), d.Is.Hi - int64(unit.Microsecond)}, response.Is)

	m.Links = append(m.Links, at(300*unit.Metre, 18432+200000, 1))
	r = must(t, m)
	require.False(t, r.Agrees)
	require.Len(t, r.Contradictions, 1)
	require.Equal(t, "links", r.Contradictions[0].What)
}

// A chip takes what is exact and measured, with its source; the rest is the base's or a note.
func TestChip(t *testing.T) {
	f := tomahawk2()
	f.Readings = append(f.Readings, FillReading{What: Drop, Is: Exactly(20523)})
	m := Measurements{Fills: []Fill{f}}
	for _, length := range []unit.Bytes{64, 144, 145, 352, 353} {
		m.Stored = append(m.Stored, Stored{From: "marks", Packet: length, Packets: 10,
			Mark: Exactly(10 * storage{208, 64}.cells(length) * 208), Bytes: true})
	}
	r := must(t, m)
	c, err := r.Chip(nil, "lab", "2026-11-22")
	require.NoError(t, err)
	require.EqualValues(t, 208, c.Cell)
	require.EqualValues(t, 64, c.Overhead)
	require.Contains(t, c.Sources.Cell, "measured 2026-11-22: marks")
	require.Empty(t, c.Unsourced())
	require.Empty(t, c.LimitRule, "not all three rules are known")

	base := buffer.Chip{Name: "base", Cell: 208, Overhead: 64, Slices: []buffer.Slice{{Cells: 60000}}, MinAlpha: -7,
		MaxAlpha: 3, Groups: 8, LimitRule: buffer.LimitBefore, XOFFRule: buffer.XOFFFull, XONRule: buffer.XONLatched}
	base.Sources.Rules = "data sheet"
	r = must(t, m, OfChip(&base)...)
	require.True(t, r.Agrees)
	c, err = r.Chip(&base, "lab", "2026-11-22")
	require.NoError(t, err)
	require.Equal(t, base.Slices, c.Slices)
	require.Equal(t, buffer.LimitBefore, c.LimitRule)
	require.Equal(t, "base", base.Name)
	require.Empty(t, base.Notes)
}

// The next measurement halves the interval that it is for.
func TestNextHalves(t *testing.T) {
	f := filled("alone", 6542)
	r := must(t, Measurements{Fills: []Fill{f}}, Assumption{Parameter: XOFFRule, Is: Exactly(1), Source: "chip"},
		Assumption{Parameter: LimitRule, Is: Exactly(0), Source: "chip"},
		Assumption{Parameter: DynamicTh, Is: Range{-3, 3}, Source: "chip"},
		Assumption{Parameter: ReservedCells, Is: Range{0, 64}, Source: "data sheet"})
	n, ok := r.Next()
	require.True(t, ok)
	before, _ := r.Parameter(n.Parameter.Name, n.Parameter.Of)
	require.LessOrEqual(t, 2*n.Width, before.Is.Width(), "%s: %s", n.Parameter.Name, n.Probe)
	require.NotEmpty(t, n.Probe)
	_, ok = (&Result{Agrees: true, problem: &problem{m: &Measurements{}}}).Next()
	require.False(t, ok)
}

// Measurements that no switch gives are refused, with their paths.
func TestRefused(t *testing.T) {
	m := Measurements{Fills: []Fill{{Packet: 0, Readings: []FillReading{{Group: 3, What: XOFF, Is: Exactly(0)},
		{Group: 0, What: Quantity(77), Is: Range{5, 2}}}}}, Links: []PausedLink{{}}, Stored: []Stored{{}},
		Points: []Point{{Held: -1}}}
	_, err := Calibrate(m, []Assumption{{Parameter: "weather"}, {Parameter: DynamicTh, Is: Exactly(100)},
		{Parameter: Cell, Bytes: true}})
	for _, path := range []string{"fills[0].packet", "fills[0].readings[0].group", "fills[0].readings[1].what",
		"links[0].speed", "stored[0].packets", "points[0].held", "assumptions[0].parameter", "assumptions[1]",
		"assumptions[2].parameter"} {
		require.ErrorContains(t, err, path)
	}
}
