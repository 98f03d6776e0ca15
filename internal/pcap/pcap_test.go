package pcap_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/pcap"
	"github.com/cellwarden/cellwarden/unit"
)

// packets are some of different lengths, so that blocks have padding.
var packets = [][]byte{{1}, {1, 2, 3, 4}, bytes.Repeat([]byte{7}, 61)}

// read returns all packets of a capture, and the error behind the last.
func read(data []byte) (out [][]byte, err error) {
	r, err := pcap.NewReader(data)
	for err == nil {
		var p []byte
		if p, err = r.Next(); err == nil {
			out = append(out, p)
		}
	}
	return out, err
}

func info(p []byte) gopacket.CaptureInfo {
	return gopacket.CaptureInfo{Timestamp: time.Unix(1, 5), CaptureLength: len(p), Length: len(p) + 4}
}

// ng writes packets as pcapng by another program's code.
func ng(t testing.TB, kind layers.LinkType) []byte {
	var b bytes.Buffer
	w, err := pcapgo.NewNgWriter(&b, kind)
	require.NoError(t, err)
	for _, p := range packets {
		require.NoError(t, w.WritePacket(info(p), p))
	}
	require.NoError(t, w.Flush())
	return b.Bytes()
}

// What another program writes is read: both times of pcap, and pcapng with padding and several sections.
func TestFilesOfOthersAreRead(t *testing.T) {
	files := map[string][]byte{"ng": ng(t, layers.LinkTypeEthernet)}
	for name, w := range map[string]func(io.Writer) *pcapgo.Writer{"micro": pcapgo.NewWriter, "nano": pcapgo.NewWriterNanos} {
		var b bytes.Buffer
		to := w(&b)
		require.NoError(t, to.WriteFileHeader(1<<16, layers.LinkTypeEthernet))
		for _, p := range packets {
			require.NoError(t, to.WritePacket(info(p), p))
		}
		files[name] = b.Bytes()
	}
	for name, data := range files {
		got, err := read(data)
		require.ErrorIs(t, err, io.EOF, name)
		require.Equal(t, packets, got, name)
		_, err = read(data[:len(data)-1])
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, name)
	}
	twice, err := read(append(bytes.Clone(files["ng"]), files["ng"]...))
	require.ErrorIs(t, err, io.EOF)
	require.Len(t, twice, 2*len(packets))
}

// What is written is what another program reads, with its times.
func TestOthersReadWhatIsWritten(t *testing.T) {
	b := pcap.Header()
	for i, p := range packets {
		b = append(pcap.AppendRecord(b, unit.Time(i)*unit.Second+7*unit.Nanosecond, len(p), 100), p...)
	}
	r, err := pcapgo.NewReader(bytes.NewReader(b))
	require.NoError(t, err)
	require.Equal(t, layers.LinkTypeEthernet, r.LinkType())
	for i, p := range packets {
		got, at, err := r.ReadPacketData()
		require.NoError(t, err)
		require.Equal(t, p, got)
		require.Equal(t, gopacket.CaptureInfo{Timestamp: time.Unix(int64(i), 7).UTC(), CaptureLength: len(p), Length: 100}, at)
	}
	got, err := read(b)
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, packets, got)
}

// block is one of pcapng, in the other order of bytes than that of other tests.
func block(kind uint32, body ...byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, kind)
	length := uint32(12 + len(body))
	b = append(binary.BigEndian.AppendUint32(b, length), body...)
	return binary.BigEndian.AppendUint32(b, length)
}

// Blocks that no writer here makes: the simple one, the old one, others that are passed over, and mistakes.
func TestBlocks(t *testing.T) {
	section := block(0x0a0d0d0a, 0x1a, 0x2b, 0x3c, 0x4d, 0, 1, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255)
	of := func(kind byte) []byte { return block(1, 0, kind, 0, 0, 0, 0, 0, 0) }
	simple := block(3, 0, 0, 0, 2, 8, 9, 0, 0)
	old := block(2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 3, 5, 6, 7, 0)
	got, err := read(bytes.Join([][]byte{section, of(1), simple, block(5), block(0xbad), old}, nil))
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, [][]byte{{8, 9}, {5, 6, 7}}, got)
	for want, blocks := range map[string][][]byte{
		"interface 0 is not described":            {section, simple},
		"link type 101 (want 1, Ethernet)":        {section, of(101), simple},
		"a block of type 6 with 0 bytes":          {section, of(1), block(6)},
		"a block of 13 bytes (want 12 or more":    {section, {0, 0, 0, 1, 0, 0, 0, 13, 0, 0, 0, 0}},
		"a section without an order of bytes":     {block(0x0a0d0d0a, make([]byte, 16)...)},
		"unexpected EOF":                          {section, of(1), simple[:15]},
		"10 bytes (want at least 24)":             {make([]byte, 10)},
		"it begins with 00000000 (want the magic": {make([]byte, 24)},
		"version 9 of pcap (want 2)":              {{0xd4, 0xc3, 0xb2, 0xa1, 9}, make([]byte, 19)},
	} {
		_, err := read(bytes.Join(blocks, nil))
		require.ErrorContains(t, err, want)
	}
}
