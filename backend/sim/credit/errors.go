package credit

import "math/rand/v2"

// noise is where the wrong bits of a direction are: one in each window, at a
// random place.
type noise struct {
	window int64 // 0: no wrong bits
	next   int64 // time of the next wrong bit
	begin  int64 // of its window
	random *rand.Rand
}

// newNoise returns the noise of a direction.
func newNoise(window int64, seed, direction uint64) noise {
	n := noise{window: window, random: rand.New(rand.NewPCG(seed, direction))}
	if window > 0 {
		n.next = n.random.Int64N(window)
	}
	return n
}

// hits tells whether a bit from one time to another is wrong. Questions are in
// the order of time.
func (n *noise) hits(from, to int64) bool {
	if n.window == 0 {
		return false
	}
	for n.next < from {
		n.advance()
	}
	return n.next < to
}

// advance goes to the next window.
func (n *noise) advance() {
	n.begin += n.window
	n.next = n.begin + n.random.Int64N(n.window)
}
