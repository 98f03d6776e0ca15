package scenario

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/foreign"
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

// waiting is the flows that an entry waits for. The lists are shared by all flows that have the same: n hosts that
// all send to each other have n*n flows and n lists.
type waiting struct {
	by       *reader
	key      *document.Value // after, for complaints
	arriving map[int][]int   // flows of the entries in after, by the host at which they arrive; nil: no key after
	all      []int           // flows of the entries in after_all
	merged   map[int][]int   // both, by host: made once, so that the flows of a host share the list
}

// waiting reads after and after_all: the names of earlier entries.
// A flow waits for the flows of after that arrive at its own host, and for all
// flows of after_all.
func (r *reader) waiting(f map[string]*document.Value) *waiting {
	w := &waiting{by: r, key: f["after"], merged: map[int][]int{}}
	if f["after"] != nil {
		w.arriving = map[int][]int{}
		for _, i := range r.entriesNamed(f["after"]) {
			to := r.s.Network.Flows[i].To
			w.arriving[to] = append(w.arriving[to], i)
		}
	}
	if f["after_all"] != nil {
		w.all = r.entriesNamed(f["after_all"])
	}
	return w
}

// entriesNamed reads a name of an entry, or a list of names, and returns their
// flows. An entry can name only those above it, so no flow waits for itself, however long the chain.
func (r *reader) entriesNamed(v *document.Value) (flows []int) {
	for _, n := range oneOrMore(v) {
		of, ok := r.entries[n.Text()]
		if !ok {
			n.Refuse("the name of an entry of flows or collectives further up")
		}
		flows = append(flows, of...)
	}
	return flows
}

// at returns the flows that a flow from a host waits for. It complains if the
// host is to wait for arrivals and no flow arrives.
func (w *waiting) at(host int) []int {
	if w.arriving == nil {
		return w.all
	}
	if list, ok := w.merged[host]; ok {
		return list
	}
	// A flow that waits for nothing would start at once, which is not what the file says. After other complaints the
	// flows may be missing for that reason.
	if len(w.arriving[host]) == 0 && w.by.Total() == 0 {
		w.key.Fail(fmt.Sprintf("none of its flows arrives at %s: want entries that send to the host, or after_all",
			w.by.s.Network.Hosts[host].Name))
	}
	list := slices.Concat(w.arriving[host], w.all)
	w.merged[host] = list
	return list
}

// sender reads how a flow sends: its frames, when it has data, and what limits
// it. The zero sender sends full frames at the rate of the flow, without
// acknowledgements. window is bytes that may be on their way without an acknowledgement, message and spread are bytes
// and time, and 0 of each is what fabric.Sender says of it.
func (r *reader) sender(v *document.Value) (s fabric.Sender) {
	f := v.Fields("frames", "message", "spread", "on_off", "window", "ack", "dcqcn", "bursts")
	for _, x := range f["frames"].Items() {
		s.Frames = append(s.Frames, document.Quantity(x, unit.ParseBytes))
	}
	s.Message = document.Quantity(f["message"], unit.ParseBytes)
	s.Spread = document.Quantity(f["spread"], unit.ParseTime)
	s.Window = document.Quantity(f["window"], unit.ParseBytes)
	// With exponential both are means of random times, whose seed is that of the scenario.
	on := f["on_off"].Fields("on", "off", "exponential")
	f["on_off"].Need(on, "on", "off")
	s.OnOff = fabric.OnOff{On: document.Quantity(on["on"], unit.ParseTime),
		Off: document.Quantity(on["off"], unit.ParseTime), Exponential: on["exponential"].Boolean()}
	// A recorded trace of an application: bytes that become available at given
	// times.
	for _, x := range f["bursts"].Items() {
		g := x.Fields("at", "bytes")
		x.Need(g, "at", "bytes")
		s.Trace = append(s.Trace, fabric.Burst{At: document.Quantity(g["at"], unit.ParseTime),
			Bytes: document.Quantity(g["bytes"], unit.ParseBytes)})
	}
	if x := f["ack"]; x != nil {
		g := x.Fields("every", "class", "frame", "timeout", "selective")
		x.Need(g, "every")
		// every is a number of frames, and frame the length of an ACK with its check sequence.
		s.ACK = fabric.ACK{Every: int(g["every"].Integer(1, 1<<20)), Class: r.feedbackClass(g["class"]),
			Frame:   document.Quantity(g["frame"], unit.ParseBytes),
			Timeout: document.Quantity(g["timeout"], unit.ParseTime), Selective: g["selective"].Boolean()}
	}
	take(&s.DCQCN, f["dcqcn"], r.dcqcn)
	return s
}

// dcqcn reads the parameters of DCQCN. A missing one is 0, which package fabric
// replaces by its default. Times are those of the paper's timers, rates bit/s, and the byte counter bytes;
// cnp_interval is that of the receiver.
func (r *reader) dcqcn(v *document.Value) *fabric.DCQCN {
	f := v.Fields("gain", "alpha_timer", "timer", "byte_counter", "recovery", "increase", "hyper", "least",
		"cnp_interval", "cnp_class", "cnp_frame")
	return &fabric.DCQCN{
		// The letters are those of Zhu et al. (SIGCOMM 2015).
		Gain:        int(f["gain"].Integer(1, 1<<20)),                      // 1/g
		AlphaTimer:  document.Quantity(f["alpha_timer"], unit.ParseTime),   // K
		Timer:       document.Quantity(f["timer"], unit.ParseTime),         // T
		ByteCounter: document.Quantity(f["byte_counter"], unit.ParseBytes), // B
		Recovery:    int(f["recovery"].Integer(1, 100)),                    // F
		Increase:    document.Quantity(f["increase"], unit.ParseBitRate),   // R_AI
		Hyper:       document.Quantity(f["hyper"], unit.ParseBitRate),      // R_HAI
		Least:       document.Quantity(f["least"], unit.ParseBitRate),
		CNPInterval: document.Quantity(f["cnp_interval"], unit.ParseTime), CNP: r.feedbackClass(f["cnp_class"]),
		CNPFrame: document.Quantity(f["cnp_frame"], unit.ParseBytes),
	}
}

// feedbackClass reads the class of ACKs or CNPs. Without one they have priority
// 0. A class of their own keeps them from waiting behind the data that they
// control. Untagged networks have no PCP (-1), for feedback as for data.
func (r *reader) feedbackClass(v *document.Value) (out fabric.Class) {
	if c := r.classOf(v); c >= 0 {
		out = fabric.Class{Priority: r.s.Classes[c].Priority, PCP: r.s.Classes[c].Priority, DSCP: r.s.Classes[c].DSCP}
	}
	if !r.tagged {
		out.PCP = -1
	}
	return out
}

// FlowList is a flow list of another simulator that takes the place of the file
// that the scenario's only entry with the key list names.
type FlowList struct {
	Name string
	Data []byte
}

// listKeys are the keys of an entry of flows that another simulator's list
// makes: what the list does not say. Hosts, sizes and start times are the list's, and so are the classes, if its
// format has priorities.
var listKeys = []string{"list", "first", "name", "class", "tagged", "frame", "header", "rate", "ttl", "ect", "sender"}

// flowList reads an entry of flows that names a list. Node numbers of the list become hosts by subtracting first, in
// the order in which the topology makes hosts.
func (r *reader) flowList(v *document.Value) {
	before := v.Complaints()
	f := v.Fields(listKeys...)
	v.Need(f, "list", "frame")
	flow := r.packets(f)
	first := int(f["first"].Integer(0, fabric.MaxHosts+fabric.MaxSwitches))
	name := r.entryName(v, f["name"], "flow")
	file, data := f["list"].Text(), []byte(nil)
	// A list that the caller gives takes the place of the file, so that one scenario serves many lists.
	if r.lists++; r.given != nil {
		file, data = r.given.Name, r.given.Data
	}
	// A list may be long: it is not read for an entry that is refused already.
	if v.Complaints() > before {
		return
	}
	if r.given == nil {
		var err error
		if data, err = r.open(file); err != nil {
			f["list"].Fail(err.Error())
			return
		}
	}
	l, err := foreign.Read(file, data)
	if err != nil {
		v.Fail(err.Error())
		return
	}
	// The number of flows is checked before any is made: a short line can ask for millions.
	if !r.room(v, int64(len(l.Flows))) || !r.listFits(f, l, first, flow.Sender.ACK.Every) {
		return
	}
	r.s.Lists = append(r.s.Lists, readList(file, l))
	base := len(r.s.Network.Flows)
	// Thousands of flows can wait for the same thousands. The list has each set once, and so has the network.
	shared := map[*int][]int{} // the flows of the network for each list of the file
	for i := range l.Flows {
		x := &l.Flows[i]
		// What the entry says of all its flows is copied, and then overwritten by the line.
		flow := flow
		flow.From, flow.To, flow.Size, flow.Start = x.From-first, x.To-first, x.Size, x.Start
		flow.Acknowledged, flow.InTurn = x.Acknowledged, x.InTurn
		if len(x.After) > 0 {
			key := &x.After[0]
			if shared[key] == nil {
				for _, a := range x.After {
					shared[key] = append(shared[key], base+a)
				}
			}
			flow.After = shared[key]
		}
		if x.Priority >= 0 {
			r.setPriority(&flow, x.Priority)
		}
		r.add(v, name, flow)
	}
}

// setPriority gives a flow a priority, with the marks of the class that has it.
func (r *reader) setPriority(flow *fabric.Flow, priority int) {
	// Without a class the code point is the class selector of the priority (RFC 2474, 4.2.2.2).
	flow.Priority, flow.DSCP = priority, 8*priority
	if c := r.s.classAt(priority); c != nil {
		flow.DSCP = c.DSCP
	}
	// -1: the frames have no VLAN tag, so there is no PCP to set.
	if flow.PCP >= 0 {
		flow.PCP = priority
	}
}

// listFits tells whether the hosts and the entry fit a list, and complains if
// they do not.
func (r *reader) listFits(f map[string]*document.Value, l *foreign.List, first, ack int) bool {
	before := f["list"].Complaints()
	hosts := len(r.s.Network.Hosts)
	// first is the number of the first host in the list, where the other program numbers other nodes before the
	// hosts.
	if l.Nodes > hosts+first {
		f["list"].Fail(fmt.Sprintf("%d nodes: want at most the %d hosts of the topology", l.Nodes, hosts))
	}
	for i := range l.Flows {
		x := &l.Flows[i]
		// Only the first line that is wrong is named: where one number is shifted, all are.
		if low, high := min(x.From, x.To), max(x.From, x.To); low < first || high >= first+hosts {
			f["list"].Fail(fmt.Sprintf("line %d: node %d to node %d: want nodes %d to %d, which are the hosts in their "+
				"order; first says the number of the first host", x.Line, x.From, x.To, first, first+hosts-1))
			break
		}
		// htsim starts such a connection when the last acknowledgement of another one has arrived.
		if x.Acknowledged && ack == 0 {
			f["list"].Fail(fmt.Sprintf("line %d: the connection starts at a send_done_trigger: want an entry whose sender "+
				"has ack, because the trigger waits for the last acknowledgement", x.Line))
			break
		}
	}
	// All flows of a list have a priority, or none has: the format decides.
	if len(l.Flows) > 0 && l.Flows[0].Priority >= 0 && f["class"] != nil {
		f["class"].Refuse("no class: the list has the priority group of each flow")
	}
	return f["list"].Complaints() == before
}

// readList says which flow list a scenario has, for the first lines of a report. Lines beyond the number that the
// list itself states are not read, and the text says how many they are.
func readList(file string, l *foreign.List) string {
	text := fmt.Sprintf("%d flows of %s, a %s", len(l.Flows), file, l.Format)
	if l.Unread > 0 {
		text += fmt.Sprintf("; %d more lines are not read: the first line says %d", l.Unread, len(l.Flows))
	}
	return text
}
