package many

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/dcbx/linkcheck"
	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
)

// This file compares the two ends of every cable between switches. Package dcbx/linkcheck has the rules.

// intents are the intents of the switches of a fabric: each kind is read once. Both maps are by the kind of a switch:
// switches of one kind have one topology. A kind is its number in the file of the fabric. The maps are filled as
// switches are asked about.
type intents struct {
	*asked
	read  map[int]*topology.File
	plans map[int]*nos.Plan
}

// of returns the topology of a switch. An error names the switch by which the kind was met first. Errors are about
// files, and end with the code of wrong usage. The file is not planned here: see plan.
func (n *intents) of(s *fabric.Switch) (*topology.File, error) {
	if f := n.read[s.Kind]; f != nil {
		return f, nil
	}
	shown, data, err := cli.ReadInput(n.cmd, s.Topology)
	if err != nil {
		return nil, cli.ExitWith(cli.ExitUsage, err)
	}
	// The changes of the switch are its keys in the file of the fabric, and its cables.
	f, err := topology.Read(shown, data, cli.Beside(n.cmd, s.Topology, false), s.Changes...)
	if err != nil {
		return nil, cli.ExitWith(cli.ExitUsage, fmt.Errorf("%s: %w", n.member(s).Name, err))
	}
	n.read[s.Kind] = f
	return f, nil
}

// intents returns the intents of the switches, none of them read.
func (a *asked) intents() *intents {
	return &intents{asked: a, read: map[int]*topology.File{}, plans: map[int]*nos.Plan{}}
}

// byName are the switches by their names. The pointers lead into a.switches, which is not appended to afterwards.
func (a *asked) byName() map[string]*fabric.Switch {
	out := map[string]*fabric.Switch{}
	for i := range a.switches {
		out[a.switches[i].Name] = &a.switches[i]
	}
	return out
}

// wire is a cable whose ports are known. ends and port are those of the cable's A and B.
type wire struct {
	fabric.Cable
	ends [2]*fabric.Switch // nil: a host
	port [2]int            // the index of the port in the intent of its switch
}

// wires returns the cables between switches, and those to hosts whose ends the file says, if they are wanted; the
// number of others to hosts, and how many name no ports. A cable to a host counts as one without a stated end also
// where toHosts is false. An error is a port that its topology does not have.
func (a *asked) wires(n *intents, toHosts bool) (out []wire, hosts, unnamed int, err error) {
	// index has the ports of each kind by name, because thousands of cables look for theirs.
	at, index := a.byName(), map[int]map[string]int{}
	for _, c := range a.cables {
		// A map gives nil for a host, which is what ends says of it.
		w, host := wire{Cable: c, ends: [2]*fabric.Switch{at[c.A.Node], at[c.B.Node]}}, c.A
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
		for i, p := range []fabric.Port{c.A, c.B} {
			if w.ends[i] == nil {
				continue
			}
			f, err := n.of(w.ends[i])
			if err != nil {
				return nil, 0, 0, err
			}
			ports := index[w.ends[i].Kind]
			if ports == nil {
				ports = map[string]int{}
				for k := range f.Intent.Ports {
					ports[f.Intent.Ports[k].Name] = k
				}
				index[w.ends[i].Kind] = ports
			}
			// The line is that of the cable in the file of the fabric.
			k, there := ports[p.Port]
			if !there {
				return nil, 0, 0, cli.ExitWith(cli.ExitUsage, fmt.Errorf("%s:%d: %v is no port of %s", a.Name(), c.Line, p,
					w.ends[i].Topology))
			}
			w.port[i] = k
		}
		out = append(out, w)
	}
	return out, hosts, unnamed, nil
}

// end is an end of a cable, as its intent says it, or the file of a host. Its name is that of the fabric:
// leaf1:Ethernet49. A host has an end here only if wires was asked for hosts, which keeps those with a stated end
// alone.
func (n *intents) end(w *wire, i int) linkcheck.End {
	at := []fabric.Port{w.A, w.B}[i]
	if w.ends[i] == nil {
		e, _ := n.HostEnd(at)
		return e
	}
	return linkcheck.FromIntent(at.String(), &n.read[w.ends[i].Kind].Intent, w.port[i]) // it was read for its ports
}

// link compares all cables between switches, and folds findings by the roles of the ends. The exit codes are those of
// link for two ports. A fabric without any cable that can be compared is unknown.
func link(a *asked) error {
	if len(a.args) != 1 {
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf("%q: want the file of a fabric alone", a.args[1]))
	}
	// Topologies are read, and not planned: link compares what ends are to do.
	n := a.intents()
	wires, hosts, unnamed, err := a.wires(n, true)
	if err != nil {
		return err
	}
	var notes []string
	if hosts > 0 {
		notes = append(notes, fmt.Sprintf("not compared: %s to hosts, whose ends are not said (key host_ends)",
			cli.Plural(hosts, "cable", "cables")))
	}
	if unnamed > 0 {
		notes = append(notes, fmt.Sprintf("not compared: %s whose ports have no names (key ports of the role)",
			cli.Plural(unnamed, "cable", "cables")))
	}
	results, doc := a.compareAll(n, wires, notes...)
	// Other states are 0. Unknown has the code of a plan that does not fit, since a script must not go on with it.
	code := map[linkcheck.State]int{linkcheck.Differ: cli.ExitLint, linkcheck.Unknown: cli.ExitNoFit}[doc.Verdict]
	// report.Links says SAME of no cables, which would be read as an approval.
	if len(results) == 0 {
		doc.Verdict, code = linkcheck.Unknown, cli.ExitNoFit
	}
	s := &cli.Screen{Head: []string{linkHead(&doc, wires, results)}, Mood: cli.MoodOf(code == cli.ExitFine),
		Sections: []cli.Section{foldedFindings(wires, results)}}
	for _, note := range doc.Notes {
		s.Foot = append(s.Foot, "- "+note)
	}
	return s.WithoutEmpty().Print(a.cmd, cli.Output{Format: a.format()}, doc, code)
}

// compareAll compares the ends of all cables. Findings are at the line of the cable, since that is where a reader
// looks. The results are in the order of wires. A finding has the line of the cable in the file of the fabric.
func (a *asked) compareAll(n *intents, wires []wire, notes ...string) ([]linkcheck.Result, report.LinkDocument) {
	results := make([]linkcheck.Result, len(wires))
	for i := range wires {
		w := &wires[i]
		x, y := n.end(w, 0), n.end(w, 1)
		results[i] = linkcheck.Compare(&x, &y)
		for k := range results[i].Findings {
			results[i].Findings[k].File, results[i].Findings[k].Line = a.Name(), w.Line
		}
	}
	return results, report.Links(results, notes...)
}

// linkHead is the first line. SAME is said of what was compared, as by link.
func linkHead(d *report.LinkDocument, wires []wire, results []linkcheck.Result) string {
	of := cli.Plural(len(results), "cable", "cables") + " between switches"
	if slices.ContainsFunc(wires, func(w wire) bool { return w.ends[0] == nil || w.ends[1] == nil }) {
		of += " and to hosts"
	}
	// Cables are counted, and not findings: one cable may have several.
	differ := 0
	for i := range results {
		if len(results[i].Findings) > 0 {
			differ++
		}
	}
	switch {
	case len(results) == 0:
		return "UNKNOWN: no cable between switches has two ports that topologies say"
	// Errors and warnings are counted over all cables, and one cable can have several.
	case d.Verdict == linkcheck.Differ:
		return fmt.Sprintf("DIFFER: %s, %s on %s of %s", cli.Plural(d.Errors, "error", "errors"),
			cli.Plural(d.Warnings, "warning", "warnings"), cli.Count(differ), of)
	case d.Verdict == linkcheck.Unknown:
		return "UNKNOWN: the PFC of an end is not known, on " + of
	}
	return "SAME as far as compared, on all " + of
}

// foldedFindings has a row for each code between two roles, with the first cable that has it. A fabric has one mistake
// on many cables, so a row for each would hide the others. Roles are sorted: a cable has no direction.
func foldedFindings(wires []wire, results []linkcheck.Result) cli.Section {
	type key struct {
		code     finding.Code
		severity finding.Severity
		roles    string
	}
	type found struct {
		key
		count int
		first *finding.Finding
	}
	var all []*found
	for i := range results {
		for k := range results[i].Findings {
			f := &results[i].Findings[k]
			// An end without a switch is a host's: only those are left in wires.
			roles := []string{"host", "host"}
			for end, s := range wires[i].ends {
				if s != nil {
					roles[end] = cmp.Or(s.Role, "switch")
				}
			}
			slices.Sort(roles)
			x := key{f.Code, f.Severity, roles[0] + " - " + roles[1]}
			// The order is that of the cables in the file, and errors come before warnings at the end. The search is linear:
			// codes and roles are few, however many cables there are.
			at := slices.IndexFunc(all, func(o *found) bool { return o.key == x })
			if at < 0 {
				at, all = len(all), append(all, &found{key: x, first: f})
			}
			all[at].count++
		}
	}
	slices.SortStableFunc(all, func(x, y *found) int { return cmp.Compare(x.severity, y.severity) })
	s := cli.Section{Name: "findings", Title: "Findings", Columns: []string{"severity", "code", "between", "cables", "first"}}
	for _, x := range all {
		s.Row(x.severity, x.code, x.roles, cli.Count(x.count), x.first.Message)
		s.Row("", "", "", cli.Number(""), "repair: "+x.first.Repair)
	}
	return s
}
