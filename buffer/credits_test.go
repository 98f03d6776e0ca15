package buffer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// credited is a switch whose class rdma has credits.
func credited(t *testing.T, cable unit.Length, ports int) buffer.Intent {
	chip, err := asic.Load("tomahawk4")
	require.NoError(t, err)
	in := buffer.Intent{Chip: chip, Sizing: thresholds.IEEE{Mix: thresholds.Frames(4096)}, Classes: []buffer.Class{
		{Name: "rdma", Priorities: []int{3, 4}, Credits: true, MTU: 4096}, {Name: "default", Priorities: []int{0}}}}
	for i := range ports {
		in.Ports = append(in.Ports, buffer.Port{Name: "Ethernet" + string(rune('A'+i)), Rate: 400 * unit.Gbps, Cable: cable,
			MTU: 9216})
	}
	return in
}

// plan plans an intent that is sized.
func plan(t *testing.T, in buffer.Intent) *buffer.Plan {
	t.Helper()
	p, err := buffer.New(in)
	require.NoError(t, err)
	return p
}

// Credits are reserved cells, as many as keep the link full, in a virtual channel for each priority. A channel is no
// group: it has no headroom, and no register of one.
func TestCreditsAreReservedCells(t *testing.T) {
	in := credited(t, 300*unit.Metre, 2)
	p := plan(t, in)
	require.True(t, p.Fits)
	require.Equal(t, []int{4, 0}, []int{p.ChannelCount, p.LosslessGroups})
	full, err := cbfc.Size(cbfc.Channel{Link: in.Ports[0].Link(4096), Memory: in.Chip.Memory(), Frame: 4096})
	require.NoError(t, err)
	rows := 0
	for _, c := range p.Channels {
		rows++
		require.Equal(t, "rdma", c.Class)
		require.Equal(t, full.Cells, c.Reserved)
		require.Equal(t, cbfc.Traffic(c.Channel), c.Traffic)
		require.Equal(t, "none", c.LimitText())
	}
	require.Equal(t, 4*len(in.Chip.SlicesOf(0)), rows)
	for _, g := range p.Groups {
		require.NotEqual(t, "rdma", g.Class)
	}
	credits, err := in.Credits(0)
	require.NoError(t, err)
	require.Equal(t, buffer.Credits{Account: cbfc.Native(in.Chip.Memory()),
		Pool: cbfc.Pool{Size: 2 * cbfc.Credits(full.Cells), Profiles: []cbfc.Profile{{Reserved: full.Credits},
			{Reserved: full.Credits}}},
		Channels: []buffer.VirtualChannel{{Number: 3, Traffic: cbfc.Traffic(3)}, {Number: 4, Traffic: cbfc.Traffic(4)}},
		Classes:  []string{"rdma", "rdma"}, FullRate: []cells.Count{full.Cells, full.Cells}}, credits)
	for _, s := range p.Layout() {
		require.False(t, s.Kind.Scope() == buffer.GroupScope && s.Index > 0, "%v", s)
		require.True(t, p.Layout().Critical(s.Register) || !s.Kind.OfCredits(), "%v", s)
	}
}

// Credits that do not fit are refused as headroom is, with the channel and what is short; the ports before stay.
func TestCreditsAreRefusedLikeHeadroom(t *testing.T) {
	p := plan(t, credited(t, 60*unit.Kilometre, 3))
	require.False(t, p.Fits)
	r := p.Refusals[0]
	require.Equal(t, buffer.NoCreditCells, r.Reason)
	require.Positive(t, r.Short)
	require.Contains(t, r.Error(), "ingress buffer allocation failed for interface Ethernet")
	require.Contains(t, r.Error(), "the credits of virtual channel 4 need ")
	changes := map[string]string{}
	for _, m := range r.Remedies {
		changes[m.Change] = m.To
	}
	require.Contains(t, changes, "cable")
	b, err := unit.ParseBytes(changes["credits"])
	require.NoError(t, err)
	in := credited(t, 60*unit.Kilometre, 3)
	in.Classes[0].Reserved = unit.Given(b)
	require.True(t, plan(t, in).Fits, "the remedy does what it says")
	in.Classes[0].Reserved = unit.Given(b + 254)
	require.False(t, plan(t, in).Fits, "and is the largest that does")
}

// The credits that the channels of a port share are reserved too; without room for them the port is refused, and fewer
// are a remedy.
func TestSharedCredits(t *testing.T) {
	in := credited(t, 300*unit.Metre, 1)
	alpha := thresholds.Alpha(1)
	in.Classes[0].Reserved, in.Classes[0].Alpha = unit.Given[unit.Bytes](254), &alpha
	in.Ports[0].SharedCredits = in.Chip.Cell.Bytes(3000) + 1
	p := plan(t, in)
	c := p.Channels[0]
	require.Equal(t, []cells.Count{1, 3001, 1 + 3001*2/3}, []cells.Count{c.Reserved, c.Shared, c.Alone})
	require.Equal(t, "2^1", c.LimitText())
	require.Equal(t, []buffer.Granted{{Name: "shared credits of the port", Asked: 762001, Granted: 762254}}, c.Granted())
	require.EqualValues(t, 3001, p.Layout().Value(buffer.Register{Kind: buffer.PortCredits, Port: "EthernetA"}))
	require.Contains(t, p.Bill, buffer.BillRow{Item: "shared credits", Count: len(in.Chip.SlicesOf(0)), Each: 3001,
		Cells: 3001 * cells.Count(len(in.Chip.SlicesOf(0)))})
	require.Contains(t, strings.Join(p.Warnings, "\n"),
		"a channel has up to 2001 while no other uses the 3001 shared ones")

	in.Classes[0].Alpha, in.Classes[0].StaticLimit = nil, 254*100+253
	c = plan(t, in).Channels[0]
	require.Equal(t, []cells.Count{100, 101}, []cells.Count{c.Limit, c.Alone}, "a limit rounds down")
	require.Equal(t, "static 100", c.LimitText())

	in.Ports[0].SharedCredits = in.Chip.Cell.Bytes(cells.Count(cbfc.MaxLimit) - 2)
	p = plan(t, in)
	require.Equal(t, buffer.NoSharedCredits, p.Refusals[0].Reason)
	require.Contains(t, p.Refusals[0].Error(), "the shared credits of the port need ")
	for _, m := range p.Refusals[0].Remedies {
		if m.Change == "shared_credits" {
			b, err := unit.ParseBytes(m.To)
			require.NoError(t, err)
			in.Ports[0].SharedCredits = b
		}
	}
	require.True(t, plan(t, in).Fits)
	require.Contains(t, strings.Join(plan(t, in).Warnings, "\n"),
		"a receiver can tell at most 65535 (SAI_PORT_ATTR_CBFC_RECEIVER_NATIVE_TOTAL_CREDITS has 16 bits)")
	in.Ports[0].SharedCredits = in.Chip.Cell.Bytes(cells.Count(cbfc.MaxLimit) - 1)
	_, err := buffer.New(in)
	require.ErrorContains(t, err,
		"port EthernetA: 1048576 credits in all, 1048574 of them shared: want at most the 1048575")
}

// A port can have all 32 channels, by traffic classes that are no priorities. A chip that has fewer refuses, with the
// port, the channel and what it has.
func TestThirtyTwoChannels(t *testing.T) {
	in := credited(t, 5*unit.Metre, 2)
	c := &in.Classes[0]
	c.Channels = []cbfc.Assignment{{Traffic: 3, Channel: 0}, {Traffic: 4, Channel: 0}}
	for n := 1; n < cbfc.MaxChannels; n++ {
		c.Channels = append(c.Channels, cbfc.Assignment{Traffic: 7 + n, Channel: n})
	}
	p := plan(t, in)
	require.True(t, p.Fits)
	require.Equal(t, 64, p.ChannelCount)
	require.Equal(t, cbfc.Traffic(3, 4), p.Channels[0].Traffic)
	require.EqualValues(t, cbfc.Traffic(38), p.Layout().Value(buffer.Register{Kind: buffer.ChannelTraffic,
		Port: "EthernetB", Index: 31}))
	require.Contains(t, strings.Join(p.Warnings, "\n"),
		"whether tomahawk4 has credits (CBFC), and how many virtual channels")
	in.Chip.Channels = 8
	in.Chip.Sources.Channels = "its manual"
	_, err := buffer.New(in)
	require.ErrorContains(t, err,
		"port EthernetA, class rdma: virtual channel 8: want 0 to 7: tomahawk4 has 8 a port "+
			"(its manual)")
	c.Channels = c.Channels[:9]
	require.NotContains(t, strings.Join(plan(t, in).Warnings, "\n"), "how many virtual channels")
}

// Fewer credits than the link needs lose nothing, and the plan says that the link is slower. A port's own minimum is no
// credit: lossy groups use it too.
func TestPlanSaysWhetherCreditsAreEnough(t *testing.T) {
	in := credited(t, 300*unit.Metre, 1)
	in.Classes[0].Reserved = unit.Given(in.Chip.Cell.Bytes(100))
	warnings := func() string { return strings.Join(plan(t, in).Warnings, "\n") }
	require.Contains(t, warnings(), "100 credits of a cell each (CBFC), fewer than the")
	in.Ports[0].Reserved = in.Chip.Cell.Bytes(5000)
	require.Contains(t, warnings(), "100 credits of a cell each (CBFC), fewer than the")
	in.Ports[0].SharedCredits = in.Chip.Cell.Bytes(50)
	require.Contains(t, warnings(), "the 50 shared credits of ports at 400G over 300m are not used")
	in.Classes[0].Alpha = new(thresholds.Alpha)
	require.Contains(t, warnings(), "100 credits of a cell each (CBFC), 125 with shared ones, fewer than the")
	in.Ports[0].SharedCredits = 0
	require.Contains(t, warnings(), "class rdma has a limit on shared credits, and ports at 400G over 300m have none")
	in.Classes[0].Alpha = nil
	in.Ports[0].Rate, in.Ports[0].Reserved = 56*unit.Gbps, 0
	require.Contains(t, warnings(), "how many keep the link full is not known")
	in.Classes[0].Reserved = unit.Optional[unit.Bytes]{}
	_, err := buffer.New(in)
	require.ErrorContains(t, err, "class rdma: credits: no source gives")
	in = credited(t, 0, 1)
	in.Classes[0].Reserved = unit.Given(in.Chip.Cell.Bytes(cells.Count(cbfc.MaxLimit) + 1))
	_, err = buffer.New(in)
	require.ErrorContains(t, err, "virtual channel 3: 1048576 credits: want at most the 1048575")
}

func TestCreditsRefused(t *testing.T) {
	for want, change := range map[string]func(*buffer.Class, *buffer.Port){
		"lossless: pfc and cbfc": func(c *buffer.Class, _ *buffer.Port) { c.Lossless = true },
		"group: ":                func(c *buffer.Class, _ *buffer.Port) { c.Group = unit.Given(3) },
		"xon_offset: 0B":         func(c *buffer.Class, _ *buffer.Port) { c.XONOffset = unit.Given[unit.Bytes](0) },
		"static_limit: 253B: want 254B (a credit) to ": func(c *buffer.Class, _ *buffer.Port) { c.StaticLimit = 253 },
		"alpha: 512 (dynamic_th 9): want dynamic_th -8 to 8": func(c *buffer.Class, _ *buffer.Port) {
			c.Alpha = new(thresholds.Alpha(9))
		},
		"static_limit: 254B":  func(c *buffer.Class, _ *buffer.Port) { c.Alpha, c.StaticLimit = new(thresholds.Alpha), 254 },
		"mtu: 63B":            func(_ *buffer.Class, p *buffer.Port) { p.MTU = 63 },
		"shared_credits: -1B": func(_ *buffer.Class, p *buffer.Port) { p.SharedCredits = -1 },
		"shared_credits: 1B: want none: no class of the port has credits": func(_ *buffer.Class, p *buffer.Port) {
			p.SharedCredits, p.Classes = 1, buffer.Classes(1)
		},
		"channels.3: 32: want 0 to 31":          channels(3, 32),
		"channels: traffic class: 64":           channels(64, 1),
		"channels.0: 1: want a priority of the": channels(0, 1),
		"channels.3: 2: want one channel for each traffic class": func(c *buffer.Class, _ *buffer.Port) {
			c.Channels = []cbfc.Assignment{{Traffic: 3, Channel: 1}, {Traffic: 3, Channel: 2}}
		},
	} {
		in := credited(t, 0, 1)
		change(&in.Classes[0], &in.Ports[0])
		require.ErrorContains(t, in.Validate(), want)
	}
	in := credited(t, 0, 1)
	in.Classes[1].Channels = []cbfc.Assignment{{Traffic: 0, Channel: 1}}
	require.ErrorContains(t, in.Validate(),
		"classes[1].channels: 1 traffic classes: want none: a class that is not lossless")
	in.Classes[1].Credits = true
	in.Classes[1].Channels = []cbfc.Assignment{{Traffic: 0, Channel: 3}, {Traffic: 9, Channel: 9}}
	in.Classes[0].Channels = []cbfc.Assignment{{Traffic: 9, Channel: 8}}
	require.ErrorContains(t, in.Validate(),
		`classes[1].channels: 3: want a virtual channel that no class has; class "rdma"`)
	require.ErrorContains(t, in.Validate(),
		`classes[1].channels: traffic class 9: want traffic classes of no other class`)
}

// channels puts a traffic class of a class into a channel.
func channels(traffic, channel int) func(*buffer.Class, *buffer.Port) {
	return func(c *buffer.Class, _ *buffer.Port) {
		c.Channels = []cbfc.Assignment{{Traffic: traffic, Channel: channel}}
	}
}

func TestCreditsAreSaved(t *testing.T) {
	in := credited(t, unit.Kilometre, 1)
	in.Classes[0].Channels = []cbfc.Assignment{{Traffic: 3, Channel: 12}, {Traffic: 40, Channel: 31}}
	in.Ports[0].SharedCredits = 1000
	again := saved(t, in)
	require.Equal(t, in.Classes, again.Classes)
	require.Equal(t, in.Ports, again.Ports)
}

// A port has credits in place of pauses for its lossless classes; the other ports of the switch still pause.
func TestOnePortHasCredits(t *testing.T) {
	in := credited(t, 300*unit.Metre, 2)
	in.Classes[0].Credits, in.Classes[0].Lossless = false, true
	in.Ports[1].Credits = true
	p := plan(t, in)
	require.Equal(t, []int{2, 2}, []int{p.LosslessGroups, p.ChannelCount})
	for _, g := range p.Groups {
		require.True(t, g.Class != "rdma" || g.Port == in.Ports[0].Name && g.Lossless && g.Headroom > 0)
	}
	for _, c := range p.Channels {
		require.Equal(t, in.Ports[1].Name, c.Port)
	}
	for _, s := range p.Layout() {
		require.False(t, s.Kind == buffer.GroupLossless && s.Port == in.Ports[1].Name, "PFC is off on it")
	}
	require.True(t, saved(t, in).Ports[1].Credits)
}

// Pauses and credits on one port are planned, and the plan says that no text allows or forbids them together.
func TestPausesBesideCredits(t *testing.T) {
	in := credited(t, 300*unit.Metre, 1)
	in.Classes = append(in.Classes, buffer.Class{Name: "storage", Priorities: []int{5}, Lossless: true, MTU: 4096})
	p := plan(t, in)
	require.True(t, p.Fits)
	require.Equal(t, []int{1, 2}, []int{p.LosslessGroups, p.ChannelCount})
	require.Contains(t, strings.Join(p.Warnings, "\n"), "EthernetA: pauses (PFC) and credits (CBFC) on one port: SAI ")
}

// The cells behind credits are part of what the ingress can hold for an egress pool.
func TestCreditsAgainstTheEgress(t *testing.T) {
	in := credited(t, 300*unit.Metre, 1)
	in.EgressPools = []buffer.EgressPool{{Name: "lossless", Size: 1 << 20}}
	in.Classes[0].Egress.Pool = "lossless"
	_, needed := in.NotWritten()
	require.True(t, needed)
	before := plan(t, in).Egress
	require.NotEmpty(t, before)
	in.Classes[0].Alpha = new(thresholds.Alpha)
	in.Ports[0].SharedCredits = in.Chip.Cell.Bytes(100)
	require.Equal(t, before[0].Ingress, plan(t, in).Egress[0].Ingress, "what is shared by credits is not in the pool")
}
