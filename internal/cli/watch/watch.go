// Package watch has the verb that compares what switches count with a plan.
//
// The topology is planned for its grants: what each lossless group may hold. A sample is what a switch or a dump has
// counted at one time. Package diagnosis assesses one sample, or two with the time between them, and says what it could
// not look for. One switch is watched in watch.go, many in many.go; both print the same report for each interval.
//
// What is not counted is unknown and never 0. The exit code is 4 after any finding of any interval, also if a later
// interval had none.
package watch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/dial"
	"github.com/cellwarden/cellwarden/internal/cli/findings"
	"github.com/cellwarden/cellwarden/internal/cli/inputs"
	"github.com/cellwarden/cellwarden/internal/exposition"
	"github.com/cellwarden/cellwarden/internal/files"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// watch compares what a switch has counted with its plan. Package diagnosis finds the faults, telemetry reads a
// switch, counters reads dumps; this file reads the flags and prints.

// watchFlags are the flags of the watch command. interval is 0 for one reading, up to 24 hours; count is the number of
// intervals, 0 without an end; metrics is a path, "" for none. A copy of the flags is made for each switch of a file.
type watchFlags struct {
	dial     dial.DialFlags
	many     dial.ManyFlags
	named    *nos.Profile // of --profile; nil: recognised
	counters []string
	interval time.Duration
	count    int
	metrics  string
	list     findings.Flags
	set      []string // changes of the topology
	since    string   // a revision of git
}

// WatchCommand makes the verb. The flags that only make sense together are checked by check, because they depend on
// where the counters come from.
func WatchCommand() *cobra.Command {
	var f watchFlags
	c := cli.Command("watch", cli.Args(1, 1), func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) })
	f.dial.Register(c)
	f.many.Register(c)
	// The profile says by which paths a switch tells its counters; a wrong one finds none of them.
	dial.ProfileFlag(c, &f.named)
	c.Flags().StringArrayVar(&f.counters, "counters", nil,
		"file with what the switch has counted, in place of --target; a second one is a later reading")
	c.Flags().DurationVar(&f.interval, "interval", 0, "time between two readings (default 10s with --target; not known "+
		"with --counters); with --target, 0s reads once")
	c.Flags().IntVar(&f.count, "count", 1, "number of intervals; 0: until interrupted")
	c.Flags().StringVar(&f.metrics, "metrics", "", "file to write metrics to after each interval, in the text format of "+
		"Prometheus, for the textfile collector of its node exporter")
	cli.SetFlag(c)
	findings.SinceFlag(c, &f.since)
	f.list.Register(c, "watch", diagnosis.Codes())
	return c
}

// check refuses flags that contradict each other. It also sets the default of the interval, which is not the flag's:
// with dumps, no interval means that it is not known.
func (f *watchFlags) check(cmd *cobra.Command) error {
	// live is a switch that answers now, by itself or in a file of targets.
	live := f.dial.Address != "" || f.many.File != ""
	switch {
	case !live && len(f.counters) == 0:
		return errors.New("nothing to read (want --target, --targets or --counters)")
	case live && len(f.counters) > 0:
		flag := map[bool]string{true: "--target", false: "--targets"}[f.dial.Address != ""]
		return errors.New(flag + " and --counters (want one of them)")
	// A baseline and these documents are of one switch.
	case f.many.File != "" && (f.list.WriteBaseline != "" || f.list.OneDocument()):
		return errors.New("--write-baseline, -o sarif and -o junit (want it with one switch, --target)")
	case len(f.counters) > 2:
		return fmt.Errorf("--counters: %d files (want one, or an earlier and a later one)", len(f.counters))
	case f.counters != nil && f.counters[0] == "-" && len(f.counters) == 2 && f.counters[1] == "-":
		return errors.New("--counters: - and - (want standard input once)")
	case f.interval < 0 || f.interval > 24*time.Hour:
		return fmt.Errorf("--interval: %v (want 0s to 24h)", f.interval)
	// One dump has the counters since they were cleared, and nobody knows when that was.
	case len(f.counters) == 1 && cmd.Flags().Changed("interval"):
		return errors.New("--interval with one dump (want it with two, as the time between them)")
	case f.count < 0:
		return fmt.Errorf("--count: %d (want 0 (until interrupted) or more)", f.count)
	// Dumps are one interval at most, and a single reading is none.
	case f.count != 1 && (len(f.counters) > 0 || cmd.Flags().Changed("interval") && f.interval == 0):
		return errors.New("--count (want it with --target and an --interval above 0s)")
	// These are one document each, and a series of intervals would write several into one file.
	case f.count != 1 && (f.list.WriteBaseline != "" || f.list.OneDocument()):
		return errors.New("--write-baseline, -o sarif and -o junit (want it with one interval, --count 1)")
	}
	if live && !cmd.Flags().Changed("interval") {
		// Ten seconds: a storm or a pause at low use shows within it, and a reader still waits for it.
		f.interval = 10 * time.Second
	}
	return f.list.Check()
}

// run plans the topology, reads, and prints an assessment for each interval. It returns exit code 4 if there was a
// finding.
func (f *watchFlags) run(cmd *cobra.Command, file string) error {
	if err := f.check(cmd); err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	// The changes are printed with every report, so that nobody takes its numbers for those of the file.
	f.set = cli.Changed(cmd)
	// There is one file of metrics for all switches and intervals of a run, so that a collector reads the last state of
	// all.
	written := &metricsFile{last: map[string]diagnosis.Assessment{}}
	if f.many.File != "" {
		return f.runMany(cmd, file, written)
	}
	w, err := f.watcher(cmd, dial.PlanOf(cmd, file, false), written)
	if err != nil {
		return err
	}
	// The flags of the connection are not looked at then: nothing is connected.
	if len(f.counters) > 0 {
		err = w.fromDumps()
	} else {
		err = w.fromSwitch(cmd.Context())
	}
	if err != nil {
		return err
	}
	// The report has the findings, so nothing more is printed.
	return cli.Ended(nil, cli.CodeIf(w.found, cli.ExitLint))
}

// watcher returns the watcher of a plan. A plan that could not be made, or has no lossless group, is an error. The cell
// is that of the plan's chip, by which counters in cells become bytes.
func (f *watchFlags) watcher(cmd *cobra.Command, what dial.Planned, to *metricsFile) (*watcher, error) {
	if what.Err != nil {
		return nil, what.Err
	}
	w := &watcher{watchFlags: f, cmd: cmd, file: cli.ShownName(what.File), granted: grantedBy(what.Plan, what.In),
		cell: unit.Bytes(what.In.Chip.Cell), metricsFile: to}
	// Without a lossless group nothing could be found, and silence would look like health.
	if len(w.grants) == 0 {
		return nil, cli.BadUsage("%s: no lossless group (want a plan with one)", what.File)
	}
	if f.since != "" {
		plan, in, err := findings.PlanAt(cmd, f.since, what.File)
		if err != nil {
			return nil, err
		}
		if plan != nil {
			w.was = grantedBy(plan, in)
		}
	}
	return w, nil
}

// granted is what a plan gives. pool is the bytes of the shared headroom pool; absent: each group has its own.
type granted struct {
	grants []diagnosis.Grant
	pool   unit.Optional[unit.Bytes]
}

// grantedBy returns what a plan gives.
func grantedBy(plan *buffer.Plan, in buffer.Intent) granted {
	g := granted{grants: diagnosis.Grants(plan, in)}
	// Without a shared headroom pool there is no use of it to compare.
	if plan.Shared != nil {
		g.pool = unit.Given(in.Chip.Cell.Bytes(plan.Shared.PoolCells))
	}
	return g
}

// metricsFile is the file of metrics, of all switches. wrote is set after the first writing: the file is then this
// run's own, and is replaced without --force. The last assessments of all switches are kept, because the file is
// written whole each time.
type metricsFile struct {
	last  map[string]diagnosis.Assessment
	wrote bool
}

// watcher reads and prints. cell is bytes. found stays true once it is.
type watcher struct {
	*watchFlags
	cmd *cobra.Command
	*metricsFile
	file string // of the topology, for messages
	granted
	was   granted // by the plan of --since; the zero value: there is none
	cell  unit.Bytes
	found bool // a finding
}

// fromDumps assesses one dump, or two. The first dump is the earlier one. Counters that have fallen between the two are
// refused by diagnosis.
func (w *watcher) fromDumps() error {
	// The dumps are read in the order of the command line, whatever times are in them.
	samples, err := inputs.ReadCounters(w.cmd, "counters", w.counters, w.cell)
	if err != nil {
		return err
	}
	// Dumps have no time of their own: without --interval the two are compared, and no rate is known.
	var before *diagnosis.Sample
	if len(samples) == 2 {
		before = &samples[0]
		if w.interval > 0 {
			samples[0].At, samples[1].At = unit.Given(unit.Time(0)), unit.Given(picoseconds(w.interval))
		}
	}
	// A dump gives no reasons: what it does not count is found by diagnosis alone.
	return w.assess(strings.Join(w.counters, " to "), before, samples[len(samples)-1], nil)
}

// picoseconds is a duration in the unit of the core. 24 hours are 8.6e16 ps, which an int64 holds.
func picoseconds(d time.Duration) unit.Time { return unit.Time(d.Nanoseconds()) * unit.Nanosecond }

// read reads a switch once. The reasons say what this switch does not count, for the last lines of the report.
func (w *watcher) read(ctx context.Context, c *gnmi.Client, p *nos.Profile,
	began time.Time) (diagnosis.Sample, []string, error) {
	s, reasons, err := gnmi.ReadCounters(ctx, c, p, w.grants, w.cell)
	if err != nil {
		return s, nil, cli.Failure(w.dial.Advise(err))
	}
	// The time is that after the answer: counters of one reading may be up to its length older.
	s.At = unit.Given(picoseconds(time.Since(began)))
	return s, reasons, nil
}

// assess prints what one or two samples say. source names the switch or the dumps. The order matters: the metrics have
// all findings, the baseline then takes some away, and only what is left counts for the exit code.
func (w *watcher) assess(source string, before *diagnosis.Sample, after diagnosis.Sample, reasons []string) error {
	a, err := diagnosis.Assess(w.grants, w.pool, before, after)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	// What the switch does not count comes before what cannot be known from one reading.
	a.NotChecked = append(reasons, a.NotChecked...)
	// Metrics have all findings, also those that the baseline accepts: an alarm has rules of its own.
	all := a
	w.place(a.Findings)
	if w.since != "" {
		var note string
		if a.Findings, note, err = w.brought(before, after, a.Findings); err != nil {
			return err
		}
		a.NotChecked = append(a.NotChecked, note)
	}
	var accepted findings.Accepted
	if a.Findings, accepted, err = w.list.Accept(w.cmd, a.Findings); err != nil {
		return err
	}
	a.NotChecked = append(a.NotChecked, accepted.Lines()...)
	w.found = w.found || len(a.Findings) > 0
	var interval unit.Optional[unit.Time]
	if before != nil {
		if to, known := after.At.Get(); known {
			// Without a time of the later sample no rate and no interval is known.
			interval = unit.Given(to - before.At.Or(0))
		}
	}
	doc := report.Watch(source, interval, a)
	doc.Set = w.set
	checked := cli.Plural(len(doc.Groups), "lossless group", "lossless groups") + " of " + doc.Source
	if err := w.list.Print(w.cmd, checked, a.Findings, func() error {
		return watchReport(&doc, a).Write(w.cmd.OutOrStdout(), w.list.Output, doc)
	}); err != nil {
		return cli.Failure(err)
	}
	if err := w.writeMetrics(source, all); err != nil {
		return err
	}
	// Nothing was counted of any group: most often the ports of the dump have other names.
	if doc.Verdict == "unknown" {
		return cli.BadUsage("%s: no reading says whether a lossless group of the plan was used, "+
			"paused or dropped (want watermarks, drops or sent pauses of its ports, such as %s)", source, w.grants[0].Port)
	}
	return nil
}

// place gives findings the name of the topology, by which a baseline of several topologies tells them apart.
func (w *watcher) place(found []finding.Finding) {
	for i := range found {
		found[i].File = w.file
	}
}

// brought returns the findings that the plan of --since does not have with the same samples, and a note on the others.
func (w *watcher) brought(before *diagnosis.Sample, after diagnosis.Sample, now []finding.Finding) ([]finding.Finding,
	string, error) {
	was, err := diagnosis.Assess(w.was.grants, w.was.pool, before, after)
	if err != nil {
		return nil, "", cli.ExitWith(cli.ExitUsage, err)
	}
	w.place(was.Findings)
	fresh, note := findings.NewSince(w.since, was.Findings, now)
	return fresh, note, nil
}

// writeMetrics writes the file of metrics. It is replaced at each interval; one that was there before needs
// --force. It has a set of files of its own, because it is complete at each interval and the outputs of the command at
// the end.
func (w *watcher) writeMetrics(source string, a diagnosis.Assessment) error {
	if w.metrics == "" {
		return nil
	}
	// The file has the last assessment of each source, not that of this one alone.
	w.last[source] = a
	// The file gets its name when it is complete, because the node exporter may read it at any time.
	set := files.New()
	defer set.Discard()
	replace, _ := w.cmd.Flags().GetBool(cli.Force)
	out, err := set.Create(w.metrics, replace || w.wrote)
	if err == nil {
		err = errors.Join(exposition.Write(out, exposition.Assessed(w.last)...), set.Commit())
	}
	if err != nil {
		return cli.ExitWith(cli.ExitFailure, fmt.Errorf("--metrics: %w", err))
	}
	w.wrote = true
	return nil
}

// watchReport is a document as tables. The head says of how many groups each number is known. A run without findings
// over groups of which nothing is known would look healthy otherwise.
func watchReport(doc *report.WatchDocument, a diagnosis.Assessment) *cli.Screen {
	// headroom, loss and pauses are numbers of groups of which each is known.
	states := map[string]int{}
	var headroom, loss, pauses int
	for _, g := range doc.Groups {
		states[g.State]++
		// A group can be "unknown" although one of these is known: empty headroom by itself does not say that it was
		// never used.
		headroom += isKnown(g.Headroom)
		loss += isKnown(g.Drops)
		pauses += isKnown(g.Sent)
	}
	// The first line claims what was looked at, and no more.
	head := fmt.Sprintf("%s: %s; of %s of the plan, the headroom in use is known of %d, loss of %d, pauses of %d",
		doc.Source, cli.Plural(len(doc.Findings), "finding", "findings"),
		cli.Plural(len(doc.Groups), "lossless group", "lossless groups"), headroom, loss, pauses)
	if n := states[string(diagnosis.NotKnown)]; n > 0 {
		head += fmt.Sprintf("; %s unknown", cli.Plural(n, "group is", "groups are"))
	}
	head += cli.ChangedText(doc.Set)
	// There is no mood: without a finding a switch is not proven to be well.
	out := &cli.Screen{Head: []string{head}, Verdict: doc.Verdict}
	var words []string
	// The order of a map changes from run to run; the words are sorted below.
	for state, n := range states {
		words = append(words, fmt.Sprintf("%s: %d", state, n))
	}
	slices.Sort(words)
	out.Head = append(out.Head, "  "+strings.Join(words, ", "))
	if doc.Pool != nil {
		out.Head = append(out.Head, fmt.Sprintf("  headroom pool: %s of %d bytes used", known64(doc.Pool.Watermark),
			int64(doc.Pool.Granted)))
	}
	findings := cli.Table("findings", "Findings", "finding", "port", "group", "evidence", "what to do")
	for _, f := range a.Findings {
		port, group := f.Port, cli.Count(f.Class)
		// A finding without a port is about the pool that all groups share.
		if port == "" {
			port, group = "headroom pool", cli.Number("-")
		}
		findings.Row(string(f.Code), port, group, f.Message, f.Repair)
	}
	groups := cli.Table("groups", "Lossless groups", "port", "group", "class", "state", "headroom used", "of granted",
		"share", "dropped", "pauses sent", "received")
	for i, g := range doc.Groups {
		// A share is the watermark's part of what was granted; it can be more than 100 %. a.Uses and doc.Groups have
		// one order.
		share := cli.Number("unknown")
		if p, is := a.Uses[i].Share.Get(); is {
			share = cli.Number(p.String())
		}
		granted := int64(g.Granted)
		// Bytes, as the switch counts them; the share is of what the plan grants.
		groups.Row(g.Port, cli.Count(g.Group), g.Class, g.State, known64(g.Headroom), known64(&granted), share,
			known64(g.Drops), known64(g.Sent), known64(g.Received))
	}
	out.Sections = []cli.Section{findings, groups}
	// They come last and are never left out: what was not looked for is a part of the answer.
	out.Foot = append(out.Foot, cli.Prefixed("not checked: ", doc.NotChecked)...)
	return out.WithoutEmpty()
}

// isKnown counts a number that is known.
func isKnown(n *int64) int {
	if n == nil {
		return 0
	}
	return 1
}

// known64 is a number, or the word for one that is not known.
func known64(n *int64) cli.Number {
	if n == nil {
		return "unknown"
	}
	return cli.Number(strconv.FormatInt(*n, 10))
}
