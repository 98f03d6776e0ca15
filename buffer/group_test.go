package buffer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/unit"
)

// Lossy classes whose queues differ may share a group: it is charged once.
func TestClassesShareAGroup(t *testing.T) {
	in := egressIntent(1_000_000)
	in.Classes = []buffer.Class{
		{Name: "bulk", Priorities: []int{0, 1}, Reserved: unit.Given[unit.Bytes](1000), Weight: 10},
		{Name: "voice", Priorities: []int{5}, Group: unit.Given(0), Reserved: unit.Given[unit.Bytes](1000), Weight: 20},
	}
	p, err := buffer.New(in)
	require.NoError(t, err)
	groups, weights := map[int]int{}, 0
	for _, s := range p.Layout() {
		switch s.Kind {
		case buffer.GroupReserved:
			groups[s.Index]++
		case buffer.QueueWeight:
			weights++
		}
	}
	require.Equal(t, map[int]int{0: len(in.Ports)}, groups)
	require.Equal(t, 3*len(in.Ports), weights)
	require.Equal(t, in.Classes, saved(t, in).Classes)

	for want, change := range map[string]func(c []buffer.Class){
		`classes[1].group: 0: want a group of no other class`: func(c []buffer.Class) { c[1].StaticLimit = 5000 },
		"classes[1].group: 8: want 0 to 7":                    func(c []buffer.Class) { c[1].Group = unit.Given(8) },
		"classes[1].group: 0: want none":                      func(c []buffer.Class) { c[1].Lossless = true },
		`class "bulk" has this one`:                           func(c []buffer.Class) { c[0].Lossless = true },
	} {
		other := in
		other.Classes = append([]buffer.Class{}, in.Classes...)
		change(other.Classes)
		_, err := buffer.New(other)
		require.ErrorIs(t, err, buffer.ErrInvalid)
		require.ErrorContains(t, err, want)
	}
}
