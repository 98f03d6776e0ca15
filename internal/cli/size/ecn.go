package size

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/unnamed"
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
	rate, delay                          string
	format                               cli.Output
	slices, dynamicTh, feeding, n, flows int
}

// ecnLong is the description of the command in --help.
const ecnLong = `ecn computes for a pool with a dynamic threshold whether a queue starts to mark before its groups
send XOFF. It prints the largest number of congested groups for which this holds, and the largest
kmin for which it would hold.

With --kmax and --pmax it also prints the marking probability. With --rate and --flows it also
prints the rate and the queue at which the DCQCN senders settle.

With a TOPOLOGY, ecn takes the pool, the cell, the alpha, the reserved cells and the marking
thresholds from its plan. The number of congested groups is then the worst: all lossless groups of
the slice that pauses first.

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
      --rate 40G --flows 8 --delay 4us`,
		Args: cobra.MaximumNArgs(1),
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
	c.Flags().StringVar(&f.kmax, "kmax", "", "queue depth above which everything is marked")
	c.Flags().StringVar(&f.pmax, "pmax", "", "marking probability at kmax, such as 1%")
	c.Flags().IntVar(&f.feeding, "feeding", 1, "congested groups that feed the queue")
	c.Flags().IntVar(&f.n, "groups", 1, "all congested groups; at least those that feed the queue")
	c.Flags().StringVar(&f.rate, "rate", "", "speed of the bottleneck, for DCQCN")
	c.Flags().IntVar(&f.flows, "flows", 0, "flows through the bottleneck, for DCQCN")
	c.Flags().StringVar(&f.delay, "delay", "", "loop delay from mark to reaction, for DCQCN's stability")
	c.Flags().StringVar(&f.class, "class", "", "class of the TOPOLOGY that marks, if there are several")
	cli.OutputFlag(c, &f.format)
	cli.SetFlag(c)
	cli.ConfineFlag(c)
	return c
}

// ecnQuestion is the question that the flags describe.
type ecnQuestion struct {
	check  ecn.Check
	curve  ecn.Thresholds // KMax 0: no curve is given
	slices int
	groups int
	dcqcn  *report.DCQCN // nil: DCQCN is not asked for
}

// run answers the question and prints the answer.
func (f *ecnFlags) run(cmd *cobra.Command, args []string) error {
	parse := f.parse
	if len(args) > 0 {
		parse = func(cmd *cobra.Command) (ecnQuestion, error) { return f.ofPlan(cmd, args[0]) }
	} else if f.class != "" {
		return errors.New("--class: accepted with a TOPOLOGY")
	} else if cmd.Flags().Changed(cli.Setting) {
		return errors.New("--set: accepted with a TOPOLOGY")
	}
	q, err := parse(cmd)
	if err = errors.Join(err, cli.CheckFormat(f.format)); err != nil {
		return err
	}
	d := q.document()
	if d.Set, err = cli.Changed(cmd); err != nil {
		return err
	}
	return cli.Failure(ecnScreen(&d).Write(cmd.OutOrStdout(), f.format, d))
}

// parse converts the flags to quantities, with all complaints at once.
func (f *ecnFlags) parse(cmd *cobra.Command) (ecnQuestion, error) {
	var bad []error
	// The groups that feed the queue are congested themselves, so there are at least as many.
	q := ecnQuestion{groups: max(f.n, f.feeding), slices: f.slices}
	c := &q.check
	c.Feeding = f.feeding
	c.Cell, q.slices = f.memory(cmd, &bad)
	c.Alpha = f.factor(cmd, &bad)
	pool := flagValue(&bad, "pool", f.pool, unit.ParseBytes)
	reserved := flagValue(&bad, "reserved", f.reserved, unit.ParseBytes)
	c.KMin = f.fill(&bad)
	if f.n < 1 || f.n > thresholds.MaxGroups {
		bad = append(bad, fmt.Errorf("--groups %d: want 1 to %d", f.n, thresholds.MaxGroups))
	}
	if f.feeding < 1 {
		bad = append(bad, fmt.Errorf("--feeding %d: want 1 to %d", f.feeding, thresholds.MaxGroups))
	}
	if f.kmax != "" || f.pmax != "" {
		q.curve = ecn.Thresholds{KMin: c.KMin, KMax: flagValue(&bad, "kmax", f.kmax, unit.ParseBytes),
			PMax: flagValue(&bad, "pmax", f.pmax, unit.ParsePercent)}
	}
	if len(bad) > 0 {
		return q, errors.Join(bad...)
	}
	// The pool rounds down and the reserved part up, as a chip grants them: the limit is then never larger than that
	// of the chip.
	c.Pool, c.Reserved = c.Cell.Within(pool/unit.Bytes(q.slices)), c.Cell.Holding(reserved)
	if err := errors.Join(c.Validate(), q.curve.Validate()); err != nil {
		return q, err
	}
	var err error
	q.dcqcn, err = f.senders(q.curve)
	return q, err
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
		cell = cells.Size(flagValue(bad, "cell", f.cell, unit.ParseBytes))
	} else if f.chip == "" {
		*bad = append(*bad, errors.New("--cell or --chip: needed for the size of a cell"))
	}
	// 64 is more slices than any chip of the catalogue has.
	if slices < 1 || slices > 64 {
		*bad = append(*bad, fmt.Errorf("--slices %d: want 1 to 64", slices))
	}
	if f.cell != "" && cell < 1 {
		*bad = append(*bad, fmt.Errorf("--cell %q: a cell has at least one byte", f.cell))
	}
	return cell, slices
}

// factor returns the alpha, which has two flags.
func (f *ecnFlags) factor(cmd *cobra.Command, bad *[]error) thresholds.Alpha {
	if !cmd.Flags().Changed("dynamic-th") {
		return flagValue(bad, "alpha", f.alpha, thresholds.ParseAlpha)
	}
	if cmd.Flags().Changed("alpha") {
		*bad = append(*bad, errors.New("--alpha and --dynamic-th: want one of them"))
	}
	// The range of all chips. What one of them accepts, its file says.
	if f.dynamicTh < int(thresholds.MinAlpha) || f.dynamicTh > int(thresholds.MaxAlpha) {
		*bad = append(*bad, fmt.Errorf("--dynamic-th %d: want %d to %d", f.dynamicTh, thresholds.MinAlpha,
			thresholds.MaxAlpha))
		return 0
	}
	return thresholds.Alpha(f.dynamicTh)
}

// fill returns kmin: bytes, or a share of the queue's limit.
func (f *ecnFlags) fill(bad *[]error) unit.Bytes {
	if !strings.HasSuffix(f.kmin, "%") {
		return flagValue(bad, "kmin", f.kmin, unit.ParseBytes)
	}
	// Some command lines state kmin as a share of the queue's limit. It becomes bytes here, because the check
	// compares bytes.
	fill := flagValue(bad, "kmin", f.kmin, unit.ParsePercent)
	if fill < 0 || fill > unit.Whole {
		*bad = append(*bad, fmt.Errorf("--kmin %v: a fill level is 0%% to 100%%", fill))
	}
	return ecn.FillLevel(flagValue(bad, "queue-limit", f.queueLimit, unit.ParseBytes), fill)
}

// senders computes DCQCN's fixed point and stability, if they are asked for.
func (f *ecnFlags) senders(curve ecn.Thresholds) (*report.DCQCN, error) {
	if f.rate == "" && f.flows == 0 && f.delay == "" {
		return nil, nil
	}
	if f.rate == "" || f.flows == 0 || curve.KMax == 0 {
		return nil, errors.New("DCQCN needs --rate, --flows, --kmax and --pmax")
	}
	var bad []error
	rate := flagValue(&bad, "rate", f.rate, unit.ParseBitRate)
	delay := unit.Time(0)
	if f.delay != "" {
		delay = flagValue(&bad, "delay", f.delay, unit.ParseTime)
	}
	if err := errors.Join(bad...); err != nil {
		return nil, err
	}
	// The parameters of the senders are those of the papers (SIGCOMM 2015, CoNEXT 2016), with packets of 1000 bytes.
	d := ecn.DefaultDCQCN(rate, f.flows)
	point, err := d.FixedPoint(curve)
	if err != nil {
		return nil, err
	}
	most, err := d.MaxFlows(curve)
	j := &report.DCQCN{
		Rate: int64(rate), Flows: f.flows, FlowRate: int64(point.Rate), Probability: rounded(point.Probability),
		Approximate: rounded(point.Approximate),
		Queue:       point.Queue, Valid: point.Valid, MaxFlows: most,
	}
	// The fixed point needs no delay. Whether the loop settles there depends on it, so without one nothing is said of
	// that.
	if err != nil || f.delay == "" {
		return j, err
	}
	s, err := d.Stability(curve, delay)
	loop := unnamed.New(&j.Loop)
	loop.Delay, loop.Step, loop.Mean, loop.Deviation, loop.Max = s.Delay, s.Step, s.Mean, s.Deviation, s.Max
	loop.Utilisation, loop.Stable = rounded(s.Utilisation), s.Stable
	return j, err
}

// rounded keeps six significant digits: the last bits of a floating-point
// result differ between machines.
func rounded(v float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	if err != nil {
		panic(err) // of its own output
	}
	return short
}
