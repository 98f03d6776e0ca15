package fabric

import (
	"slices"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/unit"
)

// Two halves of a steady while differ by at most one n-th of their sum. These are the values of n.
const (
	flowTolerance  = 200 // frames of the flows that share a link, times of pauses, marks: 1 % of a half
	pauseTolerance = 400 // numbers of pauses: 0.5 % of a half
	shareTolerance = 50  // of a flow from the mean of those that share a link
)

// A while shows too little below these numbers.
const (
	fewestFrames = 200   // of each flow that sends
	fewestShared = 1000  // of the flows that share a link, in each part that is repeated: rounding is then 0.1 %
	fewestPauses = 100   // of each class of a port that pauses: see TestRunFastAgainstExact
	fewestMarks  = 40000 // if there are any: the number of marks, which are random, is then known to 1 % (two sigma)
	fewestBeats  = 16
)

// Pauses are as even as they will be when their unevenness is below a bound, in millionths, or at least nine tenths of
// that of the while before, which was half as long or as long. The bound is where pauses of the incasts above were
// within 1 % of their final number.
const (
	evenEnough        = 400
	unknownUnevenness = int64(-1)
)

// beats are the lengths of stretches of time in which the time of pauses is summed up, in microseconds. They differ, so
// that a pattern that repeats does not look even.
var beats = [...]int64{12, 20, 16, 24, 8, 28, 20, 12, 16, 24}

// while is a stretch of time that may be repeated.
type while struct {
	points []*progress // at its start, its middle, 3/4, 7/8 and its end
	uneven int64       // of the time of pauses, in millionths; unknownUnevenness
}

func (w *while) start() *progress  { return w.points[0] }
func (w *while) middle() *progress { return w.points[1] }
func (w *while) end() *progress    { return w.points[len(w.points)-1] }

// observeWhile runs for twice a time and returns what happened. It ends early if nothing is pending, or stop says so.
// half is in picoseconds. stop is asked before each beat; nil: never.
func (s *Sim) observeWhile(half int64, stop func() bool) *while {
	w := &while{points: []*progress{s.progress()}}
	begin, before := s.now, w.start().paused
	var list []beat
	// The second half is cut once more, so that a part that is repeated can be shorter than a half.
	for _, to := range []int64{half, half + half/2, half + half*3/4, 2 * half} {
		for s.now < begin+to && (stop == nil || !stop()) {
			at := s.now
			s.Run(s.Now() + unit.Time(min(beats[len(list)%len(beats)]*int64(unit.Microsecond), begin+to-at)))
			if s.now == at {
				break // nothing is pending
			}
			paused := s.pausedTimes()
			list = append(list, beat{s.now - at, paused - before})
			before = paused
		}
		w.points = append(w.points, s.progress())
	}
	w.uneven = unevenness(list)
	return w
}

// beat is the length of a beat, and the time of pauses in it.
type beat struct{ length, paused int64 }

// unevenness is the mean difference of the time of pauses in a beat from its mean, in millionths of the mean. Each
// beat is compared with what its own length would have of the mean.
func unevenness(list []beat) int64 {
	var length, paused, apart int64
	for _, b := range list {
		length += b.length
		paused += b.paused
	}
	if len(list) < fewestBeats || paused == 0 {
		return unknownUnevenness
	}
	for _, b := range list {
		mean, is := exact.Of(paused, length).Times(b.length, 1).Floor(), b.paused
		apart += max(mean-is, is-mean)
	}
	return exact.Of(apart, paused).Times(1e6, 1).Floor()
}

// pausedTimes is the time for which classes of ports were paused, in all. It is in picoseconds. A pause that lasts
// counts up to now.
func (s *Sim) pausedTimes() (sum int64) {
	for i := range s.ports {
		p := &s.ports[i]
		for _, t := range p.past().PausedTime {
			sum += int64(t)
		}
		if p.pausing.held == 0 {
			continue // no pause lasts
		}
		for q := range Priorities {
			sum += int64(s.pausedTime(p, q) - p.past().PausedTime[q])
		}
	}
	return sum
}

// progress is what counters show at a time. Counters are those since the beginning, so two of them are subtracted.
type progress struct {
	at        int64
	active    uint64  // which flows send, as a hash
	delivered []int64 // frames of each flow
	ports     []PortCounters
	total     totals
	paused    int64 // sum of all pauses
	peaks     int64 // sum of the largest use of all groups
	waiting   int64 // frames under way
}

// progress returns the counters now.
func (s *Sim) progress() *progress {
	p := &progress{at: s.now, total: s.totals(), waiting: s.underWay(), paused: s.pausedTimes()}
	for i := range s.flows {
		p.delivered = append(p.delivered, s.flows[i].delivered)
		if s.remains(i) > 0 && s.starting.at[i] <= s.now {
			p.active = mix(p.active ^ uint64(i) + 1)
		}
	}
	for i := range s.ports {
		e := s.endOf(int32(i))
		c := s.Counters(e)
		for q := range c.PausedTime {
			if s.ports[i].linked {
				c.PausedTime[q] = s.PausedTime(e, q)
			}
		}
		p.ports = append(p.ports, c)
	}
	sum := s.Summary()
	p.peaks = int64(sum.MaxHeadroom + sum.MaxShared)
	return p
}

// steady tells whether the two halves of a while agree. Flows of one class to one host share a link: they are fair to
// each other in the long run, and one after the other is ahead meanwhile. So if each of them is near the mean, the
// sum of such flows must agree, and else each flow. before is the unevenness of the while before; unknownUnevenness:
// there was none. Lost and repeated frames are no steady state: what follows depends on when they were lost.
func (s *Sim) steady(w *while, before int64) bool {
	start, middle, end := w.start(), w.middle(), w.end()
	if end.total.Drops > start.total.Drops || end.total.Resent > start.total.Resent ||
		end.total.Timeouts > start.total.Timeouts || end.peaks > middle.peaks {
		return false
	}
	s.sharers = split(s.sharers, start, end)
	frames := int64(0)
	for _, g := range s.sharers {
		first, second := sum(g, start, middle), sum(g, middle, end)
		if first+second == 0 {
			continue
		}
		if first+second < max(fewestFrames*int64(len(g)), fewestShared) || !near(first, second, flowTolerance) {
			return false
		}
		frames += first + second
	}
	// The frames under way do not become many more, or many less.
	return frames > 0 && within((end.waiting-start.waiting)*flowTolerance, -frames, frames) &&
		steadyMarks(start, middle, end) && steadyPauses(w, before)
}

// steadyMarks tells whether the marks of a while are enough and agree. No mark at all is steady as well.
func steadyMarks(start, middle, end *progress) bool {
	all := end.total.Marked - start.total.Marked
	return all == 0 || all >= fewestMarks &&
		near(middle.total.Marked-start.total.Marked, end.total.Marked-middle.total.Marked, flowTolerance)
}

// steadyPauses tells whether the pauses of a while are enough, agree, and do not become more even any more. A while
// without pauses is steady as well.
func steadyPauses(w *while, before int64) bool {
	start, middle, end := w.start(), w.middle(), w.end()
	sent := end.total.PauseSent - start.total.PauseSent
	if sent == 0 && end.paused == start.paused {
		return true
	}
	if w.uneven == unknownUnevenness || w.uneven > evenEnough &&
		(before == unknownUnevenness || w.uneven < before-before/10) {
		return false
	}
	return sent >= fewestPauses*classesThatPaused(start, end) &&
		near(middle.total.PauseSent-start.total.PauseSent, end.total.PauseSent-middle.total.PauseSent, pauseTolerance) &&
		near(middle.paused-start.paused, end.paused-middle.paused, flowTolerance)
}

// classesThatPaused counts the classes of ports that were paused in a while.
func classesThatPaused(start, end *progress) (n int64) {
	for i := range end.ports {
		for q, paused := range end.ports[i].PausedTime {
			if paused > start.ports[i].PausedTime[q] {
				n++
			}
		}
	}
	return n
}

// split takes apart flows that were not served equally: something else than the common link limits some of them.
func split(groups [][]int, start, end *progress) (out [][]int) {
	for _, g := range groups {
		all := sum(g, start, end)
		unequal := slices.ContainsFunc(g, func(i int) bool {
			return !near((end.delivered[i]-start.delivered[i])*int64(len(g)), all, shareTolerance)
		})
		if !unequal {
			out = append(out, g)
			continue
		}
		for k := range g {
			out = append(out, g[k:k+1])
		}
	}
	return out
}

// near tells whether two numbers differ by at most 1/part of their sum, or by one.
func near(a, b, part int64) bool { return within((a-b)*part, -max(a+b, part), max(a+b, part)) }

// remains is the payload that a flow has not sent yet; of a flow without end it is never used up.
func (s *Sim) remains(i int) int64 {
	f := &s.flows[i]
	switch {
	case f.stop <= s.now:
		return 0
	case f.sender >= 0 && s.starting.payload[i] > 0:
		x := &s.senders[f.sender]
		return x.size - x.next.off
	case f.unsent < 0 || s.starting.payload[i] == 0:
		return clock.Never
	}
	return f.unsent
}

// sum is the frames of some flows in a while.
func sum(flows []int, start, end *progress) (n int64) {
	for _, i := range flows {
		n += end.delivered[i] - start.delivered[i]
	}
	return n
}

// shares divides the flows that send by what they share: the receiver, the class and the length of their frames.
func (s *Sim) shares() [][]int {
	type link struct {
		to            int32
		class         uint8
		paced         bool
		frame, header int64
		rate          int64
	}
	var by grouped.By[link, []int]
	for i := range s.flows {
		f := &s.flows[i]
		if s.remains(i) > 0 && s.starting.at[i] <= s.now {
			flows := by.Of(link{f.toPort, f.class, f.paced, f.frame, f.header, f.rate})
			*flows = append(*flows, i)
		}
	}
	return by.Values()
}
