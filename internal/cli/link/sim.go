package link

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/examples"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/report"
)

// This file runs what shows to what findings of link lead: scenarios, and runs of one link with credits.

// simulate runs what shows each finding, each scenario and each run once. The results are shared by pointer: all
// findings of one kind have the counts of one run.
func (c *linkRun) simulate(d *report.LinkDocument) error {
	// planned is about this link with its own numbers, the rest about examples.
	if err := c.planned(d); err != nil {
		return err
	}
	// The runs by the name of the scenario, or of the run with credits.
	runs := map[string]*report.LinkRun{}
	for i := range d.Links {
		for j := range d.Links[i].Findings {
			f := &d.Links[i].Findings[j]
			by, run := f.Scenario, c.simulated
			if by == "" {
				by, run = f.CreditRun, creditRun
			}
			// Not every finding has a consequence that the simulator can show.
			if by == "" {
				continue
			}
			// A fabric has one mistake on many links: the run shows it once for all.
			if runs[by] == nil {
				one, err := run(by)
				if err != nil {
					return err
				}
				runs[by] = one
			}
			f.Simulated = runs[by]
		}
	}
	return nil
}

// simulated runs a scenario of the examples.
func (c *linkRun) simulated(name string) (*report.LinkRun, error) {
	file := path.Join("scenarios", name)
	data, err := examples.Read(file)
	if err != nil {
		return nil, err
	}
	// The examples are in the program, so that the command needs no checkout.
	s, err := scenario.ReadContext(c.cmd.Context(), file, data, examples.Read, nil)
	if err != nil {
		return nil, err
	}
	r, err := s.Run(c.cmd.Context(), scenario.Options{})
	if err != nil {
		return nil, err
	}
	// Counts of a part of the run would look like fewer losses.
	if r.Cut {
		return nil, fmt.Errorf("%s: interrupted at %v of model time", file, r.End)
	}
	// Numbers names the file whose cables and frames these are.
	out := &report.LinkRun{Numbers: "examples/" + file, Sent: r.Summary.Sent, Drops: r.Summary.Drops,
		// Unmet are the expectations that the scenario states and its run did not meet. End is picoseconds of model
		// time.
		ByReason: r.Summary.ByReason, PauseSent: r.Summary.PauseSent, AsExpected: len(r.Unmet) == 0, End: int64(r.End)}
	flows := unnamed.List(&out.Flows, len(r.Flows))
	for i := range r.Flows {
		f, to := &r.Flows[i], &flows[i]
		to.Name, to.Sent, to.Lost, to.Rate = f.Name, f.Sent, f.Lost, int64(f.Rate)
	}
	return out, nil
}

// creditRun runs both directions of a link whose ends do not agree about credits. The runs are in the simulator,
// because no scenario file has two ends that disagree about credits. Rates are bit/s; the divisions by 1,000 on both
// sides keep the product within 64 bits.
func creditRun(name string) (*report.LinkRun, error) {
	// A name without a run is a mistake of a finding and not of the user.
	d, ok := fabric.CreditDisagreement(name)
	if !ok {
		return nil, fmt.Errorf("no run %q of a link with credits", name)
	}
	out := &report.LinkRun{Numbers: "default", ByReason: map[string]int64{}, AsExpected: true}
	flows := unnamed.List(&out.Flows, len(d.Runs))
	for i, x := range d.Runs {
		r, err := x.Link.Run(x.Until)
		if err != nil {
			return nil, err
		}
		// Times of such a run are bit times of its rate.
		ch, span := &r.Channels[0], x.Rate.TimeFor(x.Until)
		// Each run is by itself: counts add up, and the end is that of the longest.
		out.Sent, out.Drops, out.End = out.Sent+ch.Sent, out.Drops+r.Overflow, max(out.End, int64(span))
		out.AsExpected = out.AsExpected && x.Shows(&r)
		to := &flows[i]
		// Waited is thousandths of the run in which frames waited for credits.
		to.Name, to.Sent, to.Lost, to.Waited = x.Name, ch.Sent, ch.Lost, 1000*r.Waited/r.End
		to.Rate = int64(x.Rate) * (ch.Bits / 1000) / (x.Until / 1000)
	}
	if out.Drops > 0 {
		out.ByReason["no room beside the credits"] = out.Drops
	}
	return out, nil
}

// simulatedText prints the counts of the run that shows a finding:
// "1,968 of 19,337 frames lost (headroom full 1,968), 30 pauses; the scenario is as expected". It ends by saying whose
// numbers were simulated: an example has other cables than this link.
func simulatedText(f *report.LinkFinding) string {
	s, what := f.Simulated, "the run"
	if f.Scenario != "" {
		what = "the scenario"
	}
	var reasons []string
	// Sorted, because the order of a map changes from run to run.
	for _, reason := range slices.Sorted(maps.Keys(s.ByReason)) {
		if n := s.ByReason[reason]; n > 0 {
			reasons = append(reasons, fmt.Sprintf("%s %s", reason, cli.Count(n)))
		}
	}
	parts := []string{fmt.Sprintf("%s of %s frames lost", cli.Count(s.Drops), cli.Count(s.Sent))}
	if len(reasons) > 0 {
		parts[0] += " (" + strings.Join(reasons, ", ") + ")"
	}
	for _, f := range s.Flows {
		// Thousandths are printed as percents with one decimal.
		if f.Waited > 0 {
			parts = append(parts, fmt.Sprintf("%s no credits for %d.%d%% of the time", f.Name, f.Waited/10, f.Waited%10))
		}
	}
	// A run that does not end as it expects shows nothing of the finding, so that is in capitals.
	verdict := what + " is as expected"
	if !s.AsExpected {
		verdict = "NOT as " + what + " expects"
	}
	parts = append(parts, cli.Plural(int(s.PauseSent), "pause", "pauses"))
	numbers := "the numbers are the program's own for one link with credits, not this link's"
	// Numbers is the file of the scenario, or "default" for a run that the program makes itself.
	if s.Numbers != "default" {
		numbers = "the numbers are those of " + s.Numbers + ", not this link's"
	}
	return strings.Join(parts, ", ") + "; " + verdict + "; " + numbers
}
