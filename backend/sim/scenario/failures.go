package scenario

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/unit"
)

// failureKeys are the keys of each kind of failure, beside kind, at and until.
var failureKeys = map[string][]string{
	"storm":     {"host", "classes", "every"},
	"link-down": {"from", "to", "prune"},
	"misroute":  {"host", "detours"},
}

// failure reads a failure. An unknown host gets the index 0 after its
// complaint; the network is not built then. An unknown neighbour or link gets 0 as well: the complaint stops the
// reading before anything is simulated.
func (r *reader) failure(v *document.Value) {
	kind := v.Field("kind")
	if kind == nil {
		return
	}
	keys, ok := failureKeys[kind.Text()]
	if !ok {
		kind.Refuse("link-down, misroute, storm")
		return
	}
	f := v.Fields(append([]string{"kind", "at", "until"}, keys...)...)
	// at and until are times of the simulation. 0 of until, as without the key, is the end of the run.
	out := fabric.Failure{At: document.Quantity(f["at"], unit.ParseTime),
		Until: document.Quantity(f["until"], unit.ParseTime)}
	switch kind.Text() {
	case "storm": // a host that sends pause frames without a cause; every 0: as often as the pause needs it
		v.Need(f, "host", "classes")
		out.Kind, out.Host = fabric.Storm, max(lookup(f["host"], r.hosts, "hosts"), 0)
		out.Every = document.Quantity(f["every"], unit.ParseTime)
		out.Priorities = r.priorities(f["classes"])
	case "link-down": // prune: the switches at its ends stop routing over it; without it they go on
		v.Need(f, "from", "to")
		out.Kind, out.Link, out.Prune = fabric.LinkDown, r.linkBetween(f["from"], f["to"]), f["prune"].Boolean()
	default: // misroute: frames to a host leave some switches elsewhere, as with a stale or wrong table
		v.Need(f, "host", "detours")
		out.Kind, out.Host = fabric.Misroute, max(lookup(f["host"], r.hosts, "hosts"), 0)
		for _, x := range f["detours"].Items() {
			out.Detours = append(out.Detours, r.detour(x))
		}
	}
	// The network is checked later by package fabric, which knows no file: the origin gives its complaints a line.
	n := &r.s.Network
	r.origins[fmt.Sprintf("failures[%d]", len(n.Failures))] = origin{v.Line, v.Name()}
	n.Failures = append(n.Failures, out)
}

// detour reads the neighbours to which a switch sends frames. An empty list
// means that the switch has no route.
func (r *reader) detour(v *document.Value) (out fabric.Detour) {
	f := v.Fields("at", "to")
	v.Need(f, "at", "to")
	if out.Switch = lookup(f["at"], r.switches, "switches"); out.Switch < 0 {
		return fabric.Detour{}
	}
	for _, x := range f["to"].Items() {
		// A name that is not known is left out after its complaint: port 0 would be another neighbour.
		if port := lookup(x, r.ports[out.Switch], "neighbours"); port >= 0 {
			out.Ports = append(out.Ports, port)
		}
	}
	return out
}

// linkBetween reads two neighbours, in any order, and returns their link: the
// first one if there are several. After a complaint it returns 0, as failure does for hosts.
func (r *reader) linkBetween(from, to *document.Value) int {
	// Need has complained of the one that is missing.
	if from == nil || to == nil {
		return 0
	}
	// Names are compared, as nodes of both kinds share one name space.
	for i, l := range r.s.Network.Links {
		a, b := r.nodeName(l.A), r.nodeName(l.B)
		if a == from.Text() && b == to.Text() || b == from.Text() && a == to.Text() {
			return i
		}
	}
	from.Refuse("one end of a link, with the other in to")
	return 0
}

// nodeName returns the name of a host or switch.
func (r *reader) nodeName(e fabric.End) string {
	if e.Switch {
		return r.s.Network.Switches[e.Node].Name
	}
	return r.s.Network.Hosts[e.Node].Name
}
