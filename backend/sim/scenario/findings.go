package scenario

import (
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/pfc"
)

// Located is a finding of package diagnosis, with its place in the network.
type Located struct {
	finding.Finding
	At fabric.End
}

// diagnose runs the diagnosis on each switch's counters, from the start of the
// run to now. The meter names a port by its switch and its neighbour; a finding gets the place in the network
// instead.
func (r *run) diagnose() (out []Located, err error) {
	for i := range r.Network.Switches {
		w := &r.Network.Switches[i]
		// The counters are compared with those at the start of the run, as watch compares two readings of a switch.
		findings, err := diagnosis.Diagnose(r.before[i], r.meter.Read(i))
		if err != nil {
			return nil, err
		}
		for _, f := range findings {
			// The text before the object is the meter's name of the port. It becomes that of the scenario.
			for j := range w.Ports {
				if strings.TrimPrefix(f.Port, w.Name+" ") == w.Ports[j].Name {
					at := fabric.AtSwitch(i, j)
					f.Object = r.PortName(at) + strings.TrimPrefix(f.Object, f.Port)
					out = append(out, Located{f, at})
				}
			}
		}
	}
	return out, nil
}

// expectFinding reads how often the diagnosis must report a finding: at least
// once if the file gives no count. The code has to be one of package diagnosis: a misspelt one would be a finding
// that never comes.
func (r *reader) expectFinding(v *document.Value) {
	f := v.Fields("at", "to", "class", "finding", "count")
	v.Need(f, "finding")
	if f["finding"] == nil {
		return
	}
	// The run keeps counters for the diagnosis only if an expectation needs them.
	r.s.Diagnose = true
	kind := f["finding"].Text()
	if codes := diagnosis.Codes(); !codes.Known(finding.Code(kind)) {
		names := grouped.Each(codes.All(), func(m finding.Meaning) string { return string(m.Code) })
		f["finding"].Refuse(strings.Join(names, ", "))
	}
	// Without at the finding may be at any port of any switch.
	at, anywhere := fabric.End{}, f["at"] == nil
	if !anywhere {
		// A port that is not known has its complaint, and the expectation is then never looked at.
		at, _ = r.portNamed(f["at"], f["to"])
	}
	class := r.classOf(f["class"])
	count := func(res *Result) (n int64) {
		for _, x := range res.Findings {
			if x.Code == finding.Code(kind) && (anywhere || x.At == at) &&
				(class < 0 || pfc.Of(r.s.Classes[class].Priority).Has(x.Class)) {
				n++
			}
		}
		return n
	}
	// A count of 0 is how a scenario says that a finding must not come.
	if f["count"] != nil {
		r.number(f["count"], counted, "findings of "+kind, count)
		return
	}
	r.s.Expect = append(r.s.Expect, Expectation{Line: v.Line, Path: v.Path(), Want: "at least one finding of " + kind,
		lowest: 1, highest: 1 << 62, value: count, format: counted.show})
}
