package server

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"
)

// What a set has been told to have changed since any earlier one, applied to that one, is the set; and sets share the
// leaves that did not change.
func TestSetsOfLeaves(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		have, now := map[string]int{}, (*leafSet)(nil)
		told, earlier := map[string]int{}, (*leafSet)(nil)
		for range 20 {
			before := maps.Clone(have)
			for range random.IntN(4) {
				name := strconv.Itoa(random.IntN(20))
				if have[name] = random.IntN(3); have[name] == 0 {
					delete(have, name)
				}
			}
			var leaves []leaf
			for _, name := range slices.Sorted(maps.Keys(have)) {
				leaves = append(leaves, leaf{&gpb.Path{Elem: []*gpb.PathElem{{Name: "qos"}}}, name, new(have[name])})
			}
			next := now.next(leaves)
			require.Equal(t, maps.Equal(before, have) && now != nil, next == now, "a set that is the same is shared")
			now = next
			if random.IntN(3) > 0 {
				continue // a slow subscriber
			}
			for l, gone := range now.since(earlier) {
				if gone {
					require.Contains(t, told, l.text)
					delete(told, l.text)
					continue
				}
				require.NotEqual(t, told[l.text], *l.data.(*int), "it did not change")
				told[l.text] = *l.data.(*int)
			}
			earlier = now
			require.Equal(t, have, told)
		}
	}
}
