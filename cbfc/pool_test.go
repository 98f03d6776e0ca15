package cbfc

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
)

// Whatever the channels send, a pool never gives out more than it has, and a
// channel can always use what is reserved for it.
func TestPoolNeverOverflows(t *testing.T) {
	effort.SkipShort(t, "it sends through many pools")
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		p := Pool{}
		for range 1 + r.IntN(6) {
			c := Profile{Reserved: Credits(r.IntN(50)), Mode: ShareMode(r.IntN(3)), Most: Credits(r.IntN(60)), N: r.IntN(17) - 8}
			p.Profiles = append(p.Profiles, c)
			p.Size += c.Reserved
		}
		p.Size += Credits(r.IntN(500))
		require.NoError(t, p.Validate())
		inUse := make([]Credits, len(p.Profiles))
		for range 1000 {
			i, n, total := r.IntN(len(inUse)), Credits(1+r.IntN(9)), Credits(0)
			if r.IntN(4) == 0 {
				inUse[i] = Credits(r.IntN(int(inUse[i]) + 1))
			}
			may := p.May(i, n, inUse)
			require.False(t, !may && inUse[i]+n <= p.Profiles[i].Reserved, "what is reserved is its own")
			if may {
				inUse[i] += n
			}
			for _, u := range inUse {
				total += u
			}
			require.LessOrEqual(t, total, p.Size)
			require.LessOrEqual(t, inUse[i], p.Most(i), "profile %+v", p.Profiles[i])
		}
	}
}

func TestPoolRefused(t *testing.T) {
	p := Pool{Size: -1, Profiles: []Profile{{Reserved: -1, Most: -1, N: 9, Mode: 3}}}
	err := p.Validate()
	for _, want := range []string{"size in credits: -1", "reserved credits: -1", "at most: -1", "n of 2^n: 9", "mode: 3"} {
		require.ErrorContains(t, err, want)
	}
	p = Pool{Profiles: make([]Profile, 33)}
	require.ErrorContains(t, p.Validate(), "virtual channels: 33")
}
