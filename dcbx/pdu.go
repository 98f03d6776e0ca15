package dcbx

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/pfc"
)

// ErrMalformed is wrapped by every error about bytes that are no LLDP.
var ErrMalformed = errors.New("malformed LLDP")

// malformed is the error of bytes that are not LLDP as IEEE 802.1AB has it.
type malformed struct {
	What     string // the thing that is wrong: "TLV 3 (time to live)"
	Value    string // the value: "1 byte"
	Accepted string // what is accepted: "2 bytes"
}

// Error returns the thing, its value and what is accepted.
func (e *malformed) Error() string {
	return fmt.Sprintf("%v: %s: %s (want %s)", ErrMalformed, e.What, e.Value, e.Accepted)
}

// Unwrap returns [ErrMalformed].
func (e *malformed) Unwrap() error { return ErrMalformed }

// Type is the type of a TLV, 0 to 127.
type Type uint8

// The types of TLVs that this package reads (IEEE 802.1AB-2016, table 8-1).
const (
	typeEnd             Type = 0
	typeChassis         Type = 1
	typePort            Type = 2
	typeTimeToLive      Type = 3
	TypePortDescription Type = 4
	TypeSystemName      Type = 5
	TypeOrganisation    Type = 127
)

// Limits of the format: a type has 7 bits, a length 9.
const (
	maxType   = 127
	maxLength = 511
	// maxPDU is the length of the longest LLDPDU: the information field of an Ethernet frame.
	maxPDU = 1500
)

// TLV is one element of an LLDPDU. Value is what follows type and length.
type TLV struct {
	Type  Type
	Value []byte
}

// Organisation returns the number of the organisation (OUI) and the subtype of an organisationally specific TLV; false
// for every other TLV.
func (t *TLV) Organisation() (oui [3]byte, subtype byte, ok bool) {
	if t.Type != TypeOrganisation || len(t.Value) < 4 {
		return oui, 0, false
	}
	return [3]byte(t.Value), t.Value[3], true
}

// appendTo appends type, length and value.
func (t *TLV) appendTo(dst []byte) ([]byte, error) {
	if t.Type > maxType || len(t.Value) > maxLength {
		return dst, &malformed{fmt.Sprintf("TLV of type %d", t.Type), count(len(t.Value)),
			"a type of at most 127, and at most 511 bytes"}
	}
	dst = binary.BigEndian.AppendUint16(dst, uint16(t.Type)<<9|uint16(len(t.Value)))
	return append(dst, t.Value...), nil
}

// PDU is an LLDPDU: its TLVs in order, without the one that ends it. A PDU that [Decode] returns begins with chassis,
// port and time to live.
type PDU struct{ TLVs []TLV }

// Decode reads an LLDPDU, the data of an LLDP frame behind the ethertype. Every TLV is kept as it is. What follows the
// TLV that ends the list is padding and is ignored; a list that the data ends is accepted, since only links that pad
// need an end.
//
// The rules by which a receiver discards a whole LLDPDU are those of 802.1AB's frame validation, as lldpad has them:
// the first three TLVs are chassis, port and time to live, each is there once and has its length, and no TLV reaches
// beyond the data. What is wrong inside a TLV of DCBX costs that TLV alone: see [Read].
func Decode(data []byte) (PDU, error) {
	tlvs, err := split(data, true)
	if err != nil {
		return PDU{}, err
	}
	p := PDU{tlvs}
	if err := p.Validate(); err != nil {
		return PDU{}, err
	}
	return p, nil
}

// split lists the TLVs of the data. The list goes to where the data ends, or to a TLV of type 0 if the list has an end.
func split(data []byte, ends bool) (out []TLV, err error) {
	for size := 0; len(data) > 0; {
		if len(data) < 2 {
			return nil, &malformed{fmt.Sprintf("TLV %d", len(out)+1), "1 byte", "2 bytes of type and length"}
		}
		head := binary.BigEndian.Uint16(data)
		kind, length := Type(head>>9), int(head&maxLength)
		if 2+length > len(data) {
			return nil, &malformed{fmt.Sprintf("TLV %d (type %d)", len(out)+1, kind),
				fmt.Sprintf("%s, but the data has %d", count(length), len(data)-2), "a TLV that ends within the data"}
		}
		if kind == typeEnd && ends {
			if length != 0 {
				return nil, &malformed{"the end of the LLDPDU", count(length), "no bytes"}
			}
			return out, nil
		}
		if size += 2 + length; size > maxPDU {
			return nil, &malformed{"the LLDPDU", "more bytes", fmt.Sprintf("at most %d bytes", maxPDU)}
		}
		out = append(out, TLV{kind, append([]byte{}, data[2:2+length]...)})
		data = data[2+length:]
	}
	return out, nil
}

// mandatory are the first three TLVs: what they are called, and how long they may be.
var mandatory = [3]struct {
	name           string
	shortest, most int
}{{"chassis", 2, 256}, {"port", 2, 256}, {"time to live", 2, 2}}

// Validate returns nil if a receiver accepts the PDU.
func (p *PDU) Validate() error {
	size := 2
	for i, t := range p.TLVs {
		want := Type(i + 1)
		switch {
		case t.Type > maxType || len(t.Value) > maxLength || t.Type == typeEnd:
			return &malformed{fmt.Sprintf("TLV %d (type %d)", i+1, t.Type), count(len(t.Value)),
				"a type of 1 to 127, and at most 511 bytes"}
		case i < len(mandatory) && t.Type != want:
			return &malformed{fmt.Sprintf("TLV %d", i+1), fmt.Sprintf("type %d", t.Type),
				fmt.Sprintf("type %d, %s", want, mandatory[i].name)}
		case i >= len(mandatory) && t.Type <= typeTimeToLive:
			return &malformed{fmt.Sprintf("TLV %d", i+1), "a second " + mandatory[t.Type-1].name, "one"}
		case i < len(mandatory) && (len(t.Value) < mandatory[i].shortest || len(t.Value) > mandatory[i].most):
			return &malformed{fmt.Sprintf("TLV %d (%s)", i+1, mandatory[i].name), count(len(t.Value)),
				fmt.Sprintf("%d to %d bytes", mandatory[i].shortest, mandatory[i].most)}
		}
		size += 2 + len(t.Value)
	}
	switch {
	case len(p.TLVs) < len(mandatory):
		return &malformed{"the LLDPDU", fmt.Sprintf("%d TLVs", len(p.TLVs)), "chassis, port and time to live"}
	case size > maxPDU+2:
		return &malformed{"the LLDPDU", count(size - 2), fmt.Sprintf("at most %d bytes", maxPDU)}
	}
	return nil
}

// AppendTo appends the LLDPDU with its end. The error is that of [PDU.Validate].
func (p *PDU) AppendTo(dst []byte) ([]byte, error) {
	if err := p.Validate(); err != nil {
		return dst, err
	}
	for i := range p.TLVs {
		var err error
		if dst, err = p.TLVs[i].appendTo(dst); err != nil {
			return dst, err
		}
	}
	return append(dst, 0, 0), nil
}

// first returns the value of the first TLV of a type; nil without one.
func (p *PDU) first(kind Type) []byte {
	for _, t := range p.TLVs {
		if t.Type == kind {
			return t.Value
		}
	}
	return nil
}

// count prints a number of bytes.
func count(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// EtherType is that of LLDP.
const EtherType = 0x88cc

// The three groups that LLDP frames are sent to (IEEE 802.1AB-2016, table 7-1). DCBX uses the first alone, which no
// bridge forwards: it is between neighbours.
var (
	NearestBridge         = pfc.Address{0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e}
	nearestNonTPMRBridge  = pfc.Address{0x01, 0x80, 0xc2, 0x00, 0x00, 0x03}
	nearestCustomerBridge = pfc.Address{0x01, 0x80, 0xc2, 0x00, 0x00, 0x00}
)

// Frame is an Ethernet frame with LLDP, without check sequence.
type Frame struct {
	Destination pfc.Address
	Source      pfc.Address
	// Tagged says that the frame has a VLAN tag, which is Tag. Some switches send LLDP with a tag of VLAN 0 that has
	// the priority alone.
	Tagged bool
	Tag    uint16
	PDU    PDU
}

const (
	etherTypeTag  = 0x8100
	headBytes     = 14
	tagBytes      = 4
	shortestFrame = 60 // without check sequence
)

// DecodeFrame reads an Ethernet frame without check sequence, as captures have it. Another ethertype and a destination
// that is not one of LLDP's groups are refused.
func DecodeFrame(data []byte) (Frame, error) {
	var f Frame
	if len(data) < headBytes {
		return f, &malformed{"the frame", count(len(data)), "at least 14 bytes of addresses and ethertype"}
	}
	f.Destination, f.Source = pfc.Address(data[:6]), pfc.Address(data[6:12])
	kind, rest := binary.BigEndian.Uint16(data[12:]), data[headBytes:]
	if kind == etherTypeTag && len(rest) >= tagBytes {
		f.Tagged, f.Tag = true, binary.BigEndian.Uint16(rest)
		kind, rest = binary.BigEndian.Uint16(rest[2:]), rest[tagBytes:]
	}
	if kind != EtherType {
		return f, &malformed{"the ethertype", fmt.Sprintf("0x%04x", kind), "0x88cc, LLDP, with at most one VLAN tag"}
	}
	switch f.Destination {
	case NearestBridge, nearestNonTPMRBridge, nearestCustomerBridge:
	default:
		return f, &malformed{"the destination", f.Destination.String(),
			"01-80-c2-00-00-0e, -03 or -00, the groups of LLDP"}
	}
	var err error
	f.PDU, err = Decode(rest)
	return f, err
}

// AppendTo appends the frame, padded to the 60 bytes that the shortest frame has.
func (f *Frame) AppendTo(dst []byte) ([]byte, error) {
	begin := len(dst)
	dst = append(append(dst, f.Destination[:]...), f.Source[:]...)
	if f.Tagged {
		dst = binary.BigEndian.AppendUint16(dst, etherTypeTag)
		dst = binary.BigEndian.AppendUint16(dst, f.Tag)
	}
	dst, err := f.PDU.AppendTo(binary.BigEndian.AppendUint16(dst, EtherType))
	if err != nil {
		return dst[:begin], err
	}
	for len(dst)-begin < shortestFrame {
		dst = append(dst, 0)
	}
	return dst, nil
}
