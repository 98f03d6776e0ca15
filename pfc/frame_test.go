package pfc_test

import (
	"bytes"
	"encoding/hex"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/pfc"
)

const header = "0180c2000001" + "020000000008" + "8808"

func bytesOf(t testing.TB, text string) []byte {
	data, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	require.NoError(t, err)
	return data
}

// The layout, written by hand from the standard's figure.
func TestFramesOnTheWire(t *testing.T) {
	pad26, pad42 := strings.Repeat("00", 26), strings.Repeat("00", 42)
	for name, c := range map[string]struct {
		frame interface {
			AppendTo([]byte, pfc.FCS) []byte
		}
		want string
	}{
		"CoS 3": {pfc.Stop(port, pfc.Of(3), pfc.MaxQuanta),
			header + "0101 0008 0000 0000 0000 ffff 0000 0000 0000 0000" + pad26},
		"CoS 3 and 4": {pfc.Stop(port, pfc.Of(3, 4), 0x1234),
			header + "0101 0018 0000 0000 0000 1234 1234 0000 0000 0000" + pad26},
		"resume CoS 3": {pfc.Stop(port, pfc.Of(3), 0),
			header + "0101 0008 0000 0000 0000 0000 0000 0000 0000 0000" + pad26},
		"time of a class that is not enabled": {
			pfc.Frame{Source: port, Enabled: 0x80, Quanta: [8]uint16{1, 2, 3, 4, 5, 6, 7, 8}},
			header + "0101 0080 0001 0002 0003 0004 0005 0006 0007 0008" + pad26},
		"link": {pfc.LinkPause{Source: port, Quanta: 0xfedc}, header + "0001 fedc" + pad42},
	} {
		t.Run(name, func(t *testing.T) {
			want := bytesOf(t, c.want)
			require.Len(t, want, 60)
			require.Equal(t, want, c.frame.AppendTo(nil, pfc.WithoutFCS))
			wire := c.frame.AppendTo([]byte("before"), pfc.WithFCS)
			require.Equal(t, append([]byte("before"), want...), wire[:66], "what was there stays")
			require.Len(t, wire, 6+pfc.FrameBytes)
			require.EqualValues(t, 0x2144df1c, crc32.ChecksumIEEE(wire[6:]),
				"the residue of every right Ethernet frame")
		})
	}
}

func TestRefusedFrames(t *testing.T) {
	whole := pfc.Stop(port, pfc.Of(3), 100)
	for name, c := range map[string]struct {
		at    int
		bytes string
		fcs   pfc.FCS
		field pfc.Field
		says  string
	}{
		"vlan": {12, "8100 0064 8808", pfc.WithoutFCS, pfc.FieldEtherType,
			"ethertype is 0x8100, a VLAN tag (accepted: 0x8808, MAC control, which is never tagged)"},
		"priority tag": {12, "88a8", pfc.WithoutFCS, pfc.FieldEtherType, "a VLAN tag"},
		"ip":           {12, "0800", pfc.WithoutFCS, pfc.FieldEtherType, "ethertype is 0x0800 (accepted: 0x8808"},
		"destination": {5, "02", pfc.WithoutFCS, pfc.FieldDestination,
			"destination is 01-80-c2-00-00-02 (accepted: 01-80-c2-00-00-01)"},
		"opcode": {14, "0002", pfc.WithoutFCS, pfc.FieldOpcode,
			"opcode is 0x0002 (accepted: 0x0101, priority flow control)"},
		"link pause": {14, "0001", pfc.WithoutFCS, pfc.FieldOpcode,
			"opcode is 0x0001, PAUSE of the whole link (accepted"},
		"vector": {16, "01", pfc.WithoutFCS, pfc.FieldVector,
			"class-enable vector is 0x0108 (accepted: 0x0000 to 0x00ff: the high byte is 0)"},
		"a bit": {40, "01", pfc.WithFCS, pfc.FieldFCS, "the CRC-32 of the 60 bytes before it)"},
		"check": {60, "01020304", pfc.WithFCS, pfc.FieldFCS, "frame check sequence is 0x04030201 (accepted: 0x"},
	} {
		t.Run(name, func(t *testing.T) {
			data := whole.AppendTo(nil, c.fcs)
			copy(data[c.at:], bytesOf(t, c.bytes))
			_, err := pfc.Decode(data, c.fcs)
			var fe *pfc.FieldError
			require.ErrorAs(t, err, &fe)
			require.ErrorIs(t, err, pfc.ErrMalformed)
			require.Equal(t, c.field, fe.Field)
			require.ErrorContains(t, err, c.says)
		})
	}
	_, err := pfc.DecodeLinkPause(whole.AppendTo(nil, pfc.WithFCS), pfc.WithFCS)
	require.ErrorContains(t, err, "opcode is 0x0101, priority flow control (accepted: 0x0001, PAUSE of the whole link)")
}

func TestFrameLengths(t *testing.T) {
	wire := pfc.Stop(port, pfc.Of(3), 100).AppendTo(nil, pfc.WithFCS)
	for n := range 64 {
		_, err := pfc.Decode(wire[:n], pfc.WithoutFCS)
		require.Equal(t, n < 60, err != nil, "%d without FCS", n)
		_, err = pfc.Decode(wire[:n], pfc.WithFCS)
		require.ErrorContains(t, err, "at least 64 with its check sequence, 60 without")
	}
	f, err := pfc.Decode(wire, pfc.WithoutFCS)
	require.NoError(t, err, "an FCS that nobody reads")
	require.Equal(t, pfc.Stop(port, pfc.Of(3), 100), f)

	odd := append(wire[:60:60], 9)
	odd[50] = 7
	f, err = pfc.Decode(odd, pfc.WithoutFCS)
	require.NoError(t, err, "padding that is not zero, and too much of it")
	require.Equal(t, wire[:60], f.AppendTo(nil, pfc.WithoutFCS), "written again it is zero")
}

func TestPriorities(t *testing.T) {
	require.Equal(t, pfc.Priorities(0x08), pfc.Of(3))
	require.Equal(t, pfc.Priorities(0x18), pfc.Of(4, 3))
	require.Equal(t, pfc.All, pfc.Of(0, 1, 2, 3, 4, 5, 6, 7))
	require.Equal(t, "0,1,2,3,4,5,6,7", pfc.All.String())
	require.Equal(t, "none", pfc.Of().String())
	require.Equal(t, 8, pfc.Of().Lowest())
	require.Equal(t, 3, pfc.Of(4, 3).Lowest())
	for _, p := range []int{-1, 8, 1 << 40} {
		require.False(t, pfc.All.Has(p))
		require.Panics(t, func() { pfc.Of(p) })
	}
	for p := range pfc.PerLink {
		require.True(t, pfc.All.Has(p))
		require.Equal(t, p == 3, pfc.Of(3).Has(p))
	}
}

func TestLinkPauseOfAFrame(t *testing.T) {
	f := pfc.Frame{Source: port, Enabled: pfc.Of(3, 4), Quanta: [8]uint16{0: 9000, 3: 0, 4: 500}}
	require.Equal(t, pfc.LinkPause{Source: port, Quanta: 500}, f.LinkPause())
	require.Equal(t, pfc.LinkPause{Source: port}, pfc.Stop(port, pfc.All, 0).LinkPause())
}

func seedFrames(f *testing.F) {
	for _, fcs := range []pfc.FCS{pfc.WithFCS, pfc.WithoutFCS} {
		for _, frame := range []pfc.Frame{{}, pfc.Stop(port, pfc.Of(3), pfc.MaxQuanta), pfc.Stop(port, pfc.All, 0)} {
			data := frame.AppendTo(nil, fcs)
			f.Add(data, bool(fcs))
			f.Add(frame.LinkPause().AppendTo(nil, fcs), bool(fcs))
			f.Add(data[:len(data)-1], bool(fcs))
			f.Add(append(data, 1, 2, 3), bool(fcs))
			data = bytes.Clone(data)
			data[16] = 1
			f.Add(data, bool(fcs))
		}
	}
	f.Add([]byte{}, true)
	f.Add(append([]byte{1, 128, 194, 0, 0, 1, 2, 0, 0, 0, 0, 8, 0x81, 0, 0x60, 0}, make([]byte, 48)...), false)
}

// Every frame that is accepted is encoded as the canonical frame with the same
// meaning, and decoded again.
func FuzzDecode(f *testing.F) {
	seedFrames(f)
	f.Fuzz(func(t *testing.T, data []byte, check bool) {
		fcs := pfc.FCS(check)
		before := bytes.Clone(data)
		a, errA := pfc.Decode(data, fcs)
		b, errB := pfc.DecodeLinkPause(data, fcs)
		require.Equal(t, before, data, "reading changes nothing")
		require.False(t, errA == nil && errB == nil, "one frame, two meanings")
		if errA == nil {
			canonical(t, data, a.AppendTo(nil, fcs), 34, fcs)
			again, err := pfc.Decode(a.AppendTo(nil, fcs), fcs)
			require.NoError(t, err)
			require.Equal(t, a, again)
		}
		if errB == nil {
			canonical(t, data, b.AppendTo(nil, fcs), 18, fcs)
			again, err := pfc.DecodeLinkPause(b.AppendTo(nil, fcs), fcs)
			require.NoError(t, err)
			require.Equal(t, b, again)
		}
	})
}

// canonical requires that a frame was written as it was read up to its padding,
// and wholly if the padding was zeros.
func canonical(t *testing.T, read, written []byte, operands int, fcs pfc.FCS) {
	require.Equal(t, read[:operands], written[:operands])
	end := 60
	require.Equal(t, make([]byte, end-operands), written[operands:end])
	if len(read) == len(written) && bytes.Equal(read[:end], written[:end]) {
		require.Equal(t, read, written, "with its FCS: %v", fcs)
	}
}

func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte{}, uint16(0), true)
	f.Add([]byte{2, 0, 0, 0, 0, 8, 0x18, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255}, uint16(65535), false)
	f.Fuzz(func(t *testing.T, seed []byte, quanta uint16, check bool) {
		var raw [23]byte
		copy(raw[:], seed)
		frame := pfc.Frame{Source: pfc.Address(raw[:6]), Enabled: pfc.Priorities(raw[6])}
		for p := range frame.Quanta {
			frame.Quanta[p] = uint16(raw[7+2*p])<<8 | uint16(raw[8+2*p])
		}
		again, err := pfc.Decode(frame.AppendTo(nil, pfc.FCS(check)), pfc.FCS(check))
		require.NoError(t, err)
		require.Equal(t, frame, again)

		link := pfc.LinkPause{Source: frame.Source, Quanta: quanta}
		linkAgain, err := pfc.DecodeLinkPause(link.AppendTo(nil, pfc.FCS(check)), pfc.FCS(check))
		require.NoError(t, err)
		require.Equal(t, link, linkAgain)
	})
}
