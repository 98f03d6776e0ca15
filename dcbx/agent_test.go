package dcbx_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// port returns valid settings of a port: two classes, PFC for the given priorities.
func port(number byte, willing bool, enabled ...int) dcbx.Settings {
	table := dcbx.Table{Class: [8]uint8{3: 1}, Bandwidth: [8]uint8{40, 60},
		Selection: [8]dcbx.Selection{dcbx.Enhanced, dcbx.Enhanced}}
	return dcbx.Settings{
		Address: pfc.Address{2, 0, 0, 0, 0, number},
		Name: dcbx.Neighbour{Chassis: dcbx.ID{Subtype: dcbx.LocallyAssigned, Value: fmt.Sprint("switch", number)},
			Port: dcbx.ID{Subtype: dcbx.PortInterface, Value: "Ethernet1"}},
		ETS: dcbx.ETSConfiguration{Willing: willing, MaxTCs: 8, Table: table},
		PFC: dcbx.PFC{Willing: willing, Capability: 8, Enabled: pfc.Of(enabled...)},
	}
}

// link is ports that hear each other's frames, one microsecond later.
type link struct {
	t      *testing.T
	now    unit.Time
	agents []*dcbx.Agent
	down   []bool // ports that send nothing
	frames int
}

// connect puts ports on one link.
func connect(t *testing.T, settings ...dcbx.Settings) *link {
	l := &link{t: t, down: make([]bool, len(settings))}
	for _, s := range settings {
		a, err := dcbx.NewAgent(s)
		require.NoError(t, err)
		l.agents = append(l.agents, a)
	}
	return l
}

// run has the ports send what is due until a time.
func (l *link) run(until unit.Time) *link {
	for {
		from, at := -1, until
		for i, a := range l.agents {
			if next := max(a.NextSend(), l.now); next < at && !l.down[i] {
				from, at = i, next
			}
		}
		for _, a := range l.agents {
			if expiry, ok := a.NextExpiry(); ok && expiry <= at {
				a.Expire(expiry)
			}
		}
		if l.now = at; from < 0 {
			return l
		}
		f, err := l.agents[from].Send(l.now)
		require.NoError(l.t, err)
		wire, err := f.AppendTo(nil)
		require.NoError(l.t, err)
		l.frames++
		l.now += unit.Microsecond
		for i, a := range l.agents {
			if i != from {
				got, err := dcbx.DecodeFrame(wire)
				require.NoError(l.t, err)
				_, err = a.Receive(l.now, &got)
				require.NoError(l.t, err)
			}
		}
	}
}

// in returns what is in force at a port.
func (l *link) in(i int) dcbx.Operational { return l.agents[i].Operational() }

// Symmetric: PFC ends as the standard's table of willing bits has it. Of two willing ports, that with the lower address
// takes over the other's priorities.
func TestPFCByWilling(t *testing.T) {
	for _, c := range []struct {
		a, b       bool // willing
		pa, pb     pfc.Priorities
		whyA, whyB dcbx.Reason
	}{
		{false, false, pfc.Of(3), pfc.Of(4), dcbx.NotWilling, dcbx.NotWilling},
		{true, false, pfc.Of(4), pfc.Of(4), dcbx.PeerDecides, dcbx.PeerWilling},
		{false, true, pfc.Of(3), pfc.Of(3), dcbx.PeerWilling, dcbx.PeerDecides},
		{true, true, pfc.Of(4), pfc.Of(4), dcbx.LowerAddress, dcbx.HigherAddress},
	} {
		l := connect(t, port(1, c.a, 3), port(2, c.b, 4)).run(100 * unit.Second)
		a, b := l.in(0), l.in(1)
		require.Equal(
			t,
			[]any{c.pa, c.pb, c.whyA, c.whyB},
			[]any{a.Enabled, b.Enabled, a.PFC.Reason, b.PFC.Reason},
			"%+v",
			c,
		)
		require.True(t, a.PFC.Active && b.PFC.Active)
		require.Equal(t, []any{dcbx.One, dcbx.IEEEVersion}, []any{a.Peers, a.Version})
		require.Less(t, l.frames, 2*(3+4+4), "frames do not chase each other")
	}
}

// Two ports with one address keep their own: nobody exchanges values for ever.
func TestSameAddress(t *testing.T) {
	b := port(2, true, 4)
	b.Address = pfc.Address{2, 0, 0, 0, 0, 1}
	l := connect(t, port(1, true, 3), b).run(100 * unit.Second)
	require.Equal(t, []any{pfc.Of(3), pfc.Of(4), dcbx.SameAddress}, []any{l.in(0).Enabled, l.in(1).Enabled,
		l.in(0).PFC.Reason})
	require.Less(t, l.frames, 30)
}

// Asymmetric: a willing port uses what is recommended to it, not what the neighbour uses, and another keeps its own.
func TestETSByWilling(t *testing.T) {
	b := port(2, true, 4)
	b.Recommendation = &dcbx.ETSRecommendation{Table: b.ETS.Table}
	b.Recommendation.Bandwidth = [8]uint8{10, 90}
	l := connect(t, port(1, true, 3), b).run(10 * unit.Second)
	require.Equal(t, b.Recommendation.Table, l.in(0).Table)
	require.Equal(t, dcbx.InForce{Active: true, FromPeer: true, Reason: dcbx.Recommended}, l.in(0).ETS)
	require.Equal(t, b.ETS.Table, l.in(1).Table)
	require.Equal(t, dcbx.InForce{Active: true, Reason: dcbx.NotSent}, l.in(1).ETS, "nothing is recommended to b")
	l = connect(t, port(1, false, 3), b).run(10 * unit.Second)
	require.Equal(t, dcbx.InForce{Active: true, Reason: dcbx.NotWilling}, l.in(0).ETS)
	require.Equal(t, port(1, false).ETS.Table, l.in(0).Table)
}

// What a neighbour said ends with its time to live, at once with a time to live of 0, and comes back with it.
func TestNeighbourEnds(t *testing.T) {
	l := connect(t, port(1, true, 3), port(2, false, 4)).run(10 * unit.Second)
	require.Equal(t, pfc.Of(4), l.in(0).Enabled)
	l.down[1] = true
	l.run(10*unit.Second + dcbx.TimeToLive - 31*unit.Second)
	require.Equal(t, pfc.Of(4), l.in(0).Enabled, "the time to live is not over")
	l.run(10*unit.Second + dcbx.TimeToLive)
	require.Equal(t, dcbx.Operational{
		Version: dcbx.IEEEVersion,
		Enabled: pfc.Of(3),
		Table:   port(1, true).ETS.Table,
		PFC: dcbx.InForce{
			Active: true,
			Reason: dcbx.NoPeer,
		},
		ETS: dcbx.InForce{Active: true, Reason: dcbx.NoPeer},
	}, l.in(0))
	l.down[1] = false
	l.run(500 * unit.Second)
	require.Equal(t, pfc.Of(4), l.in(0).Enabled)

	f, err := l.agents[1].Send(l.now)
	require.NoError(t, err)
	copy(f.PDU.TLVs, dcbx.Mandatory(f.PDU.Sender(), 0))
	changed, err := l.agents[0].Receive(l.now, &f)
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, dcbx.None, l.in(0).Peers)
}

// Several neighbours on one link mean no DCBX, until one is left.
func TestSeveralNeighbours(t *testing.T) {
	l := connect(t, port(1, true, 3), port(2, false, 4), port(3, false, 5)).run(10 * unit.Second)
	require.Equal(t, dcbx.Several, l.in(0).Peers)
	require.Equal(t, []any{dcbx.SeveralPeers, pfc.Of(3)}, []any{l.in(0).PFC.Reason, l.in(0).Enabled})
	l.down[2] = true
	l.run(300 * unit.Second)
	require.Equal(t, []any{dcbx.One, pfc.Of(4)}, []any{l.in(0).Peers, l.in(0).Enabled})
}

// More neighbours than the agent tells apart do not cost more memory.
func TestManyNeighbours(t *testing.T) {
	a, err := dcbx.NewAgent(port(1, true, 3))
	require.NoError(t, err)
	for i := range 1000 {
		s := port(2, false, 4)
		s.Name.Chassis.Value = fmt.Sprint("x", i)
		b, err := dcbx.NewAgent(s)
		require.NoError(t, err)
		f, err := b.Send(0)
		require.NoError(t, err)
		_, err = a.Receive(unit.Time(i), &f)
		require.NoError(t, err)
	}
	require.Equal(t, dcbx.Several, a.Operational().Peers)
	a.Expire(dcbx.TimeToLive + unit.Second)
	require.Equal(t, dcbx.None, a.Operational().Peers)
	_, ok := a.NextExpiry()
	require.False(t, ok)
}

// Versions that do not match mean no DCBX; a port that may changes to the neighbour's CEE, and back without it.
func TestVersions(t *testing.T) {
	ieee, cee := port(1, true, 3), port(2, false, 4)
	ieee.Mode, cee.Mode = dcbx.OnlyIEEE, dcbx.OnlyCEE
	l := connect(t, ieee, cee).run(10 * unit.Second)
	require.Equal(t, []any{dcbx.OtherVersion, pfc.Of(3), true}, []any{l.in(0).PFC.Reason, l.in(0).Enabled,
		l.in(0).PFC.Active})
	require.Equal(t, []any{dcbx.OtherVersion, pfc.Priorities(0), false}, []any{l.in(1).PFC.Reason, l.in(1).Enabled,
		l.in(1).PFC.Active})

	l = connect(t, port(1, true, 3), cee).run(100 * unit.Second)
	require.Equal(t, []any{dcbx.CEEVersion, pfc.Of(4), dcbx.PeerDecides}, []any{l.in(0).Version, l.in(0).Enabled,
		l.in(0).PFC.Reason})
	l.down[1] = true
	l.run(300 * unit.Second)
	require.Equal(t, []any{dcbx.IEEEVersion, pfc.Of(3)}, []any{l.in(0).Version, l.in(0).Enabled})
}

// A neighbour with LLDP alone, and one with DCBX 1.0, which nobody here speaks.
func TestNeighbourWithoutDCBX(t *testing.T) {
	for add, why := range map[string]dcbx.Reason{"": dcbx.NotSent, "fe0b 001b21 01 0605 0000 8000 18": dcbx.OtherVersion} {
		a, err := dcbx.NewAgent(port(1, true, 3))
		require.NoError(t, err)
		f, err := dcbx.DecodeFrame(raw("0180c200000e 020000000009 88cc" + head + add + "0000"))
		require.NoError(t, err)
		_, err = a.Receive(0, &f)
		require.NoError(t, err)
		require.Equal(t, why, a.Operational().PFC.Reason)
		require.Equal(t, pfc.Of(3), a.Operational().Enabled)
	}
}

// Frames that an agent does not use are errors that say why.
func TestIgnoredFrames(t *testing.T) {
	a, err := dcbx.NewAgent(port(1, true, 3))
	require.NoError(t, err)
	_, err = a.Receive(0, &dcbx.Frame{})
	require.ErrorIs(t, err, dcbx.ErrMalformed)
	f, err := dcbx.DecodeFrame(raw("0180c2000003 020000000009 88cc" + head + "0000"))
	require.NoError(t, err)
	_, err = a.Receive(0, &f)
	require.ErrorIs(t, err, dcbx.ErrIgnored)
	require.Equal(t, dcbx.None, a.Operational().Peers)
}

// Settings that no port can have are refused, with all complaints.
func TestSettingsAreValidated(t *testing.T) {
	s := port(1, true, 1, 2, 3)
	s.Mode, s.PFC.Capability, s.ETS.MaxTCs, s.ETS.Bandwidth[0] = 3, 2, 1, 50
	s.Recommendation = &dcbx.ETSRecommendation{Table: s.ETS.Table}
	s.Name.Port.Value = ""
	_, err := dcbx.NewAgent(s)
	require.EqualError(t, err, "mode: 3 (want automatic, ieee, cee)\n"+
		"ets.bandwidths of the ets classes: 110 % (want 100 % in sum)\n"+
		"ets: priority 3: traffic class 1 (want below max TCs, 1)\n"+
		"recommendation.bandwidths of the ets classes: 110 % (want 100 % in sum)\n"+
		"pfc.enabled: 3 priorities (1,2,3) (want at most the capability, 2)\n"+
		"malformed LLDP: TLV 2 (port): 1 byte (want 2 to 256 bytes)")
}

// Any two ports come to rest: few frames, and with IEEE the same PFC at both ends unless none is willing; with CEE the
// same PFC at both ends, or none at both.
func TestNegotiationsComeToRest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		one := func(n byte) dcbx.Settings {
			s := port(n, r.IntN(2) == 0)
			s.PFC.Willing, s.PFC.Enabled, s.Mode = r.IntN(2) == 0, pfc.Priorities(r.IntN(256)), dcbx.Mode(r.IntN(3))
			if r.IntN(2) == 0 {
				s.Recommendation = &dcbx.ETSRecommendation{Table: s.ETS.Table}
			}
			return s
		}
		l := connect(t, one(1), one(2)).run(20 * unit.Second)
		before, a, b := l.frames, l.in(0), l.in(1)
		l.run(80 * unit.Second)
		require.Less(t, l.frames-before, 2*3+1, "nothing changes any more")
		require.Equal(t, []dcbx.Operational{a, b}, []dcbx.Operational{l.in(0), l.in(1)})
		switch {
		case a.PFC.Reason == dcbx.NotWilling && b.PFC.Reason == dcbx.NotWilling:
		case a.PFC.Reason == dcbx.OtherVersion:
			require.Equal(t, dcbx.OtherVersion, b.PFC.Reason)
		default:
			require.Equal(t, a.Enabled, b.Enabled, "%+v\n%+v", a, b)
		}
	}
}

// A port that leaves ETS out speaks of PFC alone, by both versions: PFC is negotiated as with ETS, and no frame has a
// TLV of bandwidths.
func TestPortWithoutETS(t *testing.T) {
	for _, mode := range []dcbx.Mode{dcbx.OnlyIEEE, dcbx.OnlyCEE} {
		a, b := port(1, true, 4), port(2, false, 3)
		for _, s := range []*dcbx.Settings{&a, &b} {
			s.WithoutETS, s.Mode, s.Recommendation = true, mode, &dcbx.ETSRecommendation{Table: s.ETS.Table}
		}
		l := connect(t, a, b).run(10 * unit.Second)
		require.Equal(t, []pfc.Priorities{pfc.Of(3), pfc.Of(3)}, []pfc.Priorities{l.in(0).Enabled, l.in(1).Enabled})
		require.False(t, l.in(0).ETS.FromPeer)
		f, err := l.agents[1].Send(l.now)
		require.NoError(t, err)
		ad := dcbx.Read(&f.PDU)
		require.Empty(t, ad.Unusable)
		require.Nil(t, ad.ETS)
		require.Nil(t, ad.Recommendation)
		require.True(t, ad.CEE == nil || ad.CEE.Groups == nil)
	}
}

// A willing port keeps its own shares where those that are recommended are none that it can have.
func TestSharesThatAPortCannotHave(t *testing.T) {
	ets, strict := dcbx.Enhanced, dcbx.Strict
	for name, c := range map[string]struct {
		table dcbx.Table
		taken bool
	}{
		"two classes": {dcbx.Table{Class: [8]uint8{4: 1}, Bandwidth: [8]uint8{70, 30},
			Selection: [8]dcbx.Selection{ets, ets}}, true},
		"strict alone":          {dcbx.Table{}, true},
		"a class of two":        {dcbx.Table{Class: [8]uint8{2}, Selection: [8]dcbx.Selection{2: strict}}, false},
		"a vendor's algorithm":  {dcbx.Table{Selection: [8]dcbx.Selection{dcbx.Vendor}}, false},
		"a shaper":              {dcbx.Table{Selection: [8]dcbx.Selection{dcbx.CreditBased}}, false},
		"0 % with priorities":   {dcbx.Table{Bandwidth: [8]uint8{1: 100}, Selection: [8]dcbx.Selection{ets, ets}}, false},
		"a vendor's, not in it": {dcbx.Table{Selection: [8]dcbx.Selection{7: dcbx.Vendor}}, true},
	} {
		a, b := port(1, false, 3), port(2, true, 3)
		a.Recommendation, b.ETS.MaxTCs = &dcbx.ETSRecommendation{Table: c.table}, 2
		l := connect(t, a, b).run(10 * unit.Second)
		in, reason, table := l.agents[1].Operational(), dcbx.Unsupported, b.ETS.Table
		if c.taken {
			reason, table = dcbx.Recommended, c.table
		}
		require.Equal(t, []any{reason, c.taken, table}, []any{in.ETS.Reason, in.ETS.FromPeer, in.Table}, name)
	}
}
