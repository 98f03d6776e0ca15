package fabric

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/unit"
)

// Skipping events changes nothing: a run without an observer ends like one that
// is observed from the start, or from the middle.
func TestSkippedEventsChangeNothing(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 8
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 7))
		net := incast(2+r.IntN(6), unit.Bytes(1+r.IntN(300000)))
		for i := range net.Links {
			net.Links[i].Delay = unit.Time(r.Int64N(3e6))
			if r.IntN(3) == 0 {
				net.Links[i].Delay = 0
			}
			if r.IntN(2) == 0 {
				net.Links[i].Rate = []unit.BitRate{10 * unit.Gbps, 40 * unit.Gbps, 7 * unit.Gbps}[r.IntN(3)]
			}
		}
		net.Switches[0].MMU.Pools[0].Shared = 500
		net.Switches[0].OwnXON = r.IntN(2) == 0
		for i := range net.Flows {
			f := &net.Flows[i]
			f.Start = unit.Time(r.Int64N(2e6))
			switch r.IntN(4) {
			case 0:
				f.Stop = f.Start + unit.Time(r.Int64N(5e6))
			case 1:
				f.Rate = 3 * unit.Gbps
			case 2:
				net.Flows = append(net.Flows, Flow{From: f.From, To: f.To, Priority: r.IntN(8),
					Frame: unit.Bytes(100 + r.IntN(9000)), Header: 48, Size: 40000, Start: unit.Time(r.Int64N(4e6))})
			}
		}
		var ends []unit.Time
		for at := unit.Time(0); at < 40*unit.Microsecond; {
			at += unit.Time(1 + r.Int64N(6e6))
			ends = append(ends, at)
		}
		ends = append(ends, unit.Second)
		watched, free, half := started(t, net), started(t, net), started(t, net)
		watched.Observe(func(*Event) {})
		for i, end := range ends {
			if i == len(ends)/2 {
				half.Observe(func(*Event) {})
			}
			want := watched.Run(end)
			for _, s := range []*Sim{free, half} {
				require.Equal(t, want, s.Run(end), "seed %d, run to %v", seed, end)
				require.NoError(t, s.Check())
				require.Equal(t, watched.Summary(), s.Summary(), "seed %d at %v", seed, end)
				require.Equal(t, watched.Now(), s.Now())
				require.Equal(t, watched.MMU(0).Snapshot(nil), s.MMU(0).Snapshot(nil))
				for f := range net.Flows {
					require.Equal(t, watched.Flow(f), s.Flow(f))
				}
			}
		}
	}
}

func started(t *testing.T, net Network) *Sim {
	s, err := New(net)
	require.NoError(t, err)
	return s
}
