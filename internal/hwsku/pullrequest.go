package hwsku

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cellwarden/cellwarden/nos"
)

// PullRequest is the text of a pull request with the folder: what it has, why, and how it was measured. why is the
// error of Render, if the folder was not rendered.
func (f *Folder) PullRequest(p nos.Plan, folder, topology string, rendered []Rendered, why error) string {
	var out strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	in, pool := &p.Intent, f.Tables["BUFFER_POOL"][ingressPool]
	say("# %s: buffers and QoS for %d ports", filepath.Base(folder), len(in.Ports))
	say("\n## What\n")
	for _, file := range f.Files {
		say("- `%s`: %s", file.Name, file.Purpose)
	}
	say("\n## Why\n")
	say("The headroom of the lossless groups is that of %s, for chip %s with cells of %d bytes. The plan of %s with these "+
		"ports is admitted: %d ports, `%s` of %s bytes%s.", in.Sizing.Method(), in.Chip.Name, int64(in.Chip.Cell), topology,
		len(in.Ports), ingressPool, pool["size"], xoffText(pool["xoff"]))
	say("The templates compute the size of `%s` from the ports in PORT. So a breakout changes it, and the pool does not "+
		"promise memory that ports have to themselves.", ingressPool)
	say("\n## Measured\n")
	switch {
	case why != nil:
		say("- %v", why)
	default:
		for _, r := range rendered {
			if differ := f.Differences(r); len(differ) > 0 {
				say("- %s: the folder, rendered as sonic-cfggen does, differs from the plan in %d entries, first %s", r.Topology,
					len(differ), differ[0])
				continue
			}
			say("- %s: the folder, rendered as sonic-cfggen does, gives the CONFIG_DB of the plan: %d ports, %d tables equal",
				r.Topology, len(in.Ports), len(f.Tables))
		}
	}
	say("- `cellwarden plan %s`: every group has its headroom, and the cells of the chip suffice", topology)
	for _, n := range f.Notes {
		say("\nNote: %s.", n)
	}
	return out.String()
}

func xoffText(xoff string) string {
	if xoff == "" {
		return ", headroom apart from it"
	}
	return fmt.Sprintf(" and shared headroom (xoff) of %s bytes", xoff)
}
