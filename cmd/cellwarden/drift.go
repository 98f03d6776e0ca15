package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/grpc/codes"

	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
)

// driftFlags are the flags of the drift command.
type driftFlags struct {
	dial    dialFlags
	many    manyFlags
	profile string
	watch   bool
	native  nativeFlags
	format  string
	aloud   io.Writer // standard error
}

func driftCommand() *cobra.Command {
	var f driftFlags
	c := &cobra.Command{
		Use:   "drift FILE (--target ADDRESS | --targets FILE)",
		Short: "Compare what a switch holds with the plan, register by register, and change nothing",
		Long: "drift plans the topology, rounds it as the switch's profile says, reads the switch and lists every register that is not as\n" +
			"planned, in cells, with its path. What the profile has no words for cannot be read and is not compared. Ports that the\n" +
			"topology does not name are not looked at. A SONiC switch is compared in its own words, value by value of CONFIG_DB, and\n" +
			"--native compares SR Linux and EOS in theirs: what apply would send there, and what waits for a reload. With --watch it waits, and compares again whenever the switch reports a change,\n" +
			"until there is a difference, which ends it with exit code 5. If the switch cannot be reached meanwhile it tries again, and\n" +
			"says so on standard error; interrupted, it ends with exit code 0 if the switch was as planned to the end.\n\nExit code 5: there are differences. " + exitCodes,
		Example: "  cellwarden drift examples/arista-7060cx-32s.yaml --target 127.0.0.1:9339 --insecure\n  cellwarden drift examples/arista-7060cx-32s.yaml --target 127.0.0.1:9339 --insecure --watch",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.dial.register(c)
	f.many.register(c)
	c.Flags().StringVar(&f.profile, "profile", "", "kind of switch: a name of cellwarden profiles (default: found by the models that the switch lists)")
	c.Flags().BoolVar(&f.watch, "watch", false, "wait until there is a difference (Subscribe STREAM)")
	c.Flags().BoolVar(&f.native.on, "native", false, "compare what OpenConfig has no words for in the switch's own: CONFIG_DB of SONiC (which has no other words, so that it needs no flag), SR Linux, EOS")
	f.native.sonic.register(c, "what the switch tells")
	outputFlag(c, &f.format)
	return c
}

// differenceJSON is one register, or one value in the switch's own words, that is
// not as planned.
type differenceJSON struct {
	Register string `json:"register,omitempty"` // none: in the switch's own words
	Path     string `json:"path"`
	Holds    string `json:"holds"`                    // in its own words: JSON; empty: nothing
	Planned  string `json:"planned"`                  // in its own words: JSON; empty: nothing
	Waits    string `json:"takes_a_reload,omitempty"` // why apply does not put it right
}

// driftJSON is what drift found.
type driftJSON struct {
	Schema      string           `json:"schema"`
	Device      string           `json:"device"`
	Target      string           `json:"target"` // what it said of itself
	Compared    int              `json:"registers_compared"`
	NotCompared int              `json:"registers_not_compared"` // the profile has no words for them
	Differences []differenceJSON `json:"differences"`
}

func (f *driftFlags) run(cmd *cobra.Command, file string) error {
	if err := checkFormat(f.format); err != nil {
		return err
	}
	named, err := namedProfile(f.profile)
	if err != nil {
		return err
	}
	f.dial.log, f.aloud = logger(cmd), cmd.ErrOrStderr()
	switch {
	case f.many.file == "" && f.dial.target == "":
		return exit{exitUsage, errors.New("there is nothing to compare with: accepted: --target ADDRESS, or --targets FILE")}
	case f.many.file != "" && f.watch:
		return exit{exitUsage, errors.New("--watch is of one switch: accepted: --target")}
	case f.watch && named != nil && f.native.speaks(named), f.watch && f.native.on:
		return errNoWatch
	case f.many.file != "":
		return f.runMany(cmd, file, named)
	}
	d, err := f.find(cmd.Context(), plans(cmd, []destination{{}}, file)[file], named)
	if err != nil {
		return err
	}
	if err := d.report().write(cmd.OutOrStdout(), f.format, d.document()); err != nil {
		return exit{exitFailure, err}
	}
	if d.differs() {
		return silent(exitDrift)
	}
	return nil
}

// find compares one switch with a plan.
func (f *driftFlags) find(ctx context.Context, what planned, named *profile.Profile) (*drift, error) {
	if what.err != nil {
		return nil, what.err
	}
	client, err := f.dial.open(ctx, what.in.Chip.Cell, named)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	d := &drift{client: client, aloud: f.aloud}
	if d.met, err = client.Probe(ctx); err != nil {
		return nil, exit{exitFailure, f.dial.advise(err)}
	}
	if f.native.speaks(d.met.Profile) {
		return d, f.findNative(ctx, d, what)
	}
	if d.said, err = qos.CheckCompatibility(what.plan.Layout(), what.in.Chip.Cell, d.met.Profile); err != nil {
		return nil, exit{exitGaps, err}
	}
	if err := d.look(ctx, f.watch); err != nil && !errors.Is(err, errDrift) {
		return nil, exit{exitFailure, f.dial.advise(err)}
	}
	return d, nil
}

// drift is one comparison.
type drift struct {
	client *gnmi.Client
	met    *gnmi.ProbeResult
	said   *qos.Compatibility
	aloud  io.Writer     // standard error
	steps  []buffer.Step // from what the switch holds to what is planned
	spoken *spoken       // in the switch's own words; nil: in OpenConfig's
	plan   buffer.Layout // in the switch's own words
}

// differs tells whether the switch is not as planned.
func (d *drift) differs() bool { return len(d.steps) > 0 || d.spoken != nil && d.spoken.differs() > 0 }

// errDrift ends the watching.
var errDrift = errors.New("there are differences")

// look compares, once or until there is a difference.
func (d *drift) look(ctx context.Context, watch bool) error {
	if !watch {
		return d.compare(ctx)
	}
	inTouch, begun := false, false
	err := d.client.WatchOn(ctx, func(ctx context.Context) error {
		err := d.compare(ctx)
		switch {
		case err != nil:
			return err
		case !begun:
			d.say("as planned; watching for changes")
		case !inTouch:
			d.say("it is back, and as planned; watching for changes")
		}
		inTouch, begun = true, true
		return nil
	}, func(why error) {
		if inTouch || !begun {
			d.say("out of touch, and trying again: " + strings.Join(strings.Fields(why.Error()), " "))
		}
		inTouch, begun = false, true
	})
	var refused *gnmi.RPCError
	switch {
	case errors.As(err, &refused) && refused.RPC == "Subscribe" && (refused.Code == codes.Unimplemented || refused.Code == codes.InvalidArgument):
		return fmt.Errorf("%w: it does not report changes: accepted: drift without --watch, from time to time", err)
	case ctx.Err() == nil || errors.Is(err, errDrift):
		return err
	case inTouch:
		d.say("interrupted")
		return nil // it was as planned to the end
	default:
		return errors.New("interrupted while it could not be told whether the switch is as planned")
	}
}

// say tells how the watching goes.
func (d *drift) say(text string) { fmt.Fprintf(d.aloud, "%s: %s\n", d.client.Name(), text) }

// compare reads the switch; errDrift says that it is not as planned.
func (d *drift) compare(ctx context.Context) error {
	now, err := d.client.Observe(ctx)
	if err != nil {
		return err
	}
	named := map[string]bool{}
	for _, s := range d.said.Layout {
		named[s.Port] = true
	}
	d.steps = buffer.Diff(now.Only(func(r buffer.Register) bool { return named[r.Port] }), d.said.Layout)
	if len(d.steps) > 0 {
		return errDrift
	}
	return nil
}

func (d *drift) document() driftJSON {
	if d.spoken != nil {
		return d.nativeDocument()
	}
	out := driftJSON{Schema: "cellwarden.drift/v1", Device: d.client.Name(), Target: d.met.String(), Compared: len(d.said.Layout),
		NotCompared: d.said.Count(qos.Inexpressible, false), Differences: []differenceJSON{}}
	for _, s := range d.steps {
		out.Differences = append(out.Differences, differenceJSON{s.Register.String(), d.said.BindingPath(s.Register), s.Kind.Text(s.From), s.Kind.Text(s.To), ""})
	}
	return out
}

func (d *drift) report() *report {
	if d.spoken != nil {
		return d.nativeReport()
	}
	found := plural(len(d.steps), "difference", "differences")
	if len(d.said.Layout) == 0 {
		found = "nothing was compared"
	}
	out := &report{head: []string{d.client.Name() + ": " + found, "  " + d.met.String()}}
	s := section{title: "Not as planned", columns: []string{"register", "holds", "planned", "path"}}
	for _, step := range d.steps {
		s.row(step.Register.String(), step.Kind.Text(step.From), step.Kind.Text(step.To), d.said.BindingPath(step.Register))
	}
	if len(s.rows) > 0 {
		out.sections = append(out.sections, s)
	}
	out.foot = append(out.foot, fmt.Sprintf("%s compared; %d not, because the profile has no words for them",
		plural(len(d.said.Layout), "register", "registers"), d.said.Count(qos.Inexpressible, false)))
	return out
}
