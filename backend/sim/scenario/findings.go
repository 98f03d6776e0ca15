package scenario

import (
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/pfc"
)

// Finding is a finding of package diagnosis, with its place in the network.
type Finding struct {
	Kind     string // the diagnosis' name: "headroom"
	At       fabric.End
	Priority int
	Text     string
}

// diagnose runs the diagnosis on each switch's counters, from the start of the
// run to now.
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

// findingKinds lists the names of all kinds.
func findingKinds() []string {
	out := make([]string, 0, diagnosis.Victim+1)
	for k := diagnosis.Storm; k <= diagnosis.Victim; k++ {
		out = append(out, k.String())
	}
	return out
}

// expectFinding reads how often the diagnosis must report a finding: at least
// once if the file gives no count.
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
