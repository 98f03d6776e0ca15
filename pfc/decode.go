package pfc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// ErrMalformed is wrapped by every error of [Decode] and [DecodeLinkPause]. The
// details are in a [FieldError].
var ErrMalformed = errors.New("malformed frame")

// Field is the name of a field of a frame.
type Field string

// The fields that can be wrong, in the order in which they are looked at.
const (
	FieldLength      Field = "length"
	FieldFCS         Field = "frame check sequence"
	FieldEtherType   Field = "ethertype"
	FieldDestination Field = "destination"
	FieldOpcode      Field = "opcode"
	FieldVector      Field = "class-enable vector"
)

// FieldError is the error of a frame with a wrong field.
type FieldError struct {
	Field    Field
	Value    string // value in the frame: "0x8100"
	Accepted string // accepted value: "0x8808"
}

// Error returns the field, its value and what is accepted.
func (e *FieldError) Error() string {
	return fmt.Sprintf("%v: %s is %s (accepted: %s)", ErrMalformed, e.Field, e.Value, e.Accepted)
}

// Unwrap returns [ErrMalformed].
func (e *FieldError) Unwrap() error { return ErrMalformed }

// Decode reads a PFC frame. The data begins with the destination address and
// has at least 64 bytes with FCS and 60 without. 64 bytes that are read without
// FCS are accepted, and their last four bytes ignored.
//
// Decode ignores the source address and what follows the times. The standard
// makes the sender fill the rest with zeros and the receiver not use it, so
// other bytes and more bytes are accepted (inferred: clause 31 was not
// available to check whether a receiver may object). Everything that a receiver
// must not act on is refused with a [FieldError]: too few bytes, a wrong check
// sequence, another destination, a VLAN tag, another opcode, a vector whose
// high byte is not 0.
func Decode(data []byte, fcs FCS) (Frame, error) {
	if err := check(data, fcs, OpcodePFC); err != nil {
		return Frame{}, err
	}
	vector := binary.BigEndian.Uint16(data[atVector:])
	if vector > uint16(All) {
		return Frame{}, &FieldError{FieldVector, hex16(vector), "0x0000 to 0x00ff: the high byte is 0"}
	}
	f := Frame{Source: Address(data[atSource:atType]), Enabled: Priorities(vector)}
	for p := range f.Quanta {
		f.Quanta[p] = binary.BigEndian.Uint16(data[atTimes+2*p:])
	}
	return f, nil
}

// DecodeLinkPause reads a PAUSE frame with the rules of [Decode]. A PAUSE frame
// to a station's own address, which annex 31B allows, is refused.
func DecodeLinkPause(data []byte, fcs FCS) (LinkPause, error) {
	if err := check(data, fcs, OpcodeLinkPause); err != nil {
		return LinkPause{}, err
	}
	return LinkPause{Source: Address(data[atSource:atType]), Quanta: binary.BigEndian.Uint16(data[atTime:])}, nil
}

// check returns the first complaint about what all control frames have in
// common. One is enough: after a wrong field the others have no meaning.
func check(data []byte, fcs FCS, opcode uint16) error {
	if len(data) < fcs.size() {
		return &FieldError{FieldLength, fmt.Sprintf("%d bytes", len(data)),
			"at least 64 with its check sequence, 60 without"}
	}
	if fcs == WithFCS {
		if err := checkFCS(data); err != nil {
			return err
		}
	}
	if t := binary.BigEndian.Uint16(data[atType:]); t != EtherType {
		return wrongType(t)
	}
	if a := Address(data[:atSource]); a != Destination {
		return &FieldError{FieldDestination, a.String(), Destination.String()}
	}
	if o := binary.BigEndian.Uint16(data[atOpcode:]); o != opcode {
		return wrongOpcode(o, opcode)
	}
	return nil
}

// checkFCS compares the frame check sequence with the frame.
func checkFCS(data []byte) error {
	body := data[:len(data)-fcsBytes]
	found, want := binary.LittleEndian.Uint32(data[len(body):]), crc32.ChecksumIEEE(body)
	if found == want {
		return nil
	}
	return &FieldError{FieldFCS, fmt.Sprintf("0x%08x", found), fmt.Sprintf(
		"0x%08x, the CRC-32 of the %d bytes before it", want, len(body))}
}

// wrongType returns the error of another ethertype; the likely mistake is a
// VLAN tag.
func wrongType(t uint16) error {
	value := hex16(t)
	switch t {
	case 0x8100, 0x88a8, 0x9100:
		value += ", a VLAN tag"
	}
	return &FieldError{FieldEtherType, value, "0x8808, MAC control, which is never tagged"}
}

// wrongOpcode returns the error of another opcode; the likely mistake is the
// other kind of pause.
func wrongOpcode(o, want uint16) error {
	names := map[uint16]string{OpcodePFC: ", priority flow control", OpcodeLinkPause: ", PAUSE of the whole link"}
	return &FieldError{FieldOpcode, hex16(o) + names[o], hex16(want) + names[want]}
}

// hex16 prints a field of two bytes.
func hex16(v uint16) string { return fmt.Sprintf("0x%04x", v) }
