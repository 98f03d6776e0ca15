package push

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/dial"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/report"
)

// drift compares switches with their plans. Package backend/gnmi/push compares; this
// file reads the flags and prints the differences of one switch or of many.

// driftFlags are the flags of the drift command. stderr is where --watch reports its progress. profile is as for
// apply. With watch there is one switch, and with many.File no watch.
type driftFlags struct {
	dial   dial.DialFlags
	many   dial.ManyFlags
	named  *nos.Profile // of --profile; nil: recognised
	watch  bool
	native bool
	sonic  sonicFlags
	format cli.Output
	stderr io.Writer
	set    []string // changes of the topology
}

// DriftCommand makes the verb. It has no flag that changes a switch. A comparison needs no journal and no limit of
// disruption, so it has neither flag.
func DriftCommand() *cobra.Command {
	var f driftFlags
	c := cli.Command("drift", cli.Args(1, 1), func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) })
	f.dial.Register(c)
	f.many.Register(c)
	dial.ProfileFlag(c, &f.named)
	c.Flags().BoolVar(&f.watch, "watch", false, "wait until there is a difference (Subscribe STREAM)")
	c.Flags().BoolVar(&f.native, "native", false,
		"compare the native configuration of the switch: SR Linux, EOS; SONiC is always compared in CONFIG_DB")
	f.sonic.register(c, "as reported by the switch")
	cli.OutputFlag(c, &f.format)
	cli.SetFlag(c)
	return c
}

// run compares one switch or many, prints the result and returns exit code 5 if
// there is a difference. Without --targets one comparison is printed as the document of one switch.
func (f *driftFlags) run(cmd *cobra.Command, file string) error {
	if err := f.sonic.read(cmd); err != nil {
		return err
	}
	f.set, f.dial.Connection.Log, f.stderr = cli.Changed(cmd), cli.Logger(cmd), cmd.ErrOrStderr()
	switch {
	// No address is assumed: a comparison with another switch would be a wrong answer.
	case f.many.File == "" && f.dial.Address == "":
		return cli.BadUsage("no switch is named (want --target or --targets)")
	// A watch ends at the first difference, which would leave the other switches unwatched.
	case f.many.File != "" && f.watch:
		return cli.BadUsage("--watch needs a single switch (want --target)")
	case f.many.File != "":
		return f.runMany(cmd, file)
	}
	c, err := f.find(cmd.Context(), dial.PlanOf(cmd, file, false), f.named)
	if err != nil {
		return err
	}
	out, doc := comparisonText(c), c.Document()
	// The comparison is with the changed topology, which both forms say.
	out.Head[0], doc.Set = out.Head[0]+cli.ChangedText(f.set), f.set
	return cli.Ended(out.Write(cmd.OutOrStdout(), f.format, doc), cli.CodeIf(len(c.Differences) > 0, cli.ExitDrift))
}

// find compares one switch with a plan, once or until there is a difference. With
// --watch it returns when the switch differs, or when it is interrupted. An error is that of a device, marked as such;
// a switch that cannot hold any register of the plan is exit code 8.
func (f *driftFlags) find(ctx context.Context, what dial.Planned, named *nos.Profile) (*push.Comparison, error) {
	if what.Err != nil {
		return nil, what.Err
	}
	// What no flag says of a SONiC switch is read from it.
	opt := push.Options{Native: f.native, SONiC: f.sonic.Options}
	var err error
	// Options reads the files of certificates and passwords, so a missing one is an error before the switch is
	// contacted.
	if opt.Connection, err = f.dial.Options(ctx, what.In.Chip.Cell, named); err != nil {
		return nil, err
	}
	// nil compares once.
	var watch func(string, backend.DriftEvent, error)
	if f.watch {
		watch = f.tell
	}
	// With watch it returns when there is a difference, or when the context ends.
	c, err := push.Compare(ctx, f.dial.Target, nos.Plan{Intent: what.In, Layout: what.Plan.Layout()}, opt, watch)
	switch {
	// A watch of a switch that never reports would look like one without drift.
	case errors.Is(err, backend.ErrNotReported):
		err = fmt.Errorf("%w: the switch does not report changes (want drift without --watch, from time to time)", err)
	case errors.Is(err, native.ErrNoLanguage):
		return nil, cli.BadUsage("--native: %w", err)
	// Nothing can be compared then, which is not the same as no difference.
	case errors.Is(err, qos.ErrInexpressible):
		return nil, cli.ExitWith(cli.ExitGaps, err)
	}
	if err != nil {
		return nil, cli.Failure(f.dial.Advise(err))
	}
	return c, nil
}

// tell reports the progress of --watch on standard error. Every line has the name of the switch and what is known of
// it now. why is read for a lost connection alone.
func (f *driftFlags) tell(name string, e backend.DriftEvent, why error) {
	// The event without a case below is the end by the user.
	text := "interrupted"
	switch e {
	case backend.DriftAsPlanned:
		text = "as planned; watching for changes"
	case backend.DriftBack:
		text = "reachable again, as planned; watching for changes"
	case backend.DriftLost:
		text = "not reachable, trying again: " + strings.Join(strings.Fields(why.Error()), " ")
	}
	fmt.Fprintf(f.stderr, "%s: %s\n", name, text)
}

// comparisonText is the result as tables. A native value has a path and no register, so its table has other columns.
// "0 differences" is about registers that were compared: the number of the others stands beside it, and below with the
// reason. The head has what the switch says of itself, so that a reader sees which switch was read.
func comparisonText(c *push.Comparison) *cli.Screen {
	found := cli.Plural(len(c.Differences), "difference", "differences")
	// No difference among no registers would look as if all were well.
	if c.Rendering == nil && c.Compared == 0 {
		found = "nothing was compared"
	}
	if c.NotCompared > 0 {
		found += ", " + cli.Plural(c.NotCompared, "register", "registers") + " not compared"
	}
	out := &cli.Screen{Head: []string{c.Device + ": " + found, "  " + c.Probe.String()}}
	if text := unsaidText(c.Unsaid); text != "" {
		out.Head = append(out.Head, "  "+text)
	}
	if c.Version != "" {
		out.Head = append(out.Head, "  version "+c.Version)
	}
	s := cli.Table("", "Not as planned", "register", "holds", "planned", "path")
	unable := "OpenConfig cannot express them on this switch"
	if c.Rendering != nil {
		s = cli.Table("", "Not as planned, native configuration ("+c.Rendering.Dialect+")", "path", "holds", "planned",
			"needs a reload")
		unable = "the native configuration cannot express them"
	}
	for _, d := range c.Differences {
		if c.Rendering != nil {
			s.Row(d.Path, cli.Dash(d.Has), cli.Dash(d.Planned), cli.Dash(d.Waits))
		} else {
			s.Row(d.Register, d.Has, d.Planned, d.Path)
		}
	}
	out.Sections = []cli.Section{s}
	out.Foot = append(out.Foot, fmt.Sprintf("%s compared; %d not compared, because %s",
		cli.Plural(c.Compared, "register", "registers"), c.NotCompared, unable))
	if c.Checkpoint != "" {
		out.Foot = append(out.Foot, "note: "+c.Checkpoint)
	}
	// These values are as planned, and the switch itself may change them later.
	for _, u := range c.Undone() {
		out.Foot = append(out.Foot, "may not stay: "+u.What+": "+u.Why)
	}
	return out.WithoutEmpty()
}

// runMany compares many switches with their plans in parallel. The failure of one switch does not stop the others,
// and the exit code is the worst of all. A switch that could not be read is "not compared", and never "as planned". A
// line of the targets file can name a topology and a profile of its own, as for apply.
func (f *driftFlags) runMany(cmd *cobra.Command, file string) error {
	all, err := f.many.Read(cmd)
	if err != nil {
		return err
	}
	plans := dial.Plans(cmd, all, file, f.named)
	found := make([]*push.Comparison, len(all))
	outcomes := f.many.Each(cmd.Context(), all, cmd.ErrOrStderr(),
		func(ctx context.Context, i int, t push.Target) (o dial.Outcome) {
			// A copy: To writes the address of the line into it.
			own := *f
			// The sonic flags of the copy share the table of --sonic-table, which is only read.
			own.dial.To(t)
			o.State = "not compared"
			found[i], o.Err = own.find(ctx, plans[i], plans[i].Profile)
			switch {
			case o.Err != nil:
				o.Code = cli.CodeOf(o.Err)
			// Exit code 5 is that of a difference; a switch that could not be read has a code of its own, and the
			// worst of all counts.
			case len(found[i].Differences) > 0:
				o.State, o.Code = "differs", cli.ExitDrift
			case found[i].Rendering == nil && found[i].Compared == 0:
				o.State = "nothing compared"
			default:
				o.State = "as planned"
			}
			return o
		})
	doc := report.DriftManyDocument{Schema: "cellwarden.drift-many/v1", Set: f.set, ExitCode: dial.Worst(outcomes)}
	s := cli.Table("", "Switches", "target", "state", "differences", "not compared", "exit", "error")
	what := cli.Table("", "Not as planned", "target", "register", "holds", "planned", "path")
	for i, o := range outcomes {
		t := unnamed.Add(&doc.Targets)
		t.Target, t.Prefix, t.State = all[i].Address, cmp.Or(all[i].PrefixTarget, f.dial.PrefixTarget), o.State
		t.ExitCode, t.Error = o.Code, o.ErrorText()
		// A dash and not 0: nothing is known of its differences.
		if o.Err != nil {
			s.Row(o.Address, o.State, cli.Number("-"), cli.Number("-"), cli.Count(o.Code), t.Error)
		} else {
			// Programs get the whole comparison of each switch, and people one table of the differences of all.
			d := found[i].Document()
			t.Report = &d
			s.Row(o.Address, o.State, cli.Count(len(d.Differences)), cli.Count(found[i].NotCompared), cli.Count(o.Code), "")
			for _, x := range d.Differences {
				what.Row(o.Address, cli.Dash(x.Register), cli.Dash(x.Holds), cli.Dash(x.Planned), x.Path)
			}
		}
	}
	out := &cli.Screen{Head: []string{dial.Counts(outcomes) + cli.ChangedText(f.set)}, Sections: []cli.Section{s, what}}
	// A switch that was not compared is worse than one that differs: see dial.Worst.
	return cli.Ended(out.WithoutEmpty().Write(cmd.OutOrStdout(), f.format, doc), doc.ExitCode)
}
