package fabric

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// square is four switches in a ring with a host each, eight links, flows of two classes from each host to each.
func square() *lab {
	l := circle()
	l.Flows = nil
	for i := range l.Switches {
		l.Switches[i].Routes = nil
	}
	for i := range 4 {
		for to := range 4 {
			if to != i {
				for _, priority := range []int{3, 1} {
					f := l.flow(i, to, priority)
					f.Size, f.TTL = 10_000, 9
				}
			}
		}
	}
	for i := range l.Switches {
		for g := range l.Switches[i].MMU.Groups {
			l.Switches[i].MMU.Groups[g].Limit = thresholds.Static(20)
		}
	}
	return l
}

// wreck turns bytes into failures, four for each; what is no failure is left to New to refuse.
func wreck(l *lab, data []byte) {
	for ; len(data) >= 4; data = data[4:] {
		at := unit.Time(data[1]) * unit.Microsecond
		f := Failure{Kind: FailureKind(data[0] % 4), At: at, Until: at + unit.Time(data[2])*unit.Microsecond,
			Host: int(data[3] % 4), Link: int(data[3] % 8), Prune: data[3]&8 != 0, Priorities: pfc.Of(3),
			Every: unit.Time(data[3]>>6) * unit.Microsecond}
		if data[2] == 0 {
			f.Until = 0
		}
		if f.Kind == Misroute {
			f.Detours = []Detour{{int(data[3]>>2) % 4, []int{1 + int(data[3]>>4)%2}}, {int(data[3]>>3) % 4, nil}}
		}
		l.Failures = append(l.Failures, f)
	}
}

// With any failures, every frame is accounted for after every event, and the same input gives the same result.
func FuzzFailures(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 5, 0, 2})                                     // a storm without end
	f.Add([]byte{0, 5, 40, 0xc1, 0, 9, 50, 0x41})                 // two storms of one host, by clocks of their own
	f.Add([]byte{1, 5, 9, 4, 1, 7, 20, 4, 1, 6, 0, 12})           // a link that fails twice at once, pruned once
	f.Add([]byte{1, 5, 9, 0, 0, 1, 0, 0, 1, 20, 1, 8})            // the link of a storm fails
	f.Add([]byte{2, 0, 90, 0x14, 2, 9, 20, 0x35, 1, 30, 9, 0x0d}) // detours into dead links
	f.Add([]byte{3, 0, 0, 0})                                     // no such kind
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 40 {
			return
		}
		l := square()
		wreck(l, data)
		l.DeadlockEvery = 20 * unit.Microsecond
		run := func(check bool) string {
			s, err := New(l.Network)
			if err != nil {
				return err.Error()
			}
			if check {
				step(t, s, 300*unit.Microsecond)
			}
			s.Run(300 * unit.Microsecond)
			cycle, _ := s.Deadlock()
			return fmt.Sprintf("%+v %v %v", s.Summary(), cycle, s.FoundDeadlocks())
		}
		require.Equal(t, run(true), run(false))
	})
}

// Failures and their effects allocate no memory, once all arrays have their largest size.
func TestFailuresAllocateNothing(t *testing.T) {
	effort.Alone(t)
	l := stormed(Watchdog{Detection: 100 * unit.Millisecond, Restoration: 100 * unit.Millisecond})
	l.Failures[0].Every = 10 * unit.Microsecond
	l.Flows = append(l.Flows, Flow{From: 1, To: 2, Priority: 1, PCP: 1, Frame: 1024, Header: 64, TTL: 1,
		Rate: unit.Gbps})
	s := l.sim(t)
	s.Run(140 * unit.Millisecond)
	at := s.Now()
	require.Zero(t, testing.AllocsPerRun(20, func() {
		at += 25 * unit.Millisecond
		s.Run(at)
	}), "a storm, found, over, and frames that are dropped")
	require.EqualValues(t, 1, s.Watchdog(0, 0).Restored[3])
	require.NoError(t, s.Check())
}
