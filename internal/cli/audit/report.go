package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/findings"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/report"
)

// auditReport is what was audited and found. The embedded part counts what was audited. It is the same for a document
// and for a screen.
type auditReport struct {
	report.AuditChecked
	What     []audit.What
	Findings []finding.Finding
	since    string // the revision of --since, or of the patch
	affected string // which folders were audited because of it
	failed   bool   // a finding is as severe as --fail-on says
	slack    int64  // as that of the flag; below zero: not asked for
}

// print prints the report. Formats for programs of continuous integration have the findings alone, and nothing of what
// the configurations mean.
func (r *auditReport) print(cmd *cobra.Command, list *findings.Flags) error {
	// A document has [] and not null, so that readers need no second case.
	if r.What == nil {
		r.What = []audit.What{}
	}
	if r.Findings == nil {
		r.Findings = []finding.Finding{}
	}
	return list.Print(cmd, r.checked(), r.Findings, func() error {
		return r.screen().Write(cmd.OutOrStdout(), list.Output, report.AuditDocument{Schema: report.Schema("audit"),
			Checked: r.AuditChecked, What: r.What, Findings: r.Findings})
	})
}

// screen makes the tables. Findings come before what the configuration means: a reader looks for them first.
func (r *auditReport) screen() *cli.Screen {
	// --slack has an answer of its own, in place of the findings.
	if r.slack >= 0 {
		return r.slackScreen()
	}
	out := &cli.Screen{Head: r.head(), Verdict: r.verdict(), Sections: []cli.Section{r.findings(), r.codes()}}
	// Of hundreds of HwSKUs, the findings are read and not what each configuration means.
	if len(r.What) <= mostWhat {
		out.Sections = append(append(out.Sections, r.meaning()...), r.unknown())
	} else {
		out.Foot = append(out.Foot, fmt.Sprintf("%d configurations: what they mean is in -o json", len(r.What)))
	}
	// What no configuration has makes no empty table.
	out = out.WithoutEmpty()
	// Findings are bad news also where they are below --fail-on.
	if out.Mood = cli.Good; len(r.Findings) > 0 || len(r.tooLittle()) > 0 {
		out.Mood = cli.Bad
	}
	// It comes last, because it repeats the lines and names the tables of the whole report.
	out.First = r.first(out)
	return out
}

// The first screen of an audit has lines of these numbers: the findings that fit, each as a sentence.
const (
	screenLines   = 22 // the last two say what is left out
	screenColumns = 100
)

// first is the first screen: what was found, in sentences; nil if everything fits there. At least one finding is shown,
// however long it is. A repair that mends several is printed with the first of them.
func (r *auditReport) first(all *cli.Screen) *cli.Screen {
	out := &cli.Screen{Head: all.Head, Mood: all.Mood}
	shown, repairs := 0, map[string]bool{}
	// They are in the order of their files and lines, and so are the tables of --all.
	for ; shown < len(r.Findings); shown++ {
		f := &r.Findings[shown]
		line := fmt.Sprintf("- %s %s, %s: %s", f.Severity, f.Code, f.Place(), f.Message)
		if f.Repair != "" && !repairs[f.Repair] { // once for all findings that it mends
			repairs[f.Repair] = true
			line += "; repair: " + f.Repair
		}
		// A line can wrap, so the height is measured with it in place, and it is taken back if it is too much.
		before := out.Foot
		if out.Foot = append(out.Foot, line); shown > 0 && out.Height(screenColumns) > screenLines {
			out.Foot = before
			break
		}
	}
	if more := len(r.Findings) - shown; more > 0 {
		out.Foot = append(out.Foot, fmt.Sprintf("and %s: --all", cli.Plural(more, "more finding", "more findings")))
	}
	out.Foot = append(out.Foot, all.Foot...)
	// Without tables the report is short enough by itself.
	if len(all.Sections) == 0 {
		return nil
	}
	out.Foot = append(out.Foot, fmt.Sprintf("%-9s --all prints %s", "more", cli.TableNames(all.Sections)))
	return out
}

// mostWhat is the largest number of configurations whose meaning is printed as tables.
const mostWhat = 8

// verdict is the verdict in a few words. Findings that do not fail are FINDINGS too, unless too little was read: then
// nothing can be said of the rest. The exit code follows from failed and from what was read, not from this text.
func (r *auditReport) verdict() string {
	switch {
	case !r.failed && len(r.tooLittle()) > 0:
		return "TOO LITTLE READ"
	case len(r.Findings) == 0:
		return "NOTHING FOUND"
	}
	return "FINDINGS"
}

// tooLittle says of which configurations too little was read to say that nothing is wrong with them. Silence about a
// configuration of which no port was read would look like health.
func (r *auditReport) tooLittle() (out []string) {
	for i := range r.What {
		if w := &r.What[i]; w.TooLittle != "" {
			out = append(out, w.File+": "+w.TooLittle)
		}
	}
	// With --peer, it is why no link was compared. Empty: links were, or none was asked for.
	if r.Unlinked != "" {
		out = append(out, r.Unlinked)
	}
	return out
}

// head says what was checked and how much was found. The first line counts findings by severity, those that are
// certain, and what was checked. With --since it says of what they are the difference.
func (r *auditReport) head() []string {
	count, certain := map[finding.Severity]int{}, 0
	for i := range r.Findings {
		f := &r.Findings[i]
		count[f.Severity]++
		// Only errors count: a certain note is no reason to worry.
		if f.Certain && f.Severity == finding.Error {
			certain++
		}
	}
	first := fmt.Sprintf("%s: %s (%d certain), %s, %s in %s", r.verdict(), cli.Plural(count[finding.Error], "error",
		"errors"), certain, cli.Plural(count[finding.Warning], "warning", "warnings"), cli.Plural(count[finding.Note], "note",
		"notes"), r.checked())
	// Before counts what the revision had, and Mended what of it is gone.
	if r.since != "" {
		first += fmt.Sprintf(", that are not in %s (%d were, %d of these are mended)", r.since, r.Before, r.Mended)
	}
	lines := []string{first}
	// Three show what is wrong; -o json has those of all configurations.
	if less := r.tooLittle(); len(less) > 0 {
		lines = append(lines, "too little was read: "+strings.Join(less[:min(len(less), 3)], "; "))
	}
	if r.affected != "" {
		lines = append(lines, r.affected)
	}
	lines = append(lines, findings.Accepted{Count: r.Accepted, Gone: r.Gone}.Lines()...)
	// One configuration can have more findings than its audit lists. Their number is not hidden.
	if r.NotListed > 0 {
		lines = append(lines, fmt.Sprintf("%d further findings are not listed", r.NotListed))
	}
	return lines
}

// checked counts what was audited, in words. The number of configurations is that of renderings: a folder has one for
// each role and model.
func (r *auditReport) checked() string {
	var parts []string
	for _, p := range []struct {
		n           int
		one, others string
	}{{r.Configurations, "configuration", "configurations"}, {r.Folders, "hwsku folder", "hwsku folders"},
		{r.Tables, "headroom table", "headroom tables"}, {r.Links, "link with both ends", "links with both ends"}} {
		switch {
		case p.n == 1:
			parts = append(parts, "1 "+p.one)
		case p.n > 1:
			parts = append(parts, strconv.Itoa(p.n)+" "+p.others)
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "0 configurations")
}

// findings lists the findings. A row is one finding with its place, what is wrong in numbers, and what to do.
func (r *auditReport) findings() cli.Section {
	s := cli.Table("", "Findings", "severity", "certain", "code", "where", "topology", "object", "message", "repair")
	for i := range r.Findings {
		f := &r.Findings[i]
		s.Row(string(f.Severity), cli.YesNo(f.Certain), string(f.Code), f.Place(), f.Topology, f.Object, f.Message, f.Repair)
	}
	return s
}

// codes counts the findings by code, and the files that have them. Of hundreds of findings the codes say what kinds
// there are, and in how many files.
func (r *auditReport) codes() cli.Section {
	s := cli.Table("", "Codes", "severity", "code", "findings", "files")
	type key struct {
		severity finding.Severity
		code     finding.Code
	}
	type row struct {
		findings int
		files    grouped.By[string, int]
	}
	var all grouped.By[key, row]
	for i := range r.Findings {
		f := &r.Findings[i]
		x := all.Of(key{f.Severity, f.Code})
		x.findings++
		*x.files.Of(f.File)++
	}
	// The most severe first; within a severity by code, so that two runs can be compared line by line.
	slices.SortFunc(all.Keys, func(a, b key) int {
		return cmp.Or(slices.Index(finding.Severities(), a.severity)-slices.Index(finding.Severities(), b.severity),
			cmp.Compare(a.code, b.code))
	})
	for k, x := range all.All() {
		s.Row(string(k.severity), string(k.code), cli.Count(x.findings), cli.Count(len(x.files.Keys)))
	}
	return s
}

// meaning says what the configurations mean: switches, pools, lossless ports, slices. Sizes are bytes as the
// configuration has them, and cells where the chip is known.
func (r *auditReport) meaning() []cli.Section {
	switches := cli.Table("switches", "Switches", "configuration", "topology", "hwsku", "chip", "known by", "memory bytes",
		"ports", "buffer model", "fits", "verified")
	pools := cli.Table("", "Pools", "configuration", "topology", "pool", "type", "mode", "size bytes", "xoff bytes",
		"size cells")
	groups := cli.Table("lossless", "Lossless ports", "configuration", "topology", "ports", "priorities", "groups",
		"speed", "cable", "profile", "size bytes", "xoff bytes", "xoff cells")
	slots := cli.Table("", "Cells", "configuration", "topology", "slice", "total", "chip", "reserved", "headroom",
		"shared", "unused")
	for i := range r.What {
		w := &r.What[i]
		// Verified is a verdict in words, empty without --verify. KnownBy is what in the configuration, or which flag,
		// has told the chip.
		switches.Row(w.File, roleOf(w), w.HwSKU, cmp.Or(w.Chip, "unknown"), w.KnownBy, optional(w.MemoryBytes),
			cli.Count(w.Ports), w.Model, fits(w.Fits), w.Verified)
		for _, p := range w.Pools {
			pools.Row(w.File, roleOf(w), p.Name, p.Type, p.Mode, optional(p.Size), optional(p.XOFF), optional(p.Cells))
		}
		// Ports are folded into ranges, so that their number stands beside them.
		for _, g := range w.Lossless {
			groups.Row(w.File, roleOf(w), fmt.Sprintf("%s (%d)", g.Ports, g.Count), cli.Joined(g.Priorities),
				cli.Joined(g.Groups), g.Speed, g.Cable, g.Profile, optional(g.Size), optional(g.XOFF), optional(g.Cells))
		}
		// The five accounts of a slice add up to its total.
		for _, s := range w.Slices {
			slots.Row(w.File, roleOf(w), cli.Count(s.Index), cli.Count(s.Total), cli.Count(s.Chip), cli.Count(s.Reserved),
				cli.Count(s.Headroom), cli.Count(s.Shared), cli.Count(s.Unused))
		}
	}
	return []cli.Section{switches, pools, groups, slots}
}

// roleOf names the topology of a configuration, and whether it has neighbours. Neighbours are those that the rendering
// of a template was given, and are made up.
func roleOf(w *audit.What) string {
	if w.Neighbours {
		return w.Topology + ", neighbours"
	}
	return w.Topology
}

// unknown lists what was not checked, and what the cells rest on. What is assumed has a state of its own: the cells
// rest on it.
func (r *auditReport) unknown() cli.Section {
	s := cli.Table("unknown", "Not known", "configuration", "topology", "state", "what")
	for i := range r.What {
		w := &r.What[i]
		// What is not known was not checked, and what is assumed was.
		for _, u := range w.Unknown {
			s.Row(w.File, roleOf(w), "unknown", u)
		}
		for _, a := range w.Assumed {
			s.Row(w.File, roleOf(w), "assumed", a)
		}
	}
	return s
}

// optional prints a number, or that it is not known.
func optional(n *int64) any {
	// nil: not known. 0 is a number that the configuration has.
	if n == nil {
		return cli.Number("-")
	}
	return cli.Count(*n)
}

// fits prints whether all ports are admitted. The ports are those of the configuration, admitted as its pools and
// profiles say.
func fits(f *bool) string {
	switch {
	// The cells are counted only where chip, pools and profiles are known.
	case f == nil:
		return "unknown"
	case *f:
		return "yes"
	}
	return "no"
}

// slackScreen lists the configurations by how many cells they have left, the fewest first. Neighbours are made up, and
// the default mostly is a topology again: both are left out where a topology is there. Slack is the number of cells
// that the fullest slice has left beyond what it is configured to hold. The SDK of a chip takes cells for itself, and a
// new version may take more: a configuration without that many left is refused then.
func (r *auditReport) slackScreen() *cli.Screen {
	t := cli.Table("slack", "Slack, in cells of the fullest slice", "configuration", "topology", "hwsku", "chip", "left",
		fmt.Sprintf("%s more", cli.Count(r.slack)), "one more port", "10 m more", "by")
	// unknown counts configurations whose cells could not be counted, and short those with fewer cells left than asked
	// about.
	var known []*audit.What
	unknown, short := 0, 0
	topology := map[string]bool{}
	for i := range r.What {
		w := &r.What[i]
		// The default comes after the topologies of its folder.
		switch again := w.Topology == "def" && topology[w.File]; {
		case w.Neighbours || again:
		case w.Slack == nil:
			unknown++
		default:
			known = append(known, w)
		}
		topology[w.File] = true
	}
	// A negative number is a configuration that does not fit as it is. Those with as many cells left stay in the order
	// in which they were audited.
	slices.SortStableFunc(known, func(a, b *audit.What) int { return cmp.Compare(a.Slack.Left, b.Slack.Left) })
	for _, w := range known {
		s := w.Slack
		more := breaks(s.Left, &r.slack)
		// As many as are left still fit.
		if s.Left < r.slack {
			short++
		}
		// Port and TenMetres are the cells that one more port and 10 m more of cable take.
		t.Row(w.File, w.Topology, w.HwSKU, w.Chip, cli.Count(s.Left), more, breaks(s.Left, s.Port),
			breaks(s.Left, s.TenMetres), s.By)
	}
	return &cli.Screen{Head: []string{fmt.Sprintf("SLACK: %s, of which %d break if the SDK takes %s more cells in each "+
		"slice; of %d more it is not known", cli.Plural(len(known), "configuration", "configurations"), short,
		cli.Count(r.slack), unknown)}, Sections: []cli.Section{t}, Verdict: "SLACK"}
}

// breaks says whether a change takes more cells than are left, and how many it takes. nil is a change whose cost is not
// known for this configuration.
func breaks(left int64, takes *int64) string {
	switch {
	case takes == nil:
		return "unknown"
	// What does not fit as it is breaks with any change, also with one of 0 cells.
	case left < 0 || *takes > left:
		return fmt.Sprintf("breaks (%s)", cli.Count(*takes))
	}
	return fmt.Sprintf("fits (%s)", cli.Count(*takes))
}
