package buffer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Plan is an intent admitted into its chip, or refused, with every cell
// accounted for. Its slices are sorted. Package report writes it as a document.
type Plan struct {
	Fits           bool // every port is admitted
	PortCount      int  // ports of the intent, admitted or not
	LosslessGroups int  // lossless groups of all these ports
	ChannelCount   int  // and virtual channels with credits (CBFC)
	Chip           ChipSummary
	Sizing         Sizing
	Shared         *SharedRatio // nil: headroom is dedicated
	// Ports says to which ingress pipe each port was planned, sorted by name; empty on a chip with one pipe.
	Ports []Placed
	// Placements are the ways to place the ports whose pipe is assumed, with what
	// fits in each, the plan's own first; empty if the intent gives every pipe.
	Placements []Placement
	Slices     []SliceBill
	Groups     []Group     // of admitted ports; a row for each slice that it is charged in
	Channels   []Channel   // virtual channels of admitted ports, likewise; empty without credits
	Marking    []Marking   // of the classes that mark packets
	Egress     []EgressRow // of the lossless classes whose egress pool is stated
	// Trim counts the queues for the rests of trimmed packets, by the speeds of the ports; empty without trimming.
	Trim []trimRow
	// Schedules are how ports share their bandwidth by groups; empty without groups.
	Schedules []PortSchedule
	Bill      []BillRow  // sums to the chip's total
	Refusals  []*Refusal // one for each refused port, in the order in which they were served
	Warnings  []string   // what matters for this plan
	Notes     []string   // on the chip's numbers: the same for every plan of the chip

	admission *Admission // as it was when the plan was made
}

// ChipSummary is the chip that was planned for.
type ChipSummary struct {
	Name       string
	Cell       cells.Size
	TotalCells cells.Count
	// PortOwnsHeadroom is that of the chip: see [Chip.PortOwnsHeadroom].
	PortOwnsHeadroom bool
}

// Sizing is how the headroom of each kind of port came about.
type Sizing struct {
	Method string
	Mix    thresholds.Mix // frames assumed to fill every headroom; zero: the kinds differ, or the method does not say
	Kinds  []Sized
}

// Sized is the headroom of one class on ports of one speed, cable and MTU.
type Sized struct {
	Class           string
	thresholds.Link                // of each of these ports, for the class
	Mix             thresholds.Mix // frames assumed to fill the headroom; zero: the method does not say

	Granted cells.Count            // headroom of a group as the chip holds it
	Worst   thresholds.WorstCase   // what the link can bring
	Enough  thresholds.Sufficiency // whether Granted is enough for it

	Cells    cells.Count // headroom of a group, before the chip rounds it
	XOFF     unit.Bytes
	BitTimes int64 // sum of the delays; 0: the method does not reckon with time
	Terms    []thresholds.Term
}

// SharedRatio says how far a shared headroom pool is oversubscribed.
type SharedRatio struct {
	PoolCells  cells.Count // of all slices
	GroupCells cells.Count // headroom of all groups asked for, each once
	Ratio      Ratio       // GroupCells to PoolCells
	Worst      Ratio       // of the slice with the greatest ratio
	WorstSlice int
	Largest    cells.Count // headroom of the largest group
	AtOnce     cells.Count // how many of the largest can be full in the worst slice at the same time
}

// Oversubscribed tells whether not all groups of some slice can have their headroom at once. Of nil, which is no shared
// pool, it is false.
func (r *SharedRatio) Oversubscribed() bool { return r != nil && r.Worst.Of > r.Worst.To }

// Ratio is a quotient of cells; String rounds it to two places.
type Ratio struct{ Of, To cells.Count }

// String prints "4.10:1".
func (r Ratio) String() string {
	if r.To == 0 {
		return "0.00:1"
	}
	hundredths := (r.Of*100 + r.To/2) / r.To
	return fmt.Sprintf("%d.%02d:1", hundredths/100, hundredths%100)
}

// MarshalText writes what String prints.
func (r Ratio) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what String prints: two places are left of the quotient. Anything else is refused.
func (r *Ratio) UnmarshalText(text []byte) error {
	whole, places, _ := strings.Cut(strings.TrimSuffix(string(text), ":1"), ".")
	n, err := strconv.ParseInt(whole+places, 10, 64)
	read := Ratio{Of: cells.Count(n), To: 100}
	if err != nil || n < 0 || read.String() != string(text) {
		return fmt.Errorf("%s is no ratio (want one such as 4.10:1)", strconv.Quote(string(text)[:min(len(text), 40)]))
	}
	*r = read
	return nil
}

// Group is what one priority group has in one slice. A switch has thousands of groups, and few kinds of them: each row
// says where it is, and points to what it has.
type Group struct {
	Port  string
	Group int
	Slice int
	*GroupGrant
}

// GroupGrant is what a priority group has in each of its slices. The ports of a kind share it: a change of one is a
// change of all. Compare the grants of two rows by their values.
type GroupGrant struct {
	Class     string
	Lossless  bool // with headroom, and paused (PFC)
	Reserved  cells.Count
	Headroom  cells.Count
	XOFF      unit.Bytes
	XONOffset cells.Count
	Limit     thresholds.Limit // on shared cells; a static one is of one slice

	// As asked for, and as the chip holds it in whole cells: up for what has to hold something, down for limits.
	ReservedAsked    unit.Bytes
	ReservedGranted  unit.Bytes
	HeadroomAsked    unit.Bytes
	HeadroomGranted  unit.Bytes
	XONOffsetAsked   unit.Bytes
	XONOffsetGranted unit.Bytes
	StaticAsked      unit.Bytes // a slice's part of the class's static limit; 0: it has none
	StaticGranted    unit.Bytes
}

// New plans an intent. The error says that the intent is malformed or cannot be sized (errors.Is ErrInvalid); an intent
// that does not fit gives a plan with Refusals.
func New(in Intent) (*Plan, error) { return NewUntil(func() error { return nil }, in) }

// NewUntil is New that ends when stop returns an error, such as the Err of a context, and returns that error. stop is
// called before each kind of port is explained, and between the intents that are tried for remedies: of a switch with
// thousands of ports that all differ every few milliseconds.
func NewUntil(stop func() error, in Intent) (*Plan, error) {
	if err := stop(); err != nil {
		return nil, err
	}
	a, err := NewAdmission(in)
	if err != nil {
		return nil, err
	}
	return a.planUntil(stop, a) // nobody else has it
}

// Err returns nil for a plan that fits, else its first refusal.
func (p *Plan) Err() error {
	if len(p.Refusals) == 0 {
		return nil
	}
	return p.Refusals[0]
}

// Layout returns the registers that a device must hold for the plan: those of its admitted ports and of the pools.
func (p *Plan) Layout() Layout { return p.admission.layout() }
