package fabric

import (
	"cmp"
	"container/heap"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/fabric/internal/dependency"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// This file answers who stops if one node takes no more frames: all channels from which a channel to it can be reached
// in the graph of dependencies, and no others. That is sound, and not tight: whether all of them stop depends on the
// load.

// pauseBytes is what a pause frame takes on a link: 64 bytes, preamble and gap (IEEE 802.3 annex 31B, clause 4.4).
const pauseBytes = 84

// fibre is the delay of a metre of cable, the shortest that is used for sizing headroom: 5 ns.
const fibre = 5 * unit.Nanosecond

// mostSlow is the largest number of hosts that are compared to find those that are alike.
const mostSlow = 20_000

// assumedOfPauses is what the answers rest on.
var assumedOfPauses = []string{
	"channels and flows that can stop: whether all of them do depends on the load; no other can",
	"earliest times are lower bounds: the node pauses at 0, every group pauses at the lowest XOFF, fills at the speed of its " +
		"own cable, and its pause takes effect with its last bit",
	"how long a pause lasts has no bound here: it is as long as the node takes nothing",
}

// Limit is where a switch pauses and marks the frames of a priority. XOFF is the lowest content of a group at which it
// pauses, Wire the fewest bytes on the wire that fill a group so far, and Mark the content of an egress queue from
// which frames are marked; without a value nothing is said of marks. Zero says that a group can pause with its first
// frame. XOFF and Wire differ: a frame fills whole cells, and preamble and gap are on the wire alone.
type Limit struct {
	XOFF, Wire unit.Bytes
	Mark       unit.Optional[unit.Bytes]
}

// Pauses answers who can stop if a node takes no more frames, NODE or NODE:PORT, for each priority of the routes.
// Without one it answers for one host of each kind whose numbers are alike.
//
// Limits returns the limits of a switch and a priority. Nil is zero for all.
func (f *File) Pauses(from string, limits func(node string, priority int) Limit) (report.FabricPausesDocument, error) {
	d := report.FabricPausesDocument{Schema: report.Schema("fabric-pauses"), Assumed: assumedOfPauses}
	if err := f.ready(); err != nil {
		return d, err
	}
	w := f.wave()
	w.limits = limits
	froms, err := w.froms(from, mostSlow)
	if err != nil {
		return d, err
	}
	for layer, priority := range w.priorities {
		var rows grouped.By[string, report.FabricPauses]
		// Hosts with the same rows are one row: their numbers are compared as text, since rows have no other form to compare.
		for _, at := range froms {
			row := report.FabricPauses{From: w.text(at), Priority: priority, Alike: 1}
			unnamed.List(&row.Spread, 0)
			first, levels := w.depths(at, layer)
			w.sum(&row, levels, w.times(first))
			numbers, err := json.Marshal(row.Spread)
			if err != nil {
				panic("fabric: numbers without a form: " + err.Error())
			}
			known := rows.Of(string(numbers))
			if known.Alike++; known.Alike == 1 {
				w.victims(at, levels, &row)
				*known = row
			}
		}
		d.Slow = append(d.Slow, rows.Values()...)
	}
	w.fanIn(&d)
	d.Notes = append(w.notes, w.marks()...)
	return d, nil
}

// ready refuses a file whose routes are not there, or not read.
func (f *File) ready() error {
	if len(f.routes) == 0 {
		return fmt.Errorf("%s:%d: routes: missing: want this key", f.name, f.line)
	}
	for i := range f.routes {
		if d := f.routes[i].tables; d != nil && d.set == nil {
			return fmt.Errorf("%s: the tables %s are not read", f.name, d.file)
		}
	}
	return nil
}

// wave is the answers for one fabric.
type wave struct {
	*question
	g      *dependency.Graph
	limits func(node string, priority int) Limit
}

// wave prepares the answers.
func (f *File) wave() *wave {
	q := f.question()
	return &wave{question: q, g: q.graph(nil)}
}

// froms are the nodes that are asked about, each with the port, "" for all. Without a text they are the hosts, of which
// at most some are compared.
func (w *wave) froms(text string, most int) (out []end, err error) {
	if text != "" {
		name, port, _ := strings.Cut(text, ":")
		n, known := w.number[name]
		if _, cabled := w.ports[end{n, port}]; !known || port != "" && !cabled {
			return nil, fmt.Errorf("%s (want the name of a host or switch of %s, or NAME:PORT with a cable)", text, w.name)
		}
		return []end{{n, port}}, nil
	}
	for i := range w.nodes {
		if w.nodes[i].host && len(w.net.Ports[i]) > 0 {
			out = append(out, end{node: i})
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no hosts (want the name of a switch that takes no more frames)", w.name)
	}
	if left := len(out) - most; left > 0 {
		w.notes = append(w.notes, fmt.Sprintf("the first %d hosts are compared, and %d are not: --from asks about one "+
			"of them", most, left))
	}
	return out[:min(most, len(out))], nil
}

// reach is a channel in the order in which it can stop.
type reach struct {
	vertex dependency.Vertex
	at     unit.Time
}

// reaches is the heap of Dijkstra's algorithm.
type reaches []reach

func (r reaches) Len() int           { return len(r) }
func (r reaches) Less(i, j int) bool { return r[i].at < r[j].at }
func (r reaches) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *reaches) Push(x any)        { *r = append(*r, x.(reach)) }
func (r *reaches) Pop() any {
	x := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return x
}

// depths returns the channels to a node, and the depth of each vertex that a pause can reach, which is the number of
// pauses after the first; -1: it cannot stop.
func (w *wave) depths(at end, layer int) (first []dependency.Vertex, levels []int) {
	// Of all priorities: frames that are rewritten let a pause reach another priority.
	levels = make([]int, w.net.Channels()*len(w.priorities))
	for i := range levels {
		levels[i] = -1
	}
	for _, p := range w.net.Ports[at.node] {
		v := w.g.Vertex(layer, w.net.Channel(p.Node, p.Port))
		if h := w.hop(w.g, v); w.g.Uses(v) && (at.port == "" || at.port == h.ToPort) {
			levels[v] = 0
			first = append(first, v)
		}
	}
	// Breadth first against the direction of the frames: what waits for a stopped channel is stopped one pause later.
	for queue := slices.Clone(first); len(queue) > 0; queue = queue[1:] {
		w.g.Before(queue[0], func(u dependency.Vertex) {
			if levels[u] < 0 {
				levels[u] = levels[queue[0]] + 1
				queue = append(queue, u)
			}
		})
	}
	return first, levels
}

// Spread returns the channels that a pause can reach if a host pauses for ever, by the lowest priority of the routes:
// first those to the host, then those that can wait for them, and so on. Because of a hop is empty. It is nil without
// routes, and where no frame goes to the host.
func (f *File) Spread(host string) (out [][]report.FabricHop, _ error) {
	at, known := f.number[host]
	if !known || !f.nodes[at].host {
		return nil, fmt.Errorf("%s: no host %q", f.name, host)
	}
	if len(f.routes) == 0 {
		return nil, nil
	}
	w := f.wave()
	_, levels := w.depths(end{node: at}, 0)
	for v, depth := range levels {
		if depth < 0 {
			continue
		}
		out = append(out, make([][]report.FabricHop, max(0, depth+1-len(out)))...)
		out[depth] = append(out[depth], w.hop(w.g, v))
	}
	return out, nil
}

// times are the earliest times at which channels stop, of those of which all speeds on the way are known; nil: none.
func (w *wave) times(first []dependency.Vertex) map[dependency.Vertex]unit.Time {
	out := map[dependency.Vertex]unit.Time{}
	var queue reaches
	for _, v := range first {
		if t, ok := w.pause(v); ok {
			queue = append(queue, reach{v, t})
		}
	}
	// Dijkstra against the direction of the frames. The group at the end of channel u fills by u alone, whose speed is
	// therefore the most that can feed it; other channels have groups of their own.
	for heap.Init(&queue); queue.Len() > 0; {
		x := heap.Pop(&queue).(reach)
		if _, seen := out[x.vertex]; seen {
			continue
		}
		out[x.vertex] = x.at
		w.g.Before(x.vertex, func(u dependency.Vertex) {
			if t, ok := w.pause(u); ok {
				heap.Push(&queue, reach{u, x.at + t + w.speed(u).TimeFor(int64(w.limit(u).Wire)*8)})
			}
		})
	}
	return out
}

// limit is what a switch does with the group at the end of a channel.
func (w *wave) limit(v dependency.Vertex) Limit {
	if w.limits == nil {
		return Limit{}
	}
	h := w.hop(w.g, v)
	return w.limits(h.To, h.Priority)
}

// speed is the rate of a channel's cable; 0: the file does not say it.
func (w *wave) speed(v dependency.Vertex) unit.BitRate {
	_, channel := w.g.Split(v)
	rate, _ := unit.ParseBitRate(w.cables[w.cable[channel]].speed) // it was read before
	return rate
}

// pause is the time from the first bit of a pause frame for a channel to its last bit at the sender of the channel.
func (w *wave) pause(v dependency.Vertex) (unit.Time, bool) {
	rate := w.speed(v)
	if rate <= 0 {
		return 0, false
	}
	_, channel := w.g.Split(v)
	// A cable of unknown length counts as 0 m: the time stays a lower bound.
	length, _ := unit.ParseLength(cmp.Or(w.cables[w.cable[channel]].length, "0m"))
	return rate.TimeFor(pauseBytes*8) + unit.Time(length/unit.Millimetre)*fibre/1000, true
}

// sum counts what stops: rows by depth and by the roles of both ends.
func (w *wave) sum(row *report.FabricPauses, levels []int, times map[dependency.Vertex]unit.Time) {
	type kind struct {
		depth    int
		from, to string
	}
	vertices := map[kind][]dependency.Vertex{}
	for v, depth := range levels {
		if depth >= 0 {
			_, channel := w.g.Split(v)
			node, port := w.net.Place(channel)
			k := kind{depth, w.roleOrKind(node), w.roleOrKind(w.net.Ports[node][port].Node)}
			vertices[k] = append(vertices[k], v)
		}
	}
	hosts := map[int]bool{}
	for _, k := range slices.SortedFunc(maps.Keys(vertices), func(a, b kind) int {
		return cmp.Or(a.depth-b.depth, cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	}) {
		x := unnamed.Add(&row.Spread)
		x.Depth, x.From, x.To, x.Channels = k.depth, k.from, k.to, len(vertices[k])
		// A host is counted at its lowest depth alone: it is stopped by the first pause that reaches it.
		for _, v := range vertices[k] {
			_, channel := w.g.Split(v)
			if node, _ := w.net.Place(channel); w.nodes[node].host && !hosts[node] {
				hosts[node] = true
				x.Hosts++
			}
			if t, timed := times[v]; timed && (x.Earliest == nil || int64(t) < *x.Earliest) {
				*unnamed.New(&x.Earliest) = int64(t)
			}
		}
		row.Channels += x.Channels
		row.Hosts += x.Hosts
	}
}

// roleOrKind names what a node is: host, its role, or switch.
func (w *wave) roleOrKind(n int) string { return cmp.Or(w.roleName(n), "switch") }

// victims counts the pairs of nodes whose frames are for other nodes and can stop, by the lowest depth on their ways.
func (w *wave) victims(at end, levels []int, row *report.FabricPauses) {
	if len(row.Spread) == 0 {
		return
	}
	// A flow that passes several stopped channels is stopped by the one that stops first.
	byDepth := make([]int, 2+slices.Max(levels)) // the last are those that nothing stops
	for i := range w.routes {
		r := &w.routes[i]
		for j := range r.paths {
			w.victimPath(&r.paths[j], at.node, levels, byDepth, row)
		}
		if !r.walks() {
			continue
		}
		// Flows to the slow node itself are no victims: they wait for what they asked for. A prefix is no node, so that of
		// tables all count.
		leave := at.node
		if r.tables != nil {
			leave = -1
		}
		ways, to := w.ways(r)
		pairs, all := w.net.Touched(len(w.priorities), w.layer(r.priority), ways, r.from, to, levels, leave)
		for d, n := range pairs {
			byDepth[d] += n
		}
		row.Flows += all
	}
	// One number for each depth: a flow has one lowest depth, and can pass cables of several roles there.
	last := -1
	for i := range row.Spread {
		if x := &row.Spread[i]; x.Depth != last {
			x.Victims, last = byDepth[x.Depth], x.Depth
			row.Victims += x.Victims
		}
	}
}

// victimPath counts a given path.
func (w *wave) victimPath(p *route, slow int, levels, byDepth []int, row *report.FabricPauses) {
	hops, broken := w.hops(w.g, p)
	if broken != "" || p.nodes[len(p.nodes)-1] == slow {
		return
	}
	row.Flows++
	lowest := len(byDepth) - 1
	for _, v := range slices.Concat(hops...) {
		if levels[v] >= 0 {
			lowest = min(lowest, levels[v])
		}
	}
	byDepth[lowest]++
}

// fanIn counts, for each role of switches, the largest number of cables whose frames leave by one cable: so many groups
// of a priority can be full behind one congested cable, and no more.
func (w *wave) fanIn(d *report.FabricPausesDocument) {
	switches := map[string][]int{}
	for v := range w.nodes {
		if !w.nodes[v].host {
			switches[w.roleOrKind(v)] = append(switches[w.roleOrKind(v)], v)
		}
	}
	for _, role := range slices.Sorted(maps.Keys(switches)) {
		x := unnamed.Add(&d.FanIn)
		x.Role, x.Switches, x.Behind = role, len(switches[role]), -1
		for _, v := range switches[role] {
			x.Ports = max(x.Ports, len(w.net.Ports[v]))
			if n := w.behind(v); n > x.Behind {
				x.Behind, x.Switch = n, w.nodes[v].name
			}
		}
	}
}

// FanIn returns, for each switch, the largest number of cables whose frames leave by one cable, in one priority: so
// many groups can be full behind one congested cable, and no more. It is nil without routes.
func (f *File) FanIn() map[string]int {
	if f.ready() != nil {
		return nil
	}
	w, out := f.wave(), map[string]int{}
	for v := range w.nodes {
		if !w.nodes[v].host {
			out[w.nodes[v].name] = w.behind(v)
		}
	}
	return out
}

// behind is the largest number of cables into a switch whose frames leave by one cable, in one priority.
func (w *wave) behind(v int) (most int) {
	for layer := range w.priorities {
		for port := range w.net.Ports[v] {
			n := 0
			w.g.Before(w.g.Vertex(layer, w.net.Channel(v, port)), func(dependency.Vertex) { n++ })
			most = max(most, n)
		}
	}
	return most
}

// marks says of each priority, and of switches with the same limits, whether frames are marked before a group pauses.
func (w *wave) marks() (out []string) {
	if w.limits == nil {
		return nil
	}
	for _, priority := range w.priorities {
		var roles grouped.By[string, []string]
		for v := range w.nodes {
			if w.nodes[v].host {
				continue
			}
			l := w.limits(w.nodes[v].name, priority)
			if mark, given := l.Mark.Get(); given {
				of := roles.Of(marks(l.XOFF, mark))
				*of = grouped.Add(*of, w.roleOrKind(v))
			}
		}
		for text, of := range roles.All() {
			out = append(out, fmt.Sprintf("priority %d of %s: %s", priority, strings.Join(*of, ", "), text))
		}
	}
	return out
}

// marks says whether frames are marked before a group pauses.
func marks(xoff, mark unit.Bytes) string {
	if mark < xoff {
		return fmt.Sprintf("frames are marked from %v in an egress queue on, before a group whose frames all wait there pauses "+
			"at %v; a group whose frames wait in several queues can pause without a mark", mark, xoff)
	}
	return fmt.Sprintf("a group can pause at %v before its queue has the %v from which frames are marked: ECN comes too late",
		xoff, mark)
}
