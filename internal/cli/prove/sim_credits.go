package prove

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// This file prints the credits (CBFC), the retry (LLR) and the errors of the links of a run.

// plannedText is the account in a line, with some of the neighbours whose account is assumed. A credit is bytes, and
// the overhead bytes that are added to each packet before it is counted.
func plannedText(p *report.SimCredits) string {
	out := fmt.Sprintf("%s: those of its plan; a credit is %v, a packet has %v more than its length", p.Switch, p.Credit,
		p.Overhead)
	// Four names fit a line; the JSON has all of them.
	const shown = 4
	n := len(p.Assumed)
	if n == 0 {
		return out
	}
	names := strings.Join(p.Assumed[:min(n, shown)], ", ")
	if n > shown {
		names += fmt.Sprintf(" and %d more", n-shown)
	}
	return fmt.Sprintf("%s; assumed: neighbours without a plan count alike and give as many (%s)", out, names)
}

// simCredits is the table of the virtual channels that were used. Consumed and freed are counts of credits at the two
// ends: what is missing between them is in use or has leaked.
func simCredits(channels []report.SimChannel) cli.Section {
	s := capped{Section: cli.Table("credits", "Credits (CBFC)", "from", "to", "class", "consumed", "freed", "most in use",
		"without credits", "leaked", "repaired")}
	for i := range channels {
		// A channel that no packet used says nothing. Waited is picoseconds in which a frame had to wait for credits.
		if c := &channels[i]; c.Consumed > 0 {
			s.Row(c.From, c.To, c.Class, cli.Count(c.Consumed), cli.Count(c.Freed), cli.Count(int64(c.MostInUse)),
				unit.Time(c.Waited).String(), cli.Count(c.Leaked), cli.Count(c.Repaired))
		}
	}
	return s.section()
}

// simLinkLayers is the table of the messages, the errors and the retry of the ports. Only ports whose link has credits,
// retry or errors are in the list.
func simLinkLayers(layers []report.SimLinkLayer) cli.Section {
	s := capped{Section: cli.Table("link-layer", "Messages, errors and retry (LLR) of links", "port", "CF_Updates sent",
		"CC_Updates sent", "frames corrupted", "replays", "frames resent", "timeouts", "given up", "buffer full")}
	for i := range layers {
		l := &layers[i]
		// Full is picoseconds in which the replay buffer was full, and the sender waited.
		s.Row(l.Port, cli.Count(l.CFSent), cli.Count(l.CCSent), cli.Count(l.Corrupted), cli.Count(l.Replays),
			cli.Count(l.Repeated), cli.Count(l.Timeouts), cli.Count(l.GivenUp), unit.Time(l.Full).String())
	}
	return s.section()
}
