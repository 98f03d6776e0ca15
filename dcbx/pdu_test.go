package dcbx_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// raw returns the bytes of a hexadecimal text with blanks.
func raw(text string) []byte {
	b, err := hex.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil {
		panic(err)
	}
	return b
}

// leaf is the sender of most frames here.
var leaf = dcbx.Neighbour{
	Chassis: dcbx.ID{Subtype: dcbx.ChassisAddress, Value: "\x02\x00\x00\x00\x00\x01"},
	Port:    dcbx.ID{Subtype: dcbx.PortInterface, Value: "Ethernet49"},
}

// head is what leaf's LLDPDUs begin with.
const head = "0207 04 020000000001  040b 05 45746865726e65743439  0602 0078 "

// The three mandatory TLVs are read and written, as the standard lays them out.
func TestMandatory(t *testing.T) {
	p, err := dcbx.Decode(raw(head + "0000"))
	require.NoError(t, err)
	require.Equal(t, leaf, p.Sender())
	require.Equal(t, "02-00-00-00-00-01 Ethernet49", p.Sender().String())
	require.Equal(t, 120*unit.Second, p.TimeToLive())
	require.Equal(t, dcbx.PDU{TLVs: dcbx.Mandatory(leaf, 120*unit.Second+1)}, p)
	b, err := p.AppendTo(nil)
	require.NoError(t, err)
	require.Equal(t, raw(head+"0000"), b)
}

// An explicit zero is a zero, and more than the field holds is the most it holds.
func TestTimeToLiveIsBounded(t *testing.T) {
	for given, want := range map[unit.Time]unit.Time{0: 0, -unit.Second: 0, 1e6 * unit.Second: 65535 * unit.Second} {
		require.Equal(t, want, (&dcbx.PDU{TLVs: dcbx.Mandatory(leaf, given)}).TimeToLive())
	}
}

// Names, descriptions and the longest frame are read; bytes that are no text print in hexadecimal.
func TestWhatElseAPDUSays(t *testing.T) {
	p, err := dcbx.Decode(raw(head + "0802 7031  0a05 6c65616631  fe06 00120f 04 2400  0000 ffff"))
	require.NoError(t, err)
	require.Equal(t, "leaf1", p.SystemName())
	require.Contains(t, p.TLVs, dcbx.TLV{Type: dcbx.TypePortDescription, Value: []byte("p1")})
	require.Equal(t, unit.Given[unit.Bytes](9216), p.MaxFrame())
	odd := dcbx.Neighbour{Chassis: dcbx.ID{Subtype: 4, Value: "\x01\x02"}, Port: dcbx.ID{Subtype: 7}}
	require.Equal(t, "4:0102 7:", odd.String())
	require.Equal(t, "7:", odd.PortName())
	require.Equal(t, "4:0102", odd.ChassisName())
}

// What 802.1AB's validation of frames discards is refused, with what is accepted.
func TestMalformedPDUsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":   "the LLDPDU: 0 TLVs (want chassis, port and time to live)",
		"02": "TLV 1: 1 byte (want 2 bytes of type and length)",
		"0207 04 0200": "TLV 1 (type 1): 7 bytes, but the data has 3 (want a TLV that ends " +
			"within the data)",
		"0402 0531 0000":              "TLV 1: type 2 (want type 1, chassis)",
		"0201 04 0402 0531 0602 0078": "TLV 1 (chassis): 1 byte (want 2 to 256 bytes)",
		"0202 0431 0402 0531 0601 78": "TLV 3 (time to live): 1 byte (want 2 to 2 bytes)",
		"0202 0431 0402 0531 0000":    "the LLDPDU: 2 TLVs (want chassis, port and time to live)",
		head + "0602 0078 0000":       "TLV 4: a second time to live (want one)",
		head + "0001 00":              "the end of the LLDPDU: 1 byte (want no bytes)",
		head + strings.Repeat("ff"+strings.Repeat("ff", 512), 3) + "0000": "the LLDPDU: more bytes (want at " +
			"most 1500 bytes)",
	} {
		_, err := dcbx.Decode(raw(text))
		require.ErrorIs(t, err, dcbx.ErrMalformed, text)
		require.EqualError(t, err, "malformed LLDP: "+want)
	}
	for _, bad := range []dcbx.TLV{{Type: 128}, {Type: 0}, {Type: 9, Value: make([]byte, 512)}} {
		p := dcbx.PDU{TLVs: append(dcbx.Mandatory(leaf, 0), bad)}
		_, err := p.AppendTo(nil)
		require.ErrorIs(t, err, dcbx.ErrMalformed)
	}
	long := dcbx.PDU{TLVs: dcbx.Mandatory(leaf, 0)}
	for range 3 {
		long.TLVs = append(long.TLVs, dcbx.TLV{Type: 9, Value: make([]byte, 511)})
	}
	require.ErrorContains(t, long.Validate(), "at most 1500 bytes")
}

// TLVs that are not known survive byte for byte: types that are reserved, organisations that are not known, and
// subtypes of 802.1 that this package does not read, such as congestion isolation.
func TestUnknownTLVsSurvive(t *testing.T) {
	data := raw(head + "2003 010203  fe05 0080c2 13 ff  fe07 001234 01 aabbcc  fe03 0080c2  0000")
	p, err := dcbx.Decode(data)
	require.NoError(t, err)
	out, err := p.AppendTo(nil)
	require.NoError(t, err)
	require.Equal(t, data, out)
	ad := dcbx.Read(&p)
	require.Equal(t, dcbx.Advertisement{}, ad)
	require.Equal(t, dcbx.NoVersion, ad.Version())
}

// A frame has one of LLDP's destinations, LLDP's ethertype, and at most one tag, which survives. It is padded.
func TestFrames(t *testing.T) {
	own := pfc.Address{2, 0, 0, 0, 0, 9}
	f := dcbx.Frame{
		Destination: dcbx.NearestBridge,
		Source:      own,
		PDU:         dcbx.PDU{TLVs: dcbx.Mandatory(leaf, dcbx.TimeToLive)},
	}
	for _, tagged := range []bool{false, true} {
		if f.Tagged = tagged; tagged {
			f.Tag = 0xe000
		}
		b, err := f.AppendTo([]byte{1})
		require.NoError(t, err)
		require.Len(t, b, 61)
		g, err := dcbx.DecodeFrame(b[1:])
		require.NoError(t, err)
		require.Equal(t, f, g)
	}
	for text, want := range map[string]string{
		"0180c200000e":                             "6 bytes (want at least 14 bytes of addresses and ethertype)",
		"0180c200000e 020000000009 0800" + head:    "the ethertype: 0x0800",
		"0180c2000001 020000000009 88cc" + head:    "the destination: 01-80-c2-00-00-01 (want 01-80-c2-00-00-0e",
		"0180c200000e 020000000009 88cc":           "0 TLVs",
		"0180c200000e 020000000009 8100":           "the ethertype: 0x8100",
		"0180c200000e 020000000009 8100 0000 8100": "the ethertype: 0x8100",
	} {
		_, err := dcbx.DecodeFrame(raw(text))
		require.ErrorContains(t, err, want)
	}
	f.PDU.TLVs = nil
	_, err := f.AppendTo(nil)
	require.Error(t, err)
}

// gopacket reads the same TLVs from what this package writes.
func TestGopacketAgrees(t *testing.T) {
	f := dcbx.Frame{Destination: dcbx.NearestBridge, Source: pfc.Address{2, 0, 0, 0, 0, 9},
		PDU: dcbx.PDU{TLVs: dcbx.Mandatory(leaf, 120*unit.Second)}}
	flow := dcbx.PFC{Willing: true, Capability: 8, Enabled: pfc.Of(3)}
	tlv, err := flow.TLV()
	require.NoError(t, err)
	f.PDU.TLVs = append(f.PDU.TLVs, dcbx.TLV{Type: dcbx.TypeSystemName, Value: []byte("leaf1")}, tlv)
	b, err := f.AppendTo(nil)
	require.NoError(t, err)
	packet := gopacket.NewPacket(b, layers.LinkTypeEthernet, gopacket.NoCopy)
	require.Nil(t, packet.ErrorLayer())
	d := packet.Layer(layers.LayerTypeLinkLayerDiscovery).(*layers.LinkLayerDiscovery)
	require.Equal(t, layers.LLDPChassisIDSubTypeMACAddr, d.ChassisID.Subtype)
	require.Equal(t, leaf.Chassis.Value, string(d.ChassisID.ID))
	require.Equal(t, leaf.Port.Value, string(d.PortID.ID))
	require.EqualValues(t, 120, d.TTL)
	info := packet.Layer(layers.LayerTypeLinkLayerDiscoveryInfo).(*layers.LinkLayerDiscoveryInfo)
	require.Equal(t, "leaf1", info.SysName)
	require.Len(t, info.OrgTLVs, 1)
	require.Equal(t, layers.IEEEOUI8021, info.OrgTLVs[0].OUI)
	require.EqualValues(t, 11, info.OrgTLVs[0].SubType)
	require.Equal(t, []byte{0x88, 0x08}, info.OrgTLVs[0].Info)
}
