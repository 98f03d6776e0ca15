package fabric

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/unit"
)

// order lists the flows of host 0 in the order in which their frames leave.
func order(t *testing.T, net Network, frames int) (flows []int) {
	s, err := New(net)
	require.NoError(t, err)
	s.Observe(func(e *Event) {
		if e.Kind == Departs && !e.Where.Switch && e.Where.Node == 0 && len(flows) < frames {
			flows = append(flows, e.Flow)
		}
	})
	s.Run(unit.Second)
	require.NoError(t, s.Check())
	return flows
}

// Flow 2 of three begins a frame; the two others join while it is sent. The
// next turn is that of the next number, in whichever order they joined.
func TestFlowsTakeTurnsByNumber(t *testing.T) {
	net := incast(1, 3000)
	f := net.Flows[0]
	f.Start = 0
	early, late := f, f
	early.Start, late.Start = 10*unit.Nanosecond, 20*unit.Nanosecond
	net.Flows = []Flow{early, late, f}
	require.Equal(t, []int{2, 0, 1, 2, 0, 1, 2, 0, 1}, order(t, net, 9))

	net.Flows = []Flow{late, f, early}
	require.Equal(t, []int{1, 2, 0, 1, 2, 0, 1, 2, 0}, order(t, net, 9))

	// Flow 1 has no more to send, the others go on behind it.
	late.Size = 1000
	net.Flows = []Flow{f, late, early}
	require.Equal(t, []int{0, 1, 2, 0, 2, 0, 2}, order(t, net, 7))
}

// Classes are served in turn. With one ring, the flows of a host are served in turn, whatever their class.
func TestOneRing(t *testing.T) {
	net := incast(1, 3000)
	f := net.Flows[0]
	other := f
	other.Priority, other.PCP = 4, 4
	net.Flows = []Flow{f, f, other}
	require.Equal(t, []int{0, 2, 1, 2, 0, 2, 1, 0, 1}, order(t, net, 9))
	net.Wire.OneRing = true
	require.Equal(t, []int{0, 1, 2, 0, 1, 2, 0, 1, 2}, order(t, net, 9))
}

// The ring is in the order of the places, in whichever order flows join and leave.
func TestRingIsInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		n := 1 + r.IntN(9)
		s := &part{shared: shared{flows: make([]flow, n), ports: make([]port, 1), classes: make([][Priorities]class, 1)}}
		c := &s.classes[0][0]
		c.head, c.served = -1, int32(r.IntN(n+1))-1
		joined := r.Perm(n)[:1+r.IntN(n)]
		for _, f := range joined {
			s.enqueueFlow(&s.ports[0], int32(f))
		}
		want := slices.Clone(joined)
		slices.SortFunc(want, func(a, b int) int {
			return int(c.after(int32(a), int32(n)) - c.after(int32(b), int32(n)))
		})
		var got []int
		for f := c.head; f >= 0; f = s.flows[f].next {
			got = append(got, int(f))
		}
		require.Equal(t, want, got)
		require.EqualValues(t, got[len(got)-1], c.tail)
	}
}
