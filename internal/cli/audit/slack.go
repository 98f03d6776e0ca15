package audit

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/cli"
)

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
