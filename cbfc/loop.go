package cbfc

import "github.com/cellwarden/cellwarden/internal/exact"

// Loop is the way of a frame to the receiver and of the answer to the sender: a
// CF_Update that frees its credits, or an LLR_ACK that frees its place in the
// replay buffer. All values are bit times of the link.
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

// Wait returns the longest time that an answer waits. With frames of one size,
// back to back, that are longer than the spacing, each has its own answer at
// once. Shorter ones share answers: a frame may just have missed one, so the wait is
// the spacing less one bit. With a busy reverse direction, or with several
// channels, it is a bound that need not be reached.
func (l Loop) Wait(frame int64) int64 {
	turns := max(1, l.Turns)
	if turns == 1 && frame >= l.Spacing+l.Reverse+l.Answer*min(1, l.Reverse) {
		return l.Reverse
	}
	return max(turns*l.Spacing-1, 0) + l.Reverse
}

// steadyWait returns the wait that remains once the frames have moved to where it
// is shortest: between frames and answers all distances occur that are a
// multiple of the common divisor of both, so the longest wait is the spacing less
// this divisor. It is exact for one channel and an idle reverse direction;
// otherwise no wait is promised, and it is 0.
func (l Loop) steadyWait(frame int64) int64 {
	if frame >= l.Spacing || l.Turns > 1 || l.Reverse > 0 {
		return 0
	}
	return l.Spacing - int64(exact.GCD(uint64(frame), uint64(l.Spacing)))
}

// Frames returns how many frames of one size have to be allowed under way so
// that the sender never waits: ceil((round + longest wait) / frame). Frame k
// begins at k frames' time; those that are not answered by then are k itself
// and all for which less than round + wait has passed.
func (l Loop) Frames(frame int64) int64 { return ceil(l.Round(frame)+l.Wait(frame), frame) }

// Least returns how many are needed for the full rate in the end. With fewer
// the sender waits again and again; with as many, or more, it may wait at first,
// until the frames have moved to a better place between the answers. It is
// Frames, or one or a few less. With a busy reverse direction or several channels
// it is a lower bound: with fewer the rate is lost.
func (l Loop) Least(frame int64) int64 { return ceil(l.Round(frame)+l.steadyWait(frame), frame) }

// ceil returns n/d rounded up.
func ceil(n, d int64) int64 { return (n + d - 1) / d }
