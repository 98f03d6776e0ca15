package fabric

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/many"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// pauses says who can stop if a host takes no more frames. Package fabric computes it.

// pausesCommand makes the verb. It has no verdict: what can stop is a fact of every fabric with pauses, so the exit
// code is 0 for any answer.
func pausesCommand() *cobra.Command {
	var format cli.Output
	var from string
	var pauseAt, mark unit.Optional[unit.Bytes] // also 0: a group pauses with its first frame, or every frame is marked
	c := cli.Command("fabric pauses", cli.Args(1, 1), func(cmd *cobra.Command, args []string) error {
		f, err := read(cmd, args[0])
		if err != nil {
			return err
		}
		limits, note, err := limitsOf(cmd, f, pauseAt, mark)
		if err != nil {
			return err
		}
		d, err := f.Pauses(from, limits)
		if err != nil {
			return cli.ExitWith(cli.ExitUsage, err)
		}
		// Where the limits come from decides how far a pause spreads, so the note is part of the answer in every format.
		d.Notes = append(d.Notes, note)
		// The first screen has what can stop, in 14 rows at most. The table of fan-in comes with --all, or if all fits.
		return pausesScreen(&d).Brief(14, "spread").Print(cmd, format, d, 0)
	})
	// Without it, the answer is for one host of each kind.
	c.Flags().StringVar(&from, "from", "", "the node that takes no more frames: HOST, or HOST:PORT")
	cli.TypedFlag(c.Flags(), &pauseAt, "pause-at", "", cli.Known(unit.ParseBytes),
		"bytes of frames in a group, as on the wire, at which a switch pauses; without it that of the plans")
	cli.TypedFlag(c.Flags(), &mark, "mark", "", cli.Known(unit.ParseBytes),
		"content of a queue from which frames are marked; without it that of the plans")
	cli.OutputFlag(c, &format)
	cli.AllFlag(c, &format)
	cli.ConfineFlag(c)
	return c
}

// limitsOf says where switches pause and mark: as --pause-at and --mark say, or as the plans of their topologies do.
// note is the source of these numbers in words.
func limitsOf(cmd *cobra.Command, f *fabric.File, pauseAt, mark unit.Optional[unit.Bytes]) (
	limits func(string, int) fabric.Limit, note string, err error) {
	plans := func(string, int) (l fabric.Limit) { return l }
	// With both flags no switch has to be planned, which takes time and fails if a topology does not fit.
	if !pauseAt.IsGiven() || !mark.IsGiven() {
		if plans, note, err = many.Limits(cmd, f); err != nil {
			return nil, "", err
		}
	}
	// The note is of the pauses. Where plans or --mark say nothing of marks, the document says nothing of them.
	at, given := pauseAt.Get()
	if given {
		note = fmt.Sprintf("all switches pause at %v of frames on the wire (--pause-at); cells can be full earlier", at)
	}
	return func(node string, priority int) fabric.Limit {
		l := plans(node, priority)
		// Bytes that are typed in count as many on the wire: without a chip nothing is known of cells, which frames could
		// fill with fewer bytes.
		if given {
			l.XOFF, l.Wire = at, at
		}
		if mark.IsGiven() {
			l.Mark = mark
		}
		return l
	}, note, nil
}

// pausesScreen is the answer as text. A row of the first table is a depth, which is the number of pauses after the
// first, and a pair of roles.
func pausesScreen(d *report.FabricPausesDocument) *cli.Screen {
	s := &cli.Screen{}
	spread := cli.Table("spread", "What can stop, by the number of pauses after the first", "slow", "priority", "depth",
		"from", "to", "cables", "hosts", "other flows", "earliest")
	for i := range d.Slow {
		p := &d.Slow[i]
		who := p.From
		// Alike counts the host of the row, too.
		if p.Alike > 1 {
			who = fmt.Sprintf("%s (or one of %d hosts like it)", who, p.Alike-1)
		}
		// The node can pause its switch, and no frame of this priority waits there for it.
		if p.Channels == 0 {
			s.Head = append(s.Head, fmt.Sprintf("NOTHING STOPS if %s takes no more frames: no frames of priority %d come to it",
				who, p.Priority))
			continue
		}
		// Flows are pairs of nodes whose frames are not for this node, and victims those of them that can stop.
		s.Head = append(s.Head, fmt.Sprintf("CAN STOP %s and %s, priority %d, if %s takes no more frames: %s of %s to others",
			cli.Plural(p.Channels, "cable", "cables"), cli.Plural(p.Hosts, "host", "hosts"), p.Priority, who, cli.Count(p.Victims),
			cli.Plural(p.Flows, "flow", "flows")))
		// Rows come in the order of their depths, of which the lowest is 0.
		last := -1
		for j := range p.Spread {
			x := &p.Spread[j]
			// The victims are counted for a depth and stand in its first row; the rows below it repeat them with a ditto mark,
			// because a sum of the column would count them twice. Without speeds in the file there is no earliest time.
			earliest, victims := "-", any("\"")
			if x.Earliest != nil {
				earliest = unit.Time(*x.Earliest).String()
			}
			if x.Depth != last {
				victims = cli.Count(x.Victims)
			}
			last = x.Depth
			spread.Row(p.From, cli.Count(p.Priority), cli.Count(x.Depth), x.From, x.To, cli.Count(x.Channels),
				cli.Count(x.Hosts), victims, earliest)
		}
	}
	// This is of the fabric and not of the node that is slow: risk wants the number as --fan-in.
	behind := cli.Table("behind", "Groups of a priority that can be full behind one congested cable (risk --fan-in)",
		"role", "switches", "ports", "at most", "at")
	for i := range d.FanIn {
		x := &d.FanIn[i]
		behind.Row(x.Role, cli.Count(x.Switches), cli.Count(x.Ports), cli.Count(x.Behind), x.Switch)
	}
	s.Sections = append(s.Sections, spread, behind)
	s.Note(d.Notes...)
	s.Note(cli.Prefixed("assumed: ", d.Assumed)...)
	return s
}
