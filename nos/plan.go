// Package nos has what all network operating systems share: a [Plan] and its [Rendering] as native configuration, the
// [Profile] of what a gNMI server takes over OpenConfig, and [System], which joins these for one system. Each system is
// a folder beneath this one and exports one System; package registry lists them.
//
// OpenConfig has no leaves for headroom, pools and PFC; a vendor's own model often has. A rendering is text, and a list
// of the registers that this configuration cannot express either. The renderers are pure: the same plan gives the same
// bytes, and nothing is sent anywhere. What they write was checked against the vendors' published models, as far as the
// text of each package says. The tests check it again where YANG_DIR names a directory with the models. None of it was
// tried on a vendor's switch.
package nos

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Plan is what a renderer reads: the intent, and the registers that were granted for it.
type Plan struct {
	Intent buffer.Intent
	Layout buffer.Layout
}

// Rendering is a plan as native configuration.
type Rendering struct {
	Dialect string
	Files   []File     // the whole first, then parts of it
	Updates []Update   // what a gNMI Set carries of it, in order
	Refused string     // why there is no configuration at all; empty: there is one
	NotSent string     // why cellwarden does not send the updates; empty: it does
	Waiting []Waiting  // values that need a reload of the configuration; not among the updates
	Omitted []Omission // registers that the dialect cannot express, by kind
	Undone  []Undone   // what the switch itself changes afterwards, or may change
	Notes   []string   // what the operator has to know before using it
	// Shares are what the written weights make of groups of queues; empty: there are no groups, or no weights.
	Shares []Shares
}

// File is a text that a switch, or a tool for it, reads.
type File struct {
	Name    string // "config_db.json"
	Purpose string // a few words
	Content []byte // ends with a line feed
}

// Omission is the registers of one kind that a rendering does not have, or what is no register.
type Omission struct {
	Kind     buffer.Kind
	What     string // the thing in place of registers of a kind; empty: those of Kind
	Count    int    // registers of the plan; 0: no register
	Critical bool   // a lossless group needs one of them
	Why      string
}

// Name names what is omitted.
func (o Omission) Name() string { return cmp.Or(o.What, o.Kind.String()) }

// ShortName is what operators call it: see [buffer.Kind.ShortName].
func (o Omission) ShortName() string { return cmp.Or(o.What, o.Kind.ShortName()) }

// Undone is a part of a rendering that a program on the switch changes afterwards, or for which
// it is not known whether it does.
type Undone struct{ What, Why string }

// Lossless tells whether the rendering has everything that lossless groups need, and
// whether it is known that the switch leaves it as it is.
func (r *Rendering) Lossless() bool {
	return len(r.Undone) == 0 && !slices.ContainsFunc(r.Omitted, func(o Omission) bool { return o.Critical })
}

// NotKept is the verdict on a rendering that a program on the switch may change afterwards.
func (r *Rendering) NotKept() string {
	var why []string
	for _, u := range r.Undone {
		why = append(why, u.What+": "+u.Why)
	}
	return "NOT KNOWN TO STAY LOSSLESS: " + strings.Join(why, "; ")
}

// Group is what a port's priority group has, in bytes.
type Group struct {
	Reserved  unit.Bytes
	Limit     thresholds.Limit // on shared cells; a static one is of each slice, and Static(0) is no shared cells
	Static    unit.Bytes       // a static limit of the whole chip; 0: no static limit
	Lossless  bool
	Headroom  unit.Bytes
	XONOffset unit.Bytes
}

// Queue is what an egress queue has, in bytes.
type Queue struct {
	Reserved   unit.Bytes
	KMin, KMax unit.Bytes
	PMax       unit.Percent
	Weight     int  // 1 to 100, or buffer.Strict; 0: the switch's own setting stays
	Classed    bool // it is in a traffic class
	Class      int  // traffic class, 0 to 7
	Share      int  // among the queues of its class, 1 to 100, or buffer.Strict
}

// Class is what a traffic class of a port has.
type Class struct {
	Bandwidth int          // percent, or buffer.Strict; 0: none
	IdleSlope unit.BitRate // of the credit-based shaper; 0: it has none
}

// Marks tells whether the queue marks.
func (q Queue) Marks() bool { return q.KMax > 0 || q.KMin > 0 || q.PMax > 0 }

// Port is a port of the plan with the values of its registers.
type Port struct {
	buffer.Port
	Groups [pg.PerPort]Group
	Queues [pg.PerPort]Queue
	DSCP   pg.DSCPMap // from code points to priorities
	// Classes are the groups of its queues, by traffic class.
	Classes [pg.PerPort]Class
}

// QueuesOf lists the queues of a traffic class.
func (p *Port) QueuesOf(class int) (out []int) {
	for n, q := range p.Queues {
		if q.Classed && q.Class == class {
			out = append(out, n)
		}
	}
	return out
}

// Lossless lists the groups that are lossless, which are the priorities with PFC.
func (p *Port) Lossless() []int {
	var out []int
	for n, g := range p.Groups {
		if g.Lossless {
			out = append(out, n)
		}
	}
	return out
}

// Ports returns the ports of the intent that were admitted, in its order. Bytes are whole cells.
func (p Plan) Ports() []Port {
	at := map[string]int{}
	var out []Port
	for _, port := range p.Intent.Ports {
		at[port.Name] = len(out)
		empty := Port{Port: port}
		for n := range empty.Groups {
			empty.Groups[n] = emptyGroup
		}
		out = append(out, empty)
	}
	known := make([]bool, len(out))
	for _, s := range p.Layout {
		if i, ok := at[s.Port]; ok {
			known[i] = true
			out[i].set(s, &p.Intent.Chip)
		}
	}
	admitted := out[:0]
	for i, port := range out {
		if known[i] {
			admitted = append(admitted, port)
		}
	}
	return admitted
}

// emptyGroup is a group without a written register.
var emptyGroup = Group{Limit: buffer.LimitOf(buffer.Unset, 0)}

// Empty tells whether the plan has nothing for the group.
func (g Group) Empty() bool { return g == emptyGroup }

// set writes one register. Registers come in the order of a layout, a group's static limit after its alpha.
func (p *Port) set(s buffer.Setting, chip *buffer.Chip) {
	if s.Index < 0 || s.Index >= pg.PerPort {
		return
	}
	g, q, size := &p.Groups[s.Index], &p.Queues[s.Index], chip.Cell.Bytes(cells.Count(s.Value))
	switch s.Kind {
	case buffer.GroupReserved:
		g.Reserved = size
	case buffer.GroupAlpha:
		g.Limit = buffer.LimitOf(s.Value, 0)
	case buffer.GroupStatic: // the register is of each slice
		g.Limit, g.Static = buffer.LimitOf(buffer.Unset, s.Value), size*unit.Bytes(len(chip.Slices))
	case buffer.GroupLossless:
		g.Lossless = s.Value == 1
	case buffer.GroupHeadroom:
		g.Headroom = size
	case buffer.GroupXONOffset:
		g.XONOffset = size
	case buffer.QueueReserved:
		q.Reserved = size
	case buffer.QueueECNMin:
		q.KMin = size
	case buffer.QueueECNMax:
		q.KMax = size
	case buffer.QueueECNPMax:
		q.PMax = unit.Percent(s.Value)
	case buffer.QueueWeight:
		q.Weight = int(s.Value)
	case buffer.QueueClass:
		q.Classed, q.Class = true, int(s.Value)
	case buffer.QueueShare:
		q.Share = int(s.Value)
	case buffer.ClassBandwidth:
		p.Classes[s.Index].Bandwidth = int(s.Value)
	case buffer.ClassIdleSlope:
		p.Classes[s.Index].IdleSlope = unit.BitRate(s.Value) * ets.SlopeUnit
	case buffer.PriorityDSCP:
		p.DSCP[s.Index] = pg.CodePoints(s.Value)
	}
}

// NamedOtherwise returns a note on the ports whose names do not have the form of a system's; none: all have it. Title
// names the system, and example is a name of this form.
func (p Plan) NamedOtherwise(title, example string, form *regexp.Regexp) []string {
	var others []string
	for _, port := range p.Ports() {
		if !form.MatchString(port.Name) {
			others = append(others, port.Name)
		}
	}
	if len(others) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("ports of %s are called %s; these ports of the plan have other names: %s", title, example,
		buffer.FoldPorts(others))}
}

// Pools sums the shared cells and the shared headroom pools of all slices.
func (p Plan) Pools() (shared, headroom unit.Bytes) {
	for _, s := range p.Layout {
		switch bytes := p.Intent.Chip.Cell.Bytes(cells.Count(s.Value)); s.Kind {
		case buffer.PoolShared:
			shared += bytes
		case buffer.PoolHeadroom:
			headroom += bytes
		}
	}
	return shared, headroom
}

// WithOwn is the shared cells with all that ports and groups have to themselves: minima, and headroom, shared or not. A
// pool whose size includes them has this size.
func (p Plan) WithOwn() unit.Bytes {
	shared, headroom := p.Pools()
	size, cell := shared+headroom, p.Intent.Chip.Cell
	for _, q := range p.Ports() {
		size += cell.Bytes(cell.Holding(q.Reserved))
		for _, g := range q.Groups {
			if size += g.Reserved; !p.Intent.Pool.SharesHeadroom() {
				size += g.Headroom
			}
		}
	}
	return size
}

// Class returns the class that a priority belongs to; nil if no class has it.
func (p Plan) Class(priority int) *buffer.Class {
	for i := range p.Intent.Classes {
		if slices.Contains(p.Intent.Classes[i].Priorities, priority) {
			return &p.Intent.Classes[i]
		}
	}
	return nil
}

// MTU returns the longest frame of a priority on a port.
func (p Plan) MTU(port *Port, priority int) unit.Bytes {
	if c := p.Class(priority); c != nil && c.MTU > 0 {
		return min(c.MTU, port.MTU)
	}
	return port.MTU
}

// FibreMetres is the length in whole metres of the fibre that delays as the port's link does, rounded up, at least 1.
// It is for switches that compute the headroom from the length of the cable: a measured delay, and a delay beyond the
// cable, are told to them as a longer cable. other tells whether it is not the length of the cable itself.
func (p *Port) FibreMetres() (metres int64, other bool) {
	link := p.Link(p.MTU)
	if !link.Delay.IsGiven() && link.Added() == 0 {
		return Metres(p.Cable), false
	}
	metre := thresholds.Fibre.Delay(unit.Metre).Floor()
	return max(1, (link.OneWay().Ceil()+metre-1)/metre), true
}

// Metres is the length of a port's cable in whole metres, rounded up, at least 1:
// switches that compute with the cable do not accept 0.
func Metres(l unit.Length) int64 {
	return max(1, (int64(l)+int64(unit.Metre)-1)/int64(unit.Metre))
}

// Omit counts the registers of the kinds that a dialect cannot express. The map
// has the reason of each kind. What a plan says of the egress is omitted, too.
//
// A lossless group is expressed only if two things are: that it sends PFC frames, and the headroom that takes the
// packets which arrive after them. Where a rendering omits the headroom of groups, it therefore lists their PFC as
// omitted too, even where it writes the PFC.
func (p Plan) Omit(why map[buffer.Kind]string) []Omission {
	if reason, omitted := why[buffer.GroupHeadroom]; omitted && why[buffer.GroupLossless] == "" {
		why = maps.Clone(why)
		why[buffer.GroupLossless] = "PFC is written, but a group is lossless only together with its headroom: " + reason
	}
	var out []Omission
	for _, k := range buffer.Kinds() {
		reason, omitted := why[k]
		if !omitted {
			continue
		}
		o := Omission{Kind: k, Why: reason}
		for _, s := range p.Layout {
			if s.Kind == k {
				o.Count++
				o.Critical = o.Critical || p.Layout.Critical(s.Register)
			}
		}
		if o.Count > 0 {
			out = append(out, o)
		}
	}
	if what, lossless := p.Intent.NotWritten(); what != "" {
		out = append(out, Omission{What: what, Critical: lossless, Why: buffer.EgressNotWritten})
	}
	return out
}

// OmitPFC says which ports have PFC without headroom, for dialects that write PFC for lossless groups alone.
func (p Plan) OmitPFC() []Omission {
	var ports []string
	for i := range p.Intent.Ports {
		if port := &p.Intent.Ports[i]; port.PFCWithoutHeadroom != 0 {
			ports = append(ports, port.Name)
		}
	}
	if len(ports) == 0 {
		return nil
	}
	return []Omission{{What: "PFC without headroom of " + buffer.FoldPorts(ports),
		Why: "PFC is written for the groups that are lossless"}}
}

// JSON writes a document: two spaces, keys in order, a line feed.
func JSON(document any) []byte {
	out, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		panic("nos: " + err.Error()) // documents are made of maps, texts and numbers
	}
	return append(out, '\n')
}

// Shares is what a switch makes of the groups of ports (ETS): a number for each queue.
type Shares struct {
	buffer.PortSchedule
	ets.Flat
}

// OneLevelShares returns the shares of the ports of an intent, in weights of 1 to 100: those of the registers
// [buffer.QueueWeight]. Empty: the intent has no groups.
func OneLevelShares(in *buffer.Intent) []Shares {
	return SharesBy(in, func(s buffer.PortSchedule) ets.Flat { return s.Flatten(ets.Weights) })
}

// SharesBy returns the shares of the ports of an intent in the numbers of a switch.
func SharesBy(in *buffer.Intent, numbers func(buffer.PortSchedule) ets.Flat) (out []Shares) {
	for _, s := range in.Schedules() {
		out = append(out, Shares{s, numbers(s)})
	}
	return out
}
