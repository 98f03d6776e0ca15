package capacity

import (
	"fmt"
	"math"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Burst is an incast into a planned switch: N ports of an entry send at line rate, from an empty switch on, to
// one port of the same speed. It says how long the switch absorbs it.
//
// The model is a fluid. Each group gets frames at its port's rate R and loses its n-th part of what the egress port
// sends, so that it grows by R(1 - 1/n). All n groups store in the slice with the fewest shared cells, which is the
// worst case; they reach their limit together, at q = reserved + alpha*S/(1 + n*alpha) cells each (Choudhury and Hahne
// 1998), or at their static limit, but never more than the pool holds. Times are rounded down. Not modelled: other
// traffic, the limits of egress queues, the frame with which a limit is passed, and the delay of the pause frame,
// during which the headroom fills.
type Burst struct {
	Ports   string // the entry
	Class   string
	Group   int
	Slice   int
	Senders int        // n
	Frame   unit.Bytes // that all of them send

	Pause    cells.Count // what a group holds when it sends XOFF
	Headroom cells.Count // the cells beyond that; of a shared pool its part, if all n fill it together

	XOFF      unit.Time           // until the groups send XOFF; Never with one sender
	MarksSome unit.Time           // until the egress queue begins to mark; Never: it does not, or the class does not mark
	MarksAll  unit.Time           // until it marks every packet
	Full      unit.Time           // until the headroom is full, if the senders do not stop
	ECNFirst  unit.Optional[bool] // whether it marks every packet before XOFF; absent: the class does not mark
	Absorbed  unit.Bytes          // of each sender until XOFF, in bytes of frames
}

// Never is the time of what does not happen.
const Never unit.Time = math.MaxInt64

// Bursts answers for every lossless class on every entry, for these numbers of senders. An entry has as many senders as
// it has ports on the slice; a number that is larger is left out. frame is the size of the frames; 0: the longest of
// the class.
func Bursts(in buffer.Intent, entries []Entry, senders []int, frame unit.Bytes) ([]Burst, error) {
	a, err := buffer.NewAdmission(in)
	if err != nil {
		return nil, err
	}
	if denied, refused := a.FirstDenied(); refused {
		return nil, fmt.Errorf("%w: %s: %v", buffer.ErrNoFit, denied.Port, denied.Shortfall)
	}
	var out []Burst
	for _, e := range entries {
		for _, g := range a.GroupsOf(e.First) {
			if !g.Lossless || firstOfClass(a.GroupsOf(e.First), g.Class) != g.Group.Group {
				continue // all groups of a class are alike
			}
			class := in.Classes[slices.IndexFunc(in.Classes, func(c buffer.Class) bool { return c.Name == g.Class })]
			slice, most := worstSlice(a, e)
			for _, n := range senders {
				if n < 1 || n > most {
					continue
				}
				b := Burst{Ports: e.Text, Class: g.Class, Group: g.Group.Group, Slice: slice, Senders: n, Frame: frame}
				if b.Frame == 0 {
					b.Frame = in.Ports[e.First].MTU
					if class.MTU > 0 {
						b.Frame = class.MTU
					}
				}
				b.solve(&in, a, &class, &g, in.Ports[e.First].Rate)
				out = append(out, b)
			}
		}
	}
	return out, nil
}

// firstOfClass returns the lowest group of a class.
func firstOfClass(groups []buffer.PortGroup, class string) int {
	for i := range groups {
		if groups[i].Class == class {
			return groups[i].Group.Group
		}
	}
	return -1
}

// worstSlice returns the slice with the fewest shared cells of those that the entry's ports feed, and how many of its
// ports feed it.
func worstSlice(a *buffer.Admission, e Entry) (slice, ports int) {
	bills := a.SliceBills()
	feeding := map[int]int{}
	for i := e.First; i < e.First+e.Count; i++ {
		_, feeds, _ := a.PipeOf(i)
		for _, s := range feeds {
			feeding[s]++
		}
	}
	slice = -1
	for s, b := range bills {
		if feeding[s] > 0 && (slice < 0 || b.Shared < bills[slice].Shared) {
			slice = s
		}
	}
	return slice, feeding[slice]
}

// solve fills in the numbers.
func (b *Burst) solve(
	in *buffer.Intent,
	a *buffer.Admission,
	class *buffer.Class,
	g *buffer.PortGroup,
	rate unit.BitRate,
) {
	shared, n := a.SliceBills()[b.Slice].Shared, int64(b.Senders)
	b.Pause = g.Reserved + groupShare(g.Limit, shared, n)
	b.Headroom = g.Headroom
	if part := a.PoolPart(); part > 0 {
		b.Headroom = min(b.Headroom, part/cells.Count(n))
	}
	b.XOFF, b.MarksSome, b.MarksAll, b.Full = Never, Never, Never, Never
	if kmax := class.ECN.KMax; kmax > 0 {
		b.MarksSome, b.MarksAll = b.queueAt(
			in.Chip.MarkingGranted(class.ECN.KMin),
			n,
			rate,
		), b.queueAt(
			in.Chip.MarkingGranted(kmax),
			n,
			rate,
		)
	}
	if n > 1 {
		perFrame := in.Chip.Cell.Packet(b.Frame, in.Chip.Overhead)
		b.XOFF, b.Full = b.groupAt(b.Pause, perFrame, n, rate), b.groupAt(b.Pause+b.Headroom, perFrame, n, rate)
		b.Absorbed = unit.Bytes(exact.Whole(b.XOFF).Times(int64(rate), int64(unit.Second)).
			Times(int64(b.Frame), 8*int64(b.Frame+thresholds.WireBytes)).Floor())
	}
	if class.ECN.KMax > 0 {
		b.ECNFirst = unit.Given(b.MarksAll <= b.XOFF && b.MarksAll < Never)
	}
}

// groupShare returns the shared cells of each of n groups when they reach their limit together.
func groupShare(l thresholds.Limit, shared cells.Count, n int64) cells.Count {
	most := shared / cells.Count(n)
	if l.Mode() == thresholds.StaticLimit {
		return min(l.Cells(), most)
	}
	num, den := l.Alpha().Ratio()
	return min(cells.Count(exact.Whole(shared).Times(num, den+num*n).Floor()), most)
}

// groupAt returns when a group holds the held cells: it gets R(1 - 1/n)/(8(F+20)) frames in a second.
func (b *Burst) groupAt(held, perFrame cells.Count, n int64, rate unit.BitRate) unit.Time {
	return timeOf(exact.Whole(held).Times(8*int64(b.Frame+thresholds.WireBytes), int64(perFrame)).Times(n, n-1), rate)
}

// queueAt returns when the egress queue is so deep: it gets n times what a group gets, in bytes of frames.
func (b *Burst) queueAt(depth unit.Bytes, n int64, rate unit.BitRate) unit.Time {
	if n < 2 {
		return Never
	}
	return timeOf(exact.Whole(depth).Times(8*int64(b.Frame+thresholds.WireBytes), int64(b.Frame)).Times(1, n-1), rate)
}

// timeOf returns how long the bits take, rounded down.
func timeOf(bits exact.Ratio, rate unit.BitRate) unit.Time {
	return unit.Time(bits.Times(int64(unit.Second), int64(rate)).Floor())
}
