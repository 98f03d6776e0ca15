package tables

import (
	"cmp"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Of random prefixes, the next wider one and what is left of each are those that a look at every pair and every address
// finds.
func TestNestedIsTheDefinition(t *testing.T) {
	wholes := 0
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 1))
		var all []netip.Prefix
		for range random.IntN(14) {
			address := netip.AddrFrom4([4]byte{10, 0, 0, byte(random.IntN(64))})
			all = append(all, netip.PrefixFrom(address, 26+random.IntN(7)).Masked())
		}
		slices.SortFunc(all, func(a, b netip.Prefix) int { return cmp.Or(a.Addr().Compare(b.Addr()), a.Bits()-b.Bits()) })
		all = slices.Compact(all)
		around, whole := nested(all)
		for i, p := range all {
			next := int32(none)
			for k, q := range all {
				if q.Bits() < p.Bits() && q.Contains(p.Addr()) && (next == none || q.Bits() > all[next].Bits()) {
					next = int32(k)
				}
			}
			require.Equal(t, next, around[i], "seed %d: %v", seed, p)
			covered := true
			for a := p.Addr(); p.Contains(a); a = a.Next() {
				longer := func(q netip.Prefix) bool { return q.Bits() > p.Bits() && q.Contains(a) }
				covered = covered && slices.ContainsFunc(all, longer)
			}
			require.Equal(t, covered, whole[i], "seed %d: %v", seed, p)
			if covered {
				wholes++
			}
		}
	}
	require.Greater(t, wholes, 100)
}
