package packet

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// A cache line holds two packets, so that no packet is in two lines.
func TestPacketIsHalfACacheLine(t *testing.T) {
	require.EqualValues(t, 32, unsafe.Sizeof(Packet{}))
}
