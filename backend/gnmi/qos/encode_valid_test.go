package qos

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/pg"
)

// What a request is made of is valid by its making, in the words of every
// profile.
func TestTreesAreValid(t *testing.T) {
	effort.SkipShort(t, "it validates many trees")
	for _, p := range registry.Profiles() {
		tgt := target{cell: 208, Profile: p}
		var out []buffer.Setting
		for port := range 3 {
			for queue := range 8 {
				for _, k := range buffer.Kinds() {
					static := k == buffer.GroupStatic && queue%2 == 0 || k == buffer.GroupAlpha && queue%2 == 1
					if tgt.Rule(k).Expressible() && !static {
						r := buffer.Register{Kind: k, Port: fmt.Sprintf("et-0/0/%d", port), Index: queue}
						out = append(out, buffer.Setting{Register: r, Value: value(k, port, queue)})
					}
				}
			}
		}
		ports, err := portsOf(buffer.NewLayout(out), tgt)
		require.NoError(t, err, p.Name)
		require.NoError(t, treeOf(ports, tgt).Validate(), p.Name)
	}
}

// value is one that every profile can hold.
func value(k buffer.Kind, port, queue int) int64 {
	switch k {
	case buffer.QueueWeight:
		return int64([]int{buffer.Strict, 7, 100}[(port+queue)%3])
	case buffer.PriorityDSCP:
		return int64(pg.Points(queue, 8*port+40+queue))
	default:
		return int64(100 * (port + queue + 1))
	}
}
