package scenario

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/unit"
)

// flow reads an entry of flows. It stands for one flow per pair of hosts, as
// many times as repeat says. Each flow starts later than the one before by the
// time stagger.
func (r *reader) flow(v *document.Value) {
	f := v.Fields("name", "from", "to", "class", "pcp", "dscp", "tagged", "frame", "header", "size", "rate", "start",
		"stop", "ttl", "ect", "sender", "repeat", "stagger")
	v.Need(f, "from", "to", "frame")
	from, to := r.flowHosts(f["from"]), r.flowHosts(f["to"])
	flow := fabric.Flow{
		Frame: document.Quantity(f["frame"], unit.ParseBytes), Header: document.Quantity(f["header"], unit.ParseBytes),
		Size: document.Quantity(f["size"], unit.ParseBytes), Rate: document.Quantity(f["rate"], unit.ParseBitRate),
		Start: document.Quantity(f["start"], unit.ParseTime), Stop: document.Quantity(f["stop"], unit.ParseTime),
		TTL: int(f["ttl"].Integer(0, 255)), ECT: f["ect"].Boolean(), Sender: r.sender(f["sender"]),
	}
	r.packetClass(f, &flow)
	repeat := 1
	if x := f["repeat"]; x != nil {
		repeat = int(x.Integer(1, fabric.MaxFlows))
	}
	// The number is checked before the flows are made: a short file must not
	// fill the memory.
	if n := len(from) * len(to) * repeat; n > fabric.MaxFlows-len(r.s.Network.Flows) {
		v.Fail(fmt.Sprintf("%d flows: accepted: at most %d in all", n, fabric.MaxFlows))
		return
	}
	name := f["name"].Label()
	if name == "" {
		name = fmt.Sprintf("flow%d", len(r.entries)+1)
	}
	if _, twice := r.entries[name]; twice {
		v.Fail(fmt.Sprintf("name %q: accepted: a name that no other entry has", name))
	}
	r.entries[name] = []int{}
	stagger := document.Quantity(f["stagger"], unit.ParseTime)
	for range repeat {
		for _, flow.From = range from {
			for _, flow.To = range to {
				// A host in both lists sends nothing to itself. If it is the
				// only pair, package fabric complains about it.
				if flow.From == flow.To && len(from)*len(to) > 1 {
					continue
				}
				r.add(v, name, flow)
				// The bound keeps the sum of many steps from overflowing.
				flow.Start = min(flow.Start+stagger, unit.Time(1<<61))
			}
		}
	}
}

// add appends a flow. The line of its entry is stored for complaints of package
// fabric about the flow.
func (r *reader) add(v *document.Value, name string, flow fabric.Flow) {
	n := &r.s.Network
	flow.Name = name
	r.origins[fmt.Sprintf("flows[%d]", len(n.Flows))] = origin{v.Line, v.Name()}
	r.entries[name] = append(r.entries[name], len(n.Flows))
	n.Flows = append(n.Flows, flow)
}

// packetClass reads a flow's class, and the PCP and DSCP of its packets. They
// follow from the class unless the file gives others: a class-map fault is a
// flow whose packets have another code than its class.
func (r *reader) packetClass(f map[string]*document.Value, flow *fabric.Flow) {
	tagged := r.tagged
	if f["tagged"] != nil {
		tagged = f["tagged"].Boolean()
	}
	if c := r.classOf(f["class"]); c >= 0 {
		flow.Priority, flow.DSCP = r.s.Classes[c].Priority, r.s.Classes[c].DSCP
	}
	flow.PCP = flow.Priority
	if x := f["pcp"]; x != nil {
		flow.PCP = int(x.Integer(0, 7))
	}
	if x := f["dscp"]; x != nil {
		flow.DSCP = int(x.Integer(0, 63))
	}
	// A frame without a VLAN tag has no PCP.
	if !tagged {
		flow.PCP = -1
	}
}

// flowHosts reads a host, a list of hosts, or "all". A flow from all to one
// host comes from all other hosts. The result is sorted, so that the order in
// the file has no effect on the run.
func (r *reader) flowHosts(v *document.Value) []int {
	if v == nil {
		return nil
	}
	if list := v.Keys(); list == nil && v.Raw() == "all" {
		for i := len(r.all); i < len(r.s.Network.Hosts); i++ {
			r.all = append(r.all, i)
		}
		return r.all
	}
	names := []*document.Value{v}
	if v.Len() > 0 {
		names = v.Items()
	}
	var out []int
	for _, n := range names {
		if i := lookup(n, r.hosts, "hosts; or all"); i >= 0 {
			out = append(out, i)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
