package marking

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// ecn compares the marking threshold of a queue with the XOFF threshold of its groups.
// Package thresholds/ecn computes; this file parses quantities and prints.

// ecnFlags are the flags of the ecn command. Quantities stay text until parse, which
// reports all bad values at once.
type ecnFlags struct {
	pool, cell, chip, alpha, reserved    string
	kmin, kmax, pmax, queueLimit, class  string
	rate, delay, rtt, static, junos      string
	format                               cli.Output
	slices, dynamicTh, feeding, n, flows int
	notes                                []string // what --junos says, and assumes
}

// ecnLong is the description of the command in --help.
const ecnLong = `ecn computes whether a queue starts to mark before its groups send XOFF, at a dynamic or static limit.
The first line is the verdict for the congestion that is asked for, ECN FIRST or PFC FIRST (exit code 3). It also prints
the largest number of congested groups for which ECN is first, and the largest kmin for which it would be.

With a TOPOLOGY, ecn takes the pool, the cell, the limit, the reserved cells and the marking thresholds from its plan.
The congestion is then the worst, unless --groups says another: all lossless groups of the slice that pauses first.

--rtt advises: a kmin from the bandwidth-delay product and below the bound, kmax and pmax, each with its reason.
With --kmax and --pmax ecn also prints the marking probability. With --rate and --flows it also prints the rate and the
queue at which the DCQCN senders settle.

--junos takes the pool and the queue from Junos's default partitions of the shared buffer, on the memory of a QFX3500;
--kmin is then a fill level: --junos qfx3500 --kmin 10% --feeding 2 --alpha 1. Keys change partitions and memory:
--junos qfx3500,lossless=66%,lossless-headroom=24%,lossy=10%. The default dynamic-threshold of Junos was not found:
without --alpha, ecn answers only where the answer is the same for every alpha.

` + cli.ExitCodes

// ecnCommand returns the ecn command.
func ecnCommand() *cobra.Command {
	var f ecnFlags
	c := &cobra.Command{
		Use:   "ecn [TOPOLOGY]",
		Short: "Check whether a switch marks (ECN) before it pauses (PFC), and for how many congested groups",
		Long:  ecnLong,
		Example: `  cellwarden ecn --pool 10875072B --slices 4 --cell 208B --alpha 1 --reserved 1248B \
      --kmin 250000B --feeding 1
  cellwarden ecn --pool 10875072B --chip tomahawk --reserved 1248B --kmin 5000B --kmax 200000B --pmax 1% \
      --rate 40G --flows 8 --loop-delay 4us`,
		Args: cli.Args(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	c.Flags().StringVar(&f.pool, "pool", "", "shared pool of the whole chip, such as 10875072B")
	c.Flags().IntVar(&f.slices, "slices", 1, "number of slices that the pool is divided into")
	c.Flags().StringVar(&f.cell, "cell", "", "size of a cell, such as 208B (or --chip)")
	c.Flags().StringVar(&f.chip, "chip", "", "chip whose cell size and slices are used: a name or a chip file")
	c.Flags().StringVar(&f.alpha, "alpha", "1", "factor of the dynamic threshold: 8, 1, 1/8")
	c.Flags().IntVar(&f.dynamicTh, "dynamic-th", 0, "the same factor as SAI and SONiC write it: n of 2^n")
	c.Flags().StringVar(&f.reserved, "reserved", "0B", "reserved part (PG-min) of each group")
	c.Flags().StringVar(&f.kmin, "kmin", "",
		"queue depth above which marking begins; a fill level such as 10% with --queue-limit")
	c.Flags().StringVar(&f.queueLimit, "queue-limit", "", "limit of the queue, for a kmin in percent")
	c.Flags().StringVar(&f.kmax, "kmax", "", "queue depth above which everything is marked, or a fill level")
	c.Flags().StringVar(&f.static, "static", "", "static limit of each group, in place of an alpha")
	c.Flags().StringVar(&f.junos, "junos", "",
		"switch with Junos's default partitions, and changes: qfx3500,lossless=66%,...")
	c.Flags().StringVar(&f.rtt, "rtt", "", "round-trip time of the senders, for advice on kmin, kmax and pmax")
	c.Flags().StringVar(&f.pmax, "pmax", "", "marking probability at kmax, such as 1%")
	c.Flags().IntVar(&f.feeding, "feeding", 1, "congested groups that feed the queue")
	c.Flags().IntVar(&f.n, "groups", 1, "all congested groups; at least those that feed the queue")
	c.Flags().StringVar(&f.rate, "rate", "", "speed of the bottleneck, for DCQCN")
	c.Flags().IntVar(&f.flows, "flows", 0, "flows through the bottleneck, for DCQCN")
	c.Flags().StringVar(&f.delay, "loop-delay", "", "loop delay from mark to reaction, for DCQCN's stability")
	c.Flags().StringVar(&f.class, "class", "", "class of the TOPOLOGY that marks, if there are several")
	cli.OutputFlag(c, &f.format)
	cli.SetFlag(c)
	cli.ConfineFlag(c)
	return c
}

// run answers the question and prints the answer.
func (f *ecnFlags) run(cmd *cobra.Command, args []string) error {
	parse := f.parse
	if len(args) > 0 {
		parse = func(cmd *cobra.Command) (*report.ECNQuestion, error) { return f.ofPlan(cmd, args[0]) }
	} else if f.class != "" {
		return errors.New("--class: accepted with a topology")
	} else if cmd.Flags().Changed(cli.Setting) {
		return errors.New("--set: accepted with a topology")
	}
	var d report.ECNDocument
	q, err := parse(cmd)
	if err == nil {
		d, err = q.Answer()
	}
	if err = errors.Join(err, cli.CheckFormat(f.format)); err != nil {
		return err
	}
	if d.Set, err = cli.Changed(cmd); err != nil {
		return err
	}
	return ecnScreen(&d).Print(cmd, f.format, d, cli.CodeIf(!d.First, cli.ExitNoFit))
}

// parse converts the flags to quantities, with all complaints at once.
func (f *ecnFlags) parse(cmd *cobra.Command) (*report.ECNQuestion, error) {
	var bad []error
	// The groups that feed the queue are congested themselves, so there are at least as many.
	q := f.question()
	q.Groups, q.Slices = unit.Given(max(f.n, f.feeding)), f.slices
	if f.junos != "" {
		if err := f.ofJunos(cmd); err != nil {
			return q, err
		}
		q.Notes = f.notes
	}
	c := &q.Check
	c.Cell, q.Slices = f.memory(cmd, &bad)
	c.Alpha = f.factor(cmd, &bad)
	pool := cli.FlagValue(&bad, "pool", f.pool, unit.ParseBytes)
	reserved := cli.FlagValue(&bad, "reserved", f.reserved, unit.ParseBytes)
	c.KMin = f.fill(&bad, "kmin", f.kmin)
	static := unit.Bytes(0)
	if f.static != "" {
		static = cli.FlagValue(&bad, "static", f.static, unit.ParseBytes)
		if cmd.Flags().Changed("alpha") || cmd.Flags().Changed("dynamic-th") {
			bad = append(bad, errors.New("--static with --alpha or --dynamic-th (want one of them)"))
		}
	}
	if f.n < 1 || f.n > thresholds.MaxGroups {
		bad = append(bad, fmt.Errorf("--groups %d (want 1 to %d)", f.n, thresholds.MaxGroups))
	}
	if f.feeding < 1 {
		bad = append(bad, fmt.Errorf("--feeding %d (want 1 to %d)", f.feeding, thresholds.MaxGroups))
	}
	if f.kmax != "" || f.pmax != "" {
		q.Curve = ecn.Thresholds{KMin: c.KMin, KMax: f.fill(&bad, "kmax", f.kmax),
			PMax: cli.FlagValue(&bad, "pmax", f.pmax, unit.ParsePercent)}
	}
	if len(bad) > 0 {
		return q, errors.Join(bad...)
	}
	// The pool rounds down and the reserved part up, as a chip grants them: the limit is then never larger than that
	// of the chip.
	c.Pool, c.Reserved = c.Cell.Within(pool/unit.Bytes(q.Slices)), c.Cell.Holding(reserved)
	if f.static != "" {
		c.Static = unit.Given(c.Cell.Within(static))
	}
	if err := errors.Join(c.Validate(), q.Curve.Validate()); err != nil {
		return q, err
	}
	if f.junos != "" && f.static == "" && !cmd.Flags().Changed("alpha") && !cmd.Flags().Changed("dynamic-th") {
		if err := anyAlpha(q); err != nil {
			return q, err
		}
	}
	return q, nil
}

// question is what the flags say of the congestion, and of senders.
func (f *ecnFlags) question() *report.ECNQuestion {
	q := &report.ECNQuestion{Class: f.class, Rate: f.rate, Flows: f.flows, RTT: f.rtt, LoopDelay: f.delay,
		Named: func(option string) string { return "--" + option }}
	q.Check.Feeding = f.feeding
	return q
}

// memory returns the cell size and the number of slices: those of the chip,
// unless a flag gives them.
func (f *ecnFlags) memory(cmd *cobra.Command, bad *[]error) (cells.Size, int) {
	cell, slices := cells.Size(0), f.slices
	if f.chip != "" {
		// A chip whose cells have no source is accepted if --cell gives their size.
		load := cli.LoadCells
		if f.cell != "" {
			load = cli.LoadChip
		}
		c, err := load(cli.Named(cmd), f.chip)
		if err != nil {
			*bad = append(*bad, fmt.Errorf("--chip: %w", err))
			return 0, 1
		}
		cell = c.Cell
		if !cmd.Flags().Changed("slices") {
			slices = len(c.Slices)
		}
	}
	if f.cell != "" {
		cell = cells.Size(cli.FlagValue(bad, "cell", f.cell, unit.ParseBytes))
	} else if f.chip == "" {
		*bad = append(*bad, errors.New("--cell or --chip: needed for the size of a cell"))
	}
	// 64 is more slices than any chip of the catalogue has.
	if slices < 1 || slices > 64 {
		*bad = append(*bad, fmt.Errorf("--slices %d (want 1 to 64)", slices))
	}
	if f.cell != "" && cell < 1 {
		*bad = append(*bad, fmt.Errorf("--cell %q: a cell has at least one byte", f.cell))
	}
	return cell, slices
}

// factor returns the alpha, which has two flags.
func (f *ecnFlags) factor(cmd *cobra.Command, bad *[]error) thresholds.Alpha {
	if !cmd.Flags().Changed("dynamic-th") {
		return cli.FlagValue(bad, "alpha", f.alpha, thresholds.ParseAlpha)
	}
	if cmd.Flags().Changed("alpha") {
		*bad = append(*bad, errors.New("--alpha and --dynamic-th (want one of them)"))
	}
	// The range of all chips. What one of them accepts, its file says.
	if f.dynamicTh < int(thresholds.MinAlpha) || f.dynamicTh > int(thresholds.MaxAlpha) {
		*bad = append(*bad, fmt.Errorf("--dynamic-th %d (want %d to %d)", f.dynamicTh, thresholds.MinAlpha,
			thresholds.MaxAlpha))
		return 0
	}
	return thresholds.Alpha(f.dynamicTh)
}

// fill returns kmin or kmax: bytes, or a share of the queue's limit.
func (f *ecnFlags) fill(bad *[]error, name, text string) unit.Bytes {
	if !strings.HasSuffix(text, "%") {
		return cli.FlagValue(bad, name, text, unit.ParseBytes)
	}
	// Some command lines state it as a share of the queue's limit. It becomes bytes here, because the check compares
	// bytes.
	fill := cli.FlagValue(bad, name, text, unit.ParsePercent)
	if fill < 0 || fill > unit.Whole {
		*bad = append(*bad, fmt.Errorf("--%s %v: a fill level is 0%% to 100%%", name, fill))
	}
	return ecn.FillLevel(cli.FlagValue(bad, "queue-limit", f.queueLimit, unit.ParseBytes), fill)
}
