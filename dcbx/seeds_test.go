package dcbx_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// This file has the statements of the project's sources about DCBX as tests. "The article on lossless networks" is a
// Chinese text about PFC, ETS, DCBX and DCQCN; "the chapter on lossless Ethernet" is one about PFC beside Fibre
// Channel's credits. Each comment has the statement in our own words.

// onWire returns the TLVs of a frame as a port sends it on the wire.
func onWire(t *testing.T, s dcbx.Settings) (*dcbx.Frame, []dcbx.TLV) {
	t.Helper()
	a, err := dcbx.NewAgent(s)
	require.NoError(t, err)
	f, err := a.Send(0)
	require.NoError(t, err)
	wire, err := f.AppendTo(nil)
	require.NoError(t, err)
	got, err := dcbx.DecodeFrame(wire)
	require.NoError(t, err)
	return &got, got.PDU.TLVs
}

// The article, "DCBX TLV": the type of a TLV of DCBX is 127.
func TestSeedTypeOfTheTLV(t *testing.T) {
	for _, mode := range []dcbx.Mode{dcbx.OnlyIEEE, dcbx.OnlyCEE} {
		s := port(1, true, 3)
		s.Mode = mode
		_, tlvs := onWire(t, s)
		n := 0
		for i := range tlvs {
			if _, _, ok := tlvs[i].Organisation(); ok {
				n++
				require.EqualValues(t, 127, tlvs[i].Type)
			}
		}
		require.Positive(t, n)
	}
}

// The article: the OUI of IEEE's DCBX is 0x0080c2, and that of Intel's, which is CEE, 0x001b21.
func TestSeedOUIs(t *testing.T) {
	for mode, want := range map[dcbx.Mode]uint32{dcbx.OnlyIEEE: 0x0080c2, dcbx.OnlyCEE: 0x001b21} {
		s := port(1, true, 3)
		s.Mode = mode
		_, tlvs := onWire(t, s)
		for i := range tlvs {
			if oui, _, ok := tlvs[i].Organisation(); ok {
				require.Equal(t, want, binary.BigEndian.Uint32(append([]byte{0}, oui[:]...)))
			}
		}
	}
}

// The article: the subtype depends on the OUI, and says whether a TLV is one of IEEE's DCBX or of Intel's. The same
// subtype behind the other OUI is another TLV.
func TestSeedSubtypeDependsOnTheOUI(t *testing.T) {
	flow := dcbx.PFC{Capability: 8, Enabled: pfc.Of(3)}
	tlv, err := flow.TLV()
	require.NoError(t, err)
	_, subtype, _ := tlv.Organisation()
	require.EqualValues(t, 11, subtype)
	p := dcbx.PDU{TLVs: append(dcbx.Mandatory(leaf, dcbx.TimeToLive), tlv)}
	ad := dcbx.Read(&p)
	require.NotNil(t, ad.PFC)
	copy(p.TLVs[3].Value, []byte{0x00, 0x1b, 0x21})
	ad = dcbx.Read(&p)
	require.Nil(t, ad.PFC)
	require.Equal(t, dcbx.NoVersion, ad.Version())
}

// The article: DCBX exchanges the priority groups of ETS, and PFC. Both are in a port's frame, by both versions.
func TestSeedWhatIsExchanged(t *testing.T) {
	for _, mode := range []dcbx.Mode{dcbx.OnlyIEEE, dcbx.OnlyCEE} {
		s := port(1, true, 3)
		s.Mode = mode
		f, _ := onWire(t, s)
		ad := dcbx.Read(&f.PDU)
		if mode == dcbx.OnlyIEEE {
			require.Equal(t, s.ETS.Table, ad.ETS.Table)
			require.Equal(t, pfc.Of(3), ad.PFC.Enabled)
			continue
		}
		require.EqualValues(t, 1, ad.CEE.Groups.Group[3])
		require.Equal(t, pfc.Of(3), ad.CEE.PFC.Priorities)
	}
}

// The article: DCBX is an extension of LLDP. Its TLVs are in an LLDPDU, behind those that every LLDPDU begins with, in
// a frame to LLDP's address with LLDP's ethertype.
func TestSeedExtensionOfLLDP(t *testing.T) {
	f, tlvs := onWire(t, port(1, true, 3))
	require.Equal(t, []dcbx.Type{dcbx.TypeChassis, dcbx.TypePort, dcbx.TypeTimeToLive},
		[]dcbx.Type{tlvs[0].Type, tlvs[1].Type, tlvs[2].Type})
	require.Equal(t, "01-80-c2-00-00-0e", f.Destination.String())
	require.EqualValues(t, 0x88cc, dcbx.EtherType)
}

// The article, step 2 of the exchange: the LLDP of a port sends the TLVs again and again, by its own period.
func TestSeedSentPeriodically(t *testing.T) {
	a, err := dcbx.NewAgent(port(1, true, 3))
	require.NoError(t, err)
	var at []unit.Time
	for range 3 {
		now := a.NextSend()
		at = append(at, now)
		f, err := a.Send(now)
		require.NoError(t, err)
		ad := dcbx.Read(&f.PDU)
		require.NotNil(t, ad.PFC)
	}
	require.Equal(t, []unit.Time{0, dcbx.Interval, 2 * dcbx.Interval}, at)
}

// The article: DCBX discovers the configuration of the other end. Until a frame has come, nothing is known of it.
func TestSeedDiscovers(t *testing.T) {
	l := connect(t, port(1, true, 4), port(2, false, 3))
	require.Equal(t, []any{dcbx.None, dcbx.NoPeer}, []any{l.in(0).Peers, l.in(0).PFC.Reason})
	l.run(unit.Second)
	require.Equal(t, dcbx.One, l.in(0).Peers)
}

// The article: DCBX discovers errors in the configuration of the other end. CEE says so in the frame (the error bit),
// and turns PFC off; IEEE says why what is in force differs. Package dcbx/linkcheck makes findings of both.
func TestSeedDiscoversErrors(t *testing.T) {
	a, b := port(1, false, 3), port(2, false, 4)
	a.Mode, b.Mode = dcbx.OnlyCEE, dcbx.OnlyCEE
	l := connect(t, a, b).run(10 * unit.Second)
	f, err := l.agents[0].Send(l.now)
	require.NoError(t, err)
	ad := dcbx.Read(&f.PDU)
	require.True(t, ad.CEE.PFC.Error)
	require.False(t, l.in(0).PFC.Active)
	a.Mode, b.Mode = dcbx.OnlyIEEE, dcbx.OnlyIEEE
	l = connect(t, a, b).run(10 * unit.Second)
	require.Equal(t, dcbx.NotWilling, l.in(0).PFC.Reason)
}

// The article, and step 3 of its exchange: DCBX configures the other end. Port A compares what port B sends with its
// own, and when they agree, both ends have the same.
func TestSeedConfiguresTheOtherEnd(t *testing.T) {
	for _, mode := range []dcbx.Mode{dcbx.OnlyIEEE, dcbx.OnlyCEE} {
		a, b := port(1, true, 4), port(2, false, 3)
		a.Mode, b.Mode = mode, mode
		l := connect(t, a, b).run(10 * unit.Second)
		require.Equal(t, []pfc.Priorities{pfc.Of(3), pfc.Of(3)}, []pfc.Priorities{l.in(0).Enabled, l.in(1).Enabled})
	}
}

// The article: for no loss, the PFC and the ETS of both ends have to be the same; by hand that is laborious and prone
// to errors. A change at one end reaches a willing end by itself.
func TestSeedBothEndsTheSameWithoutAHand(t *testing.T) {
	s := port(2, false, 3)
	s.Recommendation = &dcbx.ETSRecommendation{Table: s.ETS.Table}
	l := connect(t, port(1, true, 4), s).run(10 * unit.Second)
	s.PFC.Enabled = pfc.Of(3, 5)
	s.ETS.Bandwidth = [8]uint8{30, 70}
	s.Recommendation = &dcbx.ETSRecommendation{Table: s.ETS.Table}
	require.NoError(t, l.agents[1].Set(l.now, s))
	l.run(20 * unit.Second)
	require.Equal(t, pfc.Of(3, 5), l.in(0).Enabled)
	require.Equal(t, s.ETS.Table, l.in(0).Table)
}

// The chapter, first of its ten points: neighbours do not tell each other the size of their buffers, as Fibre Channel's
// do, though DCBX may tell which kinds of traffic need to be lossless. No TLV of DCBX has a size: a frame says the
// priorities with PFC, and nothing in bytes.
func TestSeedNoBufferSizes(t *testing.T) {
	s := port(1, true, 3)
	s.Application.Assignments = []dcbx.Assignment{{Priority: 3, Selector: dcbx.ByUDP, Protocol: 4791}}
	f, tlvs := onWire(t, s)
	var subtypes []byte
	for i := range tlvs {
		if _, subtype, ok := tlvs[i].Organisation(); ok {
			subtypes = append(subtypes, subtype)
		}
	}
	require.Equal(t, []byte{9, 11, 12}, subtypes, "ETS, PFC, application")
	ad := dcbx.Read(&f.PDU)
	require.Equal(t, pfc.Of(3), ad.PFC.Enabled)
	require.Equal(t, s.Application.Assignments, ad.Application.Assignments)
}
