package qos

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/pg"
)

// What a request is made of is valid by its making, in the words of every profile.
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

// So is every tree of a layout: Encode itself leaves its references to this test. Names and values are also those that
// no switch has. What is refused is refused before there is a tree.
func TestEncodedTreesAreValid(t *testing.T) {
	effort.SkipShort(t, "it validates many trees")
	names := []string{"Ethernet0", "et-0/0/0", "Ethernet1/1", "a b", "é", "[x=y]", "*", "..", "-", "/", "0", "a[b=c]/d"}
	values := []int64{0, 1, 7, 100, 255, 256, 65_536, 1<<32 - 1, 1 << 32, 1 << 62, math.MaxInt64, buffer.Strict}
	r := rand.New(rand.NewPCG(1, 2))
	valid := 0
	for range 300 {
		held := map[buffer.Register]int64{}
		for range 1 + r.IntN(6) {
			k := buffer.Kinds()[r.IntN(len(buffer.Kinds()))]
			if !Expressible(k) {
				continue
			}
			at := buffer.Register{Kind: k, Port: names[r.IntN(len(names))], Index: r.IntN(8)}
			held[at] = int64(r.IntN(300))
			if r.IntN(3) == 0 {
				held[at] = values[r.IntN(len(values))]
			}
		}
		var out []buffer.Setting
		for at, value := range held {
			out = append(out, buffer.Setting{Register: at, Value: value})
		}
		l, cell := buffer.NewLayout(out), cells.Size(1+r.IntN(300))
		tree, err := Encode(l, cell)
		if errors.Is(err, ErrInexpressible) {
			continue
		}
		require.NoError(t, err)
		require.NoError(t, tree.Validate(), "%v", l)
		valid++
	}
	require.Greater(t, valid, 150)
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
