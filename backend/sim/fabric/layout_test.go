package fabric

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
)

// Ports are whole lines of the processor's cache, 64 bytes long, and what belongs together lies in one. The sizes are
// those of 64-bit machines.
func TestLayout(t *testing.T) {
	var p port
	require.Zero(t, unsafe.Sizeof(p)%64)
	require.EqualValues(t, 64, unsafe.Offsetof(p.line), "what every frame needs")
	require.EqualValues(t, 128, unsafe.Offsetof(p.leaving), "the line to the port, and its counters")
	require.EqualValues(t, 192, unsafe.Offsetof(p.queues), "what switches need")
	require.EqualValues(t, 32, unsafe.Sizeof(packet.Packet{}))
	require.EqualValues(t, 128, unsafe.Sizeof(lookup{}))
	require.EqualValues(t, 64, unsafe.Offsetof(lookup{}.codes), "where a packet arrives")
}
