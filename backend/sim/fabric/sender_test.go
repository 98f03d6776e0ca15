package fabric

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// The rate of a flow is exact to the picosecond, also if a byte does not take a whole number of picoseconds.
func TestRate(t *testing.T) {
	for _, rate := range []unit.BitRate{25 * unit.Gbps, 30 * unit.Gbps, 99 * unit.Gbps, 99_999_999_999} {
		for _, x := range []Sender{{}, {Message: 1e7}} {
			n := incast(1, 1e7)
			n.Flows[0].Rate, n.Flows[0].Sender = rate, x
			s, err := New(n)
			require.NoError(t, err)
			s.Run(unit.Second)
			f := s.Flow(0)
			require.EqualValues(t, 10000, f.Delivered)
			first := unit.Microsecond + (100*unit.Gbps).TimeFor(1068*8)*2 + 2*unit.Microsecond
			gap := int64(rate.TimeFor(1068 * 8))
			require.Equal(t, first+unit.Time(gap*9999), f.Last, rate)
			require.Equal(t, rate, s.flowRate(0))
		}
	}
}

// sending is a frame that left its host.
type sending struct {
	at    unit.Time
	bytes unit.Bytes
}

// sendings runs one host that sends so, and returns what left it.
func sendings(t *testing.T, until unit.Time, seed uint64, change func(*Flow)) (out []sending, s *Sim) {
	t.Helper()
	n := incast(1, 0)
	n.Seed = seed
	n.Flows[0].Start = 0
	change(&n.Flows[0])
	s, err := New(n)
	require.NoError(t, err)
	s.Observe(func(e *Event) {
		if e.Kind == Departs && !e.Where.Switch && e.FrameKind == "data" {
			out = append(out, sending{e.At, e.Bytes})
		}
	})
	checked(t, s, until)
	return out, s
}

// checked runs to a time and checks after every event, or all those of the same picosecond.
func checked(t testing.TB, s *Sim, until unit.Time) {
	for {
		next := s.soonest()
		if next > int64(until) {
			return
		}
		s.Run(unit.Time(next))
		require.NoError(t, s.Check())
	}
}

func TestFrames(t *testing.T) {
	imix := []unit.Bytes{64, 64, 64, 64, 64, 64, 64, 594, 594, 594, 594, 1518}
	out, s := sendings(t, unit.Second, 1, func(f *Flow) {
		f.Header, f.Size, f.Sender.Frames = 18, 10000, imix
	})
	sum := unit.Bytes(0)
	for i, d := range out[:len(out)-1] {
		require.Equal(t, imix[i%len(imix)], d.bytes)
		sum += d.bytes - 18
	}
	require.EqualValues(t, 10000, sum+out[len(out)-1].bytes-18)
	require.EqualValues(t, len(out), s.Summary().Delivered)
}

func TestMessages(t *testing.T) {
	out, _ := sendings(t, unit.Second, 1, func(f *Flow) { f.Size, f.Sender.Message = 5600, 2500 })
	var sizes []unit.Bytes
	for _, d := range out {
		sizes = append(sizes, d.bytes-48)
	}
	require.Equal(t, []unit.Bytes{1000, 1000, 500, 1000, 1000, 500, 600}, sizes)
}

func TestTrace(t *testing.T) {
	us := unit.Microsecond
	out, _ := sendings(t, unit.Second, 1, func(f *Flow) {
		f.Start, f.Sender.Trace = 10*us, []Burst{{0, 1500}, {5 * us, 100}, {5 * us, 200}, {9 * us, 1000}}
	})
	frame := (100 * unit.Gbps).TimeFor(8)
	require.Equal(t, []sending{{10 * us, 1048}, {10*us + 1068*frame, 548}, {15 * us, 148}, {15*us + 168*frame, 248},
		{19 * us, 1048}}, out)
}

func TestOnOff(t *testing.T) {
	us := unit.Microsecond
	out, _ := sendings(t, 100*us, 1, func(f *Flow) { f.Sender.OnOff = OnOff{On: 2 * us, Off: 3 * us} })
	require.Len(t, out, 20*24+1) // 2 us hold 23.4 frames: 24 begin; and one at 100 us
	for _, d := range out {
		require.Less(t, d.at%(5*us), 2*us)
	}
	frames := func(seed uint64) []sending {
		out, _ := sendings(t, 4*unit.Millisecond, seed, func(f *Flow) {
			f.Rate, f.Sender.OnOff = unit.Gbps, OnOff{On: 20 * us, Off: 60 * us, Exponential: true}
		})
		return out
	}
	require.Equal(t, frames(1), frames(1))
	require.NotEqual(t, frames(1), frames(2))
}

func TestExponential(t *testing.T) {
	effort.SkipShort(t, "it draws many numbers")
	require.EqualValues(t, 0, exponential(math.MaxUint64, 1e6))
	require.EqualValues(t, 693147, exponential(1<<63, 1e6))
	require.EqualValues(t, 44361419, exponential(0, 1e6)) // 64 ln 2
	r := rand.NewPCG(1, 2)
	sum, long := 0.0, 0
	for range 100_000 {
		u := r.Uint64()
		e := exponential(u, 1e9)
		require.InDelta(t, -1e9*math.Log((float64(u)+0.5)/(1<<64)), float64(e), 3)
		sum += float64(e)
		if e > 1e9 {
			long++
		}
	}
	require.InDelta(t, 1e9, sum/100_000, 1e7)
	require.InDelta(t, 1/math.E, float64(long)/100_000, 0.005)
}

func TestSpread(t *testing.T) {
	n := incast(64, 1000)
	for i := range n.Flows {
		n.Flows[i].Sender.Spread = unit.Millisecond
	}
	s, err := New(n)
	require.NoError(t, err)
	var first, last unit.Time
	s.Observe(func(e *Event) {
		if e.Kind == Departs && !e.Where.Switch {
			if first == 0 {
				first = e.At
			}
			last = e.At
		}
	})
	s.Run(unit.Second)
	require.EqualValues(t, 64, s.Summary().Delivered)
	require.Less(t, first, 100*unit.Microsecond)
	require.Greater(t, last, 900*unit.Microsecond)
	require.LessOrEqual(t, last, unit.Millisecond+unit.Microsecond)
}

func TestStopOfASender(t *testing.T) {
	out, s := sendings(t, unit.Second, 1, func(f *Flow) {
		f.Stop, f.Sender = unit.Microsecond*5, Sender{Window: 3000, ACK: ACK{Every: 1}}
	})
	require.NotEmpty(t, out)
	require.Less(t, out[len(out)-1].at, unit.Microsecond*5)
	require.Zero(t, s.Summary().Timeouts)
}

// A window is sent once per round trip. One ACK for several frames does not stop the sender.
func TestWindow(t *testing.T) {
	effort.Alone(t)
	for _, every := range []int{1, 3, 1000} {
		out, s := sendings(t, unit.Millisecond, 1, func(f *Flow) {
			f.Sender = Sender{Window: 4000, ACK: ACK{Every: every, Class: Class{Priority: 6, PCP: 6}}}
		})
		byteTime := (100 * unit.Gbps).TimeFor(8)
		trip := 4*unit.Microsecond + byteTime*(2*1068+2*90) // an ACK with a tag has 70 bytes
		if every == 1 {
			require.Equal(t, []sending{{0, 1048}, {1068 * byteTime, 1048}, {2136 * byteTime, 1048},
				{3204 * byteTime, 1048}, {trip, 1048}}, out[:5])
		} else if every == 1000 {
			require.Equal(t, trip+3204*byteTime, out[4].at) // the last of a window is acknowledged at once
		}
		sum := s.Summary()
		require.Positive(t, sum.ACK)
		require.Zero(t, sum.Resent+sum.Drops+sum.Timeouts)
	}
}

// forgetful is a rule that drops the arrivals with the given numbers.
type forgetful struct {
	drop    map[int]bool
	arrived int
}

func (r *forgetful) Arrive(in, out, priority int, bytes unit.Bytes) (admitted, xoff bool) {
	r.arrived++
	return !r.drop[r.arrived-1], false
}

func (r *forgetful) Leave(in, out, priority int, bytes unit.Bytes) bool { return false }

// TestGoBackN drops chosen frames, counted from 0, including ACKs and NAKs.
func TestGoBackN(t *testing.T) {
	for _, c := range []struct {
		name           string
		drop           []int
		nak, resent    int64
		refused, times int64
	}{
		{"none", nil, 0, 0, 0, 0},
		{"a frame in the middle", []int{3}, 1, 17, 16, 0},
		{"two gaps", []int{3, 4}, 1, 17, 15, 0},
		{"the last frame, nothing acknowledged before", []int{19}, 0, 20, 19, 1},
		{"all", []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, 0, 20, 0, 1},
		{"a frame, and the NAK for it", []int{3, 20}, 1, 20, 19, 1},
		{"a frame and its repetition", []int{3, 21}, 1, 34, 32, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := incast(1, 20_000)
			rule := &forgetful{drop: map[int]bool{}}
			for _, i := range c.drop {
				rule.drop[i] = true
			}
			n.Switches[0].Rule = rule
			n.Flows[0].Sender.ACK = ACK{Every: 100}
			s, err := New(n)
			require.NoError(t, err)
			checked(t, s, unit.Second)
			sum := s.Summary()
			t.Logf("%+v", sum)
			require.EqualValues(t, 20, sum.Delivered)
			require.Equal(t, c.nak, sum.NAK)
			require.Equal(t, c.resent, sum.Resent)
			require.Equal(t, c.refused, sum.Refused)
			require.Equal(t, c.times, sum.Timeouts)
			require.EqualValues(t, 20+c.resent, sum.Sent)
		})
	}
}

// allOn is n hosts that send in all classes to one more, with everything
// on: the class of the answers is strict, the others share by DWRR and mark.
func allOn(n int, size unit.Bytes) Network {
	net := incast(n, size)
	sw := &net.Switches[0]
	for i := range sw.MMU.Groups {
		sw.MMU.Groups[i].Limit = thresholds.Dynamic(-1)
	}
	for i := range sw.Ports {
		for q := range Priorities {
			sw.Ports[i].ETS.Queues[q] = Selection{Algorithm: DWRR, Weight: 1 + q}
			sw.Ports[i].ECN[q] = Marking{Thresholds: ecn.Thresholds{KMin: 40_000, KMax: 160_000, PMax: unit.Whole / 5}}
		}
		sw.Ports[i].ETS.Queues[6] = Selection{Algorithm: Strict}
		sw.Ports[i].ECN[6] = Marking{}
	}
	net.Flows = net.Flows[:0]
	for i := range n {
		net.Flows = append(net.Flows, Flow{From: i, To: n, Priority: i % 8, PCP: i % 8, Frame: 1048, Header: 48,
			Size: size, Start: unit.Microsecond, ECT: true,
			Sender: Sender{ACK: ACK{Every: 1, Class: Class{Priority: 6, PCP: 6}},
				DCQCN: &DCQCN{CNP: Class{Priority: 6, PCP: 6}}}})
	}
	return net
}

// hash is of all that an observer sees.
func hash(t *testing.T, n Network, until unit.Time) uint64 {
	s, err := New(n)
	require.NoError(t, err)
	h := fnv.New64a()
	s.Observe(func(e *Event) { fmt.Fprintln(h, *e) })
	s.Run(until)
	return h.Sum64()
}

func TestSameSeedSameTrace(t *testing.T) {
	effort.Alone(t)
	mixed := func(seed uint64) Network {
		n := allOn(8, 100_000)
		n.Seed = seed
		n.Flows[0].Sender.OnOff = OnOff{On: 5 * unit.Microsecond, Off: 5 * unit.Microsecond, Exponential: true}
		n.Flows[1].Sender.Spread = 10 * unit.Microsecond
		n.Flows[2].Sender.Window = 10_000
		return n
	}
	once := hash(t, mixed(1), 200*unit.Microsecond)
	require.Equal(t, once, hash(t, mixed(1), 200*unit.Microsecond))
	require.NotEqual(t, once, hash(t, mixed(2), 200*unit.Microsecond))
}

// The random numbers of one flow do not depend on those of another.
func TestChanceApart(t *testing.T) {
	n := incast(2, 0)
	n.Flows[1].Sender.OnOff = OnOff{On: 5 * unit.Microsecond, Off: 5 * unit.Microsecond, Exponential: true}
	ends := func() int64 {
		s, err := New(n)
		require.NoError(t, err)
		return s.senders[s.flows[1].sender].bursts.ends
	}
	before := ends()
	n.Flows[0].Sender.OnOff = n.Flows[1].Sender.OnOff
	n.Flows[0].Sender.Spread = 5
	require.Equal(t, before, ends())
}

// After a while the loop allocates no memory, however much is sent.
func TestNothingAllocated(t *testing.T) {
	effort.Alone(t)
	n := allOn(16, 0)
	n.Flows[3].Sender.Window = 20_000
	n.Flows[4].Sender.OnOff = OnOff{On: 5 * unit.Microsecond, Off: 5 * unit.Microsecond, Exponential: true}
	s, err := New(n)
	require.NoError(t, err)
	at := unit.Millisecond
	s.Run(at)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		at += 100 * unit.Microsecond
		s.Run(at)
	}))
	require.NoError(t, s.Check())
}

// All complaints are reported at once.
func TestSenderRefused(t *testing.T) {
	require.NoError(t, Sender{}.Validate())
	err := Sender{Frames: []unit.Bytes{20}, Message: -1, Window: 5, OnOff: OnOff{On: 1}, Trace: []Burst{{5, 1}, {4, 0}},
		ACK:   ACK{Class: Class{Priority: 8, PCP: -2, DSCP: 64}, Timeout: -1},
		DCQCN: &DCQCN{Gain: -1, Timer: 5, Least: 3}}.Validate()
	for _, want := range []string{"frames[0] in bytes: 20", "message in bytes: -1", "window: 5B (want ack.every",
		"on_off.on in ps: 1", "off in ps: 0", "trace[1].at: 4ps (want 5ps or later)",
		"trace[1].bytes: 0", "ack.timeout in ps: -1", "class.priority: 8", "pcp: -2", "dscp: 64", "dcqcn.gain: -1",
		"timer in ps: 5", "least in bit/s: 3"} {
		require.ErrorContains(t, err, want)
	}
	n := incast(1, 0)
	n.Flows[0].Sender.Window = 5
	_, err = New(n)
	require.ErrorContains(t, err, "flows[0].sender.window: 5B")
	n.Flows[0].Sender = Sender{Frames: []unit.Bytes{1000, 64}, Trace: []Burst{{0, 5}}}
	n.Flows[0].Header, n.Flows[0].Size = 64, 5
	_, err = New(n)
	require.ErrorContains(t, err, "flows[0].sender.frames[1]: 64B (want more than the header of 64B)")
	require.ErrorContains(t, err, "trace: beside a size of 5B (want one of them)")
}

// FuzzSenders sends a few flows of all kinds through a lossy switch, and checks the invariants after every event.
func FuzzSenders(f *testing.F) {
	f.Add(uint64(1), []byte{0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	f.Add(uint64(2), []byte{255, 254, 253, 252, 251, 250, 100, 101, 102, 103, 104, 105})
	f.Add(uint64(4), []byte{3, 3, 0x7f, 9, 6, 6, 30, 99, 3, 3, 0x3f, 1, 0, 0, 1, 20, 3, 4, 0x69, 4, 6, 6})
	f.Add(uint64(3), []byte{0x13, 0x37, 0x15, 0x1f, 0x0f, 0x10, 0x1c, 0x3c, 0x7c, 0xff})
	f.Fuzz(func(t *testing.T, seed uint64, ops []byte) {
		next := func() int {
			if len(ops) == 0 {
				return 0
			}
			b := ops[0]
			ops = ops[1:]
			return int(b)
		}
		n := incast(3, 20_000)
		n.Seed = seed
		n.Switches[0].MMU.Pools = []mmu.Pool{{Shared: 20}}
		for i := range n.Flows {
			fl := &n.Flows[i]
			fl.Priority, fl.PCP, fl.ECT = next()%8, next()%8, true
			x := &fl.Sender
			if what := next(); what&1 > 0 {
				x.ACK = ACK{Every: 1 + next()%20, Class: Class{Priority: next() % 8, PCP: next() % 8},
					Timeout: 100 * unit.Microsecond}
				if what&2 > 0 {
					x.Window = unit.Bytes(1 + next()*100)
				}
				if what&4 > 0 {
					x.Message = unit.Bytes(200 + next()*20)
				}
				if what&8 > 0 {
					x.DCQCN = &DCQCN{CNP: x.ACK.Class}
				}
				if what&16 > 0 {
					x.OnOff = OnOff{On: unit.Microsecond, Off: unit.Microsecond, Exponential: true}
				}
				if what&32 > 0 {
					x.Frames = []unit.Bytes{64, 1518, 700}
				}
				if what&64 > 0 && what&20 == 0 {
					fl.Size, x.Trace = 0, []Burst{{0, 3000}, {3 * unit.Microsecond, 17_000}}
				}
			}
		}
		s, err := New(n)
		require.NoError(t, err)
		r := rand.New(rand.NewPCG(seed, 3))
		s.Observe(func(e *Event) {
			if e.Kind == Enqueued && r.IntN(4) == 0 {
				p := &s.ports[s.port(End{Switch: true, Node: e.Where.Node, Port: e.Out})]
				p.queues[e.Queue].At(p.queues[e.Queue].Len - 1).CE = e.FrameKind == "data"
			}
		})
		checked(t, s, 50*unit.Microsecond)
		s.Observe(nil)
		s.Run(unit.Second)
		require.NoError(t, s.Check())
		for i := range n.Flows {
			if n.Flows[i].Sender.ACK.Every > 0 {
				require.EqualValues(t, 20_000, s.Flow(i).Bytes-n.Flows[i].Header*unit.Bytes(s.Flow(i).Delivered),
					"flow %d", i)
			}
		}
	})
}
