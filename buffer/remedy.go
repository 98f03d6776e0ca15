package buffer

import "fmt"

// Remedy is one change that by itself makes the whole plan fit. Each has been
// tried: the changed intent was planned again and admitted.
type Remedy struct {
	Change string // what to change: "ports", "cable", "headroom.frame", "pool.shared_headroom"
	To     string // the value nearest to the present one that fits
	Text   string
	// Keep lists the ports that stay, for a change of "ports": with the pipes that
	// the refused plan has for them, exactly these fit.
	Keep []string
}

// remedy makes a Remedy that was found.
func remedy(change string, to any, format string, args ...any) (Remedy, bool) {
	return Remedy{Change: change, To: fmt.Sprint(to), Text: fmt.Sprintf(format, args...)}, true
}

// seeker makes a plan for as long as the one who asks wants it.
type seeker struct {
	stop func() error
	err  error // of stop: what is made since then is thrown away
}

// ended tells whether the one who asks has stopped.
func (x *seeker) ended() bool {
	if x.err == nil {
		x.err = x.stop()
	}
	return x.err != nil
}

// remedies searches for what would make a refused intent fit: fewer ports, shorter cable, smaller buffers.
func (x *seeker) remedies(in Intent) []Remedy {
	out := []Remedy{}
	for _, find := range []func(Intent) (Remedy, bool){
		x.fewerPorts, x.shorterCable, x.fewerAndShorter, x.conformingEnds, x.longerFrames, x.fasterSenders, x.smallerFrames,
		x.smallerReserved, x.fewerCredits, x.fewerShared,
		x.smallerPorts, x.smallerQueues,
		x.smallerHeadroom, x.sharedHeadroom, x.largerRatio, x.sizeIncludes, x.smallerPool, x.lowerFloor,
	} {
		if x.ended() {
			break
		}
		if r, ok := find(in); ok {
			out = append(out, r)
		}
	}
	return out
}

// fits tells whether an intent is well formed and admitted entirely; false if the search has ended.
func (x *seeker) fits(in Intent) bool { return !x.ended() && in.Fits() }
