package push

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/unit"
)

// This file says, before anything is sent or written, what a switch makes of groups (ETS): one with a level of queues,
// or one that has groups itself.

// toleranceFlag adds the flag that says how exact shares have to be. Weights and percents are whole numbers on a
// switch, so shares are seldom exact. Only --strict refuses them.
func toleranceFlag(c *cobra.Command, to *unit.Percent) {
	cli.TypedFlag(c.Flags(), to, "share-tolerance", "1%", unit.ParsePercent, "with --strict: by how much a queue's "+
		"share of the bandwidth may be off on the switch, as a part of the share (exit code 8)")
}

// reworded is an error with another text. A flag is named in a text of the library, whose kind has to stay. Only the
// text is replaced: the wrapped error keeps backend.ErrGaps.
type reworded struct {
	text string
	error
}

// Error is the text; Unwrap gives the error that callers compare with, so that the exit code stays that of its kind.
func (r reworded) Error() string { return r.text }
func (r reworded) Unwrap() error { return r.error }

// withTolerance names the flag of the tolerance in a text behind each value of it. The library's error does not know
// flags.
func withTolerance(text string, most unit.Percent) string {
	// The text has to be that of push.CheckShares; where it is another one, nothing is replaced.
	allowed := fmt.Sprintf(", allowed: %v", most)
	return strings.ReplaceAll(text, allowed, allowed+" (--share-tolerance)")
}

// oneLevelSection lists the weight or percentage of each queue, with the share that the topology states and the one
// that the numbers give. All shares are of one target. Off by is the difference as a part of the share that was asked
// for. list is not empty.
func oneLevelSection(list []nos.Shares, in *buffer.Intent) cli.Section {
	s := cli.Table("shares", "Shares of the bandwidth on the switch, which has one level of queues", "ports", "queue",
		"class", "weight", "asked", "got", "off by")
	// All shares are of one target, so the first tells the columns for all.
	if list[0].Levels > 1 {
		s.Title, s.Columns[3] = "Shares of the bandwidth on the switch, which has groups of queues", "percent of group"
	} else if list[0].Scale == ets.Percents {
		s.Columns[3] = "percent"
	}
	for i := range list {
		for _, t := range list[i].Turns {
			// A strict queue has no share: it takes what it needs before the others. Without an exact share in the topology
			// there is nothing to compare with.
			number, asked, got, off := cli.Number("strict"), cli.Number("-"), cli.Number("-"), cli.Number("-")
			if r := t.Rounded; !t.Strict {
				number, got = cli.Count(r.Number), cli.Number(r.Got.Percent().String())
				if t.Exact {
					asked, off = cli.Number(r.Asked.Percent().String()), cli.Number(r.Off().String())
				}
			}
			s.Row(buffer.FoldPorts(list[i].Ports), cli.Count(t.Priority), classOf(in, t.Priority), number, asked, got, off)
		}
	}
	return s
}

// addShares adds the section and the losses to a report. A plan without groups has no shares to lose, and no section.
func addShares(r *cli.Screen, list []nos.Shares, in *buffer.Intent) {
	if len(list) > 0 {
		r.Sections = append(r.Sections, oneLevelSection(list, in))
		r.Foot = append(r.Foot, lossLines(list)...)
	}
}

// classOf names the class of a priority. in is the intent that the shares were made from; a dash: no class has the
// priority.
func classOf(in *buffer.Intent, priority int) string {
	c := nos.Plan{Intent: *in}.Class(priority)
	if c == nil {
		return "-"
	}
	return c.Name
}

// lossLines say what one level does not have, each once for the ports that it is so for. Losses are what no number can
// express, such as a strict queue within a group that shares.
func lossLines(list []nos.Shares) (out []string) {
	for i := range list {
		for _, l := range list[i].Losses {
			what := "one level of queues on "
			if list[i].Levels > 1 {
				what = "not expressed on "
			}
			out = append(out, what+buffer.FoldPorts(list[i].Ports)+": "+l.Text)
		}
	}
	return out
}

// shareLines are the section and the losses as lines, for standard error. render prints them on standard error, as the
// configuration has standard output.
func shareLines(list []nos.Shares, in *buffer.Intent) (out []string) {
	for i := range list {
		ports := buffer.FoldPorts(list[i].Ports)
		for _, t := range list[i].Turns {
			// A strict queue has no number. Without an exact share the topology asks for nothing that could be compared.
			r, what := t.Rounded, fmt.Sprintf("weight %d", t.Rounded.Number)
			if list[i].Levels > 1 {
				what = fmt.Sprintf("%d%% of its group", r.Number)
			} else if list[i].Scale == ets.Percents {
				what = fmt.Sprintf("%d%% of what strict queues leave", r.Number)
			}
			if t.Strict {
				what = "strict"
			} else if t.Exact {
				what += fmt.Sprintf(", %v asked, %v got, off by %v", r.Asked.Percent(), r.Got.Percent(), r.Off())
			} else {
				what += fmt.Sprintf(", %v got", r.Got.Percent())
			}
			out = append(out, fmt.Sprintf("share of queue %d (%s) of %s: %s", t.Priority, classOf(in, t.Priority), ports, what))
		}
	}
	return append(out, lossLines(list)...)
}
