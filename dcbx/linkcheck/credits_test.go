package linkcheck_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/dcbx/linkcheck"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// counting returns an end with credits for these priorities and no pauses, which counts packets by its own cells.
func counting(name string, priorities ...int) linkcheck.End {
	e := end(name, priorities...)
	e.PFC = unit.Given(pfc.Of())
	e.Credits = unit.Given(pfc.Of(priorities...))
	e.Memory = thresholds.Memory{Cell: 254, Overhead: 40}
	e.Account = cbfc.Native(e.Memory)
	return e
}

// Credits at both ends, at one end, for other priorities, and counted otherwise: a finding for each cause.
func TestCredits(t *testing.T) {
	for name, x := range map[string]struct {
		change func(b *linkcheck.End)
		want   []finding.Code
		state  linkcheck.Verdict
	}{
		"same": {func(*linkcheck.End) {}, nil, linkcheck.Same},
		"other channels": {func(b *linkcheck.End) { b.Credits = unit.Given(pfc.Of(3)) },
			[]finding.Code{"credit-channels"}, linkcheck.Differ},
		"none": {func(b *linkcheck.End) { *b = end("b"); b.Credits = unit.Given(pfc.Of()) },
			[]finding.Code{"credits-one-end"}, linkcheck.Differ},
		"pauses": {func(b *linkcheck.End) { *b = end("b", 3, 4); b.Credits = unit.Given(pfc.Of()) },
			[]finding.Code{"credits-one-end"}, linkcheck.Differ},
		"unknown, pauses": {func(b *linkcheck.End) { *b = end("b", 3) }, []finding.Code{"credits-one-end"}, linkcheck.Differ},
		"unknown":         {func(b *linkcheck.End) { *b = end("b") }, nil, linkcheck.Unknown},
		"size": {func(b *linkcheck.End) { b.Account.Credit = 208 }, []finding.Code{"credit-account"},
			linkcheck.Differ},
		"overhead": {func(b *linkcheck.End) { b.Account.Overhead = 41 }, []finding.Code{"credit-account"},
			linkcheck.Differ},
		"cell": {func(b *linkcheck.End) { b.Memory.Cell = 208 }, []finding.Code{"credit-account"},
			linkcheck.Differ},
		"beside pauses at one end": {func(b *linkcheck.End) { b.PFC = unit.Given(pfc.Of(5)) }, []finding.Code{"pfc-one-end"},
			linkcheck.Differ},
	} {
		a, b := counting("a", 3, 4), counting("b", 3, 4)
		x.change(&b)
		for _, r := range []linkcheck.Result{linkcheck.Compare(&a, &b), linkcheck.Compare(&b, &a)} {
			require.Equal(t, x.want, codes(&r), name)
			require.Equal(t, x.state, r.State, name)
			for _, f := range r.Findings {
				require.Regexp(t, `\ba\b.*\bb\b|\bb\b.*\ba\b`, f.Message, name)
				require.NotEmpty(t, f.Effect, name)
				require.NotEmpty(t, f.Repair, name)
			}
		}
	}
}

// A credit that is larger than the receiver's cell is found although both ends have the same.
func TestCreditLargerThanACell(t *testing.T) {
	a, b := counting("a", 3), counting("b", 3)
	b.Memory = thresholds.Memory{Cell: 208, Overhead: 48}
	found := linkcheck.Compare(&a, &b).Findings
	require.Len(t, found, 1)
	require.Equal(t, "a credit of a, 254B, is larger than a cell of b, 208B; "+
		"a counts 40B beside each packet, and b stores 48B",
		found[0].Message)
	require.Contains(t, found[0].Repair, "set credits of 208B with 48B beside each packet at both ends")
}

// Ends of topologies whose channels differ: another map is an error, other credits are a warning, and which it is is
// said once.
func TestVirtualChannels(t *testing.T) {
	chip, err := asic.Load("tomahawk4")
	require.NoError(t, err)
	of := func(name string, change func(*buffer.Class, *buffer.Port)) linkcheck.End {
		in := buffer.Intent{Chip: chip, Sizing: thresholds.IEEE{}, Classes: []buffer.Class{{Name: "rdma",
			Priorities: []int{3, 4}, Credits: true, MTU: 4096, Alpha: new(thresholds.Alpha(1)),
			Channels: []cbfc.Assignment{{Traffic: 3, Channel: 12}, {Traffic: 4, Channel: 12}, {Traffic: 9, Channel: 31}}}},
			Ports: []buffer.Port{{Name: "e", Rate: 100 * unit.Gbps, Cable: unit.Metre, MTU: 9216, SharedCredits: 25400}}}
		change(&in.Classes[0], &in.Ports[0])
		require.NoError(t, in.Validate())
		return linkcheck.FromIntent(name, &in, 0)
	}
	for name, x := range map[string]struct {
		change func(*buffer.Class, *buffer.Port)
		want   []finding.Code
		what   string
	}{
		"same": {func(*buffer.Class, *buffer.Port) {}, nil, ""},
		"map": {func(c *buffer.Class, _ *buffer.Port) { c.Channels[0].Channel, c.Channels[1].Channel = 13, 13 },
			[]finding.Code{"credit-map"}, "traffic class 3 in channel 12 and in channel 13; traffic class 4 in channel 12 and"},
		"traffic class": {func(c *buffer.Class, _ *buffer.Port) { c.Channels = c.Channels[:2] },
			[]finding.Code{"credit-map"}, "traffic class 9 in channel 31 and in none"},
		"priorities": {func(c *buffer.Class, _ *buffer.Port) { c.Priorities, c.Channels = []int{3}, c.Channels[:1] },
			[]finding.Code{"credit-channels", "credit-map"}, "a has 2 virtual channels (CBFC), for priorities 3,4; b has 1"},
		"reserved": {func(c *buffer.Class, _ *buffer.Port) { c.Reserved = unit.Given[unit.Bytes](2540) },
			[]finding.Code{"credit-limits"}, "and 2^1 of the free ones of 100 shared at a, 10 reserved and 2^1 of"},
		"mode": {func(c *buffer.Class, _ *buffer.Port) { c.Alpha, c.StaticLimit = nil, 2540 },
			[]finding.Code{"credit-limits"}, "reserved and at most 10 of 100 shared ones at b"},
		"shared": {func(_ *buffer.Class, p *buffer.Port) { p.SharedCredits = 0 }, []finding.Code{"credit-limits"},
			"2^1 of the free ones of 0 shared at b"},
	} {
		a, b := of("a", func(*buffer.Class, *buffer.Port) {}), of("b", x.change)
		r := linkcheck.Compare(&a, &b)
		require.Equal(t, x.want, codes(&r), name)
		require.Contains(t, r.Compared, "channel map")
		for _, f := range r.Findings {
			require.NotEmpty(t, f.Effect, name)
			require.NotEmpty(t, f.Repair, name)
		}
		if x.what != "" {
			require.Contains(t, r.Findings[0].Message, x.what, name)
		}
		r = linkcheck.Compare(&b, &a)
		require.ElementsMatch(t, x.want, codes(&r), name)
	}
}
