package credit

import (
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// BufferToBuffer is a link with the credits of Fibre Channel, to compare with CBFC: one credit for each frame, whatever
// its length, and an R_RDY for each frame that has left the buffer. An R_RDY is a word of 4 bytes, and nothing spaces
// them. Not modelled: login, the recovery of credits after a lost R_RDY, and Fibre Channel's rates and encoding. The
// link runs at the rate that it is given, with Ethernet's gap and preamble.
type BufferToBuffer struct {
	Way     int64      // one way, in bit times
	Frame   unit.Bytes // length of all frames; Fibre Channel's longest is 2148
	Slow    int64      // the egress takes so many times a frame's time; 0: a frame leaves as it arrives
	Credits cbfc.Credits
}

// readyBits is an R_RDY: a transmission word (FC-FS).
const readyBits = 32

// Link returns the link: a credit is as large as a frame.
func (b BufferToBuffer) Link() Link {
	return Link{Way: b.Way, Answer: readyBits, Account: cbfc.Account{Credit: b.Frame},
		Channels: []Channel{{Limit: b.Credits, Sizes: []unit.Bytes{b.Frame}, Slow: b.Slow}}}
}

// Full returns the smallest number of credits that keeps the slower of link and egress busy. A credit is in use for the
// time of its frame on the link, the way, the frame's time at the egress, the R_RDY, and the way back.
func (b BufferToBuffer) Full() int64 {
	bits := thresholds.FrameBits(b.Frame)
	round := cbfc.Loop{Way: b.Way, Hold: b.Slow * bits, Answer: readyBits}.Round(bits)
	slower := bits * max(b.Slow, 1)
	return (round + slower - 1) / slower
}
