package buffer

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Schema names the form in which a Plan is written as JSON.
const Schema = "cellwarden.plan/v1"

// Plan is an intent admitted into its chip, or refused, with every cell
// accounted for. Its slices are sorted; its JSON is the published document.
type Plan struct {
	Schema   string       `json:"schema"`
	Fits     bool         `json:"fits"` // every port is admitted
	Chip     ChipSummary  `json:"chip"`
	Sizing   Sizing       `json:"headroom"`
	Shared   *SharedRatio `json:"shared_headroom,omitempty"` // nil: headroom is dedicated
	Slices   []SliceBill  `json:"slices"`
	Groups   []Group      `json:"groups"`  // of admitted ports; a row for each slice that it is charged in
	Marking  []Marking    `json:"marking"` // of the classes that mark packets
	Bill     []BillRow    `json:"bill"`    // sums to the chip's total
	Refused  int          `json:"refused_ports"`
	Refusals []*Refusal   `json:"refusals"` // one for each refused port, in the order in which they were served
	Warnings []string     `json:"warnings"`

	admission *Admission // as it was when the plan was made
}

// ChipSummary is the chip that was planned for.
type ChipSummary struct {
	Name       string      `json:"name"`
	CellBytes  cells.Size  `json:"cell_bytes"`
	TotalCells cells.Count `json:"total_cells"`
}

// Sizing is how the headroom of each kind of port came about.
type Sizing struct {
	Method     string     `json:"method"`
	FrameBytes unit.Bytes `json:"frame_bytes"` // assumed to fill the headroom; 0: a mix, or the method does not say
	Mix        string     `json:"frame_mix"`   // the same as text: "64B", "64B:50%,1500B:50%"; empty: the method does not say
	Kinds      []Sized    `json:"sized"`
}

// Sized is the headroom of one class on ports of one speed, cable and MTU.
type Sized struct {
	Class    string            `json:"class"`
	Speed    string            `json:"speed"`
	Cable    string            `json:"cable"`
	MTU      unit.Bytes        `json:"mtu_bytes"`
	Cells    cells.Count       `json:"headroom_cells"`
	XOFF     unit.Bytes        `json:"xoff_bytes"`
	BitTimes int64             `json:"total_bit_times"`
	Terms    []thresholds.Term `json:"terms"`
}

// SharedRatio says how far a shared headroom pool is oversubscribed.
type SharedRatio struct {
	PoolCells  cells.Count `json:"pool_cells"`   // of all slices
	GroupCells cells.Count `json:"groups_cells"` // headroom of all groups asked for, each once
	Ratio      Ratio       `json:"ratio"`        // GroupCells to PoolCells
	Worst      Ratio       `json:"worst_slice_ratio"`
	WorstSlice int         `json:"worst_slice"`
	Largest    cells.Count `json:"largest_group_cells"`
	AtOnce     cells.Count `json:"groups_at_once"` // how many of the largest can be full in the worst slice at the same time
}

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

// Group is what one priority group has in one slice.
type Group struct {
	Port      string      `json:"port"`
	Group     int         `json:"group"`
	Slice     int         `json:"slice"`
	Class     string      `json:"class"`
	Lossless  bool        `json:"lossless"`
	Reserved  cells.Count `json:"reserved_cells"`
	Headroom  cells.Count `json:"headroom_cells"`
	XOFF      unit.Bytes  `json:"xoff_bytes"`
	XONOffset cells.Count `json:"xon_offset_cells"`
	Alpha     string      `json:"alpha"` // the factor: "8", "1/8"; "static" where StaticLimit takes its place
	DynamicTh int         `json:"dynamic_th"`
	Static    cells.Count `json:"static_limit_cells,omitempty"` // in this slice; 0: Alpha limits

	// As asked for, and as the chip holds it in whole cells: up for what has to
	// hold something, down for limits.
	ReservedAsked    unit.Bytes `json:"reserved_asked_bytes"`
	ReservedGranted  unit.Bytes `json:"reserved_granted_bytes"`
	HeadroomAsked    unit.Bytes `json:"headroom_asked_bytes"`
	HeadroomGranted  unit.Bytes `json:"headroom_granted_bytes"`
	XONOffsetAsked   unit.Bytes `json:"xon_offset_asked_bytes"`
	XONOffsetGranted unit.Bytes `json:"xon_offset_granted_bytes"`
	StaticAsked      unit.Bytes `json:"static_limit_asked_bytes,omitempty"` // a slice's part
	StaticGranted    unit.Bytes `json:"static_limit_granted_bytes,omitempty"`
}

// New plans an intent. The error says that the intent is malformed or cannot
// be sized (errors.Is ErrInvalid); an intent that does not fit gives a plan
// with Refusals.
func New(in Intent) (*Plan, error) {
	a, err := NewAdmission(in)
	if err != nil {
		return nil, err
	}
	return a.Plan(), nil
}

// Err returns nil for a plan that fits, else its first refusal.
func (p *Plan) Err() error {
	if len(p.Refusals) == 0 {
		return nil
	}
	return p.Refusals[0]
}

// Layout returns the registers that a device must hold for the plan: those of
// its admitted ports and of the pools.
func (p *Plan) Layout() Layout { return p.admission.layout() }

// Plan writes down what the admission granted and refused.
func (a *Admission) Plan() *Plan {
	p := &Plan{Schema: Schema, Sizing: a.sizing(), Shared: a.oversubscription(),
		Chip:   ChipSummary{a.in.Chip.Name, a.in.Chip.Cell, a.in.Chip.TotalCells()},
		Slices: a.sliceBills(), Groups: a.groups(), Marking: a.in.markings(), Bill: a.bill(), Refusals: []*Refusal{}, admission: a.clone()}
	for i := range a.ports {
		if !a.ports[i].short.Fits() {
			p.Refusals = append(p.Refusals, a.refusal(i))
		}
	}
	p.Refused = len(p.Refusals)
	if p.Fits = p.Refused == 0; !p.Fits {
		ways := remedies(a.in)
		for _, r := range p.Refusals {
			r.Remedies = ways
		}
	}
	p.Warnings = a.warnings(p)
	return p
}

// admitted returns the indices of the admitted ports, sorted by their names.
func (a *Admission) admitted() []int {
	var out []int
	for i := range a.ports {
		if a.ports[i].short.Fits() {
			out = append(out, i)
		}
	}
	slices.SortFunc(out, func(i, j int) int { return ComparePorts(a.in.Ports[i].Name, a.in.Ports[j].Name) })
	return out
}

// groups lists what the groups of admitted ports hold, by port, group, slice.
func (a *Admission) groups() []Group {
	out := []Group{}
	for _, i := range a.admitted() {
		e := &a.ports[i]
		charged := slices.Sorted(slices.Values(a.slices[e.pipe]))
		for j := range e.demand.groups {
			g := &e.demand.groups[j]
			for _, s := range charged {
				out = append(out, a.row(g, a.in.Ports[i].Name, s))
			}
		}
	}
	return out
}

// row says what a group has on a port in a slice.
func (a *Admission) row(g *groupDemand, port string, slice int) Group {
	cell := a.in.Chip.Cell
	out := Group{Port: port, Group: g.group, Slice: slice, Class: g.class.Name, Lossless: g.Lossless, Reserved: g.Reserved, Headroom: g.Headroom,
		XOFF: g.xoff, XONOffset: g.XONOffset, Alpha: g.Alpha.String(), DynamicTh: g.Alpha.DynamicTh(), Static: g.static,
		ReservedAsked: g.reservedBytes, ReservedGranted: cell.Bytes(g.Reserved), HeadroomAsked: g.xoff, HeadroomGranted: cell.Bytes(g.Headroom),
		XONOffsetAsked: g.xonOffset, XONOffsetGranted: cell.Bytes(g.XONOffset)}
	if g.static > 0 {
		out.Alpha = "static"
		out.StaticAsked, out.StaticGranted = g.class.StaticLimit/unit.Bytes(len(a.pools)), cell.Bytes(g.static)
	}
	return out
}

// sizing lists the headroom of every class on every kind of port, in the order
// in which the kinds appear.
func (a *Admission) sizing() Sizing {
	s := Sizing{Method: a.in.Sizing.Method(), Kinds: []Sized{}}
	seen := map[portKind]bool{}
	for _, e := range a.ports {
		if seen[e.demand.kind] {
			continue
		}
		seen[e.demand.kind] = true
		for _, g := range e.demand.firstOfClasses() {
			h := g.sized
			s.FrameBytes, s.Mix = h.Mix.Frame(), h.Mix.String()
			s.Kinds = append(s.Kinds, Sized{g.class.Name, e.demand.kind.rate.String(), e.demand.kind.over(), e.demand.kind.mtu,
				h.Cells, h.XOFF, h.BitTimes, h.Terms})
		}
	}
	return s
}

// firstOfClasses returns one group of each lossless class: all groups of a
// class are sized alike.
func (d *demand) firstOfClasses() []*groupDemand {
	var out []*groupDemand
	for i := range d.groups {
		g := &d.groups[i]
		if g.Lossless && !slices.ContainsFunc(out, func(o *groupDemand) bool { return o.class == g.class }) {
			out = append(out, g)
		}
	}
	return out
}

// oversubscription weighs the headroom of all groups asked for against the
// shared headroom pool; nil without one.
func (a *Admission) oversubscription() *SharedRatio {
	if a.shared == 0 {
		return nil
	}
	r := &SharedRatio{}
	in := make([]cells.Count, len(a.pools))
	for _, e := range a.ports {
		r.GroupCells += e.demand.headroom
		for i := range e.demand.groups {
			r.Largest = max(r.Largest, e.demand.groups[i].Headroom)
		}
		for _, s := range a.slices[e.pipe] {
			in[s] += e.demand.headroom
		}
	}
	for s, part := range a.part {
		r.PoolCells += part
		if here := (Ratio{in[s], part}); s == 0 || here.Of*r.Worst.To > r.Worst.Of*here.To {
			r.Worst, r.WorstSlice = here, s
		}
	}
	r.Ratio = Ratio{r.GroupCells, r.PoolCells}
	if r.Largest > 0 {
		r.AtOnce = a.part[r.WorstSlice] / r.Largest
	}
	return r
}
