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

// deadlockCommand makes the verb. Exit code 4 is a lock that is possible on the routes or after the failures of the
// file. What can happen while switches change their routes does not decide it, and neither does the simulator.
func deadlockCommand() *cobra.Command {
	var format cli.Output
	var run simulation
	// Wrong flags and wrong files are exit code 2, with nothing printed; a verdict comes from the end alone.
	c := cli.Command("fabric deadlock", cli.Args(1, 1), func(cmd *cobra.Command, args []string) error {
		f, err := read(cmd, args[0])
		if err != nil {
			return err
		}
		doc, err := f.Deadlock(cmd.Context())
		if err != nil {
			// A question that was interrupted has no answer, and is no mistake of the file: the exit code says so.
			return cli.ExitWith(cli.ExitUsage, err)
		}
		// The run of the simulator is noted in the document, so it comes before the printing.
		if err := run.circle(cmd, f, &doc); err != nil {
			return err
		}
		// The first screen has the circle with at most 12 of its channels. The table of priorities comes with --all, or if
		// all fits.
		return deadlockScreen(&doc).Brief(12, "circle").Print(cmd, format, doc, cli.CodeIf(doc.CanLock(), cli.ExitLint))
	})
	cli.OutputFlag(c, &format)
	cli.AllFlag(c, &format)
	cli.ConfineFlag(c)
	run.flags(c)
	return c
}

// deadlockScreen is the answer as text. The lines above the tables are the verdict and what was asked besides it;
// below are remedies, notes, and what the verdict rests on.
func deadlockScreen(d *report.FabricDocument) *cli.Screen {
	s := &cli.Screen{Head: append([]string{deadlockHead(d)}, deadlockLines(d)...)}
	// Only a file with tables before and after a change has this answer. It is a line of its own, because it does not
	// change the verdict.
	if c := d.Converging; c != nil {
		// No second program found these ways again, as for the proof of a priority.
		text := "NO CYCLE, by ranks alone; the proof of priorities is of the new tables only"
		if c.Cycle != "" {
			text = fmt.Sprintf("CAN LOCK: %s (%s)", c.Cycle, strings.Join(c.Because, "; "))
		}
		s.Head = append(s.Head, "changing  while switches change from the tables before: "+text)
	}
	priorities := cli.Table("priorities", "Priorities", "priority", "channels", "dependencies", "circle",
		"channels in circles", "proof")
	if d.Converging != nil {
		priorities.Title += ", with the new tables only"
	}
	circle := cli.Table("circle", "A shortest circle: each channel can wait for the next", "priority", "from", "to",
		"because of")
	for i := range d.Priorities {
		p := &d.Priorities[i]
		// A circle over several priorities is listed at the lowest of them, so a channel of a priority with none can be in
		// one that is listed above.
		length := "none"
		if len(p.Cycle) > 0 {
			length = fmt.Sprint(len(p.Cycle))
		}
		priorities.Row(cli.Count(p.Priority), cli.Count(p.Channels), cli.Count(p.Dependencies), length,
			cli.Count(p.Entangled), cli.Dash(p.Proof))
		// A hop is a cable in one direction. Because is a route whose frames take it and then the next hop of the circle.
		for _, h := range p.Cycle {
			circle.Row(cli.Count(h.Priority), fabric.Port{Node: h.From, Port: h.FromPort},
				fabric.Port{Node: h.To, Port: h.ToPort}, cli.Dash(h.Because))
		}
		// Each of them was tried by itself: none has to be combined with another.
		s.Note(cli.Prefixed("no circle with: ", p.Remedies)...)
		// Without this line, no remedy would look like none that was looked for.
		if len(p.Cycle) > 0 && len(p.Remedies) == 0 {
			s.Note(fmt.Sprintf("priority %d: no single turn of this circle, when it is forbidden, leaves none", p.Priority))
		}
	}
	// The simulator and the watchdog say what becomes of a circle, so they follow the verdicts about it.
	if text := simulated(d); text != "" {
		s.Head = append(s.Head, text)
	}
	// Only a file with a PFC watchdog and a circle has this line.
	if d.Watchdog != "" {
		s.Head = append(s.Head, "watchdog  "+d.Watchdog)
	}
	s.Sections = []cli.Section{circle, priorities}
	s.Note(d.Notes...)
	// What the verdict rests on is printed with every verdict, also with NO CYCLE.
	s.Note(cli.Prefixed("assumed: ", d.Assumed)...)
	// A heading over no circle would look like an answer.
	return s.WithoutEmpty()
}

// deadlockHead is the first line. It is the verdict for the routes as they are, with the cables that the file says
// are down. NO CYCLE without any channel says so, because nothing was proved of any frame then.
func deadlockHead(d *report.FabricDocument) string {
	of := fmt.Sprintf("%s, %s, %s", cli.Plural(d.Switches, "switch", "switches"), cli.Plural(d.Hosts, "host", "hosts"),
		cli.Plural(d.Cables, "cable", "cables"))
	// Cables that the file says are down are counted among the cables, so the line says how many of them are.
	if len(d.Down) > 0 {
		of += fmt.Sprintf(", %d of them down", len(d.Down))
	}
	var can, priorities []string
	channels := 0
	// The priorities that can lock have their circles in the line; where none can, it names all.
	for _, p := range d.Priorities {
		priorities = append(priorities, fmt.Sprint(p.Priority))
		channels += p.Channels
		if len(p.Cycle) > 0 {
			can = append(can, fmt.Sprintf("priority %d in a circle of %d channels", p.Priority, len(p.Cycle)))
		}
	}
	text := "NO CYCLE: pauses of priority " + strings.Join(priorities, ", ") + " cannot lock on these routes"
	switch {
	case len(can) > 0:
		text = "CAN LOCK: " + strings.Join(can, ", ")
	case channels == 0:
		text = "NO CYCLE: no route carries frames"
	}
	return text + " (" + of + ")"
}

// deadlockLines are the verdicts after failures. A file that asks for no failures gets a line that says so, since NO
// CYCLE of the intact fabric says nothing of failures.
func deadlockLines(d *report.FabricDocument) (out []string) {
	f := d.Failures
	if f == nil {
		return []string{"failures  not asked: the key failures of the file asks for them"}
	}
	// How says what NO CYCLE covers: every case, one of each kind of cable in a fabric that is generated, or a sample.
	// Only the seed makes a sample repeatable, so it is printed.
	cases := cli.Plural(f.Cases, "case", "cases")
	// A kind of cable is one whose cables lead to each other by a symmetry of the fabric, so one stands for all.
	switch f.How {
	// Cases is then the number of kinds.
	case "all kinds":
		cases = fmt.Sprintf("one cable of each of %s (those of a kind are alike)", cli.Plural(f.Cases, "kind", "kinds"))
	case "drawn":
		cases += fmt.Sprintf(" that were drawn (seed %d)", f.Seed)
	default:
		cases = "all " + cases
	}
	text := fmt.Sprintf("failures  up to %s down: %s looked at", cli.Plural(f.Links, "cable", "cables"), cases)
	if f.UntilRoutes {
		text += ", until switches have new routes"
	}
	// First has the cables of the first case with a circle, and Cycle is its circle. The order of the cases is fixed.
	found := "NO CYCLE in any"
	if f.Locks > 0 {
		found = fmt.Sprintf("CAN LOCK in %d, first with %s: %s", f.Locks, f.First, f.Cycle)
	}
	out = append(out, text+": "+found)
	// Frames without a way make no circle, so such a case is also one with fewer routes.
	if f.Lost > 0 {
		out = append(out, fmt.Sprintf("lost      in %d of these cases nodes have no way to each other", f.Lost))
	}
	// Changes are looked at in the cases with one cable down alone. Sets of more cables that were drawn have no such
	// case.
	switch {
	case f.Moving > 0:
		out = append(out, fmt.Sprintf("changing  while switches change their routes, %s can lock: %s",
			cli.Plural(f.Moving, "single failure", "single failures"), f.Moves))
	case f.UntilRoutes:
		out = append(out, "changing  not known: no table says what routes come after a failure (want before)")
	case f.Singles == 0:
		out = append(out, "changing  not looked at: no single failure is drawn (want failures: {links: 1})")
	default:
		out = append(out, "changing  while switches change their routes after one of these single failures: NO CYCLE in any")
	}
	return out
}

// read reads the file of a fabric for a question about its routes, with the dumps of tables that it names: they have no
// bound of length, so they are opened and not read as a whole; with --confine they are below the folder of the file.
func read(cmd *cobra.Command, file string) (*fabric.File, error) {
	name, data, err := cli.ReadInput(cmd, file)
	var f *fabric.File
	if err == nil {
		f, err = fabric.Read(name, data)
	}
	// A file that names no dumps states its routes itself.
	if err == nil {
		err = f.Tables(many.Dumps(cmd, file))
	}
	// What cannot be read is a fault of the call, and not a verdict.
	if err != nil {
		return nil, cli.ExitWith(cli.ExitUsage, err)
	}
	return f, nil
}
