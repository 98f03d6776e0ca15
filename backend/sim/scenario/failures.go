package scenario

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// failureKeys are the keys of each kind of failure beside kind, at and until.
var failureKeys = map[string][]string{
	"storm":     {"host", "classes", "every"},
	"link-down": {"from", "to", "prune"},
	"misroute":  {"host", "detours"},
}

// failure reads what goes wrong, and when.
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
	out := fabric.Failure{At: document.Quantity(f["at"], unit.ParseTime),
		Until: document.Quantity(f["until"], unit.ParseTime)}
	switch kind.Text() {
	case "storm":
		v.Need(f, "host", "classes")
		out.Kind, out.Host = fabric.Storm, max(lookup(f["host"], r.hosts, nodeNames(r.hosts, "hosts")), 0)
		out.Every = document.Quantity(f["every"], unit.ParseTime)
		out.Priorities = r.priorities(f["classes"])
	case "link-down":
		v.Need(f, "from", "to")
		out.Kind, out.Link, out.Prune = fabric.LinkDown, r.linkBetween(f["from"], f["to"]), f["prune"].Boolean()
	default:
		v.Need(f, "host", "detours")
		out.Kind, out.Host = fabric.Misroute, max(lookup(f["host"], r.hosts, nodeNames(r.hosts, "hosts")), 0)
		for _, x := range f["detours"].Items() {
			out.Detours = append(out.Detours, r.detour(x))
		}
	}
	n := &r.s.Network
	r.origins[fmt.Sprintf("failures[%d]", len(n.Failures))] = origin{v.Line, v.Name()}
	n.Failures = append(n.Failures, out)
}

// detour reads where a switch sends frames; to no neighbour at all if it
// knows no way.
func (r *reader) detour(v *document.Value) (out fabric.Detour) {
	f := v.Fields("at", "to")
	v.Need(f, "at", "to")
	if out.Switch = lookup(f["at"], r.switches, nodeNames(r.switches, "switches")); out.Switch < 0 {
		return fabric.Detour{}
	}
	for _, x := range f["to"].Items() {
		if port := lookup(x, r.ports[out.Switch], nodeNames(r.ports[out.Switch], "neighbours")); port >= 0 {
			out.Ports = append(out.Ports, port)
		}
	}
	return out
}

// linkBetween reads two neighbours and returns their link; of several the
// last.
func (r *reader) linkBetween(from, to *document.Value) int {
	if from == nil || to == nil {
		return 0
	}
	for i, l := range r.s.Network.Links {
		a, b := r.nodeName(l.A), r.nodeName(l.B)
		if a == from.Text() && b == to.Text() || b == from.Text() && a == to.Text() {
			return i
		}
	}
	from.Refuse("one end of a link, with the other in to")
	return 0
}

func (r *reader) nodeName(e fabric.End) string {
	if e.Switch {
		return r.s.Network.Switches[e.Node].Name
	}
	return r.s.Network.Hosts[e.Node].Name
}

// watchdog reads what frees queues that are paused without end.
func (r *reader) watchdog(v *document.Value) fabric.Watchdog {
	f := v.Fields("detection", "restoration", "action", "classes")
	v.Need(f, "detection")
	w := fabric.Watchdog{Detection: document.Quantity(f["detection"], unit.ParseTime),
		Restoration: document.Quantity(f["restoration"], unit.ParseTime)}
	if x := f["classes"]; x != nil {
		w.Queues = uint8(r.priorities(x))
	}
	switch x := f["action"]; {
	case x == nil || x.Text() == "drop":
	case x.Text() == "forward":
		w.Action = fabric.WatchdogForward
	default:
		x.Refuse("drop, forward")
	}
	return w
}

// Finding is a finding of the diagnosis.
type Finding struct {
	Kind     string // "headroom"
	At       fabric.End
	Priority int
	Text     string
}

// diagnose returns what the counters of the switches say by themselves.
func (r *run) diagnose() (out []Finding, err error) {
	for i := range r.Network.Switches {
		w := &r.Network.Switches[i]
		findings, err := diagnosis.Diagnose(r.before[i], r.meter.Read(i))
		if err != nil {
			return nil, err
		}
		for _, f := range findings {
			for j := range w.Ports {
				if strings.TrimPrefix(f.Port, w.Name+" ") == w.Ports[j].Name {
					out = append(out, Finding{f.Kind.String(), fabric.AtSwitch(i, j), f.Class,
						r.PortName(fabric.AtSwitch(i, j)) + strings.TrimPrefix(f.String(), f.Port)})
				}
			}
		}
	}
	return out, nil
}

// findingKinds lists the kinds of findings.
func findingKinds() []string {
	out := make([]string, 0, diagnosis.Victim+1)
	for k := diagnosis.Storm; k <= diagnosis.Victim; k++ {
		out = append(out, k.String())
	}
	return out
}

// expectFinding reads what the diagnosis has to find, or not to find.
func (r *reader) expectFinding(v *document.Value) {
	f := v.Fields("at", "to", "class", "finding", "count")
	v.Need(f, "finding")
	if f["finding"] == nil {
		return
	}
	r.s.Diagnose = true
	kind := f["finding"].Text()
	known := false
	for _, k := range findingKinds() {
		known = known || k == kind
	}
	if !known {
		f["finding"].Refuse(strings.Join(findingKinds(), ", "))
	}
	at, anywhere := fabric.End{}, f["at"] == nil
	if !anywhere {
		at, _ = r.portNamed(f["at"], f["to"])
	}
	class := r.classOf(f["class"])
	count := func(res *Result) (n int64) {
		for _, x := range res.Findings {
			if x.Kind == kind && (anywhere || x.At == at) &&
				(class < 0 || pfc.Of(r.s.Classes[class].Priority).Has(x.Priority)) {
				n++
			}
		}
		return n
	}
	if f["count"] != nil {
		r.number(f["count"], counted, "findings of "+kind, count)
		return
	}
	r.s.Expect = append(r.s.Expect, Expectation{Line: v.Line, Path: v.Path, Want: "at least one finding of " + kind,
		lowest: 1, highest: 1 << 62, value: count, format: showCount})
}
