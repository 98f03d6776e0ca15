package hwsku

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/nos"
)

// Measured is what was seen of a folder after it was written.
type Measured struct {
	Rendered []Rendered
	// NotRendered is why the folder was not rendered; nil: it was.
	NotRendered error
	Findings    []finding.Finding // of Audit
}

// PullRequest is the text of a pull request with the folder, under the headings that sonic-buildimage has for one
// (086b03bd, .github/pull_request_template.md): why, how, and how it was measured. What only its author knows, such as
// a test on a switch, is left open.
func (f *Folder) PullRequest(p nos.Plan, folder, topology string, m Measured) string {
	var out strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	in, pool := &p.Intent, f.Tables["BUFFER_POOL"][ingressPool]
	title := fmt.Sprintf("%s: buffers and QoS for %d ports", filepath.Base(folder), len(in.Ports))
	say("# %s", title)
	say("\n#### Why I did it\n")
	say("Buffers and QoS for the ports of the switch. The headroom of the lossless groups is that of %s, for "+
		"chip %s with cells of %d bytes. The plan of %s with these ports is admitted: %d ports, `%s` of %s bytes%s.",
		in.Sizing.Method(), in.Chip.Name, int64(in.Chip.Cell), topology, len(in.Ports), ingressPool, pool["size"],
		f.includesText(pool["xoff"]))
	say("\n##### Work item tracking\n\n- Microsoft ADO **(number only)**:")
	say("\n#### How I did it\n")
	for _, file := range f.Files {
		say("- `%s`: %s", file.Name, file.Purpose)
	}
	say("\n%s", f.followsText())
	for _, n := range f.Notes {
		say("\nNote: %s.", n)
	}
	say("\n#### How to verify it\n")
	f.measured(say, p, folder, topology, m)
	say("\n#### Tested branch\n\n- [ ] master\n\n#### Test result\n\n- master:")
	say("\n#### Description for the changelog\n\n%s", title)
	return out.String()
}

// measured says what was seen, and by which command it is seen again.
func (f *Folder) measured(say func(string, ...any), p nos.Plan, folder, topology string, m Measured) {
	if m.NotRendered != nil {
		say("- %v", m.NotRendered)
	}
	for _, r := range m.Rendered {
		if differ := f.Differences(r); len(differ) > 0 {
			say("- %s: the folder, rendered as sonic-cfggen does, differs from the plan in %d entries, first %s", r.Topology,
				len(differ), differ[0])
			continue
		}
		say("- %s: the folder, rendered as sonic-cfggen does, gives the CONFIG_DB of the plan: %d ports, %d tables equal",
			r.Topology, len(r.Tables["PORT"]), len(f.Tables))
	}
	if m.NotRendered == nil {
		chip := ""
		if f.unnamed {
			chip = " --chip " + p.Intent.Chip.Name
		}
		say("- `cellwarden audit %s%s`: %s", folder, chip, countText(m.Findings))
	}
	say("- `cellwarden plan %s`: every group has its headroom, and the cells of the chip suffice", topology)
}

// countText counts findings, and names the codes of each severity.
func countText(all []finding.Finding) string {
	if len(all) == 0 {
		return "nothing found"
	}
	var out []string
	for _, severity := range []finding.Severity{finding.Error, finding.Warning, finding.Note} {
		n, codes := 0, map[string]bool{}
		for i := range all {
			if all[i].Severity == severity {
				n, codes[string(all[i].Code)] = n+1, true
			}
		}
		text := fmt.Sprintf("%d %ss", n, severity)
		if n > 0 {
			text += " (" + strings.Join(slices.Sorted(maps.Keys(codes)), ", ") + ")"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// includesText says what the size of the ingress pool has in it.
func (f *Folder) includesText(xoff string) string {
	switch {
	case xoff != "" && f.includes.headroom:
		return fmt.Sprintf(", of which %s bytes are shared headroom (xoff)", xoff)
	case xoff != "":
		return fmt.Sprintf(", and shared headroom (xoff) of %s bytes apart from it", xoff)
	case f.includes.headroom:
		return ", which includes the headroom of the groups"
	}
	return ", headroom apart from it"
}

// followsText says what a breakout changes.
func (f *Folder) followsText() string {
	const computed = "The templates compute %s of `" + ingressPool + "` from the ports in PORT, so that a breakout changes %s."
	const fixed = "The size of `" + ingressPool + "` includes headroom and minima: it does not depend on the ports."
	shared := f.Tables["BUFFER_POOL"][ingressPool]["xoff"] != ""
	switch whole := f.includes.headroom && f.includes.reserved; {
	case shared && whole:
		return fmt.Sprintf(computed, "xoff", "it") + " " + fixed
	case shared:
		return fmt.Sprintf(computed, "size and xoff", "them")
	case whole:
		return fixed + " A breakout leaves it, and the buffer manager gives each port the headroom of its speed and cable."
	}
	return fmt.Sprintf(computed, "the size", "it")
}
