package linkcheck_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/dcbx/linkcheck"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

// end returns an end of which everything that a topology says is known.
func end(name string, enabled ...int) linkcheck.End {
	var frames [pfc.PerLink]unit.Bytes
	for _, q := range enabled {
		frames[q] = 4096
	}
	return linkcheck.End{
		Name:          name,
		PFC:           unit.Given(pfc.Of(enabled...)),
		Trust:         pg.TrustDSCP,
		DSCP:          pg.DSCPMap{3: pg.Points(26)},
		MaxFrame:      unit.Given[unit.Bytes](9216),
		LosslessFrame: unit.Given[unit.Bytes](4096),
		Frames:        frames,
		Rate:          unit.Given(100 * unit.Gbps),
		Cable:         unit.Given(300 * unit.Metre),
		Shares: unit.Given(
			linkcheck.Shares{Of: pfc.All, Group: [8]uint8{0, 1, 2, 3, 4, 5, 6, 7}, Weight: [8]int64{0: 40, 3: 60},
				Strict: [8]bool{6: true}},
		),
	}
}

// codes returns the kinds of findings.
func codes(r *linkcheck.Result) (out []finding.Code) {
	for _, f := range r.Findings {
		out = append(out, f.Code)
	}
	return out
}

// Ends that are equal have no finding, and what was not compared is named.
func TestSame(t *testing.T) {
	a, b := end("a:1", 3), end("b:2", 3)
	r := linkcheck.Compare(&a, &b)
	require.Equal(t, linkcheck.Result{A: "a:1", B: "b:2", State: linkcheck.Same,
		Compared: []string{"PFC", "classification", "longest lossless frames", "longest frame", "bandwidths", "speed",
			"cable"},
		Unknown: []linkcheck.Gap{{Aspect: "willing", Ends: []string{"a:1", "b:2"}}}}, r)
}

// Without the PFC of an end nothing is claimed, whatever else is equal. PFC for no priority is known.
func TestUnknownIsNotSame(t *testing.T) {
	a, b := end("a", 3), end("b", 3)
	b.PFC = unit.Optional[pfc.Priorities]{}
	r := linkcheck.Compare(&a, &b)
	require.Equal(t, linkcheck.Unknown, r.State)
	require.Contains(t, r.Unknown, linkcheck.Gap{Aspect: "PFC", Ends: []string{"b"}})
	none, also := end("a"), end("b")
	r = linkcheck.Compare(&none, &also)
	require.Equal(t, linkcheck.Same, r.State)
}

// Every kind of difference gives one finding, with both ends by name, the consequence, and the repair.
func TestOneDifferenceOneFinding(t *testing.T) {
	for code, change := range map[finding.Code]func(b *linkcheck.End){
		"pfc-one-end":    func(b *linkcheck.End) { b.PFC = unit.Given(pfc.Of()) },
		"pfc-priorities": func(b *linkcheck.End) { b.PFC = unit.Given(pfc.Of(3, 4)) },
		"pfc-capability": func(b *linkcheck.End) { b.Capability = unit.Given(0) },
		"class-map":      func(b *linkcheck.End) { b.Trust = pg.TrustPCP },
		"mtu":            func(b *linkcheck.End) { b.MaxFrame = unit.Given[unit.Bytes](1518) },
		"lossless-mtu":   func(b *linkcheck.End) { b.Frames[3] = 9000 },
		"rate":           func(b *linkcheck.End) { b.Rate = unit.Given(25 * unit.Gbps) },
		"cable":          func(b *linkcheck.End) { b.Cable = unit.Given(3 * unit.Metre) },
		"several-peers":  func(b *linkcheck.End) { b.Neighbours = 3 },
		"ets-bandwidth": func(b *linkcheck.End) {
			s, _ := b.Shares.Get()
			s.Weight[3] = 20
			b.Shares = unit.Given(s)
		},
		"ets-strict": func(b *linkcheck.End) {
			s, _ := b.Shares.Get()
			s.Strict[6] = false
			b.Shares = unit.Given(s)
		},
	} {
		for _, swap := range []bool{false, true} {
			a, b := end("leaf:Ethernet1", 3), end("server:eth0", 3)
			change(&b)
			if swap {
				a, b = b, a
			}
			r := linkcheck.Compare(&a, &b)
			require.Equal(t, []finding.Code{code}, codes(&r), "%+v", r.Findings)
			f := r.Findings[0]
			require.Equal(t, linkcheck.Differ, r.State)
			require.Contains(t, f.Message, "leaf:Ethernet1")
			require.Contains(t, f.Message, "server:eth0")
			require.NotEmpty(t, f.Effect)
			require.NotEmpty(t, f.Repair)
		}
	}
}

// Headroom grows with the longest frame that the other end sends of a priority. Each priority is compared, in both
// directions, and a frame that the port does not accept needs no headroom.
func TestLosslessFrames(t *testing.T) {
	a, b := end("a", 3, 4), end("b", 3, 4)
	a.Frames, b.Frames = [8]unit.Bytes{3: 4200, 4: 9000}, [8]unit.Bytes{3: 9000, 4: 4200}
	a.LosslessFrame, b.LosslessFrame = unit.Given[unit.Bytes](9000), unit.Given[unit.Bytes](9000)
	r := linkcheck.Compare(&a, &b)
	require.Equal(t, []finding.Code{"lossless-mtu", "lossless-mtu"}, codes(&r), "the longest of all is the same")
	f := r.Findings[0]
	require.Equal(t, finding.Error, f.Severity)
	require.Equal(t, "priority 3: a is planned for lossless frames of up to 4200B, b sends up to 9000B", f.Message)
	require.Equal(t, "with frames of 9000B, the headroom of a is too small for the bytes in flight after a pause, and "+
		"lossless frames are dropped", f.Effect)
	require.Equal(t, "set the mtu of the class to 9000B at a, and plan its headroom anew; or to 4200B at b", f.Repair)
	require.Equal(t, "priority 4: b is planned for lossless frames of up to 4200B, a sends up to 9000B",
		r.Findings[1].Message)

	a, b = end("a", 3), end("b", 3)
	a.Frames[3], a.MaxFrame, b.Frames[3] = 4200, unit.Given[unit.Bytes](4200), 9000
	b.LosslessFrame = unit.Given[unit.Bytes](9000)
	r = linkcheck.Compare(&a, &b)
	require.Equal(t, []finding.Code{"mtu"}, codes(&r))
	b.Frames = [8]unit.Bytes{}
	a.MaxFrame, b.LosslessFrame = b.MaxFrame, unit.Optional[unit.Bytes]{}
	r = linkcheck.Compare(&a, &b)
	require.Empty(t, r.Findings)
	require.Contains(t, r.Unknown, linkcheck.Gap{Aspect: "longest lossless frames", Ends: []string{"b"}})

	a, b = end("a"), end("b")
	a.Credits, b.Credits, a.Frames[3], b.Frames[3] = unit.Given(pfc.Of(3)), unit.Given(pfc.Of(3)), 4200, 9000
	r = linkcheck.Compare(&a, &b)
	require.Equal(t, []finding.Code{"lossless-mtu"}, codes(&r))
	require.Equal(t, finding.Warning, r.Findings[0].Severity, "too few credits make the link slower")
}

// The whole text of one finding, as an engineer reads it.
func TestText(t *testing.T) {
	a, b := end("leaf.yaml:Ethernet1/1", 3, 4), end("server.yaml:eth0", 3)
	r := linkcheck.Compare(&a, &b)
	require.Equal(t, []finding.Finding{
		{
			Code:     "pfc-priorities",
			Severity: finding.Error,
			Certain:  true,
			Object:   "leaf.yaml:Ethernet1/1 and server.yaml:eth0",
			Values:   "leaf.yaml:Ethernet1/1 has PFC for 3,4, server.yaml:eth0 has PFC for 3",
			Message:  "leaf.yaml:Ethernet1/1 has PFC for 3,4, server.yaml:eth0 has PFC for 3",
			Effect: "for 4, server.yaml:eth0 does not obey the pauses of leaf.yaml:Ethernet1/1, which drops " +
				"what arrives " +
				"when its headroom is full, and server.yaml:eth0 sends no pauses, and drops when its buffer is full",
			Repair: "enable PFC for 4 at server.yaml:eth0, or disable it at leaf.yaml:Ethernet1/1",
			Shown:  "pfc-at-one-end.yaml",
		},
	}, r.Findings)
}

// DSCPs that one end leaves to the device are unknown, and not compared; those of both are.
func TestDSCPMaps(t *testing.T) {
	a, b := end("a", 3), end("b", 3)
	b.DSCP = pg.DSCPMap{}
	r := linkcheck.Compare(&a, &b)
	require.Empty(t, r.Findings)
	b.DSCP = pg.DSCPMap{3: pg.Points(24, 26)}
	r = linkcheck.Compare(&a, &b)
	require.Equal(t, []finding.Code{"class-map"}, codes(&r))
	require.Equal(t, "priority 3 has DSCP 26 at a and DSCP 24,26 at b", r.Findings[0].Message)
	require.Contains(t, r.Findings[0].Effect, "frames with DSCP 24 are lossless at one end")
	a.PFC, b.PFC = unit.Given(pfc.Of()), unit.Given(pfc.Of())
	r = linkcheck.Compare(&a, &b)
	require.Empty(t, r.Findings, "without lossless priorities nothing is lost")
}

// A lossless frame that fits is a warning, one that does not an error.
func TestFrameLengths(t *testing.T) {
	a, b := end("a", 3), end("b", 3)
	b.MaxFrame = unit.Given[unit.Bytes](4096)
	r := linkcheck.Compare(&a, &b)
	require.Equal(t, finding.Warning, r.Findings[0].Severity)
	b.MaxFrame = unit.Given[unit.Bytes](4095)
	r = linkcheck.Compare(&a, &b)
	require.Equal(t, finding.Error, r.Findings[0].Severity)
	require.Equal(
		t,
		"a sends lossless frames of up to 4096B, and b drops those of more than 4095B: no pause prevents it",
		r.Findings[0].Effect,
	)
}

// A difference of less than a percent is none: the TLVs have whole percents.
func TestSharesAreComparedByPercent(t *testing.T) {
	a, b := end("a", 3), end("b", 3)
	shares := func(rest, rdma int64) unit.Optional[linkcheck.Shares] {
		s, _ := a.Shares.Get()
		s.Weight = [8]int64{0: rest, 3: rdma}
		return unit.Given(s)
	}
	a.Shares, b.Shares = shares(1, 2), shares(33, 67)
	r := linkcheck.Compare(&a, &b)
	require.Empty(t, r.Findings)
	b.Shares = shares(32, 68)
	r = linkcheck.Compare(&a, &b)
	require.Equal(t, "shares of the link at a and b: priorities 0: 33.33% and 32%; priorities 3: 66.66% and 68%",
		r.Findings[0].Message)
}

// An end is strict for a set of priorities if all of the set is: one strict queue of three is not.
func TestStrictAtOneEnd(t *testing.T) {
	a, b := end("a", 3), end("b", 3)
	s, _ := b.Shares.Get()
	s.Group, s.Strict = [8]uint8{1: 1, 5: 1, 7: 1}, [8]bool{1: true}
	b.Shares = unit.Given(s)
	s, _ = a.Shares.Get()
	s.Strict[1] = true
	a.Shares = unit.Given(s)
	r := linkcheck.Compare(&a, &b)
	require.Equal(t, "priorities 1,5,7 are strict at b and not at a", r.Findings[0].Message)
}

// adv returns an end that sends IEEE's TLVs.
func adv(t *testing.T, name string, number byte, willing bool, flow dcbx.PFC, table dcbx.Table) linkcheck.End {
	t.Helper()
	flow.Willing = willing
	p := dcbx.PDU{TLVs: dcbx.Mandatory(dcbx.Neighbour{Chassis: dcbx.ID{Subtype: 7, Value: name},
		Port: dcbx.ID{Subtype: 5, Value: "p"}}, dcbx.TimeToLive)}
	tlv, err := flow.TLV()
	require.NoError(t, err)
	p.TLVs = append(p.TLVs, tlv)
	e := dcbx.ETSConfiguration{Willing: willing, MaxTCs: 8, Table: table}
	tlv, err = e.TLV()
	require.NoError(t, err)
	p.TLVs = append(p.TLVs, tlv)
	return linkcheck.FromPDU(name, pfc.Address{2, 0, 0, 0, 0, number}, &p)
}

// groups is the seeds' example: PG0 for LAN, PG1 for SAN, PG2 strict for IPC.
var groups = dcbx.Table{Class: [8]uint8{3: 1, 6: 2, 7: 2}, Bandwidth: [8]uint8{50, 50},
	Selection: [8]dcbx.Selection{dcbx.Enhanced, dcbx.Enhanced, dcbx.Strict}}

// What counts is what is in force after the ends have negotiated: one willing end takes over the other's priorities.
func TestNegotiationCounts(t *testing.T) {
	flow := func(p ...int) dcbx.PFC { return dcbx.PFC{Capability: 8, Enabled: pfc.Of(p...)} }
	groups := groups
	groups.Class[4] = 3
	a, b := adv(t, "switch", 1, false, flow(3), groups), adv(t, "server", 2, true, flow(4), groups)
	r := linkcheck.Compare(&a, &b)
	require.Equal(t, []any{linkcheck.Same, pfc.Of(3)}, []any{r.State, r.Settled.B.Enabled})
	require.Contains(t, r.Compared, "willing")

	b = adv(t, "server", 2, false, flow(4), groups) // willing at none
	r = linkcheck.Compare(&a, &b)
	require.Equal(t, []finding.Code{"pfc-priorities"}, codes(&r))
	require.Contains(t, r.Findings[0].Message,
		"(after negotiation: at switch, the port is not willing; at server, the port is not willing)")

	a, b = adv(t, "switch", 1, true, flow(3), groups), adv(t, "server", 2, true, flow(4), groups) // at both
	r = linkcheck.Compare(&a, &b)
	require.Equal(t, []finding.Code{"willing-both"}, codes(&r))
	require.Equal(t, pfc.Of(4), r.Settled.A.Enabled)
}

// An end that takes over more lossless priorities than it supports cannot obey all pauses.
func TestCapability(t *testing.T) {
	a := adv(t, "switch", 1, false, dcbx.PFC{Capability: 8, Enabled: pfc.Of(3, 4, 5)}, groups)
	b := adv(t, "server", 2, true, dcbx.PFC{Capability: 2}, groups)
	r := linkcheck.Compare(&a, &b)
	require.Contains(t, codes(&r), finding.Code("pfc-capability"))
	require.Equal(t, "switch has PFC for 3 priorities (3,4,5), and server supports PFC for 2", r.Findings[0].Message)
}

// The seeds' priority groups: other groups, and PFC and lossy priorities in one group.
func TestSeedGroups(t *testing.T) {
	other := groups
	other.Class[4] = 1
	a := adv(t, "a", 1, false, dcbx.PFC{Capability: 8, Enabled: pfc.Of(3)}, groups)
	b := adv(t, "b", 2, false, dcbx.PFC{Capability: 8, Enabled: pfc.Of(3)}, other)
	r := linkcheck.Compare(&a, &b)
	require.Equal(t, []finding.Code{"mixed-class", "ets-groups"}, codes(&r))
	require.Equal(t, "b has priorities with PFC (3) and without (4) in one group", r.Findings[0].Message)
	require.Equal(t, "a has the groups 0,1,2,4,5 | 3 | 6,7, b has 0,1,2,5 | 3,4 | 6,7", r.Findings[1].Message)
	require.Equal(
		t,
		"priorities 0 and 4 share one bandwidth at one end and have two at the other",
		r.Findings[1].Effect,
	)
}

// A topology, whose priorities have queues of their own, is compared with the groups of a TLV by their sums.
func TestTopologyAgainstGroups(t *testing.T) {
	a := adv(t, "a", 1, false, dcbx.PFC{Capability: 8, Enabled: pfc.Of(3)}, groups)
	b := end("b", 3)
	b.Shares = unit.Given(
		linkcheck.Shares{Of: pfc.All, Group: [8]uint8{0, 1, 2, 3, 4, 5, 6, 7}, Weight: [8]int64{1, 1, 1, 5, 1, 1},
			Strict: [8]bool{6: true, 7: true}},
	)
	r := linkcheck.Compare(&a, &b)
	require.Empty(t, r.Findings)
	require.Nil(t, r.Settled, "a topology says nothing of DCBX")
}

// Versions that do not understand each other, TLVs that cannot be used, protocols with other priorities.
func TestWhatEndsSend(t *testing.T) {
	cee := dcbx.CEE{Control: &dcbx.Control{Sequence: 1}, PFC: &dcbx.CEEPFC{Feature: dcbx.Feature{Enabled: true},
		Priorities: pfc.Of(3), Classes: 8}}
	tlv, err := cee.TLV()
	require.NoError(t, err)
	pdu := func(tlvs ...dcbx.TLV) *dcbx.PDU {
		return &dcbx.PDU{TLVs: append(dcbx.Mandatory(dcbx.Neighbour{Chassis: dcbx.ID{Subtype: 7, Value: "c"},
			Port: dcbx.ID{Subtype: 5, Value: "p"}}, dcbx.TimeToLive), tlvs...)}
	}
	a := adv(t, "a", 1, false, dcbx.PFC{Capability: 8, Enabled: pfc.Of(3)}, groups)
	b := linkcheck.FromPDU("b", pfc.Address{2, 0, 0, 0, 0, 2}, pdu(tlv))
	r := linkcheck.Compare(&a, &b)
	require.Equal(t, []finding.Code{"version", "pfc-one-end"}, codes(&r))

	off := cee
	off.PFC = &dcbx.CEEPFC{Feature: dcbx.Feature{Enabled: true}, Priorities: pfc.Of(4), Classes: 8}
	tlv, err = off.TLV()
	require.NoError(t, err)
	c := linkcheck.FromPDU("c", pfc.Address{2, 0, 0, 0, 0, 3}, pdu(tlv))
	c.Port.Chassis.Value = "other"
	r = linkcheck.Compare(&b, &c)
	require.Equal(t, []finding.Code{"pfc-off"}, codes(&r))
	require.Contains(t, r.Findings[0].Message, "PFC is off at both")

	bad := pdu(dcbx.TLV{Type: 127, Value: []byte{0, 0x80, 0xc2, 11, 8}})
	d := linkcheck.FromPDU("d", pfc.Address{2, 0, 0, 0, 0, 4}, bad)
	r = linkcheck.Compare(&a, &d)
	require.Equal(t, []finding.Code{"unusable"}, codes(&r))

	app := func(priority uint8) linkcheck.End {
		x := dcbx.Application{
			Assignments: []dcbx.Assignment{{Priority: priority, Selector: dcbx.ByUDP, Protocol: 4791}},
		}
		tlv, err := x.TLV()
		require.NoError(t, err)
		f := dcbx.PFC{Capability: 8, Enabled: pfc.Of(3)}
		flow, err := f.TLV()
		require.NoError(t, err)
		return linkcheck.FromPDU("e", pfc.Address{2, 0, 0, 0, 0, 5}, pdu(flow, tlv))
	}
	e, f := app(3), app(4)
	r = linkcheck.Compare(&e, &f)
	require.Equal(t, []finding.Code{"application"}, codes(&r))
	require.Equal(t, "e has priority 3 for udp 4791, e has 4", r.Findings[0].Message)
}
