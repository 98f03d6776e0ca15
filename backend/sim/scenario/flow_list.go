package scenario

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/foreign"
)

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
