package scenario

import (
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// scheduler reads how the queues of a port share its bandwidth. The queue of a
// class has the number of its priority. Keys that the file does not have keep
// the values of s. s is what a more general key has set.
func (r *reader) scheduler(v *document.Value, s fabric.Scheduler) fabric.Scheduler {
	// The quantum is the bytes that a weight of 1 may send in a round, and the overhead what a frame counts beyond its
	// bytes: 20 for preamble and gap, or 0 where a chip counts frames alone.
	f := v.Fields("quantum", "overhead", "queues", "groups")
	set(&s.Quantum, f["quantum"], unit.ParseBytes)
	set(&s.Overhead, f["overhead"], unit.ParseBytes)
	r.eachClass(f["queues"], func(x *document.Value, class int) {
		h, queue := x.Fields("algorithm", "weight", "idle_slope", "group"), r.s.Classes[class].Priority
		s.Queues[queue] = selection(h)
		// Without the key a queue is in group 0, so that a file without groups has one level of queues.
		s.Group[queue] = int(h["group"].Integer(0, fabric.Priorities-1))
	})
	// Groups have numbers and no names, as in the TLVs and in chips.
	for n, x := range f["groups"].Numbered(fabric.Priorities) {
		s.Groups[n] = selection(x.Fields("algorithm", "weight", "idle_slope"))
	}
	return s
}

// selection reads how a queue or a group of queues competes with the others. Without a weight it is 0, which package
// fabric takes as 1. The idle slope is bit/s and belongs to shaped alone.
func selection(f map[string]*document.Value) fabric.Selection {
	// The default is weighted round robin by frames.
	t := fabric.Selection{Weight: int(f["weight"].Integer(1, 1<<16)),
		IdleSlope: document.Quantity(f["idle_slope"], unit.ParseBitRate)}
	take(&t.Algorithm, f["algorithm"], word("wrr, dwrr, strict, shaped", map[string]fabric.Algorithm{"wrr": fabric.WRR,
		"dwrr": fabric.DWRR, "strict": fabric.Strict, "shaped": fabric.Shaped}))
	return t
}

// marking reads the ECN marking of each class's queue. All three values of the
// curve are required: a default would hide which one decides. m has the curves of a more general key: a class that is
// not named keeps its curve, and one that is replaces it whole.
func (r *reader) marking(v *document.Value, m [fabric.Priorities]fabric.Marking) [fabric.Priorities]fabric.Marking {
	r.eachClass(v, func(x *document.Value, class int) {
		// kmin and kmax are bytes in the queue, pmax the probability at kmax. dequeue decides when a frame begins to
		// leave; drop_others drops frames that are not ECN-capable in place of marking them.
		g := x.Fields("kmin", "kmax", "pmax", "dequeue", "drop_others")
		x.Need(g, "kmin", "kmax", "pmax")
		m[r.s.Classes[class].Priority] = fabric.Marking{Thresholds: ecn.Thresholds{
			KMin: document.Quantity(g["kmin"], unit.ParseBytes), KMax: document.Quantity(g["kmax"], unit.ParseBytes),
			PMax: document.Quantity(g["pmax"], unit.ParsePercent)},
			Dequeue: g["dequeue"].Boolean(), DropOthers: g["drop_others"].Boolean()}
	})
	return m
}

// watchdog reads a PFC watchdog. Like SONiC's, it drops the frames of a stormed
// queue unless the file says forward. restoration 0, as without the key, is the time of detection.
func (r *reader) watchdog(v *document.Value) fabric.Watchdog {
	// The times are those that SONiC's pfcwd accepts: 100 ms to 5 s for detection, and to 60 s for restoration.
	f := v.Fields("detection", "restoration", "action", "classes")
	v.Need(f, "detection")
	w := fabric.Watchdog{Detection: document.Quantity(f["detection"], unit.ParseTime),
		Restoration: document.Quantity(f["restoration"], unit.ParseTime)}
	// Without classes the watchdog looks at every queue that can be paused.
	w.Queues = uint8(r.priorities(f["classes"]))
	take(&w.Action, f["action"], word("drop, forward",
		map[string]fabric.WatchdogAction{"drop": fabric.WatchdogDrop, "forward": fabric.WatchdogForward}))
	return w
}

// portSpec is what the file says about a port of a switch: all of it but its name, its groups and its queues. A zero
// spec is a port that trusts PCP, has no PFC, ignores 802.3x PAUSE, and shares its bandwidth by frames.
type portSpec struct {
	fabric.SwitchPort
	response delay // response time to pause frames
}

// portKeys reads a port's settings. They replace those that the spec has. f has the keys of one mapping: of all
// switches, of one switch, or of one port. A key that it lacks changes nothing.
func (r *reader) portKeys(f map[string]*document.Value, p *portSpec) {
	take(&p.Trust, f["trust"], word("pcp, dscp",
		map[string]fabric.Trust{"pcp": fabric.TrustPCP, "dscp": fabric.TrustDSCP}))
	take(&p.Tagged, f["tagged"], (*document.Value).Boolean)
	take(&p.PFC, f["pfc"], r.priorities)
	// link_pause is what the port does with 802.3x PAUSE, wait the bytes of the frame that each pause frame waits
	// for, and response the time in which it obeys one.
	take(&p.Link, f["link_pause"], linkRule)
	set(&p.Wait, f["wait"], unit.ParseBytes)
	set(&p.response, f["response"], parseDelay)
	take(&p.Map, f["map"], r.codes)
	p.ETS, p.ECN = r.scheduler(f["scheduler"], p.ETS), r.marking(f["ecn"], p.ECN)
	take(&p.Watchdog, f["watchdog"], r.watchdog)
	if x := f["dcbx"]; x != nil {
		p.DCBX = r.readDCBX(x, true)
	}
}

// priorities reads a list of classes. An empty list is no priority, which is how a file takes PFC away from one port.
func (r *reader) priorities(v *document.Value) (set pfc.Priorities) {
	for _, x := range v.Items() {
		// classOf has complained of a name that is no class.
		if c := r.classOf(x); c >= 0 {
			set |= pfc.Of(r.s.Classes[c].Priority)
		}
	}
	return set
}

// linkRule reads how a port obeys 802.3x PAUSE.
func linkRule(v *document.Value) pfc.LinkRule {
	// beside-pfc is against IEEE 802.3 annex 31D.
	return word("ignored, obeyed, beside-pfc", map[string]pfc.LinkRule{"ignored": pfc.LinkIgnored,
		"obeyed": pfc.LinkObeyed, "beside-pfc": pfc.LinkBesidePFC})(v)
}

// codes reads the PCPs or DSCPs of each class. A code that is not listed has
// priority 0, like unknown traffic on a switch. A code under two classes belongs to the later one of the file's
// classes.
func (r *reader) codes(v *document.Value) *[64]uint8 {
	out := new([64]uint8)
	r.eachClass(v, func(v *document.Value, class int) {
		// PCPs are 0 to 7 and DSCPs 0 to 63. The field that the port trusts decides which of them the numbers are.
		for _, x := range v.Items() {
			out[x.Integer(0, 63)] = uint8(r.s.Classes[class].Priority)
		}
	})
	return out
}

// readPort reads the settings of a single port. They replace those of the
// switch, and those of an earlier entry for the same port.
func (r *reader) readPort(v *document.Value) {
	f := v.Fields(append([]string{"at", "to"}, portKeys...)...)
	v.Need(f, "at", "to")
	i, port := r.portOf(f["at"], f["to"])
	if port < 0 {
		return
	}
	// The settings of the switch are the start of the first entry of a port.
	p, ok := r.specs[i].ports[port]
	if !ok {
		p = r.specs[i].port
	}
	r.portKeys(f, &p)
	r.specs[i].ports[port] = p
}

// portOf reads a switch and the neighbour to which its port leads; -1 after a
// complaint. A port has no number in the file, because the numbers follow from
// the order of the links.
func (r *reader) portOf(at, to *document.Value) (node, port int) {
	node = lookup(at, r.switches, "switches")
	if node < 0 || to == nil {
		return -1, -1
	}
	return node, lookup(to, r.ports[node], "neighbours")
}

// hostKeys are the keys of a host.
var hostKeys = []string{"pfc", "link_pause", "response", "committed", "dcbx"}

// hostKeys reads the settings of all hosts, and then those of single hosts,
// which replace them. A host without any keys has no PFC, obeys no pause, and so needs no response time.
func (r *reader) hostKeys(all, some *document.Value) {
	f := all.Fields(hostKeys...)
	for i := range r.s.Network.Hosts {
		r.hostOf(f, i)
	}
	for _, v := range some.Items() {
		f := v.Fields(append([]string{"name"}, hostKeys...)...)
		v.Need(f, "name")
		if i := lookup(f["name"], r.hosts, "hosts"); i >= 0 {
			r.hostOf(f, i)
		}
	}
	for i := range r.s.Network.Hosts {
		h := &r.s.Network.Hosts[i]
		// Only a host that obeys pause frames needs a response time: for others
		// a rate without a source is no fault.
		if d := r.responses[i]; d.IsGiven() || h.PFC != 0 || h.DCBX != nil || h.Link != pfc.LinkIgnored {
			// The time is found last, because a key of one host may have switched on what needs it.
			h.Response = r.response("host", fabric.AtHost(i), d)
		}
	}
}

// hostOf reads the settings of a host. Keys that the file does not have leave
// the host as it is. A host is read twice where the file names it, and its own keys come last.
func (r *reader) hostOf(f map[string]*document.Value, i int) {
	h := &r.s.Network.Hosts[i]
	take(&h.PFC, f["pfc"], r.priorities)
	// IEEE 802.3 annex 31D: a link with PFC has PAUSE off. The file may say otherwise, to show what happens then.
	take(&h.Link, f["link_pause"], linkRule)
	// The link decides what is usual, so the default is found when all keys are read.
	if x := f["response"]; x != nil {
		r.responses[i] = document.Quantity(x, parseDelay)
	}
	// The bytes that a card has handed to its transmitter and that no pause stops, beyond the frame in transmission.
	if x := f["committed"]; x != nil {
		bytes := document.Quantity(x, unit.ParseBytes)
		for class := range h.AfterPause {
			h.AfterPause[class] = bytes
		}
	}
	if x := f["dcbx"]; x != nil {
		h.DCBX = r.readDCBX(x, false)
	}
}
