// Package pcap reads and writes captures of packets. A capture has the bytes of packets with the times at which they
// were seen, as tcpdump and Wireshark keep them. There are two forms of files: pcap
// (draft-ietf-opsawg-pcap), which is written here too, and pcapng (draft-ietf-opsawg-pcapng), which has blocks.
//
// A reader works in the bytes of the file: it takes no memory of its own, whatever lengths a file claims.
package pcap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cellwarden/cellwarden/unit"
)

// Ethernet is the link type of captures of Ethernet.
const Ethernet = 1

// The numbers that files and blocks begin with.
const (
	microseconds  = 0xa1b2c3d4 // pcap, with times in microseconds
	nanoseconds   = 0xa1b23c4d // pcap, with times in nanoseconds
	sectionHeader = 0x0a0d0d0a // pcapng
	byteOrder     = 0x1a2b3c4d // of a section of pcapng
)

// The blocks of pcapng that are read. Others are passed over.
const (
	interfaceBlock = 1
	packetBlock    = 2 // of old files
	simpleBlock    = 3
	enhancedBlock  = 6
)

// Reader reads the packets of a capture.
type Reader struct {
	rest  []byte
	order binary.ByteOrder
	next  func(*Reader) ([]byte, error)
	links []uint32 // link types: of the file, or of each interface of a section
}

// NewReader reads the head of a capture, and says what makes it none.
func NewReader(data []byte) (*Reader, error) {
	switch {
	case len(data) >= 2 && data[0] == 0x1f && data[1] == 0x8b:
		return nil, errors.New("it is compressed: decompress it first")
	case len(data) < 24:
		return nil, fmt.Errorf("%d bytes (want at least 24)", len(data))
	case binary.BigEndian.Uint32(data) == sectionHeader:
		return &Reader{rest: data, next: (*Reader).nextOfBlocks}, nil
	}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if m := order.Uint32(data); m == microseconds || m == nanoseconds {
			if major := order.Uint16(data[4:]); major != 2 {
				return nil, fmt.Errorf("version %d of pcap (want 2)", major)
			}
			// The upper four bits say how long the check sequences of frames are.
			link := order.Uint32(data[20:]) & 0x0fffffff
			return &Reader{rest: data[24:], order: order, next: (*Reader).nextRecord, links: []uint32{link}}, nil
		}
	}
	return nil, fmt.Errorf("it begins with %x (want the magic number of pcap or pcapng)", data[:4])
}

// Next returns the next packet, which is a part of the file's bytes. io.EOF: there is none; io.ErrUnexpectedEOF: the
// file ends within it. A packet of another link type than Ethernet is refused.
func (r *Reader) Next() ([]byte, error) { return r.next(r) }

// take returns the next n bytes.
func (r *Reader) take(n uint32) ([]byte, error) {
	if uint64(n) > uint64(len(r.rest)) {
		return nil, io.ErrUnexpectedEOF
	}
	out := r.rest[:n:n]
	r.rest = r.rest[n:]
	return out, nil
}

// ethernet refuses an interface that is not known, or is none of Ethernet.
func (r *Reader) ethernet(i uint32) error {
	if uint64(i) >= uint64(len(r.links)) {
		return fmt.Errorf("interface %d is not described", i)
	}
	if r.links[i] != Ethernet {
		return fmt.Errorf("link type %d (want %d, Ethernet)", r.links[i], Ethernet)
	}
	return nil
}

// nextRecord reads a packet of pcap: two numbers for the time, the bytes that are kept, the bytes on the wire.
func (r *Reader) nextRecord() ([]byte, error) {
	if err := r.ethernet(0); err != nil {
		return nil, err
	}
	if len(r.rest) == 0 {
		return nil, io.EOF
	}
	head, err := r.take(16)
	if err != nil {
		return nil, err
	}
	return r.take(r.order.Uint32(head[8:]))
}

// nextOfBlocks reads blocks of pcapng up to the next that has a packet.
func (r *Reader) nextOfBlocks() ([]byte, error) {
	for len(r.rest) > 0 {
		kind, body, err := r.block()
		if err != nil {
			return nil, err
		}
		var from, kept, at uint32 // the interface, the bytes that are kept, where they begin
		switch {
		case kind == interfaceBlock && len(body) >= 8:
			r.links = append(r.links, uint32(r.order.Uint16(body)))
			continue
		case kind == enhancedBlock && len(body) >= 20:
			from, kept, at = r.order.Uint32(body), r.order.Uint32(body[12:]), 20
		case kind == packetBlock && len(body) >= 20:
			from, kept, at = uint32(r.order.Uint16(body)), r.order.Uint32(body[12:]), 20
		case kind == simpleBlock && len(body) >= 4: // the rest of the block may be padding
			kept, at = min(r.order.Uint32(body), uint32(len(body)-4)), 4
		case kind <= enhancedBlock && kind != 4 && kind != 5:
			return nil, fmt.Errorf("a block of type %d with %d bytes", kind, len(body))
		default: // names, statistics, and what is of other programs
			continue
		}
		if err := r.ethernet(from); err != nil {
			return nil, err
		}
		if uint64(kept) > uint64(len(body))-uint64(at) {
			return nil, io.ErrUnexpectedEOF
		}
		return body[at : at+kept], nil
	}
	return nil, io.EOF
}

// block reads a block of pcapng: its type and length, its body, its length once more. A section begins anew, with an
// order of bytes and interfaces of its own.
func (r *Reader) block() (kind uint32, body []byte, err error) {
	if len(r.rest) >= 12 && binary.BigEndian.Uint32(r.rest) == sectionHeader {
		r.order, r.links = binary.LittleEndian, nil
		if binary.BigEndian.Uint32(r.rest[8:]) == byteOrder {
			r.order = binary.BigEndian
		}
		if r.order.Uint32(r.rest[8:]) != byteOrder {
			return 0, nil, errors.New("a section without an order of bytes")
		}
	}
	if len(r.rest) < 12 {
		return 0, nil, io.ErrUnexpectedEOF
	}
	kind, length := r.order.Uint32(r.rest), r.order.Uint32(r.rest[4:])
	if length < 12 || length%4 != 0 {
		return 0, nil, fmt.Errorf("a block of %d bytes (want 12 or more, in fours)", length)
	}
	whole, err := r.take(length)
	if err != nil {
		return 0, nil, err
	}
	return kind, whole[8 : length-4], nil
}

// Header is the head of a pcap file of Ethernet, with times in nanoseconds.
func Header() []byte {
	b := binary.LittleEndian.AppendUint32(nil, nanoseconds)
	b = append(b, 2, 0, 4, 0)                      // version 2.4
	b = append(b, make([]byte, 8)...)              // reserved
	b = binary.LittleEndian.AppendUint32(b, 1<<16) // longest packet
	return binary.LittleEndian.AppendUint32(b, Ethernet)
}

// AppendRecord appends the head of a packet, behind which its bytes follow: when it was seen, rounded down to
// nanoseconds; how many bytes follow, and how many it had on the wire.
func AppendRecord(b []byte, at unit.Time, kept, wire int) []byte {
	ns := uint64(at / unit.Nanosecond)
	for _, n := range []uint32{uint32(ns / 1e9), uint32(ns % 1e9), uint32(kept), uint32(wire)} {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return b
}
