package internal_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/internal/observed"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// frame returns the LLDP of a port.
func frame(t testing.TB, number byte, enabled ...int) []byte {
	flow := dcbx.PFC{Capability: 8, Enabled: pfc.Of(enabled...)}
	tlv, err := flow.TLV()
	require.NoError(t, err)
	f := dcbx.Frame{Destination: dcbx.NearestBridge, Source: pfc.Address{2, 0, 0, 0, 0, number}}
	f.PDU.TLVs = append(dcbx.Mandatory(dcbx.Neighbour{Chassis: dcbx.ID{Subtype: 7, Value: string('a' + rune(number))},
		Port: dcbx.ID{Subtype: 5, Value: "p1"}}, dcbx.TimeToLive), tlv)
	b, err := f.AppendTo(nil)
	require.NoError(t, err)
	return b
}

// capture writes packets as pcap.
func capture(t testing.TB, kind layers.LinkType, packets ...[]byte) []byte {
	var b bytes.Buffer
	w := pcapgo.NewWriter(&b)
	require.NoError(t, w.WriteFileHeader(65535, kind))
	for i, p := range packets {
		require.NoError(t, w.WritePacket(gopacket.CaptureInfo{Timestamp: time.Unix(int64(i), 0), CaptureLength: len(p),
			Length: len(p)}, p))
	}
	return b.Bytes()
}

// The last frame of each port counts; other packets, LLDP that is no LLDP, and LLDP to other groups are not used.
func TestObservedCapture(t *testing.T) {
	bad := append([]byte{}, frame(t, 1, 3)[:20]...)
	far := frame(t, 3, 3)
	far[5] = 0x00
	pause := pfc.Stop(pfc.Address{2}, pfc.Of(3), 9).AppendTo(nil, pfc.WithoutFCS)
	h, err := observed.Capture(capture(t, layers.LinkTypeEthernet, frame(t, 1, 3), pause, bad, bad, far, frame(t, 2, 4),
		frame(t, 1, 3, 4)))
	require.NoError(t, err)
	require.Equal(t, []any{7, 2}, []any{h.Packets, h.RefusedCount})
	require.ErrorContains(t, h.Refused, "packet 3: malformed LLDP: ")
	require.Len(t, h.Senders, 2)
	require.Equal(t, "b p1", h.Senders[0].Name.String())
	require.Equal(t, 2, h.Senders[0].Frames)
	require.Equal(t, pfc.Address{2, 0, 0, 0, 0, 1}, h.Senders[0].Address)
	ad := dcbx.Read(&h.Senders[0].PDU)
	require.Equal(t, pfc.Of(3, 4), ad.PFC.Enabled)
}

// pcapng is read too.
func TestObservedCaptureNG(t *testing.T) {
	var b bytes.Buffer
	w, err := pcapgo.NewNgWriter(&b, layers.LinkTypeEthernet)
	require.NoError(t, err)
	p := frame(t, 1, 3)
	require.NoError(
		t,
		w.WritePacket(gopacket.CaptureInfo{Timestamp: time.Unix(1, 0), CaptureLength: len(p), Length: len(p)},
			p),
	)
	require.NoError(t, w.Flush())
	h, err := observed.Capture(b.Bytes())
	require.NoError(t, err)
	require.Len(t, h.Senders, 1)
}

// What is no capture of Ethernet is refused.
func TestObservedCapturesThatAreRefused(t *testing.T) {
	whole := capture(t, layers.LinkTypeEthernet, frame(t, 1, 3))
	for want, data := range map[string][]byte{
		"EOF":                               nil,
		"Unknown magic":                     bytes.Repeat([]byte("x"), 24),
		"it is compressed":                  {0x1f, 0x8b, 8, 0},
		"link type Raw (want Ethernet)":     capture(t, layers.LinkTypeRaw),
		"packet 1: unexpected EOF":          whole[:len(whole)-1],
		"no capture that can be read (want": []byte("chip: tomahawk"),
	} {
		_, err := observed.Capture(data)
		require.ErrorContains(t, err, want)
	}
}

// A port that sends more than there may be ports is refused, and does not cost more memory.
func TestObservedCaptureIsBounded(t *testing.T) {
	var packets [][]byte
	for i := range observed.MaxPorts + 1 {
		f := dcbx.Frame{Destination: dcbx.NearestBridge, PDU: dcbx.PDU{TLVs: dcbx.Mandatory(dcbx.Neighbour{
			Chassis: dcbx.ID{Subtype: 7, Value: string([]byte{'a', byte(i >> 8), byte(i)})},
			Port:    dcbx.ID{Subtype: 5, Value: "p"}}, unit.Second)}}
		b, err := f.AppendTo(nil)
		require.NoError(t, err)
		packets = append(packets, b)
	}
	_, err := observed.Capture(capture(t, layers.LinkTypeEthernet, packets...))
	require.ErrorContains(t, err, "more ports that send LLDP than are want 4096")
}

// No capture makes the reader fail in another way than by an error.
func FuzzObservedCapture(f *testing.F) {
	f.Add(capture(f, layers.LinkTypeEthernet, frame(f, 1, 3), frame(f, 2, 4)))
	var b bytes.Buffer
	w, err := pcapgo.NewNgWriter(&b, layers.LinkTypeEthernet)
	require.NoError(f, err)
	p := frame(f, 1, 3)
	require.NoError(f, w.WritePacket(gopacket.CaptureInfo{CaptureLength: len(p), Length: len(p)}, p))
	require.NoError(f, w.Flush())
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := observed.Capture(data)
		if err != nil {
			return
		}
		for i := range h.Senders {
			require.NoError(t, h.Senders[i].PDU.Validate())
		}
	})
}
