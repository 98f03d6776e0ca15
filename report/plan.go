package report

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// PlanDocument is a plan as it is published. Two plans of the same intent give the same bytes. Lists that are empty are
// written as [], except where a key says omitempty.
type PlanDocument struct {
	Schema string `json:"schema"`
	// Verdict is "fits", "fits-as-placed" for a plan that fits with the pipes that it
	// assumes and not in every placement that was tried, or "does-not-fit".
	Verdict string `json:"verdict"`
	// HeadroomShared qualifies the verdict: the groups of the worst slice together have this many times the headroom of
	// their pool, "2.00:1". Absent: all groups can have their headroom at once.
	HeadroomShared string `json:"headroom_shared,omitempty"`
	Fits           bool   `json:"fits"`       // every port is admitted
	PortCount      int    `json:"port_count"` // ports of the intent, admitted or not
	LosslessGroups int    `json:"lossless_groups"`
	ChannelCount   int    `json:"virtual_channels,omitempty"` // lossless by credits (CBFC)
	Chip           struct {
		Name       string      `json:"name"`
		CellBytes  cells.Size  `json:"cell_bytes"`
		TotalCells cells.Count `json:"total_cells"`
		// RestsOn says which numbers of its memory have no public source, if it has memory beside it or is assumed: those
		// that the topology gives, and those that are inferred or assumed.
		RestsOn []string `json:"rests_on,omitempty"`
	} `json:"chip"`
	Sizing Sizing `json:"headroom"`
	Shared *struct {
		PoolCells  cells.Count  `json:"pool_cells"`   // of all slices
		GroupCells cells.Count  `json:"groups_cells"` // headroom of all groups asked for, each once
		Ratio      buffer.Ratio `json:"ratio"`        // GroupCells to PoolCells
		Worst      buffer.Ratio `json:"worst_slice_ratio"`
		WorstSlice int          `json:"worst_slice"`
		Largest    cells.Count  `json:"largest_group_cells"`
		// AtOnce is how many of the largest groups can be full in the worst slice at the same time.
		AtOnce cells.Count `json:"groups_at_once"`
	} `json:"shared_headroom,omitempty"` // absent: headroom is dedicated
	// Ports is where each port was planned; [] on a chip with one pipe.
	Ports []struct {
		Port  string `json:"port"`
		Pipe  int    `json:"pipe"`
		Given bool   `json:"pipe_given"` // false: assumed
	} `json:"ports"`
	// Placements are the ways to place the ports whose pipe is assumed that were tried, the plan's own first.
	Placements []struct {
		Name string `json:"placement"`
		Fits int    `json:"ports_fit"`
		Of   int    `json:"ports"`
	} `json:"placements"`
	Slices   []Slice   `json:"slices"`
	Groups   []Group   `json:"groups"`             // of admitted ports; a row for each slice that it is charged in
	Channels []Channel `json:"channels,omitempty"` // with credits, of admitted ports; a row for each slice likewise
	Marking  []Marking `json:"marking"`            // of the classes that mark packets
	Egress   []Egress  `json:"egress"`             // of the lossless classes whose egress pool is stated
	// Trim counts the queues for the rests of trimmed packets, by the speeds of the ports, if all other ports send to one
	// port; absent without trimming.
	Trim []struct {
		Speed   string       `json:"speed"`
		Ports   int          `json:"ports"`
		Minimum cells.Count  `json:"minimum_cells"` // of the queue, in each slice; among the reserved cells
		Rest    cells.Count  `json:"rest_cells"`    // of one packet
		AtOnce  cells.Count  `json:"at_once_cells"` // the rest of a packet from every other port
		Load    unit.Percent `json:"load"`          // rests of the longest packets at full rate, of the port's rate
	} `json:"trimming,omitempty"`
	// Schedules are how ports share their bandwidth by groups; absent without groups.
	Schedules []Schedule `json:"ets,omitempty"`
	Bill      []BillRow  `json:"bill"` // sums to the chip's total
	Refused   int        `json:"refused_ports"`
	Refusals  []Refusal  `json:"refusals"` // one for each refused port, in the order in which they were served
	Warnings  []string   `json:"warnings"`
	Notes     []string   `json:"chip_notes"` // on the chip's numbers: the same for every plan of the chip

	// Further is how long the cables of the largest entries of ports can be and how many ports like theirs fit, as
	// questions to capacity; absent for a plan that does not fit, and for one of many or of a large topology.
	Further []CapacityAnswer `json:"further,omitempty"`
	TurnsOn []string         `json:"turns_on,omitempty"` // assumptions on which the verdict turns, the gravest first
	Next    []string         `json:"next,omitempty"`     // commands that go on from here

	Set []string `json:"set,omitempty"` // changes of the topology for which the plan is: PATH=VALUE
	// SONiC is the pools that SONiC computes by itself, with --sonic-pools.
	SONiC *SONiCPools `json:"sonic_pools,omitempty"`
	// Shipped is the pools that a device folder would ship for the same ports, with --sonic-pools.
	Shipped *PoolsDocument `json:"shipped_pools,omitempty"`
	// Measured is how much of the headroom was used, with --measured.
	Measured *MeasuredHeadroom `json:"measured,omitempty"`
}

// The verdicts of a plan.
const (
	Fits         = "fits"
	FitsAsPlaced = "fits-as-placed"
	DoesNotFit   = "does-not-fit"
)

// PlanVerdict returns the verdict of a plan.
func PlanVerdict(p *buffer.Plan) string {
	switch {
	case !p.Fits:
		return DoesNotFit
	case p.Assumed() && p.WorstPlacement().Fits < p.WorstPlacement().Of:
		return FitsAsPlaced
	}
	return Fits
}

// Sizing is how the headroom of each kind of port came about.
type Sizing struct {
	Method     string     `json:"method"`
	FrameBytes unit.Bytes `json:"frame_bytes"` // assumed to fill the headroom; 0: a mix, or the method does not say
	// Mix is the same as text: "64B", "64B:50%,1500B:50%". Empty: the method does not say.
	Mix   string  `json:"frame_mix"`
	Kinds []Sized `json:"sized"`
	// SizeNotes say of each class whose headroom is not known to be enough by how much.
	SizeNotes []string `json:"size_notes"`
}

// Sized is the headroom of one class on ports of one speed, cable and MTU.
type Sized struct {
	Class    string            `json:"class"`
	Speed    string            `json:"speed"`
	Cable    string            `json:"cable"` // "300m", "300m copper", "1.5us measured", "300m + 1us"
	MTU      unit.Bytes        `json:"mtu_bytes"`
	Lanes    int               `json:"lanes,omitempty"` // of the ports; absent: not stated
	Mix      string            `json:"frame_mix"`       // that fill the headroom, assumed; empty: the method does not say
	Cells    cells.Count       `json:"headroom_cells"`
	XOFF     unit.Bytes        `json:"xoff_bytes"`
	BitTimes int64             `json:"total_bit_times"`
	Terms    []thresholds.Term `json:"terms"`
	// Enough says whether the headroom is enough for the worst case of verify.
	Enough thresholds.Sufficiency `json:"enough"`
	Worst  WorstCase              `json:"worst_case"`
}

// WorstCase is what a link can bring, which a headroom is compared with.
type WorstCase struct {
	InFlight unit.Bytes  `json:"in_flight_bytes"`       // by light and frames alone
	Wire     unit.Bytes  `json:"wire_bytes,omitempty"`  // with the delays of both ends; absent: not known
	Cells    cells.Count `json:"cells,omitempty"`       // what the worst mixture of frames needs
	Frame    unit.Bytes  `json:"frame_bytes,omitempty"` // the size of most frames of the worst mixture
	Delays   string      `json:"delays,omitempty"`      // how the delays of both ends add up
}

// Slice is where the cells of one slice are; the parts sum to the total.
type Slice struct {
	Index    int         `json:"index"`
	Total    cells.Count `json:"total_cells"`
	Chip     cells.Count `json:"chip_cells"` // kept by the chip itself
	Reserved cells.Count `json:"reserved_cells"`
	Headroom cells.Count `json:"headroom_cells"`
	Shared   cells.Count `json:"shared_cells"`
	Unused   cells.Count `json:"unused_cells"` // beyond the configured pool
}

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
	Alpha     string      `json:"alpha"`                        // "8", "1/8"; "static" where Static takes its place
	DynamicTh int         `json:"dynamic_th"`                   // n of alpha = 2^n; 0 beside "static"
	Static    cells.Count `json:"static_limit_cells,omitempty"` // in this slice

	ReservedAsked    unit.Bytes `json:"reserved_asked_bytes"`
	ReservedGranted  unit.Bytes `json:"reserved_granted_bytes"`
	HeadroomAsked    unit.Bytes `json:"headroom_asked_bytes"`
	HeadroomGranted  unit.Bytes `json:"headroom_granted_bytes"`
	XONOffsetAsked   unit.Bytes `json:"xon_offset_asked_bytes"`
	XONOffsetGranted unit.Bytes `json:"xon_offset_granted_bytes"`
	StaticAsked      unit.Bytes `json:"static_limit_asked_bytes,omitempty"` // a slice's part
	StaticGranted    unit.Bytes `json:"static_limit_granted_bytes,omitempty"`
}

// Marking is where the egress queues of a class begin to mark packets and where
// they mark all, as asked for and as the chip holds it.
type Marking struct {
	Class       string     `json:"class"`
	KMinAsked   unit.Bytes `json:"kmin_asked_bytes"`
	KMinGranted unit.Bytes `json:"kmin_granted_bytes"`
	KMaxAsked   unit.Bytes `json:"kmax_asked_bytes"`
	KMaxGranted unit.Bytes `json:"kmax_granted_bytes"`
}

// Egress compares what the ingress of a slice can hold for a lossless class with
// what one egress queue of the class takes: see buffer.EgressRow.
type Egress struct {
	Class   string      `json:"class"`
	Pool    string      `json:"egress_pool"`
	Slice   int         `json:"slice"`
	Ingress cells.Count `json:"ingress_holds_cells"`
	Queue   cells.Count `json:"queue_takes_cells"`
	Short   cells.Count `json:"short_cells"` // above 0: lossless packets can be dropped at the egress
}

// BillRow is one item of the bill of cells: Count times Each is Cells.
type BillRow struct {
	Item  string      `json:"item"`
	Count int         `json:"count"`
	Each  cells.Count `json:"each_cells"`
	Cells cells.Count `json:"cells"`
}

// Refusal says which interface got nothing, and why.
type Refusal struct {
	Port      string        `json:"port"`
	Group     int           `json:"group"` // at which it failed, or the queue or channel: see buffer.Shortfall
	Slice     int           `json:"slice"`
	Reason    buffer.Reason `json:"reason"`
	Needed    cells.Count   `json:"needed_cells"`
	Available cells.Count   `json:"available_cells"`
	Short     cells.Count   `json:"short_cells"`
	Message   string        `json:"message"` // as a switch logs it
	Detail    string        `json:"detail"`  // the numbers in a sentence
	Consumers []struct {
		Item  string      `json:"item"`
		Ports string      `json:"ports"` // folded: Ethernet1/1-32
		Cells cells.Count `json:"cells"`
	} `json:"largest_consumers"`
	Remedies []struct {
		Change string   `json:"change"` // what to change: "ports", "cable", "mtu", "pool.shared_headroom"
		To     string   `json:"to"`     // the largest value that fits
		Text   string   `json:"text"`
		Keep   []string `json:"keep_ports,omitempty"` // the ports that stay where they are, for a change of "ports"
	} `json:"remedies"` // each alone makes the whole plan fit
}

// Plan returns the document of a plan, with all its refusals.
func Plan(p *buffer.Plan) PlanDocument {
	d := PlanDocument{
		Schema: Schema("plan"), Verdict: PlanVerdict(p), HeadroomShared: headroomShared(p.Shared), Fits: p.Fits,
		PortCount:      p.PortCount,
		LosslessGroups: p.LosslessGroups,
		ChannelCount:   p.ChannelCount,
		Sizing:         sizing(p),
		Slices:         grouped.Each(p.Slices, func(s buffer.SliceBill) Slice { return Slice(s) }),
		Groups:         grouped.Each(p.Groups, group),
		Channels:       grouped.Each(p.Channels, channel),
		Marking:        grouped.Each(p.Marking, func(m buffer.Marking) Marking { return Marking(m) }),
		Egress: grouped.Each(p.Egress, func(r buffer.EgressRow) Egress {
			return Egress{r.Class, r.Pool, r.Slice, r.Ingress, r.Egress, r.Short()}
		}),
		Schedules: schedules(p.Schedules),
		Bill:      grouped.Each(p.Bill, func(r buffer.BillRow) BillRow { return BillRow(r) }),
		Refused:   len(p.Refusals), Refusals: grouped.Each(p.Refusals, refusal), Warnings: p.Warnings,
		Notes: grouped.Each(p.Notes, func(note string) string { return note }),
	}
	d.Chip.Name, d.Chip.CellBytes, d.Chip.TotalCells = p.Chip.Name, p.Chip.Cell, p.Chip.TotalCells
	d.Chip.RestsOn, _ = p.RestsOn()
	if s := p.Shared; s != nil {
		to := unnamed.New(&d.Shared)
		to.PoolCells, to.GroupCells, to.Ratio, to.Worst = s.PoolCells, s.GroupCells, s.Ratio, s.Worst
		to.WorstSlice, to.Largest, to.AtOnce = s.WorstSlice, s.Largest, s.AtOnce
	}
	for _, r := range p.Trim {
		to := unnamed.Add(&d.Trim)
		to.Speed, to.Ports, to.Minimum, to.Rest = r.Speed.String(), r.Ports, r.Minimum, r.Rest
		to.AtOnce, to.Load = r.AtOnce, r.Load
	}
	ports := unnamed.List(&d.Ports, len(p.Ports))
	for i, x := range p.Ports {
		ports[i].Port, ports[i].Pipe, ports[i].Given = x.Port, x.Pipe, x.Given
	}
	placements := unnamed.List(&d.Placements, len(p.Placements))
	for i, x := range p.Placements {
		placements[i].Name, placements[i].Fits, placements[i].Of = x.Name, x.Fits, x.Of
	}
	return d
}

// Answered adds how far the plan goes.
func (d *PlanDocument) Answered(answers []capacity.Answer) {
	d.Further = grouped.Each(answers, capacityAnswer)
}

func sizing(p *buffer.Plan) Sizing {
	s := p.Sizing
	return Sizing{SizeNotes: p.SizeNotes(), Method: s.Method, FrameBytes: s.Mix.Frame(), Mix: s.Mix.String(),
		Kinds: grouped.Each(s.Kinds, func(k buffer.Sized) Sized {
			return Sized{Class: k.Class, Speed: k.Rate.String(), Cable: k.Path(), MTU: k.MTU,
				Lanes: k.Lanes, Mix: k.Mix.String(),
				Cells: k.Cells, XOFF: k.XOFF, BitTimes: k.BitTimes, Terms: k.Terms, Enough: k.Enough, Worst: worstCase(k.Worst)}
		})}
}

func worstCase(w thresholds.WorstCase) WorstCase {
	out := WorstCase{InFlight: w.InFlight, Wire: w.Wire, Cells: w.Cells, Frame: w.Frame}
	if w.Known {
		out.Delays = w.Sum.String()
	}
	return out
}

func group(g buffer.Group) Group {
	out := Group{
		Port: g.Port, Group: g.Group, Slice: g.Slice, Class: g.Class, Lossless: g.Lossless,
		Reserved: g.Reserved, Headroom: g.Headroom, XOFF: g.XOFF, XONOffset: g.XONOffset,
		Alpha: g.Limit.Alpha().String(), DynamicTh: g.Limit.Alpha().DynamicTh(), Static: g.Limit.Cells(),
		ReservedAsked: g.ReservedAsked, ReservedGranted: g.ReservedGranted,
		HeadroomAsked: g.HeadroomAsked, HeadroomGranted: g.HeadroomGranted,
		XONOffsetAsked: g.XONOffsetAsked, XONOffsetGranted: g.XONOffsetGranted,
		StaticAsked: g.StaticAsked, StaticGranted: g.StaticGranted,
	}
	if g.Limit.Mode() == thresholds.StaticLimit {
		out.Alpha = "static"
	}
	return out
}

func refusal(r *buffer.Refusal) Refusal {
	out := Refusal{Port: r.Port, Group: r.Group, Slice: r.Slice, Reason: r.Reason, Needed: r.Needed,
		Available: r.Available, Short: r.Short, Message: r.Message, Detail: r.Detail}
	consumers := unnamed.List(&out.Consumers, len(r.Consumers))
	for i, c := range r.Consumers {
		consumers[i].Item, consumers[i].Ports, consumers[i].Cells = c.Item, c.Ports, c.Cells
	}
	remedies := unnamed.List(&out.Remedies, len(r.Remedies))
	for i, m := range r.Remedies {
		to := &remedies[i]
		to.Change, to.To, to.Text, to.Keep = m.Change, m.To, m.Text, m.Keep
	}
	return out
}

// Channel is what one virtual channel (CBFC) has in one slice. Each credit has a reserved cell there.
type Channel struct {
	Port     string      `json:"port"`
	Channel  int         `json:"channel"`
	Slice    int         `json:"slice"`
	Class    string      `json:"class"`
	Traffic  []int       `json:"traffic_classes"` // that are in the channel
	Reserved cells.Count `json:"reserved_credits"`
	// Limit says how the channel uses the shared credits of its port: "none", "static" or "dynamic".
	Limit    string      `json:"shared_limit"`
	Static   cells.Count `json:"static_limit_credits,omitempty"`
	Dynamic  *int        `json:"dynamic_th,omitempty"`      // n of 2^n
	Shared   cells.Count `json:"port_shared_credits"`       // of all channels of the port
	Alone    cells.Count `json:"credits_alone"`             // while no other channel uses shared ones
	FullRate cells.Count `json:"full_rate_credits"`         // that keep the link full; 0: not known
	Full     *bool       `json:"full_rate_alone,omitempty"` // Alone is at least FullRate; absent: not known

	ReservedAsked   unit.Bytes `json:"reserved_asked_bytes"`
	ReservedGranted unit.Bytes `json:"reserved_granted_bytes"`
	LimitAsked      unit.Bytes `json:"static_limit_asked_bytes,omitempty"`
	LimitGranted    unit.Bytes `json:"static_limit_granted_bytes,omitempty"`
	SharedAsked     unit.Bytes `json:"port_shared_asked_bytes"`
	SharedGranted   unit.Bytes `json:"port_shared_granted_bytes"`
}

// channel translates a channel of a plan.
func channel(c buffer.Channel) Channel {
	out := Channel{Port: c.Port, Channel: c.Channel, Slice: c.Slice, Class: c.Class, Traffic: c.Traffic.List(),
		Reserved: c.Reserved, Limit: "none", Static: c.Limit, Shared: c.Shared, Alone: c.Alone, FullRate: c.FullRate,
		ReservedAsked: c.ReservedAsked, ReservedGranted: c.ReservedGranted, LimitAsked: c.LimitAsked,
		LimitGranted: c.LimitGranted, SharedAsked: c.SharedAsked, SharedGranted: c.SharedGranted}
	switch c.Mode {
	case cbfc.UpTo:
		out.Limit = "static"
	case cbfc.Dynamic:
		out.Limit, out.Dynamic = "dynamic", new(c.Alpha.DynamicTh())
	}
	if c.FullRate > 0 {
		out.Full = new(c.Alone >= c.FullRate)
	}
	return out
}
