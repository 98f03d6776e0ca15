package size

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/internal/cli"
	publish "github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// burst says how long a planned switch absorbs incasts. Package capacity has the closed form.

const burstLong = `burst says how long a planned switch absorbs an incast: N ports of an entry that send at line rate to one port of the
same speed, from an empty switch on. It prints the time until the groups send XOFF, until the egress queue marks every
packet (ECN), and until the headroom is full if the senders do not stop.

The closed form is a fluid: all senders store in the slice with the fewest shared cells, and reach the limit together.
Other traffic, the limits of egress queues and the delay of the pause frame are not in it. It agrees with the simulator.

`

func burstCommand() *cobra.Command {
	var format cli.Output
	var incast []int
	var frame string
	c := &cobra.Command{
		Use:     "burst FILE",
		Short:   "How long incasts are absorbed: until XOFF, until ECN marks everything, until the headroom is full",
		Long:    burstLong + cli.ExitCodes,
		Example: "  cellwarden burst examples/leaf-roce-qos.yaml\n  cellwarden burst leaf.yaml --incast 8,16 --frame 1024B",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			size, err := burstFrame(frame)
			if err := errors.Join(err, checkIncast(incast), cli.CheckFormat(format)); err != nil {
				return err
			}
			file, changes, err := cli.ReadTopology(cmd, args[0])
			if err != nil {
				return err
			}
			bursts, err := capacity.Bursts(file.Intent, cli.CapacityEntries(file), incast, size)
			switch {
			case errors.Is(err, buffer.ErrNoFit):
				return cli.ExitWith(
					cli.ExitNoFit,
					fmt.Errorf("%s: the plan does not fit, so its pool is not known: %w", args[0], err),
				)
			case err != nil:
				return cli.ExitWith(cli.ExitUsage, fmt.Errorf("%s: %w", args[0], err))
			}
			doc := publish.Bursts(bursts)
			doc.Set = changes
			return cli.Failure(burstReport(&doc).Write(cmd.OutOrStdout(), format, doc))
		},
	}
	cli.SetFlag(c)
	cli.ConfineFlag(c)
	cli.OutputFlag(c, &format)
	c.Flags().IntSliceVar(&incast, "incast", []int{2, 4, 8, 16, 32},
		"numbers of senders; those beyond the ports of an entry are left out")
	c.Flags().StringVar(&frame, "frame", "", "size of the frames (default: the longest of the class)")
	return c
}

func burstFrame(text string) (unit.Bytes, error) {
	if text == "" {
		return 0, nil
	}
	size, err := unit.ParseBytes(text)
	if err == nil && (size < thresholds.MinFrame || size > thresholds.MaxFrameSize) {
		err = fmt.Errorf("%v: accepted: %v to %v", size, thresholds.MinFrame, thresholds.MaxFrameSize)
	}
	if err != nil {
		return 0, fmt.Errorf("--frame: %w", err)
	}
	return size, nil
}

func checkIncast(senders []int) error {
	for _, n := range senders {
		if n < 1 || n > buffer.MaxPorts {
			return fmt.Errorf("--incast %d: accepted: 1 to %d", n, buffer.MaxPorts)
		}
	}
	return nil
}

// burstReport is the incasts as a table.
func burstReport(d *publish.BurstDocument) *cli.Screen {
	s := cli.Section{Name: "bursts", Title: "Incasts, from an empty switch on",
		Columns: []string{
			"ports",
			"class",
			"senders",
			"frame",
			"xoff after",
			"marks from",
			"marks all after",
			"ecn first",
			"headroom full after",
			"absorbed of each",
			"pause cells",
		}}
	late := 0
	for _, b := range d.Bursts {
		first := "-"
		if b.ECNFirst != nil {
			if first = cli.YesNo(*b.ECNFirst); !*b.ECNFirst && b.XOFF != nil {
				late++
			}
		}
		s.Row(b.Ports, b.Class, cli.Count(b.Senders), b.Frame.String(), cli.TimeText(b.XOFF), cli.TimeText(b.MarksSome),
			cli.TimeText(b.MarksAll), first, cli.TimeText(b.Full), cli.Number(b.Absorbed.String()), cli.Count(b.Pause))
	}
	head := fmt.Sprintf("%s of the lossless classes%s", cli.Plural(len(d.Bursts), "incast", "incasts"), cli.ChangedText(d.Set))
	switch {
	case len(d.Bursts) == 0:
		head = "NOTHING TO ASK: no lossless class on ports with so many senders" + cli.ChangedText(d.Set)
	case late > 0:
		head += fmt.Sprintf("; in %d the ports pause before ECN marks every packet", late)
	}
	return (&cli.Screen{Head: []string{head}, Sections: []cli.Section{s}}).WithoutEmpty()
}
