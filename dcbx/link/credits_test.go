package link_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/dcbx/link"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// counting returns an end with credits for these priorities and no pauses, which counts packets by its own cells.
func counting(name string, priorities ...int) link.End {
	e := end(name)
	e.Credits = unit.Given(pfc.Of(priorities...))
	e.Memory = thresholds.Memory{Cell: 254, Overhead: 40}
	e.Account = cbfc.Native(e.Memory)
	return e
}

// Credits at both ends, at one end, for other priorities, and counted otherwise: a finding for each cause.
func TestCredits(t *testing.T) {
	for name, x := range map[string]struct {
		change func(b *link.End)
		want   []link.Code
		state  link.State
	}{
		"same": {func(*link.End) {}, nil, link.Same},
		"other channels": {func(b *link.End) { b.Credits = unit.Given(pfc.Of(3)) },
			[]link.Code{link.CreditChannels}, link.Differ},
		"none": {func(b *link.End) { *b = end("b"); b.Credits = unit.Given(pfc.Of()) },
			[]link.Code{link.CreditsOneEnd}, link.Differ},
		"pauses": {func(b *link.End) { *b = end("b", 3, 4); b.Credits = unit.Given(pfc.Of()) },
			[]link.Code{link.CreditsOneEnd}, link.Differ},
		"unknown, pauses": {func(b *link.End) { *b = end("b", 3) }, []link.Code{link.CreditsOneEnd}, link.Differ},
		"unknown":         {func(b *link.End) { *b = end("b") }, nil, link.Unknown},
		"size":            {func(b *link.End) { b.Account.Credit = 208 }, []link.Code{link.CreditAccount}, link.Differ},
		"overhead":        {func(b *link.End) { b.Account.Overhead = 41 }, []link.Code{link.CreditAccount}, link.Differ},
		"cell":            {func(b *link.End) { b.Memory.Cell = 208 }, []link.Code{link.CreditAccount}, link.Differ},
		"beside pauses at one end": {func(b *link.End) { b.PFC = unit.Given(pfc.Of(5)) }, []link.Code{link.PFCAtOneEnd},
			link.Differ},
	} {
		a, b := counting("a", 3, 4), counting("b", 3, 4)
		x.change(&b)
		for _, r := range []link.Result{link.Compare(&a, &b), link.Compare(&b, &a)} {
			require.Equal(t, x.want, codes(&r), name)
			require.Equal(t, x.state, r.State, name)
			for _, f := range r.Findings {
				require.Regexp(t, `\ba\b.*\bb\b|\bb\b.*\ba\b`, f.What, name)
				require.NotEmpty(t, f.Consequence, name)
				require.NotEmpty(t, f.Repair, name)
			}
		}
	}
}

// A credit that is larger than the receiver's cell is found although both ends have the same.
func TestCreditLargerThanACell(t *testing.T) {
	a, b := counting("a", 3), counting("b", 3)
	b.Memory = thresholds.Memory{Cell: 208, Overhead: 48}
	found := link.Compare(&a, &b).Findings
	require.Len(t, found, 1)
	require.Equal(t, "a credit of a, 254B, is larger than a cell of b, 208B; "+
		"a counts 40B beside each packet, and b stores 48B",
		found[0].What)
	require.Contains(t, found[0].Repair, "set credits of 208B with 48B beside each packet at both ends")
}

// Ends of topologies whose channels differ: another map is an error, other credits are a warning, and which it is is
// said once.
func TestVirtualChannels(t *testing.T) {
	chip, err := asic.Load("tomahawk4")
	require.NoError(t, err)
	of := func(name string, change func(*buffer.Class, *buffer.Port)) link.End {
		in := buffer.Intent{Chip: chip, Sizing: thresholds.IEEE{}, Classes: []buffer.Class{{Name: "rdma",
			Priorities: []int{3, 4}, Credits: true, MTU: 4096, Alpha: new(thresholds.Alpha(1)),
			Channels: []cbfc.Assignment{{Traffic: 3, Channel: 12}, {Traffic: 4, Channel: 12}, {Traffic: 9, Channel: 31}}}},
			Ports: []buffer.Port{{Name: "e", Rate: 100 * unit.Gbps, Cable: unit.Metre, MTU: 9216, SharedCredits: 25400}}}
		change(&in.Classes[0], &in.Ports[0])
		require.NoError(t, in.Validate())
		return link.FromIntent(name, &in, 0)
	}
	for name, x := range map[string]struct {
		change func(*buffer.Class, *buffer.Port)
		want   []link.Code
		what   string
	}{
		"same": {func(*buffer.Class, *buffer.Port) {}, nil, ""},
		"map": {func(c *buffer.Class, _ *buffer.Port) { c.Channels[0].Channel, c.Channels[1].Channel = 13, 13 },
			[]link.Code{link.CreditMap}, "traffic class 3 in channel 12 and in channel 13; traffic class 4 in channel 12 and"},
		"traffic class": {func(c *buffer.Class, _ *buffer.Port) { c.Channels = c.Channels[:2] },
			[]link.Code{link.CreditMap}, "traffic class 9 in channel 31 and in none"},
		"priorities": {func(c *buffer.Class, _ *buffer.Port) { c.Priorities, c.Channels = []int{3}, c.Channels[:1] },
			[]link.Code{link.CreditChannels, link.CreditMap}, "a has 2 virtual channels (CBFC), for priorities 3,4; b has 1"},
		"reserved": {func(c *buffer.Class, _ *buffer.Port) { c.Reserved = unit.Given[unit.Bytes](2540) },
			[]link.Code{link.CreditLimits}, "and 2^1 of the free ones of 100 shared at a, 10 reserved and 2^1 of"},
		"mode": {func(c *buffer.Class, _ *buffer.Port) { c.Alpha, c.StaticLimit = nil, 2540 },
			[]link.Code{link.CreditLimits}, "reserved and at most 10 of 100 shared ones at b"},
		"shared": {func(_ *buffer.Class, p *buffer.Port) { p.SharedCredits = 0 }, []link.Code{link.CreditLimits},
			"2^1 of the free ones of 0 shared at b"},
	} {
		a, b := of("a", func(*buffer.Class, *buffer.Port) {}), of("b", x.change)
		r := link.Compare(&a, &b)
		require.Equal(t, x.want, codes(&r), name)
		require.Contains(t, r.Compared, "channel map")
		for _, f := range r.Findings {
			require.NotEmpty(t, f.Consequence, name)
			require.NotEmpty(t, f.Repair, name)
		}
		if x.what != "" {
			require.Contains(t, r.Findings[0].What, x.what, name)
		}
		r = link.Compare(&b, &a)
		require.ElementsMatch(t, x.want, codes(&r), name)
	}
}
