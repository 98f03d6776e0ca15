package fabric

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/many"
	"github.com/cellwarden/cellwarden/report"
)

// deadlock says whether pauses can lock. Package fabric computes it.

const deadlockLong = `deadlock says whether pauses of lossless traffic can lock on the routes of a fabric.

A channel is a cable in one direction, for a priority. A channel depends on another if frames arrive by the first and
leave by the second. If no channel depends on itself over others, no pause can lock (NO CYCLE), whatever the load is. If
one does, the circle is printed with the routes that make it (CAN LOCK): a circle is necessary for a lock, and not
sufficient.

A circle is also run in the simulator, with a flow at line rate for each way that makes it: it locks, or is not seen to
lock within --simulate, which proves nothing. --scenario writes this run as a file for the verb sim.

With failures in the file, the same is asked with cables out of service, and while switches change their routes after
a failure. What happens while they change is printed, and does not decide the exit code.

Routes can be dumps of tables that the file names (APPL_DB of SONiC, FRR): they are read beside the file.

Exit code 4: the routes can lock, or can after the failures that the file asks for.

`

func deadlockCommand() *cobra.Command {
	var format cli.Output
	var run simulation
	c := &cobra.Command{
		Use:   "deadlock FILE",
		Short: "Prove that pauses cannot lock on the routes of a fabric, or show the circle that can",
		Long:  deadlockLong + cli.ExitCodes,
		Example: "  cellwarden fabric deadlock examples/fabric-leaf-spine.yaml\n" +
			"  cellwarden fabric deadlock fabric.yaml -o json\n" +
			"  cellwarden fabric deadlock fabric.yaml --scenario circle.yaml && cellwarden sim circle.yaml --plot circle.html",
		Args: cli.Args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.CheckFormat(format); err != nil {
				return cli.ExitWith(cli.ExitUsage, err)
			}
			name, data, err := cli.ReadInput(cmd, args[0])
			if err != nil {
				return cli.ExitWith(cli.ExitUsage, err)
			}
			f, err := fabric.Read(name, data)
			if err != nil {
				return cli.ExitWith(cli.ExitUsage, err)
			}
			if err := f.Tables(many.Dumps(cmd, args[0])); err != nil {
				return cli.ExitWith(cli.ExitUsage, err)
			}
			doc, err := f.Deadlock(cmd.Context())
			if err != nil {
				return cli.ExitWith(cli.CodeIf(cmd.Context().Err() == nil, cli.ExitUsage), cli.Failure(err))
			}
			if err := run.circle(cmd, f, &doc); err != nil {
				return err
			}
			return deadlockScreen(&doc).Brief(12, "circle").Print(cmd, format, doc, cli.CodeIf(doc.CanLock(), cli.ExitLint))
		},
	}
	cli.OutputFlag(c, &format)
	cli.AllFlag(c, &format)
	cli.ConfineFlag(c)
	run.flags(c)
	return c
}

// deadlockScreen is the answer as text.
func deadlockScreen(d *report.FabricDocument) *cli.Screen {
	s := &cli.Screen{Head: append([]string{deadlockHead(d)}, deadlockLines(d)...)}
	if c := d.Converging; c != nil {
		// No second program found these ways again, as for the proof of a priority.
		text := "NO CYCLE, by ranks alone; the proof of priorities is of the new tables only"
		if c.Cycle != "" {
			text = fmt.Sprintf("CAN LOCK: %s (%s)", c.Cycle, strings.Join(c.Because, "; "))
		}
		s.Head = append(s.Head, "changing  while switches change from the tables before: "+text)
	}
	priorities := cli.Section{Name: "priorities", Title: "Priorities", Columns: []string{"priority", "channels",
		"dependencies", "circle", "channels in circles", "proof"}}
	if d.Converging != nil {
		priorities.Title += ", with the new tables only"
	}
	circle := cli.Section{Name: "circle", Title: "A shortest circle: each channel can wait for the next",
		Columns: []string{"priority", "from", "to", "because of"}}
	for i := range d.Priorities {
		p := &d.Priorities[i]
		length := "none"
		if len(p.Cycle) > 0 {
			length = fmt.Sprint(len(p.Cycle))
		}
		priorities.Row(cli.Count(p.Priority), cli.Count(p.Channels), cli.Count(p.Dependencies), length,
			cli.Count(p.Entangled), cli.Dash(p.Proof))
		for _, h := range p.Cycle {
			circle.Row(cli.Count(h.Priority), place(h.From, h.FromPort), place(h.To, h.ToPort), cli.Dash(h.Because))
		}
		for _, r := range p.Remedies {
			s.Foot = append(s.Foot, "- no circle with: "+r)
		}
		if len(p.Cycle) > 0 && len(p.Remedies) == 0 {
			s.Foot = append(s.Foot, fmt.Sprintf("- priority %d: no single turn of this circle, when it is forbidden, "+
				"leaves none", p.Priority))
		}
	}
	s.Head = append(s.Head, simulatedLines(d)...)
	if d.Watchdog != "" {
		s.Head = append(s.Head, "watchdog  "+d.Watchdog)
	}
	if len(circle.Rows) > 0 {
		s.Sections = append(s.Sections, circle)
	}
	s.Sections = append(s.Sections, priorities)
	for _, text := range d.Notes {
		s.Foot = append(s.Foot, "- "+text)
	}
	for _, text := range d.Assumed {
		s.Foot = append(s.Foot, "- assumed: "+text)
	}
	return s
}

// place names a port.
func place(node, port string) string {
	if port == "" {
		return node
	}
	return node + ":" + port
}

// deadlockHead is the first line.
func deadlockHead(d *report.FabricDocument) string {
	of := fmt.Sprintf("%s, %s, %s", cli.Plural(d.Switches, "switch", "switches"), cli.Plural(d.Hosts, "host", "hosts"),
		cli.Plural(d.Cables, "cable", "cables"))
	down := ""
	if len(d.Down) > 0 {
		down = fmt.Sprintf(", %d of them down", len(d.Down))
	}
	var can, priorities []string
	channels := 0
	for _, p := range d.Priorities {
		priorities = append(priorities, fmt.Sprint(p.Priority))
		channels += p.Channels
		if len(p.Cycle) > 0 {
			can = append(can, fmt.Sprintf("priority %d in a circle of %d channels", p.Priority, len(p.Cycle)))
		}
	}
	if len(can) > 0 {
		return "CAN LOCK: " + strings.Join(can, ", ") + " (" + of + down + ")"
	}
	if channels == 0 {
		return "NO CYCLE: no route carries frames (" + of + down + ")"
	}
	return "NO CYCLE: pauses of priority " + strings.Join(priorities, ", ") + " cannot lock on these routes (" + of + down + ")"
}

// deadlockLines are the verdicts after failures.
func deadlockLines(d *report.FabricDocument) (out []string) {
	f := d.Failures
	if f == nil {
		return []string{"failures  not asked: the key failures of the file asks for them"}
	}
	cases := cli.Plural(f.Cases, "case", "cases")
	switch f.How {
	case "all kinds":
		cases = fmt.Sprintf("one cable of each of %s (those of a kind are alike)", cli.Plural(f.Cases, "kind", "kinds"))
	case "drawn":
		cases += fmt.Sprintf(" that were drawn (seed %d)", f.Seed)
	default:
		cases = "all " + cases
	}
	text := fmt.Sprintf("failures  up to %s down: %s looked at: ", cli.Plural(f.Links, "cable", "cables"), cases)
	if f.Locks == 0 {
		text += "NO CYCLE in any"
	} else {
		text += fmt.Sprintf("CAN LOCK in %d, first with %s: %s", f.Locks, f.First, f.Cycle)
	}
	out = append(out, text)
	if f.Lost > 0 {
		out = append(out, fmt.Sprintf("lost      in %d of these cases nodes have no way to each other", f.Lost))
	}
	if f.Moving > 0 {
		out = append(out, fmt.Sprintf("changing  while switches change their routes, %s can lock: %s",
			cli.Plural(f.Moving, "single failure", "single failures"), f.Moves))
	} else {
		out = append(out, "changing  while switches change their routes after a single failure: NO CYCLE")
	}
	return out
}
