package dcbx

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/pfc"
)

// The subtypes of IEEE 802.1's TLVs (OUI 00-80-C2) that are DCBX (IEEE 802.1Q-2018, table D-1).
const (
	subtypeETSConfiguration  = 9
	subtypeETSRecommendation = 10
	subtypePFC               = 11
	subtypeApplication       = 12
)

// ouiIEEE is the OUI of IEEE 802.1.
var ouiIEEE = [3]byte{0x00, 0x80, 0xc2}

// MaxClasses is the number of traffic classes that a port can have.
const MaxClasses = 8

// Selection is the algorithm by which a traffic class is chosen to send (TSA).
type Selection uint8

// The algorithms (IEEE 802.1Q-2018, table 8-6). Other numbers are reserved; they are kept.
const (
	Strict      Selection = 0
	CreditBased Selection = 1 // the credit-based shaper of 802.1Qav
	Enhanced    Selection = 2 // ETS: a part of the bandwidth
	Vendor      Selection = 255
)

// String prints the name of the algorithm.
func (s Selection) String() string {
	names := [...]string{Strict: "strict", CreditBased: "credit-based", Enhanced: "ets", Vendor: "vendor"}
	return cmp.Or(names[s], fmt.Sprintf("reserved %d", uint8(s)))
}

// Table is what both TLVs of ETS have: which priority is in which traffic class, and how the classes share the link.
type Table struct {
	// Class is the traffic class of each priority, 0 to 7. The field has four bits; 8 to 15 are reserved.
	Class [pfc.PerLink]uint8
	// Bandwidth is the part of the link that each class has, in percent. It counts for [Enhanced] classes alone, whose
	// sum is 100.
	Bandwidth [MaxClasses]uint8
	Selection [MaxClasses]Selection
}

// tableBytes is the length of a Table.
const tableBytes = 4 + MaxClasses + MaxClasses

// readTable reads a table from its 20 bytes.
func readTable(b []byte) (t Table) {
	t.Class = readHalves(b)
	for c := range t.Bandwidth {
		t.Bandwidth[c], t.Selection[c] = b[4+c], Selection(b[12+c])
	}
	return t
}

// readHalves reads four bits of each priority: an even one has the high half of a byte.
func readHalves(b []byte) (of [pfc.PerLink]uint8) {
	for p := range of {
		of[p] = b[p/2] >> (4 * (1 - p%2)) & 0xf
	}
	return of
}

// appendHalves appends what readHalves reads.
func appendHalves(b []byte, of *[pfc.PerLink]uint8) []byte {
	for p := 0; p < len(of); p += 2 {
		b = append(b, of[p]<<4|of[p+1]&0xf)
	}
	return b
}

// appendTo appends the table's 20 bytes.
func (t *Table) appendTo(b []byte) []byte {
	b = append(appendHalves(b, &t.Class), t.Bandwidth[:]...)
	for _, s := range t.Selection {
		b = append(b, byte(s))
	}
	return b
}

// Used returns the traffic classes that some priority is in, bit N for class N. Reserved numbers are left out.
func (t *Table) Used() (set uint8) {
	for _, c := range t.Class {
		if c < MaxClasses {
			set |= 1 << c
		}
	}
	return set
}

// Validate returns nil, or what the standard does not allow: a reserved class or algorithm, and bandwidths whose sum is
// not 100. A table without any [Enhanced] class has no bandwidths.
func (t *Table) Validate() error {
	var bad fielderr.List
	sum, enhanced := 0, false
	for p, c := range t.Class {
		if c >= MaxClasses {
			bad.Add(fmt.Sprintf("priority %d", p), fmt.Sprintf("traffic class %d", c), "0 to 7")
		}
	}
	for c, s := range t.Selection {
		switch s {
		case Enhanced:
			sum, enhanced = sum+int(t.Bandwidth[c]), true
		case Strict, CreditBased, Vendor:
		default:
			bad.Add(fmt.Sprintf("traffic class %d", c), s.String(), "strict, credit-based, ets, vendor")
		}
	}
	if enhanced && sum != 100 {
		bad.Add("bandwidths of the ets classes", fmt.Sprintf("%d %%", sum), "100 % in sum")
	}
	return bad.Err()
}

// ETSConfiguration is what the sender's own port uses (D.2.8).
type ETSConfiguration struct {
	Willing     bool // the sender takes over what the receiver recommends
	CreditBased bool // the sender has the credit-based shaper
	Reserved    uint8
	MaxTCs      uint8 // traffic classes that the sender supports, 1 to 8; the TLV has 0 for 8
	Table
}

// readETSConfiguration reads the value behind OUI and subtype.
func readETSConfiguration(b []byte) (*ETSConfiguration, error) {
	if err := length("ETS configuration", b, 1+tableBytes); err != nil {
		return nil, err
	}
	e := &ETSConfiguration{Willing: b[0]>>7 == 1, CreditBased: b[0]>>6&1 == 1, Reserved: b[0] >> 3 & 7,
		MaxTCs: b[0] & 7, Table: readTable(b[1:])}
	if e.MaxTCs == 0 {
		e.MaxTCs = MaxClasses
	}
	return e, nil
}

// TLV returns the configuration as a TLV. It refuses values that the fields have no room for.
func (e *ETSConfiguration) TLV() (TLV, error) {
	var bad fielderr.List
	bad.Within("max TCs", int64(e.MaxTCs), 1, MaxClasses)
	bad.Within("reserved bits", int64(e.Reserved), 0, 7)
	e.fits(&bad)
	first := flag(e.Willing, 7) | flag(e.CreditBased, 6) | e.Reserved<<3 | e.MaxTCs&7
	return organisation(ouiIEEE, subtypeETSConfiguration, e.appendTo([]byte{first})), bad.Err()
}

// fits complains of classes that four bits do not hold.
func (t *Table) fits(bad *fielderr.List) {
	for p, c := range t.Class {
		bad.Within(fmt.Sprintf("class of priority %d", p), int64(c), 0, 15)
	}
}

// ETSRecommendation is what the sender recommends for the receiver's port (D.2.9).
type ETSRecommendation struct {
	Reserved uint8
	Table
}

// readETSRecommendation reads the value behind OUI and subtype.
func readETSRecommendation(b []byte) (*ETSRecommendation, error) {
	if err := length("ETS recommendation", b, 1+tableBytes); err != nil {
		return nil, err
	}
	return &ETSRecommendation{b[0], readTable(b[1:])}, nil
}

// TLV returns the recommendation as a TLV. It refuses values that the fields have no room for.
func (e *ETSRecommendation) TLV() (TLV, error) {
	var bad fielderr.List
	e.fits(&bad)
	return organisation(ouiIEEE, subtypeETSRecommendation, e.appendTo([]byte{e.Reserved})), bad.Err()
}

// PFC is the sender's configuration of priority flow control (D.2.10).
type PFC struct {
	Willing bool // the sender takes over the receiver's priorities
	Bypass  bool // the sender can send pauses around MACsec (MBC)
	// Reserved are two bits, which are 0.
	Reserved uint8
	// Capability is the number of traffic classes that can have PFC at the same time. The field has four bits; more
	// than 8 is reserved.
	Capability uint8
	Enabled    pfc.Priorities
}

// readPFC reads the value behind OUI and subtype.
func readPFC(b []byte) (*PFC, error) {
	if err := length("PFC", b, 2); err != nil {
		return nil, err
	}
	return &PFC{b[0]>>7 == 1, b[0]>>6&1 == 1, b[0] >> 4 & 3, b[0] & 0xf, pfc.Priorities(b[1])}, nil
}

// TLV returns the configuration as a TLV. It refuses values that the fields have no room for.
func (p *PFC) TLV() (TLV, error) {
	var bad fielderr.List
	bad.Within("capability", int64(p.Capability), 0, 15)
	bad.Within("reserved bits", int64(p.Reserved), 0, 3)
	first := flag(p.Willing, 7) | flag(p.Bypass, 6) | p.Reserved<<4&0x30 | p.Capability&0xf
	return organisation(ouiIEEE, subtypePFC, []byte{first, byte(p.Enabled)}), bad.Err()
}

// Selector says what Protocol of an [Assignment] is.
type Selector uint8

// The selectors (IEEE 802.1Q-2018, table D-9; DSCP by 802.1Qcd). Others are reserved; they are kept.
const (
	ByEtherType Selector = 1
	byTCP       Selector = 2 // the port of TCP or SCTP
	ByUDP       Selector = 3 // the port of UDP or DCCP
	byPort      Selector = 4 // the port of TCP, SCTP, UDP or DCCP
	byDSCP      Selector = 5
)

// String prints what the selector selects by.
func (s Selector) String() string {
	names := [256]string{ByEtherType: "ethertype", byTCP: "tcp", ByUDP: "udp", byPort: "port", byDSCP: "dscp"}
	return cmp.Or(names[s], fmt.Sprintf("reserved %d", uint8(s)))
}

// Assignment gives the traffic of a protocol a priority.
type Assignment struct {
	Priority uint8 // 0 to 7
	Reserved uint8 // two bits, which are 0
	Selector Selector
	Protocol uint16 // an ethertype, a port or a DSCP
}

// Application is the table of priorities of protocols (D.2.11). The receiver learns it; nobody has to take it over.
type Application struct {
	Reserved    uint8
	Assignments []Assignment
}

// readApplication reads the value behind OUI and subtype.
func readApplication(b []byte) (*Application, error) {
	if len(b) < 1 || (len(b)-1)%3 != 0 {
		return nil, &malformed{"the TLV of applications", count(len(b)), "1 byte and 3 for each application"}
	}
	a := &Application{Reserved: b[0]}
	for b = b[1:]; len(b) > 0; b = b[3:] {
		a.Assignments = append(a.Assignments,
			Assignment{b[0] >> 5, b[0] >> 3 & 3, Selector(b[0] & 7), binary.BigEndian.Uint16(b[1:])})
	}
	return a, nil
}

// TLV returns the table as a TLV. It refuses values that the fields have no room for.
func (a *Application) TLV() (TLV, error) {
	var bad fielderr.List
	bad.Within("assignments", int64(len(a.Assignments)), 0, (maxLength-5)/3)
	b := []byte{a.Reserved}
	for i, x := range a.Assignments {
		bad.Within(fmt.Sprintf("priority of assignment %d", i), int64(x.Priority), 0, 7)
		bad.Within(fmt.Sprintf("reserved bits of assignment %d", i), int64(x.Reserved), 0, 3)
		bad.Within(fmt.Sprintf("selector of assignment %d", i), int64(x.Selector), 0, 7)
		b = append(b, x.Priority<<5|x.Reserved&3<<3|byte(x.Selector)&7)
		b = binary.BigEndian.AppendUint16(b, x.Protocol)
	}
	return organisation(ouiIEEE, subtypeApplication, b), bad.Err()
}

// length refuses a value of another length than a TLV of fixed length has.
func length(name string, b []byte, want int) error {
	if len(b) == want {
		return nil
	}
	return &malformed{"the TLV of " + name, count(len(b)), count(want) + " behind OUI and subtype"}
}

// organisation returns an organisationally specific TLV.
func organisation(oui [3]byte, subtype byte, value []byte) TLV {
	return TLV{TypeOrganisation, append([]byte{oui[0], oui[1], oui[2], subtype}, value...)}
}

// flag returns a bit at its place.
func flag(set bool, place int) byte {
	if set {
		return 1 << place
	}
	return 0
}
