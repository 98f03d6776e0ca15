package size

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// This file answers how long a planned switch absorbs incasts: capacity --burst. Package capacity has the closed form.

// BurstLong is the part of the help about --burst.
const BurstLong = `--burst says how long a planned switch absorbs an incast: N ports of an entry that send at line rate to one port of the
same speed, from an empty switch on. It prints the time until the groups send XOFF, until the egress queue marks every
packet (ECN), and until the headroom is full if the senders do not stop. The closed form is a fluid: all senders store in
the slice with the fewest shared cells, and reach the limit together. Other traffic, the limits of egress queues and the
delay of the pause frame are not in it. It agrees with the simulator.

`

// BurstFlags are the flags of --burst.
type BurstFlags struct {
	Wanted bool
	incast []int
	frame  string
}

// Register adds the flags to a command.
func (f *BurstFlags) Register(c *cobra.Command) {
	c.Flags().BoolVar(&f.Wanted, "burst", false,
		"how long incasts are absorbed: until XOFF, until ECN marks everything, until the headroom is full")
	c.Flags().IntSliceVar(&f.incast, "incast", []int{2, 4, 8, 16, 32},
		"with --burst: numbers of senders; those beyond the ports of an entry are left out")
	c.Flags().StringVar(&f.frame, "frame", "", "with --burst: size of the frames (default: the longest of the class)")
}

// Run answers for a topology.
func (f *BurstFlags) Run(cmd *cobra.Command, name string, format cli.Output) error {
	size, err := burstFrame(f.frame)
	if err := errors.Join(err, checkIncast(f.incast), cli.CheckFormat(format)); err != nil {
		return err
	}
	file, changes, err := cli.ReadTopology(cmd, name)
	if err != nil {
		return err
	}
	bursts, err := capacity.Bursts(file.Intent, cli.CapacityEntries(file), f.incast, size)
	switch {
	// The shared pool is what the admitted ports leave. Without an admission of all of them its size is not known.
	case errors.Is(err, buffer.ErrNoFit):
		return cli.ExitWith(cli.ExitNoFit, fmt.Errorf("%s: the plan does not fit, so its pool is not known: %w", name, err))
	case err != nil:
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf("%s: %w", name, err))
	}
	doc := report.Bursts(bursts)
	doc.Set = changes
	return cli.Failure(burstReport(&doc).Write(cmd.OutOrStdout(), format, doc))
}

func burstFrame(text string) (unit.Bytes, error) {
	// 0: each class has frames of its longest size.
	if text == "" {
		return 0, nil
	}
	size, err := unit.ParseBytes(text)
	if err == nil && (size < thresholds.MinFrame || size > thresholds.MaxFrameSize) {
		err = fmt.Errorf("%v: want %v to %v", size, thresholds.MinFrame, thresholds.MaxFrameSize)
	}
	if err != nil {
		return 0, fmt.Errorf("--frame: %w", err)
	}
	return size, nil
}

func checkIncast(senders []int) error {
	for _, n := range senders {
		if n < 1 || n > buffer.MaxPorts {
			return fmt.Errorf("--incast %d: want 1 to %d", n, buffer.MaxPorts)
		}
	}
	return nil
}

// burstReport is the incasts as a table.
func burstReport(d *report.BurstDocument) *cli.Screen {
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
	// Ports that pause before ECN marks every packet stop senders that congestion control could have slowed down:
	// these are counted in the first line.
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
	head := fmt.Sprintf("%s of the lossless classes%s", cli.Plural(len(d.Bursts), "incast", "incasts"),
		cli.ChangedText(d.Set))
	switch {
	case len(d.Bursts) == 0:
		head = "NO ANSWER: no entry with a lossless class has enough ports for these incasts" + cli.ChangedText(d.Set)
	case late > 0:
		head += fmt.Sprintf("; in %d the ports pause before ECN marks every packet", late)
	}
	return (&cli.Screen{Head: []string{head}, Sections: []cli.Section{s}}).WithoutEmpty()
}
