package dcbx_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/pfc"
)

// of returns what an LLDPDU with these TLVs says.
func of(t *testing.T, text string) dcbx.Advertisement {
	t.Helper()
	p, err := dcbx.Decode(raw(head + text + "0000"))
	require.NoError(t, err)
	return dcbx.Read(&p)
}

// same requires that a TLV has these bytes.
func same(t *testing.T, text string, tlv dcbx.TLV, err error) {
	t.Helper()
	require.NoError(t, err)
	p := dcbx.PDU{TLVs: append(dcbx.Mandatory(leaf, dcbx.TimeToLive), tlv)}
	b, err := p.AppendTo(nil)
	require.NoError(t, err)
	require.Equal(t, raw(head+text+"0000"), b)
}

// The seeds' statement on DCBX: it exchanges ETS and PFC in TLVs of type 127, of which IEEE's have OUI 0x0080c2 and
// Intel's 0x001b21, and the subtype depends on the OUI.
func TestSeedDCBXTLVs(t *testing.T) {
	for text, want := range map[string]dcbx.Version{
		"fe06 0080c2 0b 08 18":                dcbx.IEEEVersion,
		"fe0c 001b21 02 0606 0000 8000 18 08": dcbx.CEEVersion,
		"fe0b 001b21 01 0605 0000 8000 18":    dcbx.CINVersion,
	} {
		ad := of(t, text)
		require.Equal(t, want, ad.Version(), text)
		require.Empty(t, ad.Unusable)
	}
}

// TLVs whose layout no published text gives are kept byte for byte, and say nothing of DCBX: the other subtypes of
// IEEE 802.1, of which 802.1Qcz has topology recognition and 802.1Qdt may have measured delays; those of CEE's OUI; and
// those of others. So are TLVs between those of DCBX, in their order.
func TestTLVsOfUnknownLayoutSurvive(t *testing.T) {
	const known = "fe06 0080c2 0b 08 18"
	for subtype := range 256 {
		for _, oui := range []string{"0080c2", "001b21", "00120f", "acde48"} {
			if oui == "0080c2" && subtype >= 9 && subtype <= 12 || oui == "001b21" && (subtype == 1 || subtype == 2) {
				continue
			}
			text := head + fmt.Sprintf("fe09 %s %02x 02ff00a55a ", oui, subtype) + known +
				fmt.Sprintf(" fe04 %s %02x 0a02 0001", oui, subtype) + "0000"
			p, err := dcbx.Decode(raw(text))
			require.NoError(t, err)
			again, err := p.AppendTo(nil)
			require.NoError(t, err)
			require.Equal(t, raw(text), again)
			ad := dcbx.Read(&p)
			require.Equal(t, pfc.Of(3, 4), ad.PFC.Enabled)
			require.Empty(t, ad.Unusable)
			require.Nil(t, ad.ETS)
		}
	}
}

// Every field of IEEE's TLVs, reserved bits included, is read and written at its place.
func TestIEEE(t *testing.T) {
	table := dcbx.Table{Class: [8]uint8{0, 1, 0, 3, 0, 0, 7, 2}, Bandwidth: [8]uint8{50, 10, 0, 40},
		Selection: [8]dcbx.Selection{dcbx.Enhanced, dcbx.Enhanced, dcbx.Strict, dcbx.Enhanced, dcbx.CreditBased, 9,
			dcbx.Strict, dcbx.Vendor}}
	const bytes = "01 03 00 72  32 0a 00 28 00 00 00 00  02 02 00 02 01 09 00 ff"
	ets := "fe19 0080c2 09 d8" + bytes
	a := of(t, ets)
	require.Equal(
		t,
		&dcbx.ETSConfiguration{Willing: true, CreditBased: true, Reserved: 3, MaxTCs: 8, Table: table},
		a.ETS,
	)
	tlv, err := a.ETS.TLV()
	same(t, ets, tlv, err)

	ets = "fe19 0080c2 0a 81" + bytes
	a = of(t, ets)
	require.Equal(t, &dcbx.ETSRecommendation{Reserved: 0x81, Table: table}, a.Recommendation)
	tlv, err = a.Recommendation.TLV()
	same(t, ets, tlv, err)

	flow := "fe06 0080c2 0b e4 18"
	a = of(t, flow)
	require.Equal(t, &dcbx.PFC{Willing: true, Bypass: true, Reserved: 2, Capability: 4, Enabled: pfc.Of(3, 4)}, a.PFC)
	tlv, err = a.PFC.TLV()
	same(t, flow, tlv, err)

	app := "fe0b 0080c2 0c 00 61 8906  7b 12b7"
	a = of(t, app)
	require.Equal(t, []dcbx.Assignment{{Priority: 3, Selector: dcbx.ByEtherType, Protocol: 0x8906},
		{Priority: 3, Reserved: 3, Selector: dcbx.ByUDP, Protocol: 4791}}, a.Application.Assignments)
	tlv, err = a.Application.TLV()
	same(t, app, tlv, err)
	require.Equal(
		t,
		"ethertype tcp udp port dscp reserved 0",
		text(dcbx.ByEtherType, dcbx.ByTCP, dcbx.ByUDP, dcbx.ByPort,
			dcbx.ByDSCP, dcbx.Selector(0)),
	)
	require.Equal(t, "strict credit-based ets vendor reserved 9", text(dcbx.Strict, dcbx.CreditBased, dcbx.Enhanced,
		dcbx.Vendor, dcbx.Selection(9)))
	require.EqualValues(t, 0b10001111, table.Used())
}

// An explicit zero is a zero: a PFC TLV without priorities and without capability, and a table of no applications. Max
// TCs alone has 0 for 8.
func TestZeros(t *testing.T) {
	a := of(t, "fe06 0080c2 0b 00 00  fe05 0080c2 0c 00")
	require.Equal(t, &dcbx.PFC{}, a.PFC)
	require.Equal(t, &dcbx.Application{}, a.Application)
	e := dcbx.ETSConfiguration{MaxTCs: 8}
	tlv, err := e.TLV()
	require.NoError(t, err)
	require.Zero(t, tlv.Value[4])
}

// Every field of CEE's TLV is read and written at its place, and TLVs inside that are not known survive.
func TestCEE(t *testing.T) {
	all := "fe40 001b21 02" +
		" 020a 00 01 00000007 00000006" +
		" 0411 01 02 ff 03 0000 f1 1f 32 32 00 00 00 00 00 00 08" +
		" 0606 00 00 80 00 18 04" +
		" 0810 00 00 40 00 8906 00 1b21 08  0cbc 01 1b21 10" +
		" 0e01 77"
	a := of(t, all)
	require.Empty(t, a.Unusable)
	require.Equal(t, &dcbx.CEE{
		Control: &dcbx.Control{MaxVersion: 1, Sequence: 7, Acknowledged: 6},
		Groups: &dcbx.PriorityGroups{Feature: dcbx.Feature{OperVersion: 1, MaxVersion: 2, Enabled: true, Willing: true,
			Error: true, Reserved: 0x1f, Subtype: 3}, Group: [8]uint8{0, 0, 0, 0, 15, 1, 1, 15},
			Bandwidth: [8]uint8{50, 50}, Classes: 8},
		PFC: &dcbx.CEEPFC{Feature: dcbx.Feature{Enabled: true}, Priorities: pfc.Of(3, 4), Classes: 4},
		Application: &dcbx.CEEApplication{Feature: dcbx.Feature{Willing: true}, Assignments: []dcbx.CEEAssignment{
			{Protocol: 0x8906, OUI: [3]byte{0, 0x1b, 0x21}, Priorities: pfc.Of(3)},
			{Protocol: 3260, Selector: 1, OUI: [3]byte{0, 0x1b, 0x21}, Priorities: pfc.Of(4)}}},
		Other: []dcbx.TLV{{Type: 7, Value: []byte{0x77}}},
	}, a.CEE)
	tlv, err := a.CEE.TLV()
	same(t, all, tlv, err)
}

// The seeds' three groups: PG0 for LAN, PG1 for SAN, and PG15 for IPC, which is strict. As traffic classes, group 15 is
// one that no group with a bandwidth has.
func TestSeedPriorityGroups(t *testing.T) {
	g := dcbx.PriorityGroups{Group: [8]uint8{0, 0, 0, 1, 1, 0, 15, 15}, Bandwidth: [8]uint8{40, 60}}
	table, err := g.Table()
	require.NoError(t, err)
	require.Equal(t, dcbx.Table{Class: [8]uint8{0, 0, 0, 1, 1, 0, 7, 7}, Bandwidth: [8]uint8{40, 60},
		Selection: [8]dcbx.Selection{dcbx.Enhanced, dcbx.Enhanced}}, table)
	require.NoError(t, table.Validate())

	full := dcbx.PriorityGroups{Group: [8]uint8{0, 15, 2, 3, 4, 5, 6, 7}}
	table, err = full.Table()
	require.NoError(t, err)
	require.Equal(t, [8]uint8{0, 1, 2, 3, 4, 5, 6, 7}, table.Class)
	g.Group[2] = 9
	_, err = g.Table()
	require.EqualError(t, err, "priority 2: group 9 (want 0 to 7, or 15)")
}

// CIN is recognised, and its control and PFC are read.
func TestCIN(t *testing.T) {
	a := of(t, "fe21 001b21 01 020a 00 00 00000001 00000000  0605 0000 c000 08  0a04 00008000 0c02 1234")
	require.Equal(t, &dcbx.CIN{
		Control: &dcbx.Control{Sequence: 1},
		PFC:     &dcbx.Feature{Enabled: true, Willing: true},
		Priorities: pfc.Of(
			3,
		),
		Other: []dcbx.TLV{{Type: 5, Value: []byte{0, 0, 0x80, 0}}, {Type: 6, Value: []byte{0x12, 0x34}}},
	},
		a.CIN)
	require.Equal(t, "CIN (DCBX 1.0)", a.Version().String())
}

// A TLV of DCBX that is wrong costs that TLV alone: the others are used, and what was not used is said.
func TestUnusableTLVs(t *testing.T) {
	const good = " fe06 0080c2 0b 08 18 "
	for text, want := range map[string]string{
		"fe05 0080c2 09 00" + good: "malformed LLDP: the TLV of ETS configuration: 1 byte " +
			"(want 21 bytes behind OUI and subtype)",
		"fe05 0080c2 0a 00" + good: "malformed LLDP: the TLV of ETS recommendation: 1 byte " +
			"(want 21 bytes behind OUI and subtype)",
		"fe06 0080c2 0c 00 61" + good: "malformed LLDP: the TLV of applications: 2 bytes " +
			"(want 1 byte and 3 for each application)",
		"fe05 0080c2 0c 00  fe05 0080c2 0c 00" + good: "the TLV of applications is there 2 times",
		"fe07 001b21 02 0602 00" + good: "malformed LLDP: TLV 1 (type 3): 2 bytes, but the data " +
			"has 1 (want a TLV that ends within the data)",
	} {
		a := of(t, text)
		require.Equal(t, []string{want}, a.Unusable, text)
		require.Equal(t, pfc.Of(3, 4), a.PFC.Enabled)
		require.Equal(t, dcbx.Advertisement{PFC: a.PFC, Unusable: a.Unusable}, a)
	}
	a := of(t, "fe07 0080c2 0b 08 18 00")
	require.Nil(t, a.PFC)
	require.Equal(t, dcbx.NoVersion, a.Version())
}

// Inside CEE's TLV, one that is wrong or there twice costs that feature alone.
func TestUnusableTLVsInsideCEE(t *testing.T) {
	a := of(t, "fe1a 001b21 02  0606 0000 8000 18 04  0606 0000 8000 08 04  0801 00  0401 00")
	require.Equal(t, []string{"the TLV 3 inside CEE's is there 2 times",
		"malformed LLDP: CEE's TLV of applications: 1 byte (want 4 bytes and 6 for each application)",
		"malformed LLDP: the TLV of CEE's priority groups: 1 byte (want 17 bytes behind OUI and subtype)"},
		a.Unusable)
	require.Nil(t, a.CEE.PFC)
	require.Len(t, a.CEE.Other, 4)
}

// A value that a field has no room for is refused, and is not cut.
func TestValuesThatDoNotFit(t *testing.T) {
	for want, try := range map[string]func() (dcbx.TLV, error){
		"max TCs: 9 (want 1 to 8)": (&dcbx.ETSConfiguration{MaxTCs: 9}).TLV,
		"max TCs: 0 (want 1 to 8)": (&dcbx.ETSConfiguration{}).TLV,
		"class of priority 2: 16 (want 0 to 15)": (&dcbx.ETSRecommendation{
			Table: dcbx.Table{Class: [8]uint8{2: 16}},
		}).TLV,
		"capability: 16 (want 0 to 15)":    (&dcbx.PFC{Capability: 16}).TLV,
		"assignments: 169 (want 0 to 168)": (&dcbx.Application{Assignments: make([]dcbx.Assignment, 169)}).TLV,
		"priority of assignment 0: 8 (want 0 to 7)": (&dcbx.Application{Assignments: []dcbx.Assignment{
			{Priority: 8}}}).TLV,
		"reserved bits: 32 (want 0 to 31)": (&dcbx.CEE{PFC: &dcbx.CEEPFC{Feature: dcbx.Feature{Reserved: 32}}}).TLV,
		"OUI of assignment 0: [1 0 0] (want two low bits of 0)": (&dcbx.CEE{Application: &dcbx.CEEApplication{
			Assignments: []dcbx.CEEAssignment{{OUI: [3]byte{1}}}}}).TLV,
		"group of priority 1: 16 (want 0 to 15)": (&dcbx.CEE{Groups: &dcbx.PriorityGroups{Group: [8]uint8{1: 16}}}).TLV,
		"CEE's TLV: 517 bytes (want at most 511 bytes)": (&dcbx.CEE{Other: []dcbx.TLV{
			{Type: 9, Value: make([]byte, 511)}}}).TLV,
	} {
		_, err := try()
		require.EqualError(t, err, want)
	}
}

// A table says what the standard does not allow.
func TestTableValidation(t *testing.T) {
	table := dcbx.Table{Class: [8]uint8{8}, Selection: [8]dcbx.Selection{dcbx.Enhanced, 7}, Bandwidth: [8]uint8{99}}
	require.EqualError(t, table.Validate(), "priority 0: traffic class 8 (want 0 to 7)\n"+
		"traffic class 1: reserved 7 (want strict, credit-based, ets, vendor)\n"+
		"bandwidths of the ets classes: 99 % (want 100 % in sum)")
}
