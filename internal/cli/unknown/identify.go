// Package unknown has the verb that finds the rules of a switch by probing it: identify.
package unknown

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/inputs"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/identify"
	"github.com/cellwarden/cellwarden/internal/rules"
	"github.com/cellwarden/cellwarden/internal/testbed"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// identify probes a switch whose rules nobody knows. Package internal/identify searches; this file reads the flags and
// connects the switch, and identify_report.go prints.

// identifyFlags are the flags of the identify command. Of command, readings and practise exactly one is used;
// practise may be 0, so it is given if its flag was set. ports, groups and out are still text here, which options
// reads. within is percent of the pool, and effort a multiple of identify.Work. Without write there is no chip file,
// and name and date are empty, too.
type identifyFlags struct {
	o                  identify.Options // what other flags set, and what FILE says
	command, readings  string
	practise           uint64
	ports, groups, out string
	within, effort     int
	answers            string
	write, name, date  string
	format             cli.Output
}

// IdentifyCommand returns the identify command.
func IdentifyCommand() *cobra.Command {
	var f identifyFlags
	c := cli.Command("identify", cli.Args(1, 1), func(cmd *cobra.Command, args []string) error {
		return f.run(cmd, args[0])
	})
	c.Flags().StringVar(&f.command, "ask", "", "command that is the switch: requests in, answers out, in lines of JSON")
	c.Flags().StringVar(&f.readings, "readings", "", "file of requests and answers, or of fills: what is left open?")
	c.Flags().Uint64Var(&f.practise, "practise", 0, "ask a simulated switch whose rules are drawn by this number")
	// The two stopped ports are outside of the sources, and all of them are below rules.Ports, so that --practise works
	// without other flags.
	c.Flags().StringVar(&f.ports, "sources", "0-95", "ingress ports that may be filled: FIRST-LAST")
	c.Flags().StringVar(&f.out, "stopped", "100,101", "two egress ports that may be stopped")
	c.Flags().StringVar(&f.groups, "pgs", "3,4", "two lossless groups of each port")
	c.Flags().IntVar(&f.within, "within", 10, "by how many percent the size of the pool may be off")
	c.Flags().IntVar(&f.o.Drains, "drains", 60, "end after this many drains")
	// The budget of computing is counted in steps and not in seconds, so that a result is the same on every machine.
	c.Flags().IntVar(&f.effort, "effort", 1, "compute this many times as much before giving up; 1 is about ten seconds")
	cli.WordFlag(c, &f.answers, "answers", "counts", []string{"counts", "yes-no", "watermarks"},
		"what is read: counts of drops, yes-no (are there drops?), or watermarks and yes-no")
	c.Flags().IntVar(&f.o.Outliers, "outliers", 0, "readings that may be wrong: a rule is dropped for one more than that")
	c.Flags().Int64Var(&f.o.Stray, "stray", 0,
		"up to this many packets more than leak_out leave a stopped port, by chance")
	c.Flags().Uint64Var(&f.o.Seed, "seed", 1, "seed of the choices that are made by chance")
	c.Flags().StringVar(&f.write, "write", "", "write a chip file with the rule, if one remains (- is standard output)")
	c.Flags().StringVar(&f.name, "name", "", "with --write: name of the chip in the file")
	inputs.DateFlag(c, &f.date, "with --write: day of the measurement, such as 2026-11-22")
	cli.OutputFlag(c, &f.format)
	cli.ConfineFlag(c)
	return c
}

// pair reads two numbers of ports or groups. They are separated by between, and neither is above most. Two that are
// equal are refused: a range of one port, or one group twice, has nothing to compare. Signs and blanks are as Atoi
// has them; a missing separator leaves the second text empty, which is no number.
func pair(flag, text, between string, most int) ([]int, error) {
	x, y, ok := strings.Cut(text, between)
	a, err := strconv.Atoi(x)
	b, bad := strconv.Atoi(y)
	if !ok || err != nil || bad != nil || a < 0 || b < 0 || a > most || b > most || a == b {
		return []int{0, 0}, fmt.Errorf("--%s %q (want two different numbers of 0 to %d, A%sB)", flag, text, most, between)
	}
	return []int{a, b}, nil
}

// options reads the flags, and what FILE says is configured. An error is one of the flags alone or of what FILE lacks
// for them, and is reported before the switch is connected: a wrong flag must not cost a drain.
func (f *identifyFlags) options(cmd *cobra.Command, p *topology.Probe) error {
	o := &f.o
	sources, err := pair("sources", f.ports, "-", testbed.MaxPort)
	var other, third error
	o.Dsts, other = pair("stopped", f.out, ",", testbed.MaxPort)
	// Groups are 0 to 7, as the model has 8 of each port (see rules.Point.Config).
	o.PGs, third = pair("pgs", f.groups, ",", 7)
	first, last := sources[0], sources[1]
	switch practise := cmd.Flags().Changed("practise"); {
	case err != nil || other != nil || third != nil:
		return errors.Join(err, other, third)
	case cli.CodeIf(practise, 1)+cli.CodeIf(f.command != "", 1)+cli.CodeIf(f.readings != "", 1) != 1:
		return errors.New("identify: want one of --ask COMMAND, --practise N, --readings READINGS")
	// 8 ports are two in each slice of a switch with four, the most that the space has.
	case last < first+7 || last-first > 255:
		return fmt.Errorf("--sources %q (want 8 to 256 ports)", f.ports)
	// A simulated switch has fewer ports than a request may name.
	case practise && max(last, o.Dsts[0], o.Dsts[1]) >= rules.Ports:
		return fmt.Errorf("--practise: want ports of 0 to %d", rules.Ports-1)
	case f.within < 0 || f.within > 50 || o.Drains < 1 || o.Drains > 10000 || f.effort < 1 || f.effort > 1000:
		return fmt.Errorf("--within %d, --drains %d, --effort %d (want 0 to 50, 1 to 10000, 1 to 1000)", f.within, o.Drains,
			f.effort)
	// Both are applied to answers as they come from a switch. Readings of a file never pass there, so that the flags
	// would promise a tolerance that nothing has.
	case f.readings != "" && (o.Stray > 0 || f.answers != "counts"):
		return errors.New("--readings with --stray or --answers (want these with a switch that is asked)")
	case o.Outliers < 0 || o.Outliers > 10 || o.Stray < 0 || o.Stray > 1000:
		return fmt.Errorf("--outliers %d, --stray %d (want 0 to 10, 0 to 1000)", o.Outliers, o.Stray)
	case (f.write == "") != (f.name == "") || (f.write == "") != (f.date == ""):
		return errors.New("--write, --name and --date (want all of them or none)")
	// The file is the chip of FILE with other rules, so there has to be one.
	case f.write != "" && p.Chip == nil:
		return errors.New("--write: FILE names no chip (want chip: NAME in it)")
	// With - the chip takes standard output alone, and no format of the report would be seen.
	case f.write == "-" && f.format.Format != "table":
		return errors.New("--write - and -o (want one of them on standard output)")
	}
	// Until is asked while the search computes, which no request would interrupt: so Ctrl-C ends it at once.
	o.Coarse, o.Marks = f.answers != "counts", f.answers == "watermarks"
	o.Work, o.Until = int64(f.effort)*identify.Work, cmd.Context().Err
	for i := first; i <= last; i++ {
		o.Ports = append(o.Ports, i)
	}
	return f.known(p)
}

// known takes over what is configured. What FILE says is taken as exact, as a switch that is configured otherwise is
// a contradiction in the end; only the pool, XON and what follows from them are intervals. An error is a probe that
// the rules of the space do not describe: a limit that is not dynamic, lossy groups, a chip that charges bytes and
// not cells, or an egress with limits of its own, which could drop first and hide those of the ingress.
func (f *identifyFlags) known(p *topology.Probe) error {
	if p.Limit.Mode() != thresholds.DynamicLimit || p.Lossy || p.Charged > 0 || p.Egress.Pool > 0 {
		return errors.New("identify: want lossless groups with a dynamic threshold, cells, and no limits at the egress")
	}
	// The model counts the shortest packet as one cell in every switch: see rules.Numbers.Cells.
	if p.Cell < cells.Size(rules.Shortest+p.Overhead) {
		return fmt.Errorf("identify: chip.cell %d (want a packet of %d bytes and its overhead of %v in one cell)", p.Cell,
			rules.Shortest, p.Overhead)
	}
	c := p.Config()
	// The groups of a probe are alike.
	g := &c.Groups[0]
	var k identify.Prior
	exact := func(n rules.Number, v int64) { k[n] = rules.Span{Lo: v, Hi: v} }
	s := int64(c.Pools[0].Shared)
	// The interval is that many percent to both sides, cut to whole cells; a pool has at least one. FILE need not say
	// all that others have reserved in it.
	off := s * int64(f.within) / 100
	k[rules.Shared] = rules.Span{Lo: max(s-off, 1), Hi: s + off}
	exact(rules.Reserved, int64(g.Reserved))
	exact(rules.Headroom, int64(g.Headroom))
	exact(rules.Leak, p.LeakOut)
	exact(rules.Cell, int64(p.Cell))
	exact(rules.Overhead, int64(p.Overhead))
	// Far is none: no hypothesis with an owner pool is made then. A pool that FILE has replaces it.
	exact(rules.Pool, identify.Far)
	if len(c.HeadroomPools) > 0 {
		exact(rules.Pool, int64(c.HeadroomPools[0]))
	}
	// The number is an offset or a level, by the rule of XON. A level can be above the offset that is configured, so
	// there is room for it; an offset of 0 has room for 64 cells, too.
	k[rules.Offset] = rules.Span{Hi: max(4*int64(g.XON.Offset), 64)}
	// A threshold of the headroom is within it.
	k[rules.Stage] = rules.Span{Hi: int64(g.Headroom)}
	f.o.Th = int8(p.Limit.Alpha())
	// A static limit is the one at which a group alone stops. With alpha of num/den that is where the used cells are
	// alpha times the free ones: num/(num+den) of the pool. The quotients are cut, so the upper end has one more.
	num, den := p.Limit.Alpha().Ratio()
	k[rules.Static] = rules.Span{Lo: k[rules.Shared].Lo * num / (num + den), Hi: k[rules.Shared].Hi*num/(num+den) + 1}
	f.o.Known = k
	return nil
}

// practice draws the rules of a simulated switch with the configured numbers. Where the rules that were drawn and
// FILE do not go together, the rules give way: the switch has to be one that the search can find, in the intervals
// that known has set.
func (f *identifyFlags) practice() rules.Point {
	p := rules.Point{Rule: rules.Draw(rand.New(rand.NewPCG(f.practise, 0)).IntN)}
	for n := range p.Numbers {
		k := f.o.Known[n]
		// Neither an end nor the middle, at which the search begins with numbers that come into use (package identify).
		// What is exact stays as it is.
		p.Numbers[n] = k.Lo + (k.Hi-k.Lo)/3
	}
	x := &p.Numbers
	// known has made the interval of four times the offset of FILE: this is the offset again, or 16 cells if that is
	// more.
	x[rules.Offset] = max(f.o.Known[rules.Offset].Hi/4, 1)
	p.Alpha = f.o.Th
	// The headroom of FILE is taken as that of a group. A port owns twice as much, for the two groups that are probed.
	if p.Rule[rules.Owner] == rules.OwnerPort {
		x[rules.Headroom] *= 2
	}
	// Without a pool of headroom in FILE the search looks for none.
	if p.Rule.Uses(rules.Pool) && x[rules.Pool] == identify.Far {
		p.Rule[rules.Owner] = rules.OwnerGroup
	}
	// rules.Point.Valid wants the threshold below the headroom, and XON at most one cell above the threshold.
	if p.Rule.Uses(rules.Stage) {
		x[rules.Stage] = min(x[rules.Stage], max(x[rules.Headroom]-1, 0))
		x[rules.Offset] = min(x[rules.Offset], x[rules.Stage]+1)
	}
	// A static limit has no alpha, and the hypotheses of one have 0.
	if p.Rule[rules.Form] == rules.FormStatic {
		p.Alpha = 0
	}
	return p
}

// connect begins the switch. end waits for it. It is called once, after the last request, and returns how the command
// ended; beside an error it is nil. The context of the command ends both kinds of switch.
func (f *identifyFlags) connect(cmd *cobra.Command) (
	to io.WriteCloser, from io.Reader, end func() error, err error) {
	if f.command == "" {
		// The simulated switch is behind the same lines of JSON as a real one, so that practice tries the whole way. All
		// that is probed has to be below Ports, which options has checked.
		p := f.practice()
		s, err := testbed.Of(testbed.Model{Config: p.Config(), Packet: unit.Bytes(rules.Shortest),
			LeakOut: p.Numbers[rules.Leak], Ports: rules.Ports})
		if err != nil {
			return nil, nil, nil, err
		}
		to, from, end = testbed.Pipe(cmd.Context(), s)
		return to, from, end, nil
	}
	// The shell takes the line as the user would type it, with its quotes and pipes. Standard error is passed on: what
	// the command says there is for people.
	run := exec.CommandContext(cmd.Context(), "sh", "-c", f.command)
	run.Stderr = cmd.ErrOrStderr()
	to, err = run.StdinPipe()
	from, bad := run.StdoutPipe()
	if err = errors.Join(err, bad); err == nil {
		err = run.Start()
	}
	if err != nil {
		return nil, nil, nil, fmt.Errorf("--ask: %w", err)
	}
	// The command is told to end by the end of its input. One that answers until then would never end otherwise, and
	// Wait would wait for good.
	return to, from, func() error { _ = to.Close(); return run.Wait() }, nil
}

// endedEarly is the error of a command that is the switch, of which the first error is what was seen and the second
// how it ended. What the command says itself is on standard error already. nil for both is a command that answered to
// the end.
func endedEarly(seen, ended error) error {
	how := "with exit status 0"
	if ended != nil {
		how = "with " + ended.Error()
	}
	switch {
	case errors.Is(seen, identify.ErrEnded):
		return fmt.Errorf("%w; --ask: the command ended %s (want one that answers until its standard input ends)", seen, how)
	case ended != nil && seen != nil:
		return fmt.Errorf("%w; --ask: the command ended %s", seen, how)
	// All answers came, and yet the command says that it failed: no verdict is built on them.
	case ended != nil:
		return fmt.Errorf("--ask: the command ended %s", how)
	}
	return seen
}

// ask asks the switch until nothing is left to ask. An error is one of the switch or of the connection: exit code 1,
// and no verdict.
func (f *identifyFlags) ask(cmd *cobra.Command, e *identify.Identification) (identify.Stop, error) {
	to, from, end, err := f.connect(cmd)
	if err != nil {
		return "", cli.Failure(err)
	}
	cell := int64(0)
	if f.o.Marks {
		cell = f.o.Known[rules.Cell].Lo
	}
	stop, err := e.Run(identify.NewLines(to, from, cell))
	// The switch ends in any case. A command that was stopped because the user interrupted the verb has not ended early
	// by itself, so that error is not looked at.
	if ended := end(); f.command != "" && cmd.Context().Err() == nil {
		err = endedEarly(err, ended)
	}
	return stop, cli.Failure(err)
}

// run finds what the switch is, and prints it. The order is that of cost: flags, FILE, and then the switch. The chip
// file is written before the report is printed, and an error of it leaves the report out.
func (f *identifyFlags) run(cmd *cobra.Command, file string) error {
	p, err := inputs.ReadProbe(cmd, file)
	if err != nil {
		return err
	}
	if err := f.options(cmd, &p); err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	e := identify.New(f.o)
	find := f.ask
	if f.readings != "" {
		find = f.learn
	}
	stop, err := find(cmd, e)
	if err != nil {
		return err
	}
	// The document looks for a next probe, which brings choices into use that nobody has asked about.
	r := e.Result(stop)
	d, code := identifyDocument(e, &r, f.o.Outliers)
	if f.write != "" {
		if err := f.writeChip(cmd, p.Chip, &r, code); err != nil {
			return err
		}
	}
	if f.write == "-" { // which has no report, and is written with exit code 0 alone
		return nil
	}
	return identifyScreen(&d).Print(cmd, f.format, d, code)
}

// writeChip writes the chip of FILE with the rule that was found. A file with a rule that is one of several would
// state as measured what is not known, so only one rule with a verdict of exit code 0 is written; else the error has
// exit code 4. The size and the other numbers of the chip stay those of FILE, with their sources.
func (f *identifyFlags) writeChip(cmd *cobra.Command, base *buffer.Chip, r *identify.Result, code int) error {
	switch {
	case len(r.Rules) != 1 || code != cli.ExitFine:
		return cli.ExitWith(cli.ExitLint, fmt.Errorf("--write: %s possible (want an identification with one)",
			cli.Plural(len(r.Rules), "rule is", "rules are")))
	case len(r.Unasked) > 0:
		return cli.ExitWith(cli.ExitLint, fmt.Errorf("--write: nothing was asked about %s (want readings of it)",
			strings.Join(r.Unasked, ", ")))
	}
	c := *base
	// base is the chip of FILE, and its notes stay as they are.
	c.Name, c.Notes = f.name, slices.Clone(base.Notes)
	b := &r.Rules[0].Box
	source := fmt.Sprintf("measured %s: identify, %s, %s", f.date, cli.Plural(int(r.Cost.Drains), "drain", "drains"),
		cli.Plural(int(r.Cost.Readings), "reading", "readings"))
	// The words of a chip file are those of the choices.
	word := func(x rules.Choice) string { return x.Value(b.Rule[x]) }
	// A threshold of the headroom and a level of XON have no word in a chip file. Then all three rules stay those of
	// base, and the note below has what was measured.
	if b.Rule[rules.XOFF] <= rules.XOFFRefused && b.Rule[rules.XON] <= rules.XONLatched {
		c.LimitRule, c.XOFFRule = buffer.LimitRule(word(rules.Limit)), buffer.XOFFRule(word(rules.XOFF))
		c.XONRule, c.Sources.Rules = buffer.XONRule(word(rules.XON)), source
	}
	// A pool and headroom in the shared part have no word either.
	if b.Rule[rules.Owner] <= rules.OwnerPort {
		c.HeadroomRule, c.Sources.HeadroomRule = word(rules.Owner), source
	}
	// A chip file has four rules. The others are for people.
	rest := grouped.Each(sought, func(x rules.Choice) string { return x.String() + " " + word(x) })
	c.Notes = append(c.Notes, source+": "+strings.Join(rest, ", ")+
		" (a chip file has limit_rule, xoff_rule, xon_rule and headroom_rule)")
	// base was valid, so a complaint is about what was changed: the name, the rules or their source.
	if err := c.Validate(); err != nil {
		return cli.BadUsage("--write: %w", err)
	}
	return inputs.WriteChip(cmd, f.write, c)
}
