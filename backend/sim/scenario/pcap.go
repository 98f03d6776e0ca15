package scenario

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// pcapWriter writes frames as a pcap file with times in nanoseconds. Each frame
// is written when a port begins to send it. Its source address is that of the
// sending port, as if switches were routers, so one file tells the hops apart.
//
// Frames of data contain only their headers, and state their original length
// without the check sequence, which captures do not have. Answers, pause frames
// and LLDP are complete, unless the scenario makes an answer shorter than
// RoCEv2's. Header fields other than addresses, PCP, DSCP, ECN, TTL and
// sequence numbers are invented.
type pcapWriter struct {
	*Scenario
	buffered *bufio.Writer
	w        *pcapgo.Writer
	peers    map[fabric.End]fabric.End // other end of each port's link
	pending  pendingPause              // pause frame that may get more priorities
	frame    []byte                    // reused for every frame
	err      error                     // first error of w
}

// pendingPause is a pause frame that is not complete: the simulator reports it
// once per priority.
type pendingPause struct {
	at          unit.Time
	where       fabric.End
	stop, start pfc.Priorities
}

// newPcapWriter writes the header of the file.
func newPcapWriter(w io.Writer, s *Scenario) (*pcapWriter, error) {
	c := &pcapWriter{Scenario: s, buffered: bufio.NewWriterSize(w, 1<<16), peers: s.peers()}
	c.w = pcapgo.NewWriterNanos(c.buffered)
	// A snapshot length of 64 KiB is more than any frame here has.
	return c, c.w.WriteFileHeader(1<<16, layers.LinkTypeEthernet)
}

// address makes a locally administered address: the second byte is 0 for hosts
// and 1 for switches, followed by node and port.
func address(kind byte, node, port int) pfc.Address {
	return pfc.Address{0x02, kind, byte(node >> 8), byte(node), byte(port >> 8), byte(port)}
}

// mac returns the address of a port: hosts are kind 0, and switches kind 1.
func mac(e fabric.End) pfc.Address {
	if e.Switch {
		return address(1, e.Node, e.Port)
	}
	return address(0, e.Node, 0)
}

// event writes the frame that a port begins to send. The events of one pause
// frame follow each other, one per priority.
func (c *pcapWriter) event(e *fabric.Event) {
	p := &c.pending
	same := p.where == e.Where && p.at == e.At
	switch e.Kind {
	case fabric.XOFFSent, fabric.XONSent:
		if !same {
			c.flush()
			*p = pendingPause{at: e.At, where: e.Where}
		}
		if e.Kind == fabric.XOFFSent {
			p.stop |= pfc.Of(e.Priority)
		} else {
			p.start |= pfc.Of(e.Priority)
		}
	case fabric.Departs:
		c.flush()
		c.data(e)
	case fabric.LLDPSent:
		c.flush()
		c.lldp(e)
	}
}

// lldp writes an LLDP frame.
func (c *pcapWriter) lldp(e *fabric.Event) {
	b, err := e.LLDP.AppendTo(c.frame[:0])
	if c.frame = b; c.err == nil {
		c.err = err
	}
	c.write(e.At, len(c.frame))
}

// flush writes the pending pause frame. The pause time is in quanta of 512 bit times; 0 of the switch stands for the
// longest, 65,535 (IEEE 802.3, 31B.2).
func (c *pcapWriter) flush() {
	p := &c.pending
	if p.stop|p.start == 0 {
		return
	}
	quanta, link := uint16(pfc.MaxQuanta), false // a host in a storm has PFC
	if p.where.Switch {
		w := &c.Network.Switches[p.where.Node]
		link = w.LinkPause
		if w.Quanta > 0 {
			quanta = w.Quanta
		}
	}
	// A priority with time 0 in the same frame resumes: Stop sets times for those that stop, and Enabled adds the
	// others.
	f := pfc.Stop(mac(p.where), p.stop, quanta)
	f.Enabled |= p.start
	if link {
		l := f.LinkPause()
		l.Source = f.Source
		c.frame = l.AppendTo(c.frame[:0], pfc.WithoutFCS)
	} else {
		c.frame = f.AppendTo(c.frame[:0], pfc.WithoutFCS)
	}
	c.write(p.at, len(c.frame))
	*p = pendingPause{}
}

// opcodes are the RoCEv2 operations of the frames: RDMA WRITE Only and
// Acknowledge of a reliable connection, and CNP (InfiniBand architecture,
// volume 1, table of opcodes, and annex A17).
var opcodes = map[string]byte{"data": 0x0a, "trimmed": 0x0a, "ack": 0x11, "nak": 0x11, "cnp": 0x81}

// fcs is the length of the check sequence, which captures do not have.
const fcs = 4

// data writes the headers of a flow's frame: Ethernet, the VLAN tag if there is
// one, IPv4, UDP to port 4791, and RoCEv2's base transport header. Addresses are 10.0.x.y by the numbers of the
// hosts, the UDP source port is that of the flow, and queue pairs and packet sequence numbers have 24 bits, as in the
// header.
func (c *pcapWriter) data(e *fabric.Event) {
	f := &c.Network.Flows[e.Flow]
	whole := max(int(e.Bytes)-fcs, 0)
	// The destination of a frame is the port at the other end of the link, as between routers.
	from, to := mac(e.Where), mac(c.peers[e.Where])
	b := append(append(c.frame[:0], to[:]...), from[:]...)
	// The tag of 802.1Q: its type, then PCP, no drop eligibility, and VLAN 1.
	if e.PCP >= 0 {
		b = binary.BigEndian.AppendUint16(b, 0x8100)
		b = binary.BigEndian.AppendUint16(b, uint16(e.PCP)<<13|1)
	}
	b = binary.BigEndian.AppendUint16(b, 0x0800)
	ip := len(b)
	dscp, source, sink := f.DSCP, f.From, f.To
	switch e.FrameKind {
	case "data":
	case "trimmed":
		dscp = e.DSCP
	default:
		dscp, source, sink = f.Sender.ACK.Class.DSCP, sink, source
		if e.FrameKind == "cnp" && f.Sender.DCQCN != nil {
			dscp = f.Sender.DCQCN.CNP.DSCP
		}
	}
	// IPv4 without options; DSCP and ECN share a byte. The lengths are those of the whole frame, of which the rest is
	// not written.
	b = append(b, 0x45, byte(dscp<<2)|e.ECN)
	b = binary.BigEndian.AppendUint16(b, uint16(max(whole-ip, 0)))
	b = binary.BigEndian.AppendUint16(b, uint16(e.Seq))
	b = append(b, 0x40, 0, byte(e.TTL), 17, 0, 0, 10, 0, byte(source>>8), byte(source), 10, 0, byte(sink>>8),
		byte(sink))
	binary.BigEndian.PutUint16(b[ip+10:], checksum(b[ip:ip+20]))
	// A port from the dynamic range (RFC 6335) for each flow, as RoCEv2 senders choose one for the paths of ECMP; 4791
	// is RoCEv2's own.
	b = binary.BigEndian.AppendUint16(b, uint16(49152+e.Flow%16384))
	b = binary.BigEndian.AppendUint16(b, 4791)
	b = binary.BigEndian.AppendUint16(b, uint16(max(whole-ip-20, 0)))
	b = append(b, 0, 0) // no checksum
	migrated, notices := byte(0x40), byte(0)
	if e.FrameKind == "cnp" { // the notice of congestion is the bit BECN
		migrated, notices = 0, 0x40
	}
	// The base transport header: operation, flags, partition key 0xffff, congestion bits, queue pair, and sequence
	// number.
	b = append(b, opcodes[e.FrameKind], migrated, 0xff, 0xff, notices, byte(e.Flow>>16), byte(e.Flow>>8), byte(e.Flow), 0,
		byte(e.Seq>>16), byte(e.Seq>>8), byte(e.Seq))
	// Frames of data end with their headers here, so that a check sequence would be one of bytes that are not there.
	if e.FrameKind != "data" && e.FrameKind != "trimmed" {
		b = invariantCRC(append(b, behind[e.FrameKind]...), ip)
	}
	c.frame = b[:min(len(b), whole)]
	c.write(e.At, whole)
}

// behind is what answers have behind the base transport header: the acknowledge header, with a syndrome that has no
// credits or is a sequence error and a message number of 0, or the 16 reserved bytes of a CNP.
var behind = map[string][]byte{"ack": {0x1f, 0, 0, 0}, "nak": {0x60, 0, 0, 0}, "cnp": make([]byte, 16)}

// invariantCRC appends the check sequence of RoCEv2 to a frame whose IP header begins at a place. It is that of
// Ethernet, over all fields that no router changes: 8 bytes of ones come before them, and the others count as ones
// (InfiniBand architecture, annex A17.3.3).
func invariantCRC(b []byte, ip int) []byte {
	masked := append(bytes.Repeat([]byte{0xff}, 8), b[ip:]...)
	for _, at := range []int{1, 8, 10, 11, 26, 27, 32} { // type of service, TTL, two check sums, reserved bits
		masked[8+at] = 0xff
	}
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(masked))
}

// checksum is that of an IPv4 header (RFC 791).
func checksum(header []byte) uint16 {
	sum := uint32(0)
	for i := 0; i < len(header); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(header[i:]))
	}
	for sum > 0xffff {
		sum = sum&0xffff + sum>>16
	}
	return ^uint16(sum)
}

// write appends the frame to the file. It keeps the first error. Times of the simulation are picoseconds, and the
// file has nanoseconds: they are rounded down.
func (c *pcapWriter) write(at unit.Time, whole int) {
	if c.err != nil {
		return
	}
	c.err = c.w.WritePacket(gopacket.CaptureInfo{Timestamp: time.Unix(0, int64(at/unit.Nanosecond)).UTC(),
		CaptureLength: len(c.frame), Length: whole}, c.frame)
}

// finish completes the file.
func (c *pcapWriter) finish(*Result) error {
	c.flush()
	if c.err != nil {
		return c.err
	}
	return c.buffered.Flush()
}
