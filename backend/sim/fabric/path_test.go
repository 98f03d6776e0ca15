package fabric

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/unit"
)

// A flow that is alone takes exactly the time that Alone computes, on any network: links of any rate and length, frames
// and payloads of any size, with and without a rate.
func TestAloneIsExact(t *testing.T) {
	effort.SkipShort(t, "it simulates each network twice")
	links := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 9))
		net := randomNetwork(r)
		for i := range net.Flows {
			f := net.Flows[i]
			f.After, f.Delay, f.Stop, f.Sender = nil, 0, 0, Sender{Spread: f.Sender.Spread}
			f.Size, f.Frame = unit.Bytes(1+r.IntN(20000)), unit.Bytes(64+r.IntN(4000))
			f.Rate = unit.BitRate(r.Int64N(2) * (1 + r.Int64N(1e11)))
			single := net
			single.Flows = []Flow{f}
			s := started(t, single)
			want, ok := s.Alone(0)
			require.True(t, ok)
			s.Run(unit.Second)
			require.True(t, s.Arrived(0))
			start, _ := s.Started(0)
			require.Equal(t, want, s.Flow(0).Last-start, fmt.Sprintf("seed %d flow %d", seed, i))
			for _, p := range s.path(0) {
				require.NotZero(t, s.Counters(s.endOf(p)).FramesOut)
				links++
			}
			if i == 4 {
				break
			}
		}
	}
	require.Greater(t, links, 600)
}

// Where frames differ in length, or come in bursts, there is no such time.
func TestAloneIsUnknown(t *testing.T) {
	for name, change := range map[string]func(f *Flow){
		"endless":  func(f *Flow) { f.Size = 0 },
		"frames":   func(f *Flow) { f.Sender.Frames = []unit.Bytes{64, 1048} },
		"messages": func(f *Flow) { f.Sender.Message = 1500 },
		"bursts":   func(f *Flow) { f.Size, f.Sender.Trace = 0, []Burst{{Bytes: 1}} },
		"silence":  func(f *Flow) { f.Sender.OnOff = OnOff{On: 1e6, Off: 1e6} },
	} {
		net := relay()
		net.Flows = net.Flows[:1]
		change(&net.Flows[0])
		_, ok := started(t, net).Alone(0)
		require.False(t, ok, name)
	}
	s := started(t, relay())
	s.switches[0].routes.Own = make([][]int32, len(s.routes.Sites)) // no route to any host
	_, ok := s.Alone(0)
	require.False(t, ok)
	require.Nil(t, s.path(0))
}

// A port is busy for as long as its frames take, pause frames included.
func TestBusy(t *testing.T) {
	s := started(t, relay())
	s.Run(unit.Second)
	for i := range 3 {
		require.Equal(t, 2*1068*80*unit.Picosecond, s.Busy(AtHost(i)))
	}
	s.ports[0].record().PauseFramesOut = 5
	require.Equal(t, (2*1068+5*84)*80*unit.Picosecond, s.Busy(AtHost(0)))
}

// Random networks give the same results whether the waypoints of their flows are kept or looked up at each switch.
func TestWaypointsChangeNothing(t *testing.T) {
	for seed := range networks(2) {
		net := randomNetwork(rand.New(rand.NewPCG(seed, 9)))
		kept, lookedUp := started(t, net), started(t, net)
		require.NotEmpty(t, kept.waypoints)
		for i := range lookedUp.ways {
			lookedUp.ways[i].waypoints = [...]int32{noWaypoints, noWaypoints, noWaypoints, noWaypoints}
		}
		require.Equal(t, kept.Run(unit.Second), lookedUp.Run(unit.Second))
		requireSame(t, kept, lookedUp, "looked up")
	}
}

// A new map at the ports of a switch holds for the frames that arrive from then on, in all parts.
func TestTrustChangesWaypoints(t *testing.T) {
	s := started(t, relay())
	var code [64]uint8
	for i := range code {
		code[i] = 5
	}
	before := len(s.waypoints)
	for i := range s.Ports(0) {
		s.SetTrust(0, i, TrustDSCP, &code)
	}
	require.Len(t, s.waypoints, before)
	require.EqualValues(t, 5, s.waypoints[0].priority)
	for _, p := range s.parts {
		require.Same(t, &s.waypoints[0], &p.waypoints[0])
	}
}
