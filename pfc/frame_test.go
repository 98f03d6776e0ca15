package pfc_test

import (
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
