package many

import (
	"fmt"

	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/drawn"
	"github.com/cellwarden/cellwarden/internal/picture"
)

// picture draws the fabric; nil if it would be a grey area. The lines say what it shows of pauses. The picture shows
// the fabric also where no pauses can be shown. An error says that the routes could not be followed. A fabric that is
// too large to draw is no error: what says so then.
func (a *asked) picture() (p *picture.Picture, what []string, err error) {
	hosts := a.hosts()
	// What is shown of pauses depends on the routes; the picture itself does not.
	shown, what, err := a.pausing(hosts)
	if err != nil {
		return nil, nil, err
	}
	if p = drawn.Fabric(a.switches, a.cables, hosts, shown); p == nil {
		what = append(what, fmt.Sprintf("picture   not drawn: %s and %s would be a grey area (at most %d of a tier, and %d)",
			cli.Plural(len(a.switches), "switch", "switches"), cli.Plural(len(a.cables), "cable", "cables"), drawn.MostSwitches,
			drawn.MostCables))
	}
	return p, what, nil
}

// hosts are the ends of cables at hosts, each host once. The first cable of a host stands for it. The order is that
// of the cables in the file, on which the example host of pausing depends.
func (a *asked) hosts() (out []fabric.Port) {
	seen := map[string]bool{}
	for _, c := range a.cables {
		for _, p := range []fabric.Port{c.A, c.B} {
			if p.Host && !seen[p.Node] {
				seen[p.Node] = true
				out = append(out, p)
			}
		}
	}
	return out
}
