package size

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/inputs"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// This file answers how long a planned switch absorbs incasts: capacity --burst. Package capacity has the closed form.

// BurstFlags are the flags of --burst. incast are numbers of senders, each 1 to buffer.MaxPorts. frame is bytes, from
// Ethernet's shortest to the longest; 0: each class has frames of its longest size.
type BurstFlags struct {
	Wanted bool
	incast []int
	frame  unit.Bytes
}

// Register adds the flags to a command.
func (f *BurstFlags) Register(c *cobra.Command) {
	c.Flags().BoolVar(&f.Wanted, "burst", false,
		"how long incasts are absorbed: until XOFF, until ECN marks everything, until the headroom is full")
	c.Flags().IntSliceVar(&f.incast, "incast", []int{2, 4, 8, 16, 32},
		"with --burst: numbers of senders (default: these, as far as an entry has them, and all ports)")
	cli.TypedFlag(c.Flags(), &f.frame, "frame", "", burstFrame,
		"with --burst: size of the frames (default: the longest of the class)")
}

// Run answers for a topology. The exit code is 3 where lossless frames are lost, where ports pause before anything is
// marked, and where no entry has enough ports: all of them are answers that a plan must not be accepted with.
func (f *BurstFlags) Run(cmd *cobra.Command, name string, format cli.Output) error {
	for _, n := range f.incast { // each sender is a port
		if n < 1 || n > buffer.MaxPorts {
			return fmt.Errorf("--incast %d (want 1 to %d)", n, buffer.MaxPorts)
		}
	}
	file, changes, err := inputs.ReadTopology(cmd, name)
	if err != nil {
		return err
	}
	// Each entry is asked about each number of senders: a table of both.
	entries, senders := file.CapacityEntries(), f.incast
	// 0 senders stands for all other ports of the entry.
	if !cmd.Flags().Changed("incast") {
		senders = append(slices.Clone(senders), 0) // all
	}
	bursts, err := capacity.Bursts(file.Intent, entries, senders, f.frame)
	switch {
	// The shared pool is what the admitted ports leave. Without an admission of all of them its size is not known.
	case errors.Is(err, buffer.ErrNoFit):
		return cli.ExitWith(cli.ExitNoFit, fmt.Errorf("%s: the plan does not fit, so its pool is not known: %w", name, err))
	case err != nil:
		return cli.BadUsage("%s: %w", name, err)
	}
	doc := report.Bursts(bursts)
	doc.Set = changes
	// Numbers that the user has asked for and an entry does not have are listed; of the default numbers that is
	// expected.
	if cmd.Flags().Changed("incast") {
		doc.LeaveOut(&file.Intent, entries, f.incast)
	}
	// The verdicts are those of package capacity, which the document has in lower case.
	bad := slices.Contains([]string{"not lossless", "pfc first", "no answer"}, doc.Verdict)
	return burstReport(&doc).Print(cmd, format, doc, cli.CodeIf(bad, cli.ExitNoFit))
}

// burstFrame reads --frame: a frame of Ethernet. Bounds are thresholds.MinFrame and thresholds.MaxFrameSize.
func burstFrame(text string) (unit.Bytes, error) {
	size, err := unit.ParseBytes(text)
	if err == nil && (size < thresholds.MinFrame || size > thresholds.MaxFrameSize) {
		err = fmt.Errorf("%v (want %v to %v)", size, thresholds.MinFrame, thresholds.MaxFrameSize)
	}
	return size, err
}

// burstReport is the incasts as a table. Times are from the first bit of the burst. A dash in a cell is what does not
// apply to the class.
func burstReport(d *report.BurstDocument) *cli.Screen {
	// Absorbed of each is the bytes of frames that each sender has sent when the groups pause.
	s := cli.Table("bursts", "Incasts, from an empty switch on", "ports", "class", "senders", "frame", "xoff after",
		"marks from", "marks all after", "ecn first", "headroom full after", "absorbed of each", "pause cells", "verdict")
	for _, b := range d.Bursts {
		// Without marking there is nothing to be first.
		first := "-"
		if b.ECNFirst != nil {
			first = cli.YesNo(*b.ECNFirst)
		}
		s.Row(b.Ports, b.Class, cli.Count(b.Senders), b.Frame.String(), cli.TimeText(b.XOFF), cli.TimeText(b.MarksSome),
			cli.TimeText(b.MarksAll), first, cli.TimeText(b.Full), cli.Number(b.Absorbed.String()), cli.Count(b.Pause),
			b.Verdict)
	}
	r := &cli.Screen{Head: []string{burstHead(d) + cli.ChangedText(d.Set)}, Mood: cli.Warn, Sections: []cli.Section{s}}
	// A verdict between the good and the bad ones, such as ECN LATE or PFC ALONE, warns.
	switch d.Verdict {
	case "not lossless", "pfc first":
		r.Mood = cli.Bad
	case "ecn first", "no congestion":
		r.Mood = cli.Good
	}
	// An incast that was asked for and not computed must not look like one without congestion.
	for _, x := range d.LeftOut {
		r.Foot = append(r.Foot, fmt.Sprintf("left out: %s senders of %s, which has %s beside the receiver",
			cli.Count(x.Senders), x.Ports, cli.Count(x.Most)))
	}
	return r.WithoutEmpty()
}

// burstHead is the verdict, with the first of the bursts that have it and what to do about it. The bursts of an entry
// are in the order of the senders as asked for, so the one with the fewest senders is searched for. Fewer senders are
// the more usual case, so the smallest incast with the verdict is the one that is worth a sentence. Each sentence ends
// with what to change.
func burstHead(d *report.BurstDocument) string {
	var worst *report.Burst
	for i := range d.Bursts {
		if b := &d.Bursts[i]; b.Verdict == d.Verdict && (worst == nil || b.Senders < worst.Senders) {
			worst = b
		}
	}
	left := ""
	if n := len(d.LeftOut); n > 0 {
		left = fmt.Sprintf("; %s left out, see below", cli.Plural(n, "incast is", "incasts are"))
	}
	if worst == nil {
		return "NO ANSWER: no entry with a lossless class has enough ports for these incasts" + left
	}
	// The class and the ports are those of the one incast; others with the same verdict are in the table.
	from := fmt.Sprintf("from %s on (%s of %s)", cli.Plural(worst.Senders, "sender", "senders"), worst.Class, worst.Ports)
	xoff := strings.TrimSpace(cli.TimeText(worst.XOFF))
	switch d.Verdict {
	case "not lossless":
		return fmt.Sprintf("NOT LOSSLESS: %s the shared headroom pool is %s cells short of the worst case of all "+
			"senders: enlarge it, or accept what risk says of it", from, cli.Count(worst.Short)) + left
	case "pfc first":
		return fmt.Sprintf("PFC FIRST: %s the ports pause after %s, before ECN marks a packet: its queue has %v "+
			"then, and kmin has to be less", from, xoff, worst.Queue) + left
	case "ecn late":
		return fmt.Sprintf("ECN LATE: %s the ports pause after %s, before ECN marks every packet: its queue has %v "+
			"then, and kmax has to be less", from, xoff, worst.Queue) + left
	case "pfc alone":
		return fmt.Sprintf("PFC ALONE: a class does not mark, and %s its ports pause after %s: give it ecn, or accept "+
			"pauses", from, xoff) + left
	case "ecn first":
		return fmt.Sprintf("ECN FIRST: in %s ECN marks every packet before a port pauses, if nothing else is congested",
			cli.Plural(len(d.Bursts), "incast", "incasts")) + left
	}
	return "NO CONGESTION: one sender overloads nothing" + left
}
