package fabric

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/pfc"
)

// Validate returns everything that is wrong with the network, each complaint with its path ("links[3].rate"), the
// value and what is accepted; nil if nothing is wrong. Complaints about sizes come alone, since the rest would work
// on lists that are too long.
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
	// Links come before the flows, which need to know what they connect.
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

// sizes refuses a network that would not fit memory, before anything else is validated. Here nothing is reserved yet:
// only lengths of lists are looked at.
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
			// The bounds keep the product from overflowing.
			pairs += min(len(w.Ports), maxPorts) * min(len(w.Ports), maxPorts)
		}
		// The number of slices is bounded here, so that the product does not overflow.
		accounts := (len(w.MMU.Groups) + len(w.MMU.Queues)) * min(max(w.MMU.Slices, 1), maxAccounts)
		if accounts > maxAccounts {
			v.bad.Add(fmt.Sprintf("switches[%d].mmu", i), fmt.Sprintf("%d groups and queues in %d slices",
				len(w.MMU.Groups)+len(w.MMU.Queues), w.MMU.Slices), fmt.Sprintf("at most %d in all slices", maxAccounts))
		}
	}
	v.most("ports of all switches", ports, maxPorts)
	v.most("pairs of ports of switches with slices", pairs, maxPairs)
	// Each link takes two ports, so the bound is generous. A port with two links is complained about later.
	v.most("links", len(n.Links), maxPorts)
	if len(v.bad) == 0 {
		v.budget()
	}
}

// most complains about more things than a network may have.
func (v *checker) most(things string, n, most int) {
	v.bad.Check(n <= most, things, n, "at most %d", most)
}

// wire validates what links add to frames. Other simulators have other gaps, or none.
func (v *checker) wire() {
	w := &v.n.Wire
	need(&v.bad, "wire.gap", w.Gap, 0, LongestFrame)
	need(&v.bad, "wire.pause", w.Pause, 0, LongestFrame)
}

// validate validates a host. AfterPause is bytes per class.
func (h *Host) validate() error {
	var bad fielderr.List
	need(&bad, "response", h.Response, 0, longest)
	for _, bytes := range h.AfterPause {
		bad.Check(bytes >= 0, "committed", bytes, "0B or more")
	}
	receiver(&bad, h.PFC != 0, h.Link)
	// A host has no scheduler of queues: its ETS is a recommendation alone.
	bad.Under("dcbx", h.DCBX.validate(h.PFC, h.Link, nil))
	return bad.Err()
}

// node validates a switch: its MMU, unless it has an admission rule, and its ports. owner is by group. With a rule
// the MMU of the switch is not used, and not validated.
func (v *checker) node(w *Switch) error {
	var bad fielderr.List
	if w.Rule == nil {
		c := w.MMU
		c.Slices = max(c.Slices, 1)
		bad.Under("mmu", c.Validate())
		// DSCP has six bits (RFC 2474).
		need(&bad, "trim DSCP", w.TrimDSCP, 0, 63)
		need(&bad, "mmu.trim", c.Trim, 0, LongestFrame)
	}
	// 0 is a group that no port has taken yet.
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
	var bad fielderr.List
	bad.Check(p.Trust <= TrustDSCP, "trust", p.Trust, "0 PCP, 1 DSCP")
	need(&bad, "resp", p.Resp, 0, longest)
	// Wait is the size of a phantom frame that a pause waits for.
	need(&bad, "wait", p.Wait, 0, 2*LongestFrame)
	receiver(&bad, p.PFC != 0, p.Link)
	bad.Under("ets", p.ETS.Validate())
	bad.Under("watchdog", p.Watchdog.Validate())
	bad.Under("dcbx", p.DCBX.validate(p.PFC, p.Link, p))
	bad.Check(p.DCBX == nil || !w.LinkPause, "dcbx", "with 802.3x PAUSE", "a switch that sends PFC")
	if w.Rule == nil {
		p.validateTrimming(w, &bad)
	}
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

// priority validates what a port does with one priority. An index that is wrong ends the checks that would use it.
func (p *SwitchPort) priority(w *Switch, prio, number int, owner []int) error {
	var bad fielderr.List
	at := func(list string) string { return fmt.Sprintf("%s[%d]", list, prio) }
	if err := p.ECN[prio].Validate(); err != nil {
		bad.Under(at("ecn"), err)
	}
	if q := p.Queues[prio]; !within(q, 0, Priorities-1) {
		isIndex(&bad, q, Priorities, at("queues"), "queues of a port")
	}
	if w.Rule != nil {
		return bad.Err()
	}
	// Without queues of the MMU the egress has no limits, and Cells is not read.
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
	// Headroom is of one port: a group of two would have one port's frames in the other's headroom.
	if owner[g] == 0 {
		owner[g] = number + 1
	}
	if owner[g] != number+1 {
		bad.Add(at("groups"), fmt.Sprint(g), fmt.Sprintf("a lossless group is one port's, and this is that of port %d",
			owner[g]-1))
	}
	return bad.Err()
}

// receiver validates what a port does with pause frames. Obeying PFC and 802.3x PAUSE on one link is against the
// standard, and has to be asked for: see pfc.LinkBesidePFC.
func receiver(bad *fielderr.List, hasPFC bool, rule pfc.LinkRule) {
	bad.Check(rule <= pfc.LinkBesidePFC, "link", rule, "0 ignored, 1 obeyed, 2 obeyed beside PFC")
	bad.Check(rule != pfc.LinkObeyed || !hasPFC, "link", "PFC and PAUSE are both obeyed",
		"one of them, or 2 if both are intended")
}

// slices validates the slice of every pair of ports: the fabric calls Slice only once per pair. A slice is asked for
// once for each pair here and once when the network is built: see setup.
func (w *Switch) slices(bad *fielderr.List) {
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

// routes validates the routes to each host that a switch has of its own. Routes may be empty: the switch does not
// reach that host.
func (w *Switch) routes(bad *fielderr.List, hosts int) {
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

// flow validates a flow. Links without preamble and gap are those of other simulators, which also send frames below
// Ethernet's shortest. Times are in picoseconds, and lengths in bytes.
func (v *checker) flow(f *Flow) error {
	var bad fielderr.List
	from := isIndex(&bad, f.From, len(v.n.Hosts), "from", "hosts")
	to := isIndex(&bad, f.To, len(v.n.Hosts), "to", "hosts")
	bad.Check(!from || f.From != f.To, "to", f.To, "another host than from")
	need(&bad, "priority", f.Priority, 0, Priorities-1)
	bad.Check(within(f.PCP, -1, Priorities-1), "pcp", f.PCP, "0 to 7, or -1 without a tag")
	need(&bad, "dscp", f.DSCP, 0, 63)
	need(&bad, "ttl", f.TTL, 0, 255)
	shortest := shortestFrame
	if v.n.Wire.Bare {
		shortest = 1
	}
	need(&bad, "frame", f.Frame, shortest, LongestFrame)
	bad.Check(within(f.Header, 0, max(f.Frame-1, 0)), "header", f.Header, "less than the frame")
	// A size of 0 is a flow without end, and a rate of 0 is that of the link.
	bad.Check(f.Size >= 0, "size", f.Size, "0B, which is without end, or more")
	bad.Check(f.Rate >= 0, "rate", f.Rate, "0, which is the link's, or more")
	need(&bad, "start", f.Start, 0, lastTime)
	need(&bad, "stop", f.Stop, 0, lastTime)
	bad.Under("sender", f.validateSender())
	if from && to && f.From != f.To && !v.reaches(AtHost(f.From), AtHost(f.To)) {
		bad.Add("", fmt.Sprintf("no route from host %d to host %d", f.From, f.To), "hosts that links connect")
	}
	return bad.Err()
}

// validate returns everything that is wrong with the DCBX of a port that has PFC for these priorities; nil also for a
// port without DCBX. at is the switch's port; nil for a host's.
func (d *DCBX) validate(priorities pfc.Priorities, rule pfc.LinkRule, at *SwitchPort) error {
	if d == nil {
		return nil
	}
	var bad fielderr.List
	bad.Check(rule != pfc.LinkObeyed, "", "802.3x PAUSE is obeyed", "PFC, which DCBX negotiates")
	// A copy, because the settings are completed for the check.
	own := *d
	own.validateETS(&bad, at)
	own.Settings.PFC.Enabled = priorities
	bad.Join(own.Settings.Validate())
	need(&bad, "start", d.Start, 0, lastTime)
	need(&bad, "processing", d.Processing, 0, longest)
	return bad.Err()
}

// validateETS complains about ETS that the port cannot have or say, and completes the settings by the scheduler of a
// switch's port. at is nil for a host, which says what it recommends.
func (d *DCBX) validateETS(bad *fielderr.List, at *SwitchPort) {
	s := &d.Settings
	if s.WithoutETS {
		return
	}
	const path = "settings.ets"
	bad.Check(!s.ETS.CreditBased, path, "with the credit-based shaper",
		"without: the TLVs have no idle slope that a neighbour could take over")
	if at == nil {
		bad.Check(!s.ETS.Willing, path, "a willing host", "a switch's port: a host has no queues that share its link")
		return
	}
	// DCBX speaks of priorities and a scheduler of queues, so that the two must have the same numbers.
	bad.Check(at.Queues == [Priorities]int{0, 1, 2, 3, 4, 5, 6, 7}, path, at.Queues, "queue N for each priority N")
	s.ETS.Table = at.ETS.table()
	for p, c := range s.ETS.Class {
		how := s.ETS.Selection[c]
		if s.Mode != dcbx.OnlyIEEE && (how == dcbx.CreditBased || how == dcbx.Vendor) {
			bad.Add(path, fmt.Sprintf("priority %d, %v", p, how),
				"dwrr or strict: CEE has bandwidths and strict groups alone (IEEE 802.1Qaz has more)")
			return
		}
	}
}

// within returns an error for each part that the failure names and the network
// does not have.
func (f *Failure) within(n *Network) error {
	var bad fielderr.List
	index := func(path string, i, n int) bool {
		bad.Check(within(i, 0, n-1), path, i, "one of %d", n)
		return within(i, 0, n-1)
	}
	if f.Kind == LinkDown {
		index("link", f.Link, len(n.Links))
		return bad.Err()
	}
	index("host", f.Host, len(n.Hosts))
	// A detour names ports of a switch; those of a switch that is not there are not looked at.
	for i, d := range f.Detours {
		if !index(fmt.Sprintf("detours[%d].switch", i), d.Switch, len(n.Switches)) {
			continue
		}
		for j, p := range d.Ports {
			index(fmt.Sprintf("detours[%d].ports[%d]", i, j), p, len(n.Switches[d.Switch].Ports))
		}
	}
	return bad.Err()
}

// validateSender refuses a Sender that is wrong by itself or for its flow.
func (f *Flow) validateSender() error {
	var bad fielderr.List
	// A frame that is nothing but header carries no payload.
	for i, n := range f.Sender.Frames {
		bad.Check(n > f.Header, fmt.Sprintf("frames[%d]", i), n, "more than the header of %v", f.Header)
	}
	// Both state how much is sent: a trace has its bytes burst by burst.
	bad.Check(len(f.Sender.Trace) == 0 || f.Size <= 0, "trace", fmt.Sprintf("beside a size of %v", f.Size), "one of them")
	bad.Join(f.Sender.Validate())
	return bad.Err()
}
