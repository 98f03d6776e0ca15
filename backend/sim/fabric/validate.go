package fabric

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// The most that a network may have of each part. What it costs in all has limits
// too: see [MaxSetupBytes] and [MaxSetupSteps].
const (
	MaxHosts    = 1 << 16
	MaxSwitches = 1 << 14
	MaxPorts    = 1 << 17 // of all switches
	MaxFlows    = 200_000
	maxRoutes   = 1 << 25 // hosts times switches
	maxPairs    = 1 << 26 // ingress times egress ports, of switches with slices
	maxAccounts = 1 << 22 // groups and queues of a switch in all its slices
)

// The frames of Ethernet that a flow may send. Links without preamble and gap
// are those of other simulators, which send shorter frames too.
const (
	ShortestFrame unit.Bytes = 64
	LongestFrame  unit.Bytes = 16384
)

const (
	fastest  = 100 * unit.Tbps
	longest  = 1000 * unit.Second // of any delay
	lastTime = unit.Time(never / 4)
)

// Validate returns everything that is wrong with the network, each complaint
// with its path ("links[3].rate"), the value and what is accepted; nil if
// nothing is wrong.
func (n Network) Validate() error {
	v := &checker{n: &n}
	if v.sizes(); len(v.bad) > 0 {
		return errors.Join(v.bad...)
	}
	v.wire()
	for i := range n.Hosts {
		v.host(fmt.Sprintf("hosts[%d]", i), &n.Hosts[i])
	}
	for i := range n.Switches {
		v.node(fmt.Sprintf("switches[%d]", i), &n.Switches[i])
	}
	v.links()
	for i := range n.Flows {
		v.flow(fmt.Sprintf("flows[%d]", i), &n.Flows[i])
	}
	for i := range n.Failures {
		v.part(fmt.Sprintf("failures[%d]: ", i), errors.Join(n.Failures[i].Validate(), n.Failures[i].within(&n)))
	}
	v.need(n.DeadlockEvery >= 0, "deadlock every", n.DeadlockEvery, "0 for never, or more")
	return errors.Join(v.bad...)
}

// checker collects the complaints about a network.
type checker struct {
	n      *Network
	bad    []error
	linked map[End]End
	area   areas // of switches that links connect
}

// need complains if ok is false.
func (v *checker) need(ok bool, path string, value any, accepted string) {
	if !ok {
		v.bad = append(v.bad, fmt.Errorf("%s: %v (accepted: %s)", path, value, accepted))
	}
}

// part adds the complaints about a part, each with the part's path.
func (v *checker) part(path string, err error) {
	if err == nil {
		return
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		v.bad = append(v.bad, fmt.Errorf("%s%s", path, line))
	}
}

// within tells whether a number is in a range.
func within[T ~int | ~int64 | ~uint8](n, lowest, highest T) bool { return lowest <= n && n <= highest }

// span describes a range.
func span[T any](lowest, highest T) string { return fmt.Sprintf("%v to %v", lowest, highest) }

// index complains unless i is the index of one of n things.
func (v *checker) index(i, n int, path, things string) bool {
	ok := i >= 0 && i < n
	if !ok && n == 0 {
		v.need(false, path, i, "there are no "+things)
	} else {
		v.need(ok, path, i, fmt.Sprintf("0 to %d, one of %d %s", n-1, n, things))
	}
	return ok
}

// times complains about a time that no link has.
func (v *checker) times(path string, t unit.Time) {
	v.need(within(t, 0, longest), path, t, span[unit.Time](0, longest))
}

// sizes refuses a network that would not fit memory, before anything else is
// validated.
func (v *checker) sizes() {
	n := v.n
	v.need(len(n.Hosts) <= MaxHosts, "hosts", len(n.Hosts), fmt.Sprintf("at most %d", MaxHosts))
	v.need(len(n.Switches) <= MaxSwitches, "switches", len(n.Switches), fmt.Sprintf("at most %d", MaxSwitches))
	v.need(len(n.Flows) <= MaxFlows, "flows", len(n.Flows), fmt.Sprintf("at most %d", MaxFlows))
	v.need(len(n.Hosts)*len(n.Switches) <= maxRoutes, "hosts times switches", len(n.Hosts)*len(n.Switches),
		fmt.Sprintf("at most %d", maxRoutes))
	ports, pairs := 0, 0
	for i := range n.Switches {
		w := &n.Switches[i]
		ports += len(w.Ports)
		if w.Slice != nil {
			pairs += min(len(w.Ports), MaxPorts) * min(len(w.Ports), MaxPorts)
		}
		accounts := (len(w.MMU.Groups) + len(w.MMU.Queues)) * min(max(w.MMU.Slices, 1), maxAccounts)
		v.need(accounts <= maxAccounts, fmt.Sprintf("switches[%d].mmu", i), fmt.Sprintf(
			"%d groups and queues in %d slices", len(w.MMU.Groups)+len(w.MMU.Queues), w.MMU.Slices),
			fmt.Sprintf("at most %d in all slices", maxAccounts))
	}
	v.need(ports <= MaxPorts, "ports of all switches", ports, fmt.Sprintf("at most %d", MaxPorts))
	v.need(pairs <= maxPairs, "pairs of ports of switches with slices", pairs, fmt.Sprintf("at most %d", maxPairs))
	v.need(len(n.Links) <= MaxPorts, "links", len(n.Links), fmt.Sprintf("at most %d", MaxPorts))
	if len(v.bad) == 0 {
		v.budget()
	}
}

// wire validates what links add to frames.
func (v *checker) wire() {
	w := &v.n.Wire
	v.need(within(w.Gap, 0, LongestFrame), "wire.gap", w.Gap, span(0, LongestFrame))
	v.need(within(w.Pause, 0, LongestFrame), "wire.pause", w.Pause, span(0, LongestFrame))
}

// host validates a host.
func (v *checker) host(path string, h *Host) {
	v.times(path+".response", h.Response)
	v.need(h.AfterPause >= 0, path+".committed", h.AfterPause, "0B or more")
	v.receiver(path, h.PFC != 0, h.Link)
	v.dcbx(path+".dcbx", h.DCBX, h.PFC, h.Link)
}

// node validates a switch: its MMU, unless it has an admission rule, and its
// ports.
func (v *checker) node(path string, w *Switch) {
	if w.Rule == nil {
		c := w.MMU
		c.Slices = max(c.Slices, 1)
		v.part(path+".mmu.", c.Validate())
	}
	owner := make([]int, len(w.MMU.Groups))
	for j := range w.Ports {
		v.port(fmt.Sprintf("%s.ports[%d]", path, j), w, &w.Ports[j], j, owner)
	}
	v.slices(path, w)
	v.routes(path, w)
}

// port validates a port of a switch. owner has, for every lossless group, the
// number of its port plus 1.
func (v *checker) port(path string, w *Switch, p *SwitchPort, number int, owner []int) {
	v.need(p.Trust <= TrustDSCP, path+".trust", p.Trust, "0 PCP, 1 DSCP")
	v.times(path+".resp", p.Resp)
	v.need(within(p.Wait, 0, 2*LongestFrame), path+".wait", p.Wait, span(0, 2*LongestFrame))
	v.receiver(path, p.PFC != 0, p.Link)
	v.part(path+".ets: ", p.ETS.Validate())
	v.part(path+".watchdog: ", p.Watchdog.Validate())
	v.dcbx(path+".dcbx", p.DCBX, p.PFC, p.Link)
	v.need(p.DCBX == nil || !w.LinkPause, path+".dcbx", "with 802.3x PAUSE", "a switch that sends PFC")
	v.need(p.DCBX == nil || w.Rule == nil, path+".dcbx", "with an admission rule", "a switch with an MMU")
	for prio := range Priorities {
		v.part(fmt.Sprintf("%s.ecn[%d]: ", path, prio), p.ECN[prio].Validate())
		q := p.Queues[prio]
		v.index(q, Priorities, fmt.Sprintf("%s.queues[%d]", path, prio), "queues of a port")
		if w.Rule != nil {
			continue
		}
		if len(w.MMU.Queues) > 0 {
			v.index(p.Cells[prio], len(w.MMU.Queues), fmt.Sprintf("%s.cells[%d]", path, prio), "queues of the MMU")
		}
		g := p.Groups[prio]
		if !v.index(g, len(w.MMU.Groups), fmt.Sprintf("%s.groups[%d]", path, prio), "groups of the MMU") ||
			!w.MMU.Groups[g].Lossless {
			continue
		}
		if owner[g] == 0 {
			owner[g] = number + 1
		}
		v.need(owner[g] == number+1, fmt.Sprintf("%s.groups[%d]", path, prio), g,
			fmt.Sprintf("a lossless group is one port's, and this is that of port %d", owner[g]-1))
	}
	if p.Map == nil {
		return
	}
	for code, prio := range p.Map {
		v.need(prio < Priorities, fmt.Sprintf("%s.map[%d]", path, code), prio, "priority 0 to 7")
	}
}

// receiver validates what a port does with pause frames.
func (v *checker) receiver(path string, hasPFC bool, rule pfc.LinkRule) {
	v.need(rule <= pfc.LinkBesidePFC, path+".link", rule, "0 ignored, 1 obeyed, 2 obeyed beside PFC")
	v.need(rule != pfc.LinkObeyed || !hasPFC, path+".link", "PFC and PAUSE are both obeyed",
		"one of them, or 2 if both are intended")
}

// dcbx validates the DCBX of a port with PFC for these priorities.
func (v *checker) dcbx(path string, d *DCBX, priorities pfc.Priorities, rule pfc.LinkRule) {
	if d == nil {
		return
	}
	v.part(path+": ", d.validate(priorities))
	v.need(rule != pfc.LinkObeyed, path, "802.3x PAUSE is obeyed", "PFC, which DCBX negotiates")
}

// slices validates the slice of every pair of ports: the fabric calls Slice
// only once per pair.
func (v *checker) slices(path string, w *Switch) {
	if w.Slice == nil {
		return
	}
	for in := range w.Ports {
		for out := range w.Ports {
			v.index(w.Slice(in, out), max(w.MMU.Slices, 1), fmt.Sprintf("%s.slice(%d, %d)", path, in, out),
				"slices of the MMU")
		}
	}
}

// routes validates the routes that a switch has of its own.
func (v *checker) routes(path string, w *Switch) {
	if w.Routes == nil {
		return
	}
	for h := range v.n.Hosts {
		for _, out := range w.Routes(h) {
			v.index(out, len(w.Ports), fmt.Sprintf("%s.routes(%d)", path, h), "ports of the switch")
		}
	}
}

// links validates links and notes which ports they connect.
func (v *checker) links() {
	v.linked = map[End]End{}
	v.area = newAreas(len(v.n.Switches))
	for i := range v.n.Links {
		l := &v.n.Links[i]
		path := fmt.Sprintf("links[%d]", i)
		v.need(within(l.Rate, 1, fastest), path+".rate", l.Rate, span(unit.BitPerSecond, fastest))
		v.times(path+".delay", l.Delay)
		v.times(path+".interface", l.Interface)
		a, b := v.end(path+".a", l.A), v.end(path+".b", l.B)
		if !a || !b {
			continue
		}
		v.connect(path+".a", l.A, l.B)
		v.connect(path+".b", l.B, l.A)
		if l.A.Switch && l.B.Switch {
			v.area.join(l.A.Node, l.B.Node)
		}
	}
}

// end validates a link's end.
func (v *checker) end(path string, e End) bool {
	if !e.Switch {
		v.need(e.Port == 0, path+".port", e.Port, "0: a host has one port")
		return v.index(e.Node, len(v.n.Hosts), path+".node", "hosts") && e.Port == 0
	}
	return v.index(e.Node, len(v.n.Switches), path+".node", "switches") &&
		v.index(e.Port, len(v.n.Switches[e.Node].Ports), path+".port", "ports of the switch")
}

// connect notes a link's end, and complains about a port that has two links.
func (v *checker) connect(path string, e, to End) {
	_, twice := v.linked[e]
	v.need(!twice, path, e, "a port that has no link yet")
	v.linked[e] = to
}

// String returns "host 3" or "switch 1 port 4".
func (e End) String() string {
	if !e.Switch {
		return fmt.Sprintf("host %d", e.Node)
	}
	return fmt.Sprintf("switch %d port %d", e.Node, e.Port)
}

// flow validates a flow. Links without preamble and gap are those of other
// simulators, which also send frames below Ethernet's shortest.
func (v *checker) flow(path string, f *Flow) {
	from := v.index(f.From, len(v.n.Hosts), path+".from", "hosts")
	to := v.index(f.To, len(v.n.Hosts), path+".to", "hosts")
	v.need(!from || f.From != f.To, path+".to", f.To, "another host than from")
	v.need(within(f.Priority, 0, Priorities-1), path+".priority", f.Priority, span(0, Priorities-1))
	v.need(within(f.PCP, -1, Priorities-1), path+".pcp", f.PCP, "0 to 7, or -1 without a tag")
	v.need(within(f.DSCP, 0, 63), path+".dscp", f.DSCP, span(0, 63))
	v.need(within(f.TTL, 0, 255), path+".ttl", f.TTL, span(0, 255))
	shortest := ShortestFrame
	if v.n.Wire.Bare {
		shortest = 1
	}
	v.need(within(f.Frame, shortest, LongestFrame), path+".frame", f.Frame, span(shortest, LongestFrame))
	v.need(within(f.Header, 0, max(f.Frame-1, 0)), path+".header", f.Header, "less than the frame")
	v.need(f.Size >= 0, path+".size", f.Size, "0B, which is without end, or more")
	v.need(f.Rate >= 0, path+".rate", f.Rate, "0, which is the link's, or more")
	v.need(within(f.Start, 0, lastTime), path+".start", f.Start, span(0, lastTime))
	v.need(within(f.Stop, 0, lastTime), path+".stop", f.Stop, span(0, lastTime))
	v.part(path+".sender: ", f.validateSender())
	if from && to && f.From != f.To {
		v.need(v.reaches(AtHost(f.From), AtHost(f.To)), path, fmt.Sprintf("no route from host %d to host %d", f.From,
			f.To), "hosts that links connect")
	}
}

// reaches tells whether links lead from one host to another. Hosts do not
// forward.
func (v *checker) reaches(from, to End) bool {
	a, ok := v.linked[from]
	b, also := v.linked[to]
	if !ok || !also {
		return false
	}
	if a == to {
		return true
	}
	if !a.Switch || !b.Switch || v.area.find(a.Node) != v.area.find(b.Node) {
		return false
	}
	w := &v.n.Switches[a.Node]
	return w.Routes == nil || len(w.Routes(to.Node)) > 0
}
