package cbfc

import (
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Beside is both ways of one link beside each other.
type Beside struct {
	// Headroom is PFC's: what arrives after the decision to pause. It loses no frame.
	Headroom thresholds.Headroom
	// Resume is what has to be stored at the decision to resume so that the egress does not run empty: it forwards this
	// until the first new frame is there. The resume frame waits, travels and takes effect as the pause frame does, and
	// the first frame has to arrive whole. So it is as much as the headroom (inferred). A receiver with the headroom alone
	// loses no frame, and the link is slower after each pause.
	Resume cells.Count
	// Credits is CBFC's: it loses no frame with any buffer, and with this one the link stays full.
	Credits Sizing
	// Fibre is the same link with the buffer-to-buffer credits of Fibre Channel.
	Fibre BufferToBuffer
}

// BufferToBuffer is the credits of Fibre Channel's kind: one for each frame, whatever its length, and each is room for
// the longest. A word of 4 bytes, R_RDY, returns each as its frame leaves the buffer. A lost one is not repaired by a
// count of all, as a CF_Update is.
type BufferToBuffer struct {
	Credits  int64       // that keep the link full
	BitTimes int64       // from the first bit of a frame until its credit is back
	Cells    cells.Count // room for this number of the longest lossless frames
}

// readyBits is the length of an R_RDY on the link.
const readyBits = 32

// Full returns the cells with which PFC loses no frame and stays full.
func (b Beside) Full() cells.Count { return b.Headroom.Cells + b.Resume }

// Compare sizes the same link both ways. The frames are the same: those of the channel.
func Compare(c Channel) (Beside, error) {
	s, err := Size(c)
	if err != nil {
		return Beside{}, err
	}
	pause := thresholds.IEEE{Mix: thresholds.Frames(s.Frame), Delays: fastest(c.Delays, c.Link)}
	h, err := pause.Size(c.Link, c.Memory)
	if err != nil {
		return Beside{}, err
	}
	return Beside{Headroom: h, Resume: h.Cells, Credits: s, Fibre: bufferToBuffer(c, s)}, nil
}

// bufferToBuffer returns the credits for each frame on the same way.
func bufferToBuffer(c Channel, s Sizing) BufferToBuffer {
	l, frame := s.Loop, thresholds.FrameBits(s.Frame)
	l.Answer, l.Spacing, l.Turns = readyBits, 0, 1
	b := BufferToBuffer{Credits: l.Frames(frame), BitTimes: l.Round(frame) + l.Wait(frame)}
	b.Cells = cells.Count(b.Credits) * c.Memory.Cell.Packet(c.Link.LosslessMTU, c.Memory.Overhead)
	return b
}

// Grid is the links that both ways are usually compared on.
var (
	GridRates = []unit.BitRate{100 * unit.Gbps, 200 * unit.Gbps, 400 * unit.Gbps, 800 * unit.Gbps,
		1600 * unit.Gbps, 3200 * unit.Gbps}
	GridCables = []unit.Length{5 * unit.Metre, 40 * unit.Metre, 300 * unit.Metre, 2 * unit.Kilometre,
		10 * unit.Kilometre, 40 * unit.Kilometre, 100 * unit.Kilometre}
)
