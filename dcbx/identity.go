package dcbx

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// ID names a chassis or a port: a kind of name, and the name. The same number is another kind for a chassis than for a
// port.
type ID struct {
	Subtype byte
	Value   string // bytes, which need not be text
}

// The kinds of names that this package makes and prints (IEEE 802.1AB-2016, tables 8-2 and 8-3).
const (
	ChassisAddress  = 4 // a MAC address
	PortAddress     = 3 // a MAC address
	PortInterface   = 5 // the name of the interface
	LocallyAssigned = 7 // a name of the operator, for chassis and port
)

// text prints the name: a MAC address as such, a name as it is if it prints, and other bytes in hexadecimal.
func (id ID) text(address byte) string {
	if id.Subtype == address && len(id.Value) == len(pfc.Address{}) {
		return pfc.Address([]byte(id.Value)).String()
	}
	odd := func(r rune) bool { return r < ' ' || r > '~' }
	if id.Value == "" || strings.ContainsFunc(id.Value, odd) {
		return fmt.Sprintf("%d:%s", id.Subtype, hex.EncodeToString([]byte(id.Value)))
	}
	return id.Value
}

// Neighbour names the sender of an LLDPDU: chassis and port together (802.1AB's MSAP identifier).
type Neighbour struct{ Chassis, Port ID }

// String prints "leaf1 Ethernet49", or the address once if chassis and port are named by the same one.
func (n Neighbour) String() string {
	if chassis, port := n.ChassisName(), n.PortName(); chassis != port {
		return chassis + " " + port
	}
	return n.PortName()
}

// PortName returns the name of the port as text.
func (n Neighbour) PortName() string { return n.Port.text(PortAddress) }

// ChassisName returns the name of the chassis as text.
func (n Neighbour) ChassisName() string { return n.Chassis.text(ChassisAddress) }

// Sender returns the names of the PDU's sender. The PDU must be valid.
func (p *PDU) Sender() Neighbour {
	id := func(v []byte) ID {
		if len(v) == 0 {
			return ID{}
		}
		return ID{v[0], string(v[1:])}
	}
	return Neighbour{id(p.first(typeChassis)), id(p.first(typePort))}
}

// TimeToLive returns for how long the receiver may use the PDU. 0 ends the use at once: the sender goes down. The PDU
// must be valid.
func (p *PDU) TimeToLive() unit.Time {
	v := p.first(typeTimeToLive)
	if len(v) != 2 {
		return 0
	}
	return unit.Time(binary.BigEndian.Uint16(v)) * unit.Second
}

// SystemName returns the name of the sender's system; "" without one.
func (p *PDU) SystemName() string { return string(p.first(TypeSystemName)) }

// ouiEthernet is the OUI of IEEE 802.3's TLVs.
var ouiEthernet = [3]byte{0x00, 0x12, 0x0f}

// maximumFrame is the subtype of IEEE 802.3's TLV with the longest frame (802.3-2018, 79.3.4).
const maximumFrame = 4

// MaxFrame returns the longest frame that the sender's port supports, from destination address to check sequence;
// absent if the PDU does not say it.
func (p *PDU) MaxFrame() (frame unit.Optional[unit.Bytes]) {
	for i := range p.TLVs {
		t := &p.TLVs[i]
		if oui, subtype, ok := t.Organisation(); ok && oui == ouiEthernet && subtype == maximumFrame &&
			len(t.Value) == 6 {
			return unit.Given(unit.Bytes(binary.BigEndian.Uint16(t.Value[4:])))
		}
	}
	return frame
}

// Mandatory returns the three TLVs that every LLDPDU begins with. The time to live is rounded down to whole seconds and
// is at most 65,535 seconds.
func Mandatory(n Neighbour, timeToLive unit.Time) []TLV {
	seconds := min(max(timeToLive/unit.Second, 0), 0xffff)
	id := func(t Type, id ID) TLV { return TLV{t, append([]byte{id.Subtype}, id.Value...)} }
	return []TLV{id(typeChassis, n.Chassis), id(typePort, n.Port),
		{typeTimeToLive, binary.BigEndian.AppendUint16(nil, uint16(seconds))}}
}
