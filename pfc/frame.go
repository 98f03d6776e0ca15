package pfc

import (
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
)

// Address is a MAC address in transmission order.
type Address [6]byte

// destination is the destination of every flow control frame: a group address
// that bridges do not forward, so that only the neighbour receives it.
var destination = Address{0x01, 0x80, 0xc2, 0x00, 0x00, 0x01}

// String returns the address in IEEE's form, in lower case: "01-80-c2-00-00-01".
func (a Address) String() string {
	text := make([]byte, 0, 17)
	for i := range a {
		text = append(hex.AppendEncode(text, a[i:i+1]), '-')
	}
	return string(text[:17])
}

// The numbers of a MAC control frame (IEEE 802.3 clause 31 and annex 31A).
const (
	EtherType       = 0x8808 // MAC control
	opcodePFC       = 0x0101 // priority flow control, annex 31D
	opcodeLinkPause = 0x0001 // PAUSE, annex 31B
)

// FCS says whether the four bytes of the frame check sequence are present at the end of a frame. They are on a link;
// most captures and sockets do not have them.
type FCS bool

// The two kinds of bytes.
const (
	WithoutFCS FCS = false // 60 bytes
	WithFCS    FCS = true  // 64 bytes
)

const fcsBytes = 4

// size is the length of a flow control frame.
func (f FCS) size() int {
	if f == WithFCS {
		return FrameBytes
	}
	return FrameBytes - fcsBytes
}

// Frame is a PFC frame. The zero Frame changes nothing.
type Frame struct {
	// Source is the address of the port that sends the frame. Receivers ignore it.
	Source Address
	// Enabled is the set of priorities that the frame changes: the low byte of
	// the class-enable vector. The high byte is 0.
	Enabled Priorities
	// Quanta are the pause times by priority, in units of 512 bit times. 0 means resume. The time of a priority that is
	// not enabled has no meaning, but is written and read.
	Quanta [PerLink]uint16
}

// Where the fields begin.
const (
	atSource  = 6
	atType    = 12
	atOpcode  = 14
	atVector  = 16 // PFC
	atTimes   = 18 // PFC
	atTime    = 16 // PAUSE
	endHeader = 16
)

// Stop returns the frame that pauses the given priorities, and no other, for so
// many quanta; with 0 quanta it resumes them.
func Stop(source Address, priorities Priorities, quanta uint16) Frame {
	f := Frame{Source: source, Enabled: priorities}
	for s := priorities; s != 0; s &= s - 1 {
		f.Quanta[s.Lowest()] = quanta
	}
	return f
}

// AppendTo appends the frame to dst, padded with zeros to the shortest Ethernet frame, and returns the longer slice: 64
// bytes more with FCS, 60 without. It allocates only if dst has no room.
func (f Frame) AppendTo(dst []byte, fcs FCS) []byte {
	start := len(dst)
	dst = appendHeader(dst, f.Source, opcodePFC)
	dst = append(dst, 0, byte(f.Enabled))
	for _, quanta := range f.Quanta {
		dst = binary.BigEndian.AppendUint16(dst, quanta)
	}
	return finish(dst, start, fcs)
}

// LinkPause returns what a port without PFC sends in place of this frame: one
// time for the whole link, the longest of the frame.
func (f Frame) LinkPause() LinkPause {
	p := LinkPause{Source: f.Source}
	for s := f.Enabled; s != 0; s &= s - 1 {
		p.Quanta = max(p.Quanta, f.Quanta[s.Lowest()])
	}
	return p
}

// LinkPause is the PAUSE frame of IEEE 802.3x (annex 31B): link-level flow
// control, which stops every priority. The zero LinkPause resumes.
type LinkPause struct {
	Source Address // address of the port that sends it; receivers ignore it
	Quanta uint16  // pause in units of 512 bit times; 0 means resume
}

// AppendTo appends the frame to dst as [Frame.AppendTo] does.
func (p LinkPause) AppendTo(dst []byte, fcs FCS) []byte {
	start := len(dst)
	dst = appendHeader(dst, p.Source, opcodeLinkPause)
	dst = binary.BigEndian.AppendUint16(dst, p.Quanta)
	return finish(dst, start, fcs)
}

// appendHeader appends the addresses, the ethertype and the opcode.
func appendHeader(dst []byte, source Address, opcode uint16) []byte {
	dst = append(dst, destination[:]...)
	dst = append(dst, source[:]...)
	dst = binary.BigEndian.AppendUint16(dst, EtherType)
	return binary.BigEndian.AppendUint16(dst, opcode)
}

// zeros is the longest padding, that of a control frame without operands.
var zeros [FrameBytes - fcsBytes - endHeader]byte

// finish pads the frame that begins at start, and appends its check sequence,
// whose least significant byte is sent first (IEEE 802.3 clause 3).
func finish(dst []byte, start int, fcs FCS) []byte {
	dst = append(dst, zeros[:WithoutFCS.size()-(len(dst)-start)]...)
	if fcs == WithFCS {
		dst = binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[start:]))
	}
	return dst
}
