package dcqcn

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/unit"
)

// The first mark is answered at once, and those of the interval after it together.
func TestNotifierAnswersOncePerInterval(t *testing.T) {
	n := NewNotifier(50 * unit.Picosecond)
	send, timer := n.Marked(7)
	require.True(t, send)
	require.Zero(t, timer)
	n.Send(7)
	send, timer = n.Marked(20)
	require.False(t, send)
	require.EqualValues(t, 57, timer)
	send, timer = n.Marked(30)
	require.False(t, send)
	require.Zero(t, timer, "the timer is set")
	n.Send(57)
	send, _ = n.Marked(106)
	require.False(t, send)
}
