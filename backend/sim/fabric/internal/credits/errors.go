package credits

import "math/rand/v2"

// Noise is where the wrong bits of a direction of a link are: one in each window of time, at a random place.
type Noise struct {
	window int64 // 0: no wrong bits
	next   int64 // time of the next wrong bit
	begin  int64 // of its window
	random *rand.Rand
}

// NewNoise returns the noise of a direction. A window is as long as the bits of which one is wrong; 0: none is.
func NewNoise(window int64, seed, direction uint64) Noise {
	n := Noise{window: window, random: rand.New(rand.NewPCG(seed, direction))}
	if window > 0 {
		n.next = n.random.Int64N(window)
	}
	return n
}

// Hits tells whether a bit from one time to another is wrong. Questions are in the order of time.
func (n *Noise) Hits(from, to int64) bool {
	if n.window == 0 {
		return false
	}
	if skip := (from-n.begin)/n.window - 1; skip > 0 {
		n.begin += skip * n.window // a link that was idle for long
		n.advance()
	}
	for n.next < from {
		n.advance()
	}
	return n.next < to
}

// advance goes to the next window.
func (n *Noise) advance() {
	n.begin += n.window
	n.next = n.begin + n.random.Int64N(n.window)
}
