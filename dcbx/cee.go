package dcbx

import (
	"encoding/binary"
	"fmt"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/pfc"
)

// ouiCEE is the OUI of DCBX before IEEE's, which is Intel's.
var ouiCEE = [3]byte{0x00, 0x1b, 0x21}

// The subtypes of the TLV: the version of DCBX.
const (
	subtypeCIN = 1 // DCBX 1.0, of Cisco, Intel and Nuova
	subtypeCEE = 2 // DCBX 1.01, converged enhanced Ethernet
)

// The types of the TLVs inside CEE's TLV. CIN has the same control, groups and PFC, with other contents.
const (
	ceeControl     Type = 1
	ceeGroups      Type = 2
	ceePFC         Type = 3
	ceeApplication Type = 4
)

// StrictGroup is the priority group of priorities without a limit of bandwidth: they send before all groups with one.
const StrictGroup = 15

// Control is CEE's TLV by which the ends number and acknowledge what they send.
type Control struct {
	OperVersion, MaxVersion uint8
	Sequence                uint32 // number of the sender's present configuration
	Acknowledged            uint32 // number of the receiver's configuration that the sender has used
}

// Feature is what the TLVs of CEE's features begin with.
type Feature struct {
	OperVersion, MaxVersion uint8
	Enabled                 bool
	Willing                 bool // the sender takes over the receiver's configuration
	Error                   bool // the sender found that the ends disagree, or could not use the received values
	Reserved                uint8
	Subtype                 uint8
}

// featureBytes is the length of a Feature.
const featureBytes = 4

// readFeature reads a Feature.
func readFeature(b []byte) Feature {
	return Feature{b[0], b[1], b[2]>>7 == 1, b[2]>>6&1 == 1, b[2]>>5&1 == 1, b[2] & 0x1f, b[3]}
}

// appendTo appends the feature's bytes.
func (f *Feature) appendTo(b []byte) []byte {
	return append(b, f.OperVersion, f.MaxVersion,
		flag(f.Enabled, 7)|flag(f.Willing, 6)|flag(f.Error, 5)|f.Reserved&0x1f, f.Subtype)
}

// fits complains of reserved bits that are more than five.
func (f *Feature) fits(bad *fielderr.List) { bad.Within("reserved bits", int64(f.Reserved), 0, 0x1f) }

// PriorityGroups is CEE's configuration of bandwidths.
type PriorityGroups struct {
	Feature
	// Group is the priority group of each priority: 0 to 7, or [StrictGroup]. 8 to 14 are reserved.
	Group [pfc.PerLink]uint8
	// Bandwidth is the part of the link that each group has, in percent; the sum is 100.
	Bandwidth [MaxClasses]uint8
	Classes   uint8 // traffic classes that the sender supports
}

// CEEPFC is CEE's configuration of priority flow control.
type CEEPFC struct {
	Feature
	Priorities pfc.Priorities // with PFC; the TLV's own Enabled is about the whole feature
	Classes    uint8          // traffic classes that can have PFC
}

// CEEAssignment gives the traffic of a protocol priorities.
type CEEAssignment struct {
	Protocol   uint16 // an ethertype or a port
	Selector   uint8  // 0: an ethertype, 1: a port of TCP or UDP; 2 and 3 are reserved
	OUI        [3]byte
	Priorities pfc.Priorities
}

// CEEApplication is CEE's table of priorities of protocols.
type CEEApplication struct {
	Feature
	Assignments []CEEAssignment
}

// CEE is what a TLV of DCBX 1.01 has inside.
type CEE struct {
	Control     *Control
	Groups      *PriorityGroups
	PFC         *CEEPFC
	Application *CEEApplication
	// Other are the TLVs inside that are not known, and those that could not be read; in order.
	Other []TLV
}

// readCEE reads the value behind OUI and subtype. A repeated TLV inside is ignored both times: which of the
// two holds is not known (inferred: lldpad marks the feature as in error).
func readCEE(b []byte) (*CEE, error) {
	tlvs, err := split(b, false)
	if err != nil {
		return nil, err
	}
	var bad fielderr.List
	c, seen := &CEE{}, map[Type]int{}
	for _, t := range tlvs {
		seen[t.Type]++
	}
	for _, t := range tlvs {
		known := t.Type >= ceeControl && t.Type <= ceeApplication
		var err error
		switch n := seen[t.Type]; {
		case known && n > 1:
			bad.Addf("the TLV %d inside CEE's is there %d times", t.Type, n)
			seen[t.Type] = -1 // one complaint is enough
			known = false
		case known && n < 0:
			known = false
		case known:
			err = c.read(t)
		}
		if bad.Join(err); err != nil || !known {
			c.Other = append(c.Other, t)
		}
	}
	return c, bad.Err()
}

// read reads one TLV inside.
func (c *CEE) read(t TLV) (err error) {
	b := t.Value
	switch t.Type {
	case ceeControl:
		if err = length("CEE's control", b, 10); err == nil {
			c.Control = &Control{b[0], b[1], binary.BigEndian.Uint32(b[2:]), binary.BigEndian.Uint32(b[6:])}
		}
	case ceeGroups:
		if err = length("CEE's priority groups", b, featureBytes+13); err == nil {
			c.Groups = &PriorityGroups{readFeature(b), readHalves(b[4:]), [MaxClasses]uint8(b[8:]), b[16]}
		}
	case ceePFC:
		if err = length("CEE's PFC", b, featureBytes+2); err == nil {
			c.PFC = &CEEPFC{readFeature(b), pfc.Priorities(b[4]), b[5]}
		}
	case ceeApplication:
		c.Application, err = readCEEApplication(b)
	}
	return err
}

// readCEEApplication reads the value of CEE's TLV of applications. Three bytes have the OUI and, in the two bits of the
// first byte that every OUI has as 0, the selector.
func readCEEApplication(b []byte) (*CEEApplication, error) {
	if len(b) < featureBytes || (len(b)-featureBytes)%6 != 0 {
		return nil, &malformed{"CEE's TLV of applications", count(len(b)), "4 bytes and 6 for each application"}
	}
	a := &CEEApplication{Feature: readFeature(b)}
	for b = b[featureBytes:]; len(b) > 0; b = b[6:] {
		a.Assignments = append(a.Assignments, CEEAssignment{binary.BigEndian.Uint16(b), b[2] & 3,
			[3]byte{b[2] &^ 3, b[3], b[4]}, pfc.Priorities(b[5])})
	}
	return a, nil
}

// TLV returns the CEE TLV: control first, then the features, then the others. It refuses values that the fields have no
// room for.
func (c *CEE) TLV() (TLV, error) {
	var bad fielderr.List
	var inside []TLV
	if x := c.Control; x != nil {
		b := binary.BigEndian.AppendUint32([]byte{x.OperVersion, x.MaxVersion}, x.Sequence)
		inside = append(inside, TLV{ceeControl, binary.BigEndian.AppendUint32(b, x.Acknowledged)})
	}
	if g := c.Groups; g != nil {
		g.fits(&bad)
		for p, n := range g.Group {
			bad.Within(fmt.Sprintf("group of priority %d", p), int64(n), 0, 15)
		}
		b := appendHalves(g.appendTo(nil), &g.Group)
		inside = append(inside, TLV{ceeGroups, append(append(b, g.Bandwidth[:]...), g.Classes)})
	}
	if p := c.PFC; p != nil {
		p.fits(&bad)
		inside = append(inside, TLV{ceePFC, append(p.appendTo(nil), byte(p.Priorities), p.Classes)})
	}
	if a := c.Application; a != nil {
		a.fits(&bad)
		b := a.appendTo(nil)
		for i, x := range a.Assignments {
			bad.Within(fmt.Sprintf("selector of assignment %d", i), int64(x.Selector), 0, 3)
			bad.Check(x.OUI[0]&3 == 0, fmt.Sprintf("OUI of assignment %d", i), x.OUI, "two low bits of 0")
			b = append(binary.BigEndian.AppendUint16(b, x.Protocol), x.OUI[0]&^3|x.Selector&3, x.OUI[1], x.OUI[2],
				byte(x.Priorities))
		}
		inside = append(inside, TLV{ceeApplication, b})
	}
	var value []byte
	for _, t := range append(inside, c.Other...) {
		var err error
		value, err = t.appendTo(value)
		bad.Join(err)
	}
	bad.Check(len(value)+4 <= maxLength, "CEE's TLV", count(len(value)+4), "at most 511 bytes")
	return organisation(ouiCEE, subtypeCEE, value), bad.Err()
}

// CIN is what is read of a TLV of DCBX 1.0.
type CIN struct {
	Control *Control
	PFC     *Feature
	// Priorities are those with PFC; without a TLV of PFC no priority has it.
	Priorities pfc.Priorities
	Other      []TLV // the other TLVs inside; in order
}

// readCIN reads the value behind OUI and subtype.
func readCIN(b []byte) (*CIN, error) {
	tlvs, err := split(b, false)
	if err != nil {
		return nil, err
	}
	c := &CIN{}
	for _, t := range tlvs {
		switch {
		case t.Type == ceeControl && len(t.Value) == 10 && c.Control == nil:
			v := t.Value
			c.Control = &Control{v[0], v[1], binary.BigEndian.Uint32(v[2:]), binary.BigEndian.Uint32(v[6:])}
		case t.Type == ceePFC && len(t.Value) == featureBytes+1 && c.PFC == nil:
			f := readFeature(t.Value)
			c.PFC, c.Priorities = &f, pfc.Priorities(t.Value[4])
		default:
			c.Other = append(c.Other, t)
		}
	}
	return c, nil
}
