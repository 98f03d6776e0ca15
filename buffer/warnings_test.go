package buffer_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/unit"
)

// Priorities that no class of a port has are named, in a line for the ports that lack the same ones.
func TestPrioritiesInNoClass(t *testing.T) {
	about := func(in buffer.Intent) []string {
		p, err := buffer.New(in)
		require.NoError(t, err)
		return slices.DeleteFunc(p.Warnings, func(w string) bool { return !strings.HasPrefix(w, "priorit") })
	}
	in := dedicated(4, 300*unit.Metre)
	in.Classes = []buffer.Class{in.Classes[0], {Name: "rest", Priorities: []int{0, 1, 2, 5, 6, 7}}}
	in.Classes[0].Priorities = []int{3, 4}
	require.Empty(t, about(in))
	in.Classes[1].Priorities = []int{0, 1, 2, 5}
	require.Equal(t, []string{"priorities 6,7 are in no class of any port: the plan has no group and no queue for their packets"},
		about(in))
	in.Classes[1].Priorities = []int{0, 1, 2, 5, 6}
	require.Equal(t, []string{"priority 7 is in no class of any port: the plan has no group and no queue for its packets"},
		about(in))
	in.Classes[1].Priorities = []int{0, 1, 2, 5}
	in.Ports[1].Classes, in.Ports[2].Classes = buffer.Classes(0), buffer.Classes(0)
	require.Equal(t, []string{
		"priorities 6,7 are in no class of Ethernet1/1,Ethernet1/4: the plan has no group and no queue for their packets",
		"priorities 0,1,2,5,6,7 are in no class of Ethernet1/2-3: the plan has no group and no queue for their packets",
	}, about(in))
}
