package dcbx

import (
	"encoding/binary"
	"fmt"

	"github.com/cellwarden/cellwarden/pfc"
)

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
