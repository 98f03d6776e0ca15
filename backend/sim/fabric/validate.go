package fabric

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/internal/complain"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// The most that a network may have of each part. What it costs in all has limits
// too: see [MaxSetupBytes] and [MaxSetupSteps].
const (
	MaxHosts    = 1 << 16
	MaxSwitches = 1 << 14
	MaxPorts    = 1 << 19 // of all switches
	MaxFlows    = 200_000
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
	lastTime = unit.Time(clock.Never / 4)
)

// Validate returns everything that is wrong with the network, each complaint
// with its path ("links[3].rate"), the value and what is accepted; nil if
// nothing is wrong.
func (n Network) Validate() error {
	v := &checker{n: &n}
	if v.sizes(); len(v.bad) > 0 {
		return v.bad.Err()
	}
	v.wire()
	for i := range n.Hosts {
		v.under("hosts", i, n.Hosts[i].validate())
	}
	for i := range n.Switches {
		v.under("switches", i, v.node(&n.Switches[i]))
	}
	v.links()
	for i := range n.Flows {
		v.under("flows", i, v.flow(&n.Flows[i]))
	}
	v.after()
	for i := range n.Failures {
		v.under("failures", i, errors.Join(n.Failures[i].Validate(), n.Failures[i].within(&n)))
	}
	v.bad.Check(n.DeadlockEvery >= 0, "deadlock every", n.DeadlockEvery, "0 for never, or more")
	return v.bad.Err()
}

// checker collects the complaints about a network. A network can have 100,000 ports, so nothing is formatted for what
// is right: each part returns complaints with paths inside the part, and under puts the path of the part in front.
type checker struct {
	n      *Network
	bad    complain.List
	linked map[End]End
	area   areas // of switches that links connect
}

// under adds the complaints about one of the things of a list.
func (v *checker) under(list string, i int, err error) {
	if err != nil {
		v.bad.Under(fmt.Sprintf("%s[%d]", list, i), err)
	}
}

// within tells whether a number is in a range.
func within[T ~int | ~int64 | ~uint8](n, lowest, highest T) bool { return lowest <= n && n <= highest }

// need complains about a number out of a range.
func need[T ~int | ~int64 | ~uint8](bad *complain.List, path string, n, lowest, highest T) {
	if !within(n, lowest, highest) {
		bad.Add(path, fmt.Sprint(n), fmt.Sprintf("%v to %v", lowest, highest))
	}
}

// isIndex complains unless i is the index of one of n things.
func isIndex(bad *complain.List, i, n int, path, things string) bool {
	switch {
	case i >= 0 && i < n:
		return true
	case n == 0:
		bad.Add(path, fmt.Sprint(i), "there are no "+things)
	default:
		bad.Add(path, fmt.Sprint(i), fmt.Sprintf("0 to %d, one of %d %s", n-1, n, things))
	}
	return false
}

// lines adds the complaints about a part that are lines of a text.
func lines(bad *complain.List, path string, err error) {
	if err == nil {
		return
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		bad.Add(path, line, "")
	}
}

// sizes refuses a network that would not fit memory, before anything else is
// validated.
func (v *checker) sizes() {
	n := v.n
	v.most("hosts", len(n.Hosts), MaxHosts)
	v.most("switches", len(n.Switches), MaxSwitches)
	v.most("flows", len(n.Flows), MaxFlows)
	ports, pairs := 0, 0
	for i := range n.Switches {
		w := &n.Switches[i]
		ports += len(w.Ports)
		if w.Slice != nil {
			pairs += min(len(w.Ports), MaxPorts) * min(len(w.Ports), MaxPorts)
		}
		accounts := (len(w.MMU.Groups) + len(w.MMU.Queues)) * min(max(w.MMU.Slices, 1), maxAccounts)
		if accounts > maxAccounts {
			v.bad.Add(fmt.Sprintf("switches[%d].mmu", i), fmt.Sprintf("%d groups and queues in %d slices",
				len(w.MMU.Groups)+len(w.MMU.Queues), w.MMU.Slices), fmt.Sprintf("at most %d in all slices", maxAccounts))
		}
	}
	v.most("ports of all switches", ports, MaxPorts)
	v.most("pairs of ports of switches with slices", pairs, maxPairs)
	v.most("links", len(n.Links), MaxPorts)
	if len(v.bad) == 0 {
		v.budget()
	}
}

// most complains about more things than a network may have.
func (v *checker) most(things string, n, most int) {
	v.bad.Check(n <= most, things, n, "at most %d", most)
}

// wire validates what links add to frames.
func (v *checker) wire() {
	w := &v.n.Wire
	need(&v.bad, "wire.gap", w.Gap, 0, LongestFrame)
	need(&v.bad, "wire.pause", w.Pause, 0, LongestFrame)
}

// validate validates a host.
func (h *Host) validate() error {
	var bad complain.List
	need(&bad, "response", h.Response, 0, longest)
	bad.Check(h.AfterPause >= 0, "committed", h.AfterPause, "0B or more")
	receiver(&bad, h.PFC != 0, h.Link)
	bad.Under("dcbx", h.DCBX.validate(h.PFC, h.Link, nil))
	return bad.Err()
}

// node validates a switch: its MMU, unless it has an admission rule, and its
// ports.
func (v *checker) node(w *Switch) error {
	var bad complain.List
	if w.Rule == nil {
		c := w.MMU
		c.Slices = max(c.Slices, 1)
		bad.Under("mmu", c.Validate())
	}
	owner := make([]int, len(w.MMU.Groups))
	for j := range w.Ports {
		if err := w.Ports[j].validate(w, j, owner); err != nil {
			bad.Under(fmt.Sprintf("ports[%d]", j), err)
		}
	}
	w.slices(&bad)
	w.routes(&bad, len(v.n.Hosts))
	return bad.Err()
}

// validate validates a port of a switch. owner has, for every lossless group,
// the number of its port plus 1.
func (p *SwitchPort) validate(w *Switch, number int, owner []int) error {
	var bad complain.List
	bad.Check(p.Trust <= TrustDSCP, "trust", p.Trust, "0 PCP, 1 DSCP")
	need(&bad, "resp", p.Resp, 0, longest)
	need(&bad, "wait", p.Wait, 0, 2*LongestFrame)
	receiver(&bad, p.PFC != 0, p.Link)
	lines(&bad, "ets", p.ETS.Validate())
	lines(&bad, "watchdog", p.Watchdog.Validate())
	bad.Under("dcbx", p.DCBX.validate(p.PFC, p.Link, p))
	bad.Check(p.DCBX == nil || !w.LinkPause, "dcbx", "with 802.3x PAUSE", "a switch that sends PFC")
	bad.Check(p.DCBX == nil || w.Rule == nil, "dcbx", "with an admission rule", "a switch with an MMU")
	for prio := range Priorities {
		if err := p.priority(w, prio, number, owner); err != nil {
			bad.Join(err)
		}
	}
	if p.Map == nil {
		return bad.Err()
	}
	for code, prio := range p.Map {
		if prio >= Priorities {
			bad.Add(fmt.Sprintf("map[%d]", code), fmt.Sprint(prio), "priority 0 to 7")
		}
	}
	return bad.Err()
}

// priority validates what a port does with one priority.
func (p *SwitchPort) priority(w *Switch, prio, number int, owner []int) error {
	var bad complain.List
	at := func(list string) string { return fmt.Sprintf("%s[%d]", list, prio) }
	if err := p.ECN[prio].Validate(); err != nil {
		lines(&bad, at("ecn"), err)
	}
	if q := p.Queues[prio]; !within(q, 0, Priorities-1) {
		isIndex(&bad, q, Priorities, at("queues"), "queues of a port")
	}
	if w.Rule != nil {
		return bad.Err()
	}
	if n := len(w.MMU.Queues); n > 0 && !within(p.Cells[prio], 0, n-1) {
		isIndex(&bad, p.Cells[prio], n, at("cells"), "queues of the MMU")
	}
	g := p.Groups[prio]
	if n := len(w.MMU.Groups); !within(g, 0, n-1) {
		isIndex(&bad, g, n, at("groups"), "groups of the MMU")
		return bad.Err()
	}
	if !w.MMU.Groups[g].Lossless {
		return bad.Err()
	}
	if owner[g] == 0 {
		owner[g] = number + 1
	}
	if owner[g] != number+1 {
		bad.Add(at("groups"), fmt.Sprint(g), fmt.Sprintf("a lossless group is one port's, and this is that of port %d",
			owner[g]-1))
	}
	return bad.Err()
}

// receiver validates what a port does with pause frames.
func receiver(bad *complain.List, hasPFC bool, rule pfc.LinkRule) {
	bad.Check(rule <= pfc.LinkBesidePFC, "link", rule, "0 ignored, 1 obeyed, 2 obeyed beside PFC")
	bad.Check(rule != pfc.LinkObeyed || !hasPFC, "link", "PFC and PAUSE are both obeyed",
		"one of them, or 2 if both are intended")
}

// slices validates the slice of every pair of ports: the fabric calls Slice
// only once per pair.
func (w *Switch) slices(bad *complain.List) {
	if w.Slice == nil {
		return
	}
	n := max(w.MMU.Slices, 1)
	for in := range w.Ports {
		for out := range w.Ports {
			if slice := w.Slice(in, out); !within(slice, 0, n-1) {
				isIndex(bad, slice, n, fmt.Sprintf("slice(%d, %d)", in, out), "slices of the MMU")
			}
		}
	}
}

// routes validates the routes to each host that a switch has of its own.
func (w *Switch) routes(bad *complain.List, hosts int) {
	if w.Routes == nil {
		return
	}
	for h := range hosts {
		for _, out := range w.Routes(h) {
			if !within(out, 0, len(w.Ports)-1) {
				isIndex(bad, out, len(w.Ports), fmt.Sprintf("routes(%d)", h), "ports of the switch")
			}
		}
	}
}

// links validates links and notes which ports they connect.
func (v *checker) links() {
	v.linked = make(map[End]End, 2*len(v.n.Links))
	v.area = newAreas(len(v.n.Switches))
	for i := range v.n.Links {
		v.under("links", i, v.link(&v.n.Links[i]))
	}
}

// link validates a link and notes which ports it connects.
func (v *checker) link(l *Link) error {
	var bad complain.List
	need(&bad, "rate", l.Rate, unit.BitPerSecond, fastest)
	need(&bad, "delay", l.Delay, 0, longest)
	need(&bad, "interface", l.Interface, 0, longest)
	if a, b := v.end(l.A), v.end(l.B); a != nil || b != nil {
		bad.Under("a", a)
		bad.Under("b", b)
		return bad.Err()
	}
	bad.Under("layer", v.linkLayer(l))
	v.connect(&bad, "a", l.A, l.B)
	v.connect(&bad, "b", l.B, l.A)
	if l.A.Switch && l.B.Switch {
		v.area.join(l.A.Node, l.B.Node)
	}
	return bad.Err()
}

// end validates a link's end.
func (v *checker) end(e End) error {
	var bad complain.List
	switch {
	case !e.Switch:
		isIndex(&bad, e.Node, len(v.n.Hosts), "node", "hosts")
		bad.Check(e.Port == 0, "port", e.Port, "0: a host has one port")
	case isIndex(&bad, e.Node, len(v.n.Switches), "node", "switches"):
		isIndex(&bad, e.Port, len(v.n.Switches[e.Node].Ports), "port", "ports of the switch")
	}
	return bad.Err()
}

// connect notes a link's end, and complains about a port that has two links.
func (v *checker) connect(bad *complain.List, name string, e, to End) {
	if _, twice := v.linked[e]; twice {
		bad.Add(name, e.String(), "a port that has no link yet")
	}
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
func (v *checker) flow(f *Flow) error {
	var bad complain.List
	from := isIndex(&bad, f.From, len(v.n.Hosts), "from", "hosts")
	to := isIndex(&bad, f.To, len(v.n.Hosts), "to", "hosts")
	bad.Check(!from || f.From != f.To, "to", f.To, "another host than from")
	need(&bad, "priority", f.Priority, 0, Priorities-1)
	bad.Check(within(f.PCP, -1, Priorities-1), "pcp", f.PCP, "0 to 7, or -1 without a tag")
	need(&bad, "dscp", f.DSCP, 0, 63)
	need(&bad, "ttl", f.TTL, 0, 255)
	shortest := ShortestFrame
	if v.n.Wire.Bare {
		shortest = 1
	}
	need(&bad, "frame", f.Frame, shortest, LongestFrame)
	bad.Check(within(f.Header, 0, max(f.Frame-1, 0)), "header", f.Header, "less than the frame")
	bad.Check(f.Size >= 0, "size", f.Size, "0B, which is without end, or more")
	bad.Check(f.Rate >= 0, "rate", f.Rate, "0, which is the link's, or more")
	need(&bad, "start", f.Start, 0, lastTime)
	need(&bad, "stop", f.Stop, 0, lastTime)
	lines(&bad, "sender", f.validateSender())
	if from && to && f.From != f.To && !v.reaches(AtHost(f.From), AtHost(f.To)) {
		bad.Add("", fmt.Sprintf("no route from host %d to host %d", f.From, f.To), "hosts that links connect")
	}
	return bad.Err()
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
