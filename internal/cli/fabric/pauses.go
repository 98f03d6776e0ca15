package fabric

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// pauses says who can stop if a host takes no more frames. Package fabric computes it.

const pausesLong = `pauses says who can stop if a host takes no more frames and pauses its switch: the cables that the pause can reach over
the routes, the hosts that cannot send, and the flows to other hosts that stop with them, by the number of pauses after
the first. Nothing else can stop. Whether all of it does depends on the load.

Without --from, each kind of host whose numbers are alike is one row. With speeds of cables, the earliest times are lower
bounds. --pause-at is the lowest content of a group at which a switch pauses; without it a group can pause with its first
frame, as one with a dynamic limit and a full pool does.

It also counts, for each role of switches, the cables whose frames leave by one cable: so many groups can be full behind
one congested cable. That is the --fan-in of risk.

`

func pausesCommand() *cobra.Command {
	var format cli.Output
	var from, xoff, mark string
	c := &cobra.Command{
		Use:   "pauses FILE",
		Short: "Show which cables, hosts and flows can stop if a host takes no more frames",
		Long:  pausesLong + cli.ExitCodes,
		Example: "  cellwarden fabric pauses examples/fabric-leaf-spine.yaml\n" +
			"  cellwarden fabric pauses examples/fabric-leaf-spine.yaml --from leaf1-h1 --pause-at 100KiB --mark 50KiB",
		Args: cli.Args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.CheckFormat(format); err != nil {
				return cli.ExitWith(cli.ExitUsage, err)
			}
			var sizes [2]unit.Optional[unit.Bytes]
			for i, name := range []string{"pause-at", "mark"} {
				if !cmd.Flags().Changed(name) {
					continue
				}
				text := []string{xoff, mark}[i]
				size, err := unit.ParseBytes(text)
				if err != nil || size < 0 {
					return cli.ExitWith(cli.ExitUsage, fmt.Errorf("--%s %s (want a number of bytes, such as 100KiB)", name, text))
				}
				sizes[i] = unit.Given(size)
			}
			name, data, err := cli.ReadInput(cmd, args[0])
			if err != nil {
				return cli.ExitWith(cli.ExitUsage, err)
			}
			f, err := fabric.Read(name, data)
			if err == nil {
				err = f.Tables(dumps(cmd, args[0]))
			}
			if err != nil {
				return cli.ExitWith(cli.ExitUsage, err)
			}
			d, err := f.Pauses(from, sizes[0].Or(0), sizes[1])
			if err != nil {
				return cli.ExitWith(cli.ExitUsage, err)
			}
			return pausesScreen(&d).Brief(14, "spread").Print(cmd, format, d, 0)
		},
	}
	c.Flags().StringVar(&from, "from", "", "the node that takes no more frames: HOST, or HOST:PORT")
	c.Flags().StringVar(&xoff, "pause-at", "0B", "lowest content of a group at which a switch pauses")
	c.Flags().StringVar(&mark, "mark", "", "content of a queue from which frames are marked; without it nothing is said of marks")
	cli.OutputFlag(c, &format)
	cli.AllFlag(c, &format)
	cli.ConfineFlag(c)
	return c
}

// pausesScreen is the answer as text.
func pausesScreen(d *report.FabricPausesDocument) *cli.Screen {
	s := &cli.Screen{}
	spread := cli.Section{Name: "spread", Title: "What can stop, by the number of pauses after the first", Columns: []string{
		"slow", "priority", "depth", "from", "to", "cables", "hosts", "other flows", "earliest"}}
	for i := range d.Slow {
		p := &d.Slow[i]
		who := p.From
		if p.Alike > 1 {
			who = fmt.Sprintf("%s (or one of %d hosts like it)", who, p.Alike-1)
		}
		if p.Channels == 0 {
			s.Head = append(s.Head, fmt.Sprintf("NOTHING STOPS if %s takes no more frames: no frames of priority %d come to it",
				who, p.Priority))
			continue
		}
		s.Head = append(s.Head, fmt.Sprintf("CAN STOP %s and %s, priority %d, if %s takes no more frames: %s of %s to others",
			cli.Plural(p.Channels, "cable", "cables"), cli.Plural(p.Hosts, "host", "hosts"), p.Priority, who, cli.Count(p.Victims),
			cli.Plural(p.Flows, "flow", "flows")))
		last := -1
		for j := range p.Spread {
			x := &p.Spread[j]
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
	behind := cli.Section{Name: "behind", Title: "Groups of a priority that can be full behind one congested cable (risk --fan-in)",
		Columns: []string{"role", "switches", "ports", "at most", "at"}}
	for i := range d.FanIn {
		x := &d.FanIn[i]
		behind.Row(x.Role, cli.Count(x.Switches), cli.Count(x.Ports), cli.Count(x.Behind), x.Switch)
	}
	s.Sections = append(s.Sections, spread, behind)
	for _, text := range d.Notes {
		s.Foot = append(s.Foot, "- "+text)
	}
	for _, text := range d.Assumed {
		s.Foot = append(s.Foot, "- assumed: "+text)
	}
	return s
}
