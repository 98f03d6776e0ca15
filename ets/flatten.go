package ets

import (
	"fmt"
	"math/bits"
	"slices"
	"sort"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/unit"
)

// Scale is the numbers that a target takes for shares: 1 to Most.
type Scale struct {
	Most int
	Sum  int // what the numbers of a port have to be in sum; 0: any sum
}

// The scales of targets.
var (
	// Weights are those of SAI (SAI_SCHEDULER_ATTR_SCHEDULING_WEIGHT), of SONiC (sonic-scheduler.yang, range 1..100) and
	// of this project's register.
	Weights = Scale{Most: maxWeight}
	// Percents are percentages of a port or of a group, as EOS, NX-OS and Junos have them.
	Percents = Scale{Most: 100, Sum: 100}
)

// Rounded is a share that a target has in whole numbers.
type Rounded struct {
	Asked  Share
	Number int   // what the target gets, 1 to Scale.Most
	Got    Share // what the numbers of all together give
}

// Off returns by how much the share is off, as a part of the share that was asked for, in hundredths of a percent,
// rounded up. 0 is exact.
func (r Rounded) Off() unit.Percent {
	d := r.Got.Part*r.Asked.Whole - r.Asked.Part*r.Got.Whole
	whole := r.Asked.Part * r.Got.Whole
	if whole == 0 {
		return 0
	}
	d = max(d, -d)
	return unit.Percent(d/whole*int64(unit.Whole) + (d%whole*int64(unit.Whole)+whole-1)/whole)
}

// Round returns the whole numbers of a scale that give shares. All shares have the same Whole; where these are parts of
// it, the others are left out. Whole percents stay as they are. Else the numbers are those with the smallest largest
// deviation, and of these the smallest; for a scale with a sum those with the largest remainders round up. A share
// below 1 of Most of the largest has no number that is near: it gets 1, and the others are as near to each other as
// they would be without it, in the largest numbers with these ratios.
func (s Scale) Round(shares []Share) []Rounded {
	parts, sum := make([]int64, len(shares)), int64(0)
	for i, f := range shares {
		parts[i], sum = f.Part, sum+f.Part
	}
	numbers := percents(parts, sum)
	switch {
	case len(parts) == 0:
		return nil
	case numbers != nil && s.Most >= 100:
	case s.Sum > 0:
		numbers = largestRemainders(parts, sum, s.Sum)
	default:
		numbers = s.reachable(parts)
	}
	return rounded(parts, sum, numbers)
}

// reachable returns the nearest numbers of the parts that are at least 1 of Most of the largest, and 1 for the others.
// If these were counted among the deviations, the largest parts would be halved to double the smallest.
func (s Scale) reachable(parts []int64) []int {
	within, at := []int64{}, []int{}
	largest := slices.Max(parts)
	for i, p := range parts {
		if p*int64(s.Most) >= largest {
			within, at = append(within, p), append(at, i)
		}
	}
	numbers, out := s.nearest(within), make([]int, len(parts))
	times := 1
	if len(within) < len(parts) {
		times = s.Most / slices.Max(numbers)
	}
	for i := range out {
		out[i] = 1
	}
	for k, i := range at {
		out[i] = numbers[k] * times
	}
	return out
}

// rounded puts numbers beside the shares that they are for.
func rounded(parts []int64, sum int64, numbers []int) []Rounded {
	out, whole := make([]Rounded, len(parts)), int64(0)
	for _, n := range numbers {
		whole += int64(n)
	}
	for i, n := range numbers {
		out[i] = Rounded{Share{parts[i], sum}, n, Share{int64(n), whole}}
	}
	return out
}

// percents returns the parts as whole percents; nil if they are not.
func percents(parts []int64, sum int64) []int {
	out := make([]int, len(parts))
	for i, p := range parts {
		if p*100%sum != 0 {
			return nil
		}
		out[i] = int(p * 100 / sum)
	}
	return out
}

// nearest returns the numbers with the smallest largest deviation, and of these those with the smallest sum. For each
// sum that numbers can have it searches the smallest deviation by bisection.
func (s Scale) nearest(parts []int64) []int {
	whole := int64(0)
	for _, p := range parts {
		whole += p
	}
	var best []int
	least := mostOff + 1
	for sum := len(parts); sum <= s.Most*len(parts) && least > 0; sum++ {
		if s.within(parts, whole, sum, least-1) == nil {
			continue
		}
		least = unit.Percent(sort.Search(int(least-1), func(off int) bool {
			return s.within(parts, whole, sum, unit.Percent(off)) != nil
		}))
		best = s.within(parts, whole, sum, least)
	}
	return best
}

// mostOff is more than any deviation: a share of one in 10^9 that gets one of two.
const mostOff = unit.Percent(1e9) * unit.Whole

// within returns numbers with a sum that are off by no more than a part of each share, or nil.
func (s Scale) within(parts []int64, whole int64, sum int, off unit.Percent) []int {
	out, left := make([]int, len(parts)), sum
	room := make([]int, len(parts))
	for i, p := range parts {
		exact, of := uint64(p)*uint64(sum), uint64(whole)*uint64(unit.Whole)
		high, low := bits.Mul64(exact, uint64(unit.Whole+off))
		most, _ := bits.Div64(high, low, of)
		high, low = bits.Mul64(exact, uint64(max(0, unit.Whole-off)))
		low, carry := bits.Add64(low, of-1, 0)
		fewest, _ := bits.Div64(high+carry, low, of)
		lowest, highest := max(1, int(fewest)), int(min(most, uint64(s.Most)))
		if lowest > highest {
			return nil
		}
		out[i], room[i], left = lowest, highest-lowest, left-lowest
	}
	for i := range out {
		more := max(0, min(room[i], left))
		out[i], left = out[i]+more, left-more
	}
	if left != 0 {
		return nil
	}
	return out
}

// largestRemainders gives each part its whole number of the total, at least 1, and what is left to the parts with the
// largest remainders (Hamilton's method). Where the ones take more than is there, the largest part gives way.
func largestRemainders(parts []int64, sum int64, total int) []int {
	out, left := make([]int, len(parts)), total
	order := make([]int, len(parts))
	for i, p := range parts {
		out[i], order[i] = int(max(1, p*int64(total)/sum)), i
		left -= out[i]
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := parts[i]*int64(total)%sum, parts[j]*int64(total)%sum
		return int(max(-1, min(1, b-a)))
	})
	for k := 0; left > 0; k, left = k+1, left-1 {
		out[order[k%len(order)]]++
	}
	for ; left < 0; left++ {
		most := 0
		for i := range out {
			if out[i] > out[most] {
				most = i
			}
		}
		out[most]--
	}
	return out
}

// LossCode names what one level of queues cannot have of two.
type LossCode string

// The losses.
const (
	LostShaper LossCode = "shaper"           // no credit-based shaper: the group is strict without a limit
	LostGroups LossCode = "unused-bandwidth" // what a queue does not use goes to all, and not to its group first
	LostStrict LossCode = "strict-in-group"  // a queue that is strict within a group with ETS shares by weight
	LostShares LossCode = "shares-in-strict" // queues that share within a strict group are strict among each other
	LostOrder  LossCode = "strict-order"     // strict queues go by their numbers, and not by those of their groups
)

// Loss is something of two levels that one level cannot have.
type Loss struct {
	Code LossCode
	Text string
}

// Turn is how a target with one level serves a queue.
type Turn struct {
	Priority int
	Strict   bool    // before all queues with weights, the higher queue first
	Rounded  Rounded // of a queue that is not strict
	Exact    bool    // the schedule has this share, or this order; false: it has none, see the losses
}

// Flat is a schedule on a target.
type Flat struct {
	Levels int    // of the target: 1, or 2 for [Schedule.Percents]
	Scale  Scale  // of the numbers: weights, or percentages of what strict queues leave, or of a group
	Turns  []Turn // by priority
	Losses []Loss
}

// Flatten gives each queue its share of the port in the numbers of a target that has no groups. With all queues busy,
// the link is shared as by the groups, but for the rounding; the losses say where it is not.
func (s *Schedule) Flatten(scale Scale) Flat {
	out := Flat{Levels: 1, Scale: scale, Turns: make([]Turn, len(s.Queues))}
	var shared []Share
	for i, f := range s.parts() {
		t := &out.Turns[i]
		g := s.of[i]
		t.Priority, t.Strict, t.Exact = s.Queues[i].Priority, !s.shares(g), !s.shares(g) || !s.hasStrict(g)
		if !t.Strict {
			shared = append(shared, f)
		}
	}
	numbers := scale.Round(shared)
	for i := range out.Turns {
		if t := &out.Turns[i]; !t.Strict {
			t.Rounded, numbers = numbers[0], numbers[1:]
		}
	}
	out.Losses = s.losses()
	return out
}

// Percents is the schedule on a target with both levels, which takes whole percents: those of the groups as they are,
// and for each queue a percentage of its group. Such a target has no shaper, and no shares within a strict group.
func (s *Schedule) Percents() Flat {
	out := Flat{Levels: 2, Scale: Percents, Turns: make([]Turn, len(s.Queues))}
	parts := s.parts()
	for g := range s.Groups {
		var within []Share
		for i, q := range s.Queues {
			if s.of[i] == g && !q.Strict {
				within = append(within, Share{s.weight(i), 0})
			}
		}
		numbers := Percents.Round(within)
		for i, q := range s.Queues {
			if s.of[i] != g {
				continue
			}
			t := &out.Turns[i]
			t.Priority, t.Strict, t.Exact = q.Priority, q.Strict || !s.shares(g), !s.hasStrict(g)
			if !q.Strict {
				t.Rounded, numbers = numbers[0], numbers[1:]
				t.Rounded.Asked = parts[i]
				t.Rounded.Got = Share{int64(s.Groups[g].Bandwidth) * int64(t.Rounded.Number), 100 * s.bandwidth()}
			}
		}
		for _, l := range s.groupLosses(g) {
			if l.Code != LostStrict {
				out.Losses = append(out.Losses, l)
			}
		}
	}
	return out
}

// losses lists what one level cannot have, in the order of the groups.
func (s *Schedule) losses() (out []Loss) {
	sharing, several := 0, false
	for g := range s.Groups {
		if all, _ := s.count(g); s.shares(g) {
			sharing, several = sharing+1, several || all > 1
		}
	}
	if sharing > 1 && several {
		out = append(out, Loss{LostGroups, "bandwidth that a queue does not use goes to the queues of all groups, and not " +
			"first to those of its group"})
	}
	for g := range s.Groups {
		out = append(out, s.groupLosses(g)...)
	}
	return append(out, s.orderLosses()...)
}

// groupLosses lists the losses within a group.
func (s *Schedule) groupLosses(g int) (out []Loss) {
	group := &s.Groups[g]
	n, strict := s.count(g)
	if s.shares(g) && strict > 0 && n > 1 {
		out = append(out, Loss{LostStrict, fmt.Sprintf("queues of group %d share its bandwidth equally, and none is strict "+
			"within the group", group.Number)})
	}
	if group.Selection == dcbx.CreditBased && n > 0 {
		out = append(out, Loss{LostShaper, fmt.Sprintf("group %d has no credit-based shaper of %v: it is strict, and can "+
			"take the whole link", group.Number, group.IdleSlope)})
	}
	if !s.shares(g) && n-strict > 1 {
		out = append(out, Loss{LostShares, fmt.Sprintf("queues of strict group %d do not share what it gets: the higher "+
			"queue sends first", group.Number)})
	}
	return out
}

// orderLosses names the strict queues that one level serves in another order than the groups do.
func (s *Schedule) orderLosses() (out []Loss) {
	for i, a := range s.Queues {
		for j, b := range s.Queues[:i] { // b has the lower number
			g, h := s.of[i], s.of[j]
			if s.shares(g) || s.shares(h) {
				continue
			}
			if g < h || g == h && b.Strict && !a.Strict {
				out = append(out, Loss{LostOrder, fmt.Sprintf("queue %d sends before queue %d, which by the groups goes first",
					a.Priority, b.Priority)})
			}
		}
	}
	return out
}
