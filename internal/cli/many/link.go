package many

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/dcbx/linkcheck"
	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/rollout"
	"github.com/cellwarden/cellwarden/report"
)

// This file compares the two ends of every cable between switches. Package dcbx/linkcheck has the rules.

// wires returns the cables between switches, and those to hosts whose ends the file says, if they are wanted; and notes
// of the others, with what is missing for a comparison of link. A cable to a host counts as one without a stated end
// also where toHosts is false. An error is a port that its topology does not have.
func (a *asked) wires(toHosts bool) (out []rollout.Wire, notes []string, err error) {
	hosts, unnamed := 0, 0
	for _, c := range a.cables {
		// The name of a host is that of no switch.
		w, host := rollout.Wire{Cable: c}, c.A
		if c.B.Host {
			host = c.B
		}
		if _, stated := a.HostEnd(host); host.Host && !(stated && toHosts) {
			hosts++
			continue
		}
		// A host needs no name of a port: its end is stated as a whole.
		if c.A.Port == "" && !c.A.Host || c.B.Port == "" && !c.B.Host {
			unnamed++
			continue
		}
		for i, end := range w.Ends() {
			s := a.at[end.Node]
			if s == nil {
				continue
			}
			k, err := a.topology(s)
			if err != nil {
				return nil, nil, err
			}
			// The line is that of the cable in the file of the fabric.
			port, there := k.port[end.Port]
			if !there {
				return nil, nil, cli.BadUsage("%s:%d: %v is no port of %s", a.Name(), c.Line, end, s.Topology)
			}
			w.Port[i] = port
		}
		out = append(out, w)
	}
	ends, names := "", ""
	if toHosts {
		ends, names = ", whose ends are not said (key host_ends)", " (key ports of the role)"
	}
	if hosts > 0 {
		notes = append(notes, "not compared: "+cli.Plural(hosts, "cable", "cables")+" to hosts"+ends)
	}
	if unnamed > 0 {
		notes = append(notes, "not compared: "+cli.Plural(unnamed, "cable", "cables")+" whose ports have no names"+names)
	}
	return out, notes, nil
}

// end is an end of a cable, as its intent says it, or the file of a host. Its name is that of the fabric:
// leaf1:Ethernet49. A host has an end here only if wires was asked for hosts, which keeps those with a stated end
// alone.
func (a *asked) end(at fabric.Port, port int) linkcheck.End {
	s := a.at[at.Node]
	if s == nil {
		e, _ := a.HostEnd(at)
		return e
	}
	return linkcheck.FromIntent(at.String(), &a.kinds[s.Kind].Intent, port) // it was read for its ports
}

// link compares all cables between switches, and those to hosts whose ends are said. The exit codes are those of link
// for two ports.
func link(a *asked) error {
	s, doc, code, err := a.linked()
	if err != nil {
		return err
	}
	return s.Print(a.cmd, cli.Output{Format: a.format()}, doc, code)
}

// linked compares the ends of all cables, and folds findings by the roles of the ends. A finding has the line of the
// cable in the file of the fabric, since that is where a reader looks. Topologies are read, and not planned: link
// compares what ends are to do. A fabric without any cable that can be compared is unknown.
func (a *asked) linked() (*cli.Screen, report.LinkDocument, int, error) {
	wires, notes, err := a.wires(true)
	if err != nil {
		return nil, report.LinkDocument{}, 0, err
	}
	results := make([]linkcheck.Result, len(wires))
	between, differ := " between switches", 0
	for i := range wires {
		w := &wires[i]
		x, y := a.end(w.A, w.Port[0]), a.end(w.B, w.Port[1])
		results[i] = linkcheck.Compare(&x, &y)
		for k := range results[i].Findings {
			results[i].Findings[k].File, results[i].Findings[k].Line = a.Name(), w.Line
		}
		// Cables are counted, and not findings: one cable may have several.
		if len(results[i].Findings) > 0 {
			differ++
		}
		if w.A.Host || w.B.Host {
			between = " between switches and to hosts"
		}
	}
	doc := report.Links(results, notes...)
	of := cli.Plural(len(results), "cable", "cables") + between
	// SAME is said of what was compared, as by link.
	head := "SAME as far as compared, on all " + of
	switch {
	// report.Links says SAME of no cables, which would be read as an approval.
	case len(results) == 0:
		doc.Verdict, head = linkcheck.Unknown, "UNKNOWN: no cable between switches has two ports that topologies say"
	// Errors and warnings are counted over all cables, and one cable can have several.
	case doc.Verdict == linkcheck.Differ:
		head = fmt.Sprintf("DIFFER: %s, %s on %s of %s", cli.Plural(doc.Errors, "error", "errors"),
			cli.Plural(doc.Warnings, "warning", "warnings"), cli.Count(differ), of)
	case doc.Verdict == linkcheck.Unknown:
		head = "UNKNOWN: the PFC of an end is not known, on " + of
	}
	// Other states are 0. Unknown has the code of a plan that does not fit, since a script must not go on with it.
	code := map[linkcheck.Verdict]int{linkcheck.Differ: cli.ExitLint, linkcheck.Unknown: cli.ExitNoFit}[doc.Verdict]
	s := &cli.Screen{Head: []string{head}, Mood: cli.MoodOf(code == cli.ExitFine),
		Sections: []cli.Section{a.foldedFindings(wires, results)}}
	s.Note(doc.Notes...)
	return s.WithoutEmpty(), doc, code, nil
}

// foldedFindings has a row for each code between two roles, with the first cable that has it. A fabric has one mistake
// on many cables, so a row for each would hide the others. Roles are sorted: a cable has no direction.
func (a *asked) foldedFindings(wires []rollout.Wire, results []linkcheck.Result) cli.Section {
	type key struct {
		severity finding.Severity
		code     finding.Code
		roles    string
	}
	var all grouped.By[key, []*finding.Finding]
	for i := range results {
		for k := range results[i].Findings {
			f := &results[i].Findings[k]
			// An end without a switch is a host's: only those are left in wires.
			roles := []string{"host", "host"}
			for e, end := range wires[i].Ends() {
				if s := a.at[end.Node]; s != nil {
					roles[e] = cmp.Or(s.Role, "switch")
				}
			}
			slices.Sort(roles)
			of := all.Of(key{f.Severity, f.Code, roles[0] + " - " + roles[1]})
			*of = append(*of, f)
		}
	}
	// The order is that of the cables in the file, and errors come before warnings.
	slices.SortStableFunc(all.Keys, func(x, y key) int { return cmp.Compare(x.severity, y.severity) })
	s := cli.Table("findings", "Findings", "severity", "code", "between", "cables", "first")
	for x, of := range all.All() {
		s.Row(x.severity, x.code, x.roles, cli.Count(len(*of)), (*of)[0].Message)
		s.Row("", "", "", cli.Number(""), "repair: "+(*of)[0].Repair)
	}
	return s
}
