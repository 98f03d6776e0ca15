package scenario

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/unit"
)

// packetKeys are the keys of what a flow sends, which flows and collectives share.
var packetKeys = []string{"name", "class", "pcp", "dscp", "tagged", "frame", "header", "rate", "start", "ttl", "ect",
	"sender", "repeat", "after", "delay"}

// flow reads an entry of flows. It stands for one flow per pair of hosts, as
// many times as repeat says. Each flow starts later than the one before by the
// time stagger. Without size and stop a flow lasts to the end of the run. size is bytes of payload for each of the
// flows.
func (r *reader) flow(v *document.Value) {
	f := v.Fields(append([]string{"from", "to", "size", "stop", "stagger", "after_all"}, packetKeys...)...)
	v.Need(f, "from", "to", "frame")
	from, to := r.flowHosts(f["from"]), r.flowHosts(f["to"])
	flow := r.packets(f)
	flow.Size = document.Quantity(f["size"], unit.ParseBytes)
	flow.Stop = document.Quantity(f["stop"], unit.ParseTime)
	repeat := r.repeat(f["repeat"])
	// The number is checked before the flows are made: a short file must not
	// fill the memory.
	if !r.room(v, int64(len(from))*int64(len(to))*int64(repeat)) {
		return
	}
	wait := r.waiting(f)
	name := r.entryName(v, f["name"], "flow")
	stagger := document.Quantity(f["stagger"], unit.ParseTime)
	if len(to) == 0 {
		return // refused above
	}
	for range repeat {
		for _, flow.From = range from {
			flow.After = wait.at(flow.From)
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

// packets reads what a flow sends, and how: the keys that do not say between
// which hosts, and how much. rate is bit/s; 0, as without the key, is the rate of the host's link. ttl 0 stands for
// 64 switches.
func (r *reader) packets(f map[string]*document.Value) fabric.Flow {
	flow := fabric.Flow{
		Frame: document.Quantity(f["frame"], unit.ParseBytes), Header: document.Quantity(f["header"], unit.ParseBytes),
		Rate: document.Quantity(f["rate"], unit.ParseBitRate), Start: document.Quantity(f["start"], unit.ParseTime),
		Delay: document.Quantity(f["delay"], unit.ParseTime),
		TTL:   int(f["ttl"].Integer(0, 255)), ECT: f["ect"].Boolean(), Sender: r.sender(f["sender"]),
	}
	r.packetClass(f, &flow)
	return flow
}

// repeat reads how often an entry is repeated.
func (r *reader) repeat(v *document.Value) int {
	if v == nil {
		return 1
	}
	return int(v.Integer(1, fabric.MaxFlows))
}

// room tells whether n more flows can be added, and complains if not. It is asked before flows are made, also for
// those that a later check would leave out.
func (r *reader) room(v *document.Value, n int64) bool {
	if n <= int64(fabric.MaxFlows-len(r.s.Network.Flows)) {
		return true
	}
	v.Fail(fmt.Sprintf("%d flows: want at most %d in all", n, fabric.MaxFlows))
	return false
}

// entryName reads the name of an entry, which no other may have. An entry
// without one gets the kind and a number. The name is noted even if it was refused, so that after and expect find the
// entry.
func (r *reader) entryName(v, name *document.Value, kind string) string {
	text := cmp.Or(name.Label(), fmt.Sprintf("%s%d", kind, len(r.entries)+1))
	if _, twice := r.entries[text]; twice {
		v.Fail(fmt.Sprintf("name %q: want a name that no other entry has", text))
	}
	r.entries[text] = []int{}
	return text
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
// flow whose packets have another code than its class. Priority is what the sender queues and pauses by. A switch
// classifies the packet by its code alone, which can be another.
func (r *reader) packetClass(f map[string]*document.Value, flow *fabric.Flow) {
	tagged := r.tagged
	take(&tagged, f["tagged"], (*document.Value).Boolean)
	if c := r.classOf(f["class"]); c >= 0 {
		flow.Priority, flow.DSCP = r.s.Classes[c].Priority, r.s.Classes[c].DSCP
	}
	flow.PCP = flow.Priority
	take(&flow.PCP, f["pcp"], integer[int](0, 7))
	take(&flow.DSCP, f["dscp"], integer[int](0, 63))
	// A frame without a VLAN tag has no PCP.
	if !tagged {
		flow.PCP = -1
	}
}

// oneOrMore is the values of a list, or a value alone: one name needs no brackets.
func oneOrMore(v *document.Value) []*document.Value {
	if v.Len() > 0 {
		return v.Items()
	}
	return []*document.Value{v}
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
	var out []int
	for _, n := range oneOrMore(v) {
		if i := lookup(n, r.hosts, "hosts; or all"); i >= 0 {
			out = append(out, i)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
