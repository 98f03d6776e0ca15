package watch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report"
)

// watchReport is a document as tables. The head says of how many groups each number is known. A run without findings
// over groups of which nothing is known would look healthy otherwise.
func watchReport(doc *report.WatchDocument, a diagnosis.Assessment) *cli.Screen {
	// headroom, loss and pauses are numbers of groups of which each is known.
	states := map[string]int{}
	var headroom, loss, pauses int
	for _, g := range doc.Groups {
		states[g.State]++
		// A group can be "unknown" although one of these is known: empty headroom by itself does not say that it was
		// never used.
		headroom += isKnown(g.Headroom)
		loss += isKnown(g.Drops)
		pauses += isKnown(g.Sent)
	}
	// The first line claims what was looked at, and no more.
	head := fmt.Sprintf("%s: %s; of %s of the plan, the headroom in use is known of %d, loss of %d, pauses of %d",
		doc.Source, cli.Plural(len(doc.Findings), "finding", "findings"),
		cli.Plural(len(doc.Groups), "lossless group", "lossless groups"), headroom, loss, pauses)
	if n := states[string(diagnosis.NotKnown)]; n > 0 {
		head += fmt.Sprintf("; %s unknown", cli.Plural(n, "group is", "groups are"))
	}
	head += cli.ChangedText(doc.Set)
	// There is no mood: without a finding a switch is not proven to be well.
	out := &cli.Screen{Head: []string{head}, Verdict: doc.Verdict}
	var words []string
	// The order of a map changes from run to run; the words are sorted below.
	for state, n := range states {
		words = append(words, fmt.Sprintf("%s: %d", state, n))
	}
	slices.Sort(words)
	out.Head = append(out.Head, "  "+strings.Join(words, ", "))
	if doc.Pool != nil {
		out.Head = append(out.Head, fmt.Sprintf("  headroom pool: %s of %d bytes used", known64(doc.Pool.Watermark),
			int64(doc.Pool.Granted)))
	}
	findings := cli.Section{Name: "findings", Title: "Findings",
		Columns: []string{"finding", "port", "group", "evidence", "what to do"}}
	for _, f := range a.Findings {
		port, group := f.Port, cli.Count(f.Class)
		// A finding without a port is about the pool that all groups share.
		if port == "" {
			port, group = "headroom pool", cli.Number("-")
		}
		findings.Row(string(f.Code), port, group, f.Message, f.Repair)
	}
	if len(findings.Rows) > 0 {
		out.Sections = append(out.Sections, findings)
	}
	groups := cli.Section{Name: "groups", Title: "Lossless groups", Columns: []string{"port", "group", "class", "state",
		"headroom used", "of granted", "share", "dropped", "pauses sent", "received"}}
	for i, g := range doc.Groups {
		// A share is the watermark's part of what was granted; it can be more than 100 %. a.Uses and doc.Groups have
		// one order.
		share := cli.Number("unknown")
		if p, is := a.Uses[i].Share.Get(); is {
			share = cli.Number(p.String())
		}
		granted := int64(g.Granted)
		// Bytes, as the switch counts them; the share is of what the plan grants.
		groups.Row(g.Port, cli.Count(g.Group), g.Class, g.State, known64(g.Headroom), known64(&granted), share,
			known64(g.Drops), known64(g.Sent), known64(g.Received))
	}
	out.Sections = append(out.Sections, groups)
	// They come last and are never left out: what was not looked for is a part of the answer.
	for _, n := range doc.NotChecked {
		out.Foot = append(out.Foot, "not checked: "+n)
	}
	return out
}

// isKnown counts a number that is known.
func isKnown(n *int64) int {
	if n == nil {
		return 0
	}
	return 1
}

// known64 is a number, or the word for one that is not known.
func known64(n *int64) cli.Number {
	if n == nil {
		return "unknown"
	}
	return cli.Number(strconv.FormatInt(*n, 10))
}
