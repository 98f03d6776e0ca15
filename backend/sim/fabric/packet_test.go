package fabric

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// Two packets fit in a cache line, so that none lies in two.
func TestPacketIsHalfACacheLine(t *testing.T) {
	require.EqualValues(t, 32, unsafe.Sizeof(packet{}))
}
