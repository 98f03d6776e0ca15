package scenario

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The check sequence of RoCEv2 is that of a CNP of a ConnectX-4 Lx, and of a datagram with a payload. Both frames are
// those that scapy's tests of RoCE have (test/contrib/roce.uts).
func TestInvariantCRC(t *testing.T) {
	for _, frame := range []string{`
		e41d2dab2bc2 7cfe90643b32 0800
		45c2003c 718c4000 40119161 0a001101 0a001201  0000 12b7 0028 0000
		8100ffff 40000118 00000000  00000000000000000000000000000000  82fd002a`, `
		248a07a8fa22 248a07a8fa22 0800
		45010040 04784000 4011b4d5 c0a80007 c0a80007  c000 12b7 002c aca2
		2460ffff 000000d3 00cf1710  4630818be28935d90e9a95505401be885e500000  78f353f3`} {
		b, err := hex.DecodeString(strings.Join(strings.Fields(frame), ""))
		require.NoError(t, err)
		body := b[:len(b)-4]
		require.Equal(t, b, invariantCRC(append([]byte(nil), body...), 14))
	}
}
