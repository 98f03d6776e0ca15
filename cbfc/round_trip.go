package cbfc

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Answered is a link whose frames the other end answers with ordered sets: with
// a CF_Update that frees credits, or with an acknowledgement of link-layer retry.
type Answered struct {
	Link    thresholds.Link
	Frame   unit.Bytes                // the length of all frames
	Spacing unit.Bytes                // between two answers, at least
	Turns   int                       // virtual channels whose answers take turns; 0: 1
	Delays  thresholds.Delays         // of both ends; zero: as for a pause frame, see thresholds.IEEE
	Reverse unit.Optional[unit.Bytes] // longest frame of the other direction; absent: the link's MTU; 0: it is idle
	// Stay is the time from a frame's last bit until it counts in an answer, without
	// the interface. Absent: the frame's own time, because it leaves at the link's speed.
	Stay         unit.Optional[unit.Time]
	AtArrival    bool   // a frame counts as it arrives: it has no stay
	Name, Source string // of an answer
}

// RoundTrip is the way of a frame and of its answer.
type RoundTrip struct {
	Loop     Loop
	BitTimes int64             // with the longest wait
	Frames   int64             // under way, so that the sender never waits, see Loop.Frames
	Least    int64             // fewer lose rate for good, see Loop.Least
	Terms    []thresholds.Term // in the order of the events on the link
}

// notPublished is the reason why the delays of the ends are inferred.
const notPublished = "not published for ordered sets; as for a pause frame: "

// RoundTripOf returns the way of a link's frames and of their answers.
func RoundTripOf(a Answered) (RoundTrip, error) {
	ends, err := fastest(a.Delays, a.Link).EndTerms(a.Link)
	if err != nil {
		return RoundTrip{}, err
	}
	for i := range ends {
		ends[i].Kind, ends[i].Source = thresholds.Inferred, notPublished+ends[i].Source
	}
	frame, stay := thresholds.FrameBits(a.Frame), a.stay()
	l := Loop{Way: a.Link.BitTimes(), Hold: stay.BitTimes + ends[0].BitTimes, Answer: 8 * int64(OrderedSetBytes),
		Spacing: 8 * int64(a.Spacing), Turns: int64(max(1, a.Turns))}
	for _, t := range ends[1:] {
		l.Apply += t.BitTimes
	}
	reverse := a.reverse()
	l.Reverse = reverse.BitTimes
	kind, source := a.Link.Source()
	terms := []thresholds.Term{
		{Name: "frame", BitTimes: frame, Kind: thresholds.Standard,
			Source: a.Frame.String() + " + gap + preamble (IEEE 802.3 clause 4)"},
		{Name: "cable, frame", BitTimes: l.Way, Kind: kind, Source: source}, ends[0]}
	if !a.AtArrival {
		terms = append(terms, stay)
	}
	terms = append(terms,
		thresholds.Term{Name: "spacing of " + a.Name + "s", BitTimes: l.Wait(frame) - l.Reverse,
			Kind: thresholds.Driver, Source: a.spacing(frame, l)},
		reverse, thresholds.Term{Name: a.Name, BitTimes: l.Answer, Kind: thresholds.Driver,
			Source: "control ordered set of 8 bytes (" + a.Source + ")"},
		thresholds.Term{Name: "cable, " + a.Name, BitTimes: l.Way, Kind: kind, Source: source})
	terms = append(terms, ends[1:]...)
	for i := range terms {
		terms[i].Bytes = unit.InBytes(terms[i].BitTimes)
	}
	return RoundTrip{Loop: l, BitTimes: l.Round(frame) + l.Wait(frame), Frames: l.Frames(frame), Least: l.Least(frame),
		Terms: terms}, nil
}

// stay returns how long a frame stays at the receiver.
func (a *Answered) stay() thresholds.Term {
	if a.AtArrival {
		return thresholds.Term{}
	}
	if t, given := a.Stay.Get(); given {
		return thresholds.Term{Name: "frame stays in the buffer", BitTimes: a.Link.Rate.BitsIn(t),
			Kind: thresholds.Operator, Source: t.String() + ", given"}
	}
	return thresholds.Term{Name: "frame leaves the buffer", BitTimes: thresholds.FrameBits(a.Frame),
		Kind: thresholds.Inferred, Source: "the receiver forwards it at once, at the speed of the link"}
}

// reverse returns the frame of the other direction that an answer waits for.
func (a *Answered) reverse() thresholds.Term {
	t := thresholds.Term{Name: "frame of the other direction", Kind: thresholds.Inferred,
		Source: "an ordered set waits for the end of a frame that has begun: not published"}
	switch longest := a.Reverse.Or(a.Link.MTU); {
	case longest > 0:
		t.BitTimes = thresholds.FrameBits(longest)
	default:
		t.Kind, t.Source = thresholds.Operator, "the other direction is idle"
	}
	return t
}

// spacing says why frames wait for an answer, or why not.
func (a *Answered) spacing(frame int64, l Loop) string {
	text := fmt.Sprintf("at least %v between two (%s)", a.Spacing, a.Source)
	switch {
	case l.Wait(frame) == l.Reverse:
		return text + ": a frame is longer, each has its own"
	case l.Turns > 1:
		return fmt.Sprintf("%s, %d virtual channels in turn (inferred)", text, l.Turns)
	default:
		return text + ": a frame may just have missed one"
	}
}

// fastest adds a response time at 3.2T, which the delays of pause frames do not have: nothing pauses at that speed yet.
func fastest(d thresholds.Delays, l thresholds.Link) thresholds.Delays {
	const rate = 3200 * unit.Gbps
	if _, err := d.ResponseOf(l); err != nil && l.Rate == rate {
		d.Response = append(d.Response[:len(d.Response):len(d.Response)], thresholds.RateDelay{Rate: rate,
			BitTimes: 8 * 905 * pfc.QuantumBits, Kind: thresholds.Inferred,
			Source: "7240 quanta of 512 at 3.2T: no source; inferred from 400G, as long in time"})
	}
	return d
}

// Loop is the way of a frame to the receiver and of the answer to the sender: a CF_Update that frees its credits, or an
// LLR_ACK that frees its place in the replay buffer. All values are bit times of the link.
type Loop struct {
	Way     int64 // one way, with what the interfaces of both ends add
	Hold    int64 // at the receiver, from the last bit of a frame until it counts in the next answer
	Apply   int64 // at the sender, from the last bit of an answer until it may send by it
	Answer  int64 // length of an answer on the link
	Spacing int64 // from the begin of an answer to that of the next, at least
	Turns   int64 // virtual channels whose answers take turns; 0: 1
	Reverse int64 // longest frame of the other direction, whose end an answer waits for; 0: the direction is idle
}

// Round returns the time from the first bit of a frame to the moment at which
// the sender may send by its answer, if the answer waits for nothing.
func (l Loop) Round(frame int64) int64 { return frame + 2*l.Way + l.Hold + l.Answer + l.Apply }

// Wait returns the longest time that an answer waits. With frames of one size, back to back, that are longer than the
// spacing, each has its own answer at once. Shorter ones share answers: a frame may just have missed one, so the wait
// is the spacing less one bit. With a busy reverse direction, or with several channels, it is a bound that need not be
// reached.
func (l Loop) Wait(frame int64) int64 {
	turns := max(1, l.Turns)
	if turns == 1 && frame >= l.Spacing+l.Reverse+l.Answer*min(1, l.Reverse) {
		return l.Reverse
	}
	return max(turns*l.Spacing-1, 0) + l.Reverse
}

// steadyWait returns the wait that remains once the frames have moved to where it is shortest: between frames and
// answers all distances occur that are a multiple of the common divisor of both, so the longest wait is the spacing
// less this divisor. It is exact for one channel and an idle reverse direction; otherwise no wait is promised, and it
// is 0.
func (l Loop) steadyWait(frame int64) int64 {
	if frame >= l.Spacing || l.Turns > 1 || l.Reverse > 0 {
		return 0
	}
	return l.Spacing - int64(exact.GCD(uint64(frame), uint64(l.Spacing)))
}

// Frames returns how many frames of one size have to be allowed under way so that the sender never waits: ceil((round +
// longest wait) / frame). Frame k begins at k frames' time; those that are not answered by then are k itself and all
// for which less than round + wait has passed.
func (l Loop) Frames(frame int64) int64 { return ceil(l.Round(frame)+l.Wait(frame), frame) }

// Least returns how many are needed for the full rate in the end. With fewer the sender waits again and again; with as
// many, or more, it may wait at first, until the frames have moved to a better place between the answers. It is Frames,
// or one or a few less. With a busy reverse direction or several channels it is a lower bound: with fewer the rate is
// lost.
func (l Loop) Least(frame int64) int64 { return ceil(l.Round(frame)+l.steadyWait(frame), frame) }

// ceil returns n/d rounded up.
func ceil(n, d int64) int64 { return (n + d - 1) / d }
