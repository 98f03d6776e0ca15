package fabric

import "math/bits"

// finishClass lets the host go on with a class that has just been paused, for
// the frames that its NIC has already handed to the transmitter: see
// [Host.AfterPause].
func (p *port) finishClass(now int64, class int) {
	p.finishing |= 1 << class
	p.record().finishBy[class] = now + p.pausing.afterPause
}

// canSendAfterPause stops the paused classes whose next frame would end after
// their time is over. It tells whether any class is left that may send.
func (s *part) canSendAfterPause(p *port) bool {
	for m := p.finishing & p.waiting; m != 0; m &= m - 1 {
		n := bits.TrailingZeros8(m)
		head := s.classes[p.node][n].head
		if head < 0 || s.Now+p.frameTime(s.nextFrame(&s.flows[head])) > p.past().finishBy[n] {
			p.finishing &^= 1 << n
			p.paused |= 1 << n
		}
	}
	return p.waiting&^p.paused != 0
}

// nextFrame is the length of the frame that a flow would send next.
func (s *part) nextFrame(f *flow) int64 {
	switch {
	case f.sender >= 0:
		x := &s.senders[f.sender]
		return x.payload(f, &x.next) + f.header
	case f.unsent < 0:
		return f.frame
	}
	return min(f.frame, f.unsent+f.header)
}
