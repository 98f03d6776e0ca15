package capacity

import (
	"fmt"
	"math"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// Burst is an incast into a planned switch: N ports of an entry send at line rate, from an empty switch on, to
// one port of the same speed. It says how long the switch absorbs it.
//
// The model is a fluid. Each group gets frames at its port's rate R and loses its n-th part of what the egress port
// sends, so that it grows by R(1 - 1/n). As many of the n senders as have ports there, m, store in one slice, and the
// others elsewhere; the slice is the one that pauses first. Its groups reach their limit together, at q = reserved +
// alpha*S/(1 + m*alpha) cells each (Choudhury and Hahne 1998), or at their static limit, but never more than the pool
// holds. Times are rounded down. Not modelled: other traffic, the limits of egress queues, a queue that is counted by
// slice, the frame with which a limit is passed, and the delay of the pause frame, during which the headroom fills.
type Burst struct {
	Ports   string // the entry
	Class   string
	Group   int
	Slice   int        // the one that pauses first
	Senders int        // n, over all slices
	InSlice int        // m, those of them that store in the slice
	Frame   unit.Bytes // that all of them send

	Pause    cells.Count // what a group holds when it sends XOFF
	Headroom cells.Count // the cells beyond that; of a shared pool its part, if all m fill it together
	// Short is how many cells the shared headroom pool of the slice lacks if all m groups bring the worst case of their
	// links; 0: none, or headroom is dedicated.
	Short cells.Count

	XOFF      unit.Time           // until the groups send XOFF; Never with one sender
	MarksSome unit.Time           // until the egress queue begins to mark; Never: it does not, or the class does not mark
	MarksAll  unit.Time           // until it marks every packet
	Full      unit.Time           // until the headroom is full, if the senders do not stop
	ECNFirst  unit.Optional[bool] // whether it marks every packet before XOFF; absent: the class does not mark
	Absorbed  unit.Bytes          // of each sender until XOFF, in bytes of frames
	Queue     unit.Bytes          // of the egress port at XOFF; 0 with one sender
}

// Never is the time of what does not happen.
const Never unit.Time = math.MaxInt64

// Senders is how many ports of an entry can send to one port: all of them if a port of another entry has their speed,
// and else all but the receiver.
func (e Entry) Senders(in *buffer.Intent) int {
	for i := range in.Ports {
		if (i < e.First || i >= e.First+e.Count) && in.Ports[i].Rate == in.Ports[e.First].Rate {
			return e.Count
		}
	}
	return e.Count - 1
}

// Bursts answers for every lossless class on every entry, for these numbers of senders: 0 is all that the entry has
// ([Entry.Senders]), and a number that is larger is left out. frame is the size of the frames; 0: the longest of the
// class.
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
		groups := a.GroupsOf(e.First)
		for i, g := range groups {
			alike := func(o buffer.PortGroup) bool { return o.Class == g.Class }
			if !g.Lossless || slices.ContainsFunc(groups[:i], alike) {
				continue // all groups of a class are alike
			}
			class := in.Classes[slices.IndexFunc(in.Classes, func(c buffer.Class) bool { return c.Name == g.Class })]
			most := e.Senders(&in)
			for k, n := range senders {
				if n == 0 {
					n = most
				}
				if n < 1 || n > most || slices.Contains(senders[:k], n) {
					continue
				}
				b := Burst{Ports: e.Text, Class: g.Class, Group: g.Group.Group, Senders: n, Frame: frame}
				if b.Frame == 0 {
					b.Frame = class.Frame(&in.Ports[e.First])
				}
				b.place(a, e, &g)
				b.solve(&in, &class, in.Ports[e.First].Rate)
				out = append(out, b)
			}
		}
	}
	return out, nil
}

// place finds the slice that pauses first, of those that the entry's ports feed, with as many senders in it as have
// ports there, and what a group then holds.
func (b *Burst) place(a *buffer.Admission, e Entry, g *buffer.PortGroup) {
	feeding := map[int]int{}
	for i := e.First; i < e.First+e.Count; i++ {
		_, feeds, _ := a.PipeOf(i)
		for _, s := range feeds {
			feeding[s]++
		}
	}
	brings, part := g.Headroom, a.PoolPart()
	if g.Worst.Known {
		brings = min(brings, g.Worst.Cells)
	}
	for s, bill := range a.SliceBills() {
		m := min(b.Senders, feeding[s])
		if m == 0 {
			continue
		}
		pause := cells.Count(ecn.SharingOf(g.Limit, bill.Shared, g.Reserved).Together(m).Floor())
		headroom, short := g.Headroom, cells.Count(0)
		if part > 0 {
			headroom, short = min(headroom, part/cells.Count(m)), max(0, cells.Count(m)*brings-part)
		}
		if b.InSlice == 0 || pause < b.Pause || pause == b.Pause && headroom < b.Headroom {
			b.Slice, b.InSlice, b.Pause, b.Headroom = s, m, pause, headroom
		}
		b.Short = max(b.Short, short)
	}
}

// solve fills in the times.
func (b *Burst) solve(in *buffer.Intent, class *buffer.Class, rate unit.BitRate) {
	n := int64(b.Senders)
	b.XOFF, b.MarksSome, b.MarksAll, b.Full = Never, Never, Never, Never
	if kmax := class.ECN.KMax; kmax > 0 {
		b.MarksSome = b.queueAt(in.Chip.MarkingGranted(class.ECN.KMin), n, rate)
		b.MarksAll = b.queueAt(in.Chip.MarkingGranted(kmax), n, rate)
	}
	if n > 1 {
		perFrame := in.Chip.Cell.Packet(b.Frame, in.Chip.Overhead)
		b.XOFF, b.Full = b.groupAt(b.Pause, perFrame, n, rate), b.groupAt(b.Pause+b.Headroom, perFrame, n, rate)
		b.Absorbed = unit.Bytes(exact.Whole(b.XOFF).Times(int64(rate), int64(unit.Second)).
			Times(int64(b.Frame), 8*int64(b.Frame+thresholds.WireBytes)).Floor())
		b.Queue = b.Absorbed * unit.Bytes(n-1)
	}
	if class.ECN.KMax > 0 {
		b.ECNFirst = unit.Given(b.MarksAll <= b.XOFF && b.MarksAll < Never)
	}
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
