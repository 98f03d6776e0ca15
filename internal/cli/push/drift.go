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

	"github.com/cellwarden/cellwarden/backend/fleet"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/dial"
	"github.com/cellwarden/cellwarden/nos"
)

// drift compares switches with their plans. Package backend compares; this
// file reads the flags and prints the differences of one switch or of many.

// driftFlags are the flags of the drift command.
type driftFlags struct {
	dial    dial.DialFlags
	many    dial.ManyFlags
	profile string
	watch   bool
	native  nativeFlags
	format  cli.Output
	stderr  io.Writer
	set     []string // changes of the topology
}

const driftLong = `drift plans the topology and rounds the plan as the switch does. It reads the switch and lists every register that
differs from the plan, in cells, with its path. Registers that OpenConfig cannot express on this switch are not compared.
Ports that are not in the topology are not compared.

On SONiC, drift compares CONFIG_DB value by value. --native compares the native configuration of SR Linux and EOS. Both
list the values that apply would send and those that need a config reload.

With --watch, drift compares again after every change that the switch reports. It ends with exit code 5 at the first
difference. If the connection is lost, it tries again and reports this on standard error. If it is interrupted, it ends
with exit code 0 if the switch was as planned until then.

`

func driftCommand() *cobra.Command {
	var f driftFlags
	c := &cobra.Command{
		Use:   "drift FILE (--target ADDRESS | --targets FILE)",
		Short: "Compare the registers of a switch with the plan, and change nothing",
		Long:  driftLong + cli.ExitCodes,
		Example: `  cellwarden drift examples/arista-7060cx-32s.yaml --target 127.0.0.1:9339 --insecure
  cellwarden drift examples/arista-7060cx-32s.yaml --target 127.0.0.1:9339 --insecure --watch`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.dial.Register(c)
	f.many.Register(c)
	c.Flags().StringVar(&f.profile, "profile", "",
		"kind of switch: a name of cellwarden profiles (default: recognised by the models that the switch lists)")
	c.Flags().BoolVar(&f.watch, "watch", false, "wait until there is a difference (Subscribe STREAM)")
	c.Flags().BoolVar(&f.native.on, "native", false,
		"compare the native configuration of the switch: SR Linux, EOS; SONiC is always compared in CONFIG_DB")
	f.native.sonic.register(c, "as reported by the switch")
	cli.OutputFlag(c, &f.format)
	cli.SetFlag(c)
	cli.ConfineFlag(c)
	return c
}

// DifferenceJSON is one register, or one native value, that differs from the plan.
type DifferenceJSON struct {
	Register string `json:"register,omitempty"` // none: a native value
	Path     string `json:"path"`
	Holds    string `json:"holds"`                    // a native value: JSON; empty: nothing
	Planned  string `json:"planned"`                  // a native value: JSON; empty: nothing
	Waits    string `json:"takes_a_reload,omitempty"` // why apply does not correct it
}

// DriftJSON is the result for one switch.
type DriftJSON struct {
	Schema      string           `json:"schema"`
	Set         []string         `json:"set,omitempty"` // changes of the topology
	Device      string           `json:"device"`
	Target      string           `json:"target"` // what the switch reported about itself
	Compared    int              `json:"registers_compared"`
	NotCompared int              `json:"registers_not_compared"` // the profile cannot express them
	Differences []DifferenceJSON `json:"differences"`
	Unsaid      []string         `json:"not_said_by_target"`      // what of the chip and the ports could not be compared
	Undone      []undoneJSON     `json:"may_be_undone,omitempty"` // by a program on the switch, whatever it holds now
}

// run compares one switch or many, prints the result and returns exit code 5 if
// there is a difference.
func (f *driftFlags) run(cmd *cobra.Command, file string) error {
	if err := cli.CheckFormat(f.format); err != nil {
		return err
	}
	named, err := dial.NamedProfile(f.profile)
	if err != nil {
		return err
	}
	if err := f.native.sonic.read(cmd); err != nil {
		return err
	}
	if f.set, err = cli.Changed(cmd); err != nil {
		return err
	}
	f.dial.Log, f.stderr = cli.Logger(cmd), cmd.ErrOrStderr()
	switch {
	case f.many.File == "" && f.dial.Target == "":
		return cli.ExitWith(cli.ExitUsage, errors.New("no switch is named: accepted: --target ADDRESS, or --targets FILE"))
	case f.many.File != "" && f.watch:
		return cli.ExitWith(cli.ExitUsage, errors.New("--watch needs a single switch: accepted: --target"))
	case f.many.File != "":
		return f.runMany(cmd, file, named)
	}
	c, err := f.find(cmd.Context(), dial.Plans(cmd, []fleet.Target{{}}, file)[file], named)
	if err != nil {
		return err
	}
	r, d := c.report(), c.document()
	r.Head[0], d.Set = r.Head[0]+cli.ChangedText(f.set), f.set
	if err := r.Write(cmd.OutOrStdout(), f.format, d); err != nil {
		return cli.ExitWith(cli.ExitFailure, err)
	}
	if c.differs() {
		return cli.Silent(cli.ExitDrift)
	}
	return nil
}

// comparison is a switch that was compared with its plan.
type comparison struct {
	name    string
	met     *gnmi.ProbeResult
	native  *native.Comparison // nil: over OpenConfig
	found   *backend.DriftResult
	nothing bool     // the profile cannot express any register of the plan
	unsaid  []string // what the switch did not say of itself
}

// differs tells whether the switch is not as planned.
func (c *comparison) differs() bool { return len(c.found.Differences) > 0 }

// find compares one switch with a plan, once or until there is a difference. With
// --watch it returns when the switch differs, or when it is interrupted.
func (f *driftFlags) find(ctx context.Context, what dial.Planned, named *nos.Profile) (*comparison, error) {
	if what.Err != nil {
		return nil, what.Err
	}
	client, err := f.dial.Open(ctx, what.In.Chip.Cell, named)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	c := &comparison{name: client.Name()}
	if c.met, err = client.Probe(ctx); err != nil {
		return nil, cli.DeviceFailed(f.dial.Advise(err))
	}
	if c.unsaid, err = native.Identify(ctx, client, c.met).Check(expected(what.In)); err != nil {
		return nil, fmt.Errorf("nothing was compared: %w", err)
	}
	device, err := f.comparer(c, client, what)
	if err != nil {
		return nil, err
	}
	if f.watch {
		c.found, err = backend.WatchDrift(ctx, device, func(e backend.DriftEvent, why error) { f.tell(c.name, e, why) })
	} else {
		c.found, err = device.Compare(ctx)
	}
	switch {
	case err == nil:
		return c, nil
	case errors.Is(err, backend.ErrNotReported):
		err = fmt.Errorf("%w: the switch does not report changes: accepted: drift without --watch, from time to time", err)
	}
	return nil, cli.DeviceFailed(cli.NotDone("nothing was compared", f.dial.Advise(err)))
}

// comparer returns the comparison for a switch: over OpenConfig, or in its native
// configuration. The native comparison is used where OpenConfig can express
// nothing, so that a SONiC switch needs no flag.
func (f *driftFlags) comparer(c *comparison, client *gnmi.Client, what dial.Planned) (backend.Watchable, error) {
	layout := what.Plan.Layout()
	if f.native.wanted(c.met.Profile) {
		language, err := f.native.language(c.met.Profile, nos.Plan{Intent: what.In, Layout: layout})
		if err != nil {
			return nil, err
		}
		c.native = &native.Comparison{Client: client, Language: language, Layout: layout}
		return c.native, nil
	}
	compat, err := qos.CheckCompatibility(layout, what.In.Chip.Cell, c.met.Profile)
	if err != nil {
		return nil, cli.ExitWith(cli.ExitGaps, err)
	}
	c.nothing = len(compat.Layout) == 0
	return &backend.RegisterDrift{Backend: client, Want: compat.Layout, NotCompared: compat.Count(qos.Inexpressible),
		Path: compat.BindingPath}, nil
}

// tell reports the progress of --watch on standard error.
func (f *driftFlags) tell(name string, e backend.DriftEvent, why error) {
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

// document is the result as JSON.
func (c *comparison) document() DriftJSON {
	out := DriftJSON{Schema: "cellwarden.drift/v1", Device: c.name, Target: c.met.String(), Compared: c.found.Compared,
		NotCompared: c.found.NotCompared, Differences: []DifferenceJSON{}, Unsaid: append([]string{}, c.unsaid...)}
	for _, d := range c.found.Differences {
		out.Differences = append(out.Differences, DifferenceJSON{d.Register, d.Path, d.Has, d.Planned, d.Waits})
	}
	for _, u := range c.undone() {
		out.Undone = append(out.Undone, undoneJSON(u))
	}
	return out
}

// undone is what a program on the switch changes of the plan, or may change.
func (c *comparison) undone() []nos.Undone {
	if c.native == nil || c.native.Push == nil {
		return nil
	}
	return c.native.Push.Report.Rendering.Undone
}

// report is the result as tables. A native value has a path and no register, so
// its table has other columns.
func (c *comparison) report() *cli.Screen {
	found := cli.Plural(len(c.found.Differences), "difference", "differences")
	if c.nothing {
		found = "nothing was compared"
	}
	out := &cli.Screen{Head: []string{c.name + ": " + found, "  " + c.met.String()}}
	if text := unsaidText(c.unsaid); text != "" {
		out.Head = append(out.Head, "  "+text)
	}
	s := cli.Section{Title: "Not as planned", Columns: []string{"register", "holds", "planned", "path"}}
	foot := "%s compared; %d not compared, because OpenConfig cannot express them on this switch"
	if c.native != nil {
		if v := c.native.Language.Version(); v != "" {
			out.Head = append(out.Head, "  version "+v)
		}
		s = cli.Section{Title: "Not as planned, native configuration (" + c.native.Push.Report.Rendering.Dialect + ")",
			Columns: []string{"path", "holds", "planned", "needs a reload"}}
		foot = "%s compared; %d not compared, because the native configuration cannot express them"
	}
	for _, d := range c.found.Differences {
		if c.native != nil {
			s.Row(d.Path, cli.Dash(d.Has), cli.Dash(d.Planned), cli.Dash(d.Waits))
		} else {
			s.Row(d.Register, d.Has, d.Planned, d.Path)
		}
	}
	if len(s.Rows) > 0 {
		out.Sections = append(out.Sections, s)
	}
	out.Foot = append(out.Foot, fmt.Sprintf(foot, cli.Plural(c.found.Compared, "register", "registers"), c.found.NotCompared))
	for _, u := range c.undone() {
		out.Foot = append(out.Foot, "may not stay: "+u.What+": "+u.Why)
	}
	return out
}

// DriftManyJSON is the result for many switches.
type DriftManyJSON struct {
	Schema   string            `json:"schema"`
	Set      []string          `json:"set,omitempty"` // changes of every topology
	ExitCode int               `json:"exit_code"`     // the worst
	Targets  []driftTargetJSON `json:"targets"`       // in the order of the file
}

type driftTargetJSON struct {
	Target   string     `json:"target"`
	Prefix   string     `json:"prefix_target,omitempty"` // name of the switch at a gateway
	State    string     `json:"state"`                   // as planned, differs, not compared
	ExitCode int        `json:"exit_code"`
	Error    string     `json:"error,omitempty"`
	Report   *DriftJSON `json:"report,omitempty"` // nil: it could not be compared
}

// runMany compares many switches with their plans in parallel. The failure of one
// switch does not stop the others, and the exit code is the worst of all.
func (f *driftFlags) runMany(cmd *cobra.Command, file string, named *nos.Profile) error {
	all, err := f.many.Read(cmd)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	plans := dial.Plans(cmd, all, file)
	found := make([]*comparison, len(all))
	outcomes := f.many.Each(cmd.Context(), all, cmd.ErrOrStderr(),
		func(ctx context.Context, i int, t fleet.Target) (o dial.Outcome) {
			own := *f
			own.dial.To(t)
			o.State = "not compared"
			as, err := dial.ProfileOf(t, named)
			if o.Err = errors.Join(err, plans[dial.TopologyOf(t, file)].Err); o.Err == nil {
				found[i], o.Err = own.find(ctx, plans[dial.TopologyOf(t, file)], as)
			}
			switch {
			case o.Err != nil:
				o.Code = cli.CodeOf(o.Err)
			case found[i].differs():
				o.State, o.Code = "differs", cli.ExitDrift
			default:
				o.State = "as planned"
			}
			return o
		})
	doc := DriftManyJSON{Schema: "cellwarden.drift-many/v1", Set: f.set, ExitCode: dial.Worst(outcomes),
		Targets: []driftTargetJSON{}}
	s := cli.Section{Title: "Switches", Columns: []string{"target", "state", "differences", "exit", "error"}}
	what := cli.Section{Title: "Not as planned", Columns: []string{"target", "register", "holds", "planned", "path"}}
	for i, o := range outcomes {
		t := driftTargetJSON{Target: all[i].Address, Prefix: cmp.Or(all[i].PrefixTarget, f.dial.PrefixTarget), State: o.State,
			ExitCode: o.Code, Error: o.ErrorText()}
		if o.Err != nil {
			s.Row(o.Address, o.State, cli.Number("-"), cli.Count(o.Code), t.Error)
		} else {
			d := found[i].document()
			t.Report = &d
			s.Row(o.Address, o.State, cli.Count(len(d.Differences)), cli.Count(o.Code), "")
			for _, x := range d.Differences {
				what.Row(o.Address, cli.Dash(x.Register), cli.Dash(x.Holds), cli.Dash(x.Planned), x.Path)
			}
		}
		doc.Targets = append(doc.Targets, t)
	}
	out := &cli.Screen{Head: []string{dial.Counts(outcomes) + cli.ChangedText(f.set)}, Sections: []cli.Section{s}}
	if len(what.Rows) > 0 {
		out.Sections = append(out.Sections, what)
	}
	if err := out.Write(cmd.OutOrStdout(), f.format, doc); err != nil {
		return cli.ExitWith(cli.ExitFailure, err)
	}
	if doc.ExitCode != cli.ExitFine {
		return cli.Silent(doc.ExitCode)
	}
	return nil
}
