package many

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/dial"
	"github.com/cellwarden/cellwarden/internal/cli/logging"
	"github.com/cellwarden/cellwarden/internal/files"
	"github.com/cellwarden/cellwarden/internal/rollout"
	"github.com/cellwarden/cellwarden/internal/sleep"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/report"
)

// apply of a fabric brings a change to its switches in waves. Package internal/rollout does them one after another, and
// devices.go does what is done to one switch.

// applyFlags are the flags that apply has for a fabric.
type applyFlags struct {
	wavesFlags
	state       string
	soak        time.Duration
	parallel    int
	notCounted  bool
	bounds      rollout.Bounds
	dryRun      bool
	strict      bool
	native      bool
	allowed     buffer.Disruption
	dial        dial.DialFlags
	named       *nos.Profile
	changedDial map[string]bool
}

// forFabrics is the note in the help of a flag that is for fabrics alone.
const forFabrics = "of a fabric: "

// registerApply adds the flags of a fabric to apply.
func registerApply(c *cobra.Command) *applyFlags {
	f := &applyFlags{}
	f.register(c)
	c.Flags().StringVar(&f.state, "state", "", "file that says how far the waves are; with it, apply goes on where it was")
	c.Flags().DurationVar(&f.soak, "soak", soakTime, "time between a wave and the look at what its switches have counted")
	c.Flags().BoolVar(&f.notCounted, "without-counters", false, "go on where a switch does not count what it loses")
	f.bounds = rollout.Strictest()
	c.Flags().Var(&f.bounds, "at-most", "the most that a switch may count from before its wave to after it; more, and the wave is undone")
	for _, name := range []string{"state", "soak", "without-counters", "at-most"} { // those of waves say it themselves
		c.Flags().Lookup(name).Usage = forFabrics + c.Flags().Lookup(name).Usage
	}
	return f
}

// fabricAlone are the flags of apply that mean nothing for one switch.
var fabricAlone = []string{"state", "soak", "without-counters", "at-most", "before", "accept", "second", "later"}

// read takes the flags that apply has for one switch as well.
func (f *applyFlags) read(cmd *cobra.Command) error {
	scratch := &cobra.Command{}
	f.dial.Register(scratch)
	f.dial.RegisterChanging(scratch)
	var err error
	f.changedDial = map[string]bool{}
	cmd.Flags().Visit(func(x *pflag.Flag) {
		if own := scratch.Flags().Lookup(x.Name); own != nil && err == nil {
			f.changedDial[x.Name] = true
			err = scratch.Flags().Set(x.Name, x.Value.String())
		}
	})
	f.dryRun, _ = cmd.Flags().GetBool("dry-run")
	f.strict, _ = cmd.Flags().GetBool("strict")
	f.native, _ = cmd.Flags().GetBool("native")
	f.parallel, _ = cmd.Flags().GetInt("parallel")
	text, _ := cmd.Flags().GetString("allow-disruption")
	for d := buffer.DisruptsNothing; ; d++ {
		if d > buffer.DisruptsReboot {
			return cli.ExitWith(cli.ExitUsage, fmt.Errorf("--allow-disruption: %q (want the values of apply --help)", text))
		}
		if f.allowed = d; d.String() == text {
			break
		}
	}
	name, _ := cmd.Flags().GetString("profile")
	named, bad := dial.NamedProfile(name)
	f.named, f.dial.Log = named, logging.Logger(cmd)
	switch {
	case f.soak < 0 || f.soak > 24*time.Hour:
		err = fmt.Errorf("--soak: %v (want 0s to 24h)", f.soak)
	case f.parallel < 1 || f.parallel > 1024:
		err = fmt.Errorf("--parallel: %d (want 1 to 1024)", f.parallel)
	case f.state == "" && !f.dryRun:
		err = errors.New("--state is missing (want a file that says how far the waves are: a run that is killed goes on " +
			"with it), or --dry-run")
	}
	if err = errors.Join(err, bad); err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	return nil
}

// run brings a change to the switches.
func (f *applyFlags) run(a *asked) error {
	if err := f.read(a.cmd); err != nil {
		return err
	}
	var without []string
	for _, s := range a.switches {
		if s.Target == "" {
			without = append(without, s.Name)
		}
	}
	if len(without) > 0 && !f.dryRun {
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf(`%s: no target of %s: want the key target of the role or the switch, `+
			`such as "{name}:9339"`, a.Name(), fold(without)))
	}
	r, err := f.route(a)
	if err != nil {
		return err
	}
	out := cli.Output{Format: a.format()}
	if f.dryRun || r.Refused != "" || len(r.Waves) == 0 {
		s, d := r.screen(r.headline()), r.document(nil)
		if f.dryRun && r.Refused == "" && len(r.Waves) > 0 {
			sent, notes := r.sent(f.named, f.native)
			s.Sections = append(s.Sections, r.stops(sent), r.commands(sent, &d))
			s.Foot = append(append(notes, s.Foot[:len(s.Foot)-1]...), f.steps(r)...)
		}
		return s.WithoutEmpty().Print(a.cmd, out, d, cli.CodeIf(r.Refused != "", cli.ExitLint))
	}
	release, err := lockState(f.state)
	if err != nil {
		return err
	}
	defer release()
	state, err := f.begun(a.cmd.Context(), r)
	if err != nil {
		return err
	}
	d := &devices{flags: f, route: r, switches: a.byName(), folder: f.state + ".journals", began: state.Began}
	o := rollout.Options{Soak: f.soak, Parallel: f.parallel, MayUnknown: f.notCounted, Peers: r.peers, Wait: sleep.For,
		Untouched: r.Unchanged, Save: f.save, Say: func(wave int, text string) {
			fmt.Fprintf(a.cmd.ErrOrStderr(), "wave %d of %d (%s): %s\n", wave+1, len(state.Waves),
				fold(members(&state.Waves[wave])), text)
		}}
	// What a test counts the writes with.
	if hook, ok := a.cmd.Context().Value(saveKey{}).(func(*rollout.State) error); ok {
		o.Save = func(s *rollout.State) error { return errors.Join(f.save(s), hook(s)) }
	}
	if err := rollout.Run(a.cmd.Context(), state, d, o); err != nil {
		return cli.ExitWith(cli.ExitPartial, fmt.Errorf("%w: the same command goes on where it was (%s)", err, f.state))
	}
	return f.ended(a, r, state, out)
}

// saveKey is the key of a context's function that is called after each write of the state.
type saveKey struct{}

// steps say what is done in each wave.
func (f *applyFlags) steps(r *route) (out []string) {
	out = append(out, fmt.Sprintf("- each wave: drift FABRIC:SWITCH against the stage before, apply, wait %v, drift, and watch beside switches of "+
		"the role that are not touched; a wave that fails is undone", f.soak),
		"- at most "+f.bounds.String()+" (--at-most)")
	return append(out, fmt.Sprintf("next      cellwarden apply %s --before %s --state waves.json", r.to.Name(), r.from.Name()))
}

// begun reads the state of an earlier run, or begins one.
func (f *applyFlags) begun(ctx context.Context, r *route) (*rollout.State, error) {
	fresh := &rollout.State{Schema: report.Schema("fabric-waves-state"), Plan: r.Sum(), Waves: r.Waves,
		Began: time.Now().UTC().Truncate(time.Second)}
	if _, err := os.Lstat(f.state); errors.Is(err, os.ErrNotExist) {
		return fresh, nil
	}
	data, err := files.Read(ctx, f.state)
	s := &rollout.State{}
	if err == nil {
		err = json.Unmarshal(data, s)
	}
	if err == nil && s.Schema != fresh.Schema {
		err = fmt.Errorf("schema %q (want %s)", s.Schema, fresh.Schema)
	}
	if err == nil && (s.Plan != fresh.Plan || !sameWaves(s, fresh)) {
		err = fmt.Errorf("it is of another change: %s or %s is not what it was when the waves began (want the same files, or "+
			"another --state)", r.to.Name(), r.from.Name())
	}
	if err != nil {
		return nil, cli.ExitWith(cli.ExitUsage, fmt.Errorf("--state %s: %w", f.state, err))
	}
	return s, nil
}

// sameWaves tells whether a state has the waves of a route.
func sameWaves(a, b *rollout.State) bool {
	return slices.EqualFunc(a.Waves, b.Waves, func(x, y rollout.Wave) bool {
		return x.Stage == y.Stage && slices.Equal(members(&x), members(&y))
	})
}

// save writes the state down. The file is replaced when it is complete.
func (f *applyFlags) save(s *rollout.State) error {
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	return write(f.state, string(text)+"\n")
}

// lockState keeps another run with the same state away.
func lockState(file string) (func(), error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, cli.Failure(err)
	}
	l, err := journal.LockTarget("waves of "+path, time.Now())
	if err != nil {
		return nil, cli.ExitWith(cli.ExitFailure, fmt.Errorf("--state %s: %w", file, err))
	}
	return l.Release, nil
}

// mostPeers is how many switches of its role a switch is compared with.
const mostPeers = 2

// peers are the first switches of a switch's role that are not touched.
func (r *route) peers(name string, untouched []string) (out []string) {
	at := r.to.byName()
	for _, other := range untouched {
		if other != name && at[other].Role == at[name].Role && len(out) < mostPeers {
			out = append(out, other)
		}
	}
	return out
}

// ended prints how the run ended: what the switches have, and the cables that are in an error because of it.
func (f *applyFlags) ended(a *asked, r *route, s *rollout.State, out cli.Output) error {
	done := 0
	for _, w := range s.Waves {
		if w.State == rollout.Checked {
			done++
		}
	}
	code, left := cli.ExitFine, []rollout.Mixed(nil)
	head := fmt.Sprintf("SUCCESSFUL: %s of %s", cli.Plural(done, "wave", "waves"), f.state)
	if names := notLookedAt(s); names != "" {
		head += ", as far as switches count: " + names + " not on all"
	}
	if s.Verdict != rollout.Successful {
		left = r.Left(s)
	}
	undone := slices.ContainsFunc(s.Waves, func(w rollout.Wave) bool { return w.State == rollout.Undone })
	switch s.Verdict {
	case rollout.Failed:
		code = cli.ExitRolledBack
		head = fmt.Sprintf("FAILED: wave %d was undone, %d before it stay: %s", done+1, done, s.Why)
		if !undone {
			head = fmt.Sprintf("FAILED in wave %d: %s", done+1, s.Why)
		}
	case rollout.Inconclusive:
		code = cli.ExitPartial
		head = fmt.Sprintf("INCONCLUSIVE: stopped in wave %d of %d, nothing was undone: %s", done+1, len(s.Waves), s.Why)
	}
	if len(left) > 0 {
		head += fmt.Sprintf("; %s now", cli.Plural(len(left), "error of link is", "errors of link are"))
	}
	screen := &cli.Screen{Head: []string{head}, Mood: cli.MoodOf(code == cli.ExitFine)}
	waves := cli.Section{Name: "waves", Columns: []string{"wave", "to", "state", "switches", "not as planned"}}
	for i := range s.Waves {
		w := &s.Waves[i]
		var bad []string
		for _, m := range w.Switches {
			if m.State == rollout.Unknown || m.Why != "" {
				bad = append(bad, m.Name+": "+m.State)
			}
		}
		waves.Row(cli.Count(i+1), r.Stages[w.Stage].Name, w.State, fold(members(w)), cli.Dash(strings.Join(bad, ", ")))
	}
	cables := cli.Section{Name: "left", Title: "Cables that link calls an error now", Columns: []string{"a", "b", "code", "what"}}
	for _, m := range left {
		cables.Row(m.Wire.A, m.Wire.B, string(m.Code), m.Message)
	}
	screen.Sections = []cli.Section{waves, cables}
	for text, names := range lacking(s, func(m *rollout.Member) string { return m.NotSent }) {
		screen.Foot = append(screen.Foot, fmt.Sprintf("- not sent to %s: %s (--strict refuses such a plan)", fold(names), text))
	}
	for text, names := range lacking(s, func(m *rollout.Member) string { return m.NotCounted }) {
		screen.Foot = append(screen.Foot, fmt.Sprintf("- not looked at on %s: %s (--at-most stops where it is not counted)",
			fold(names), text))
	}
	slices.Sort(screen.Foot)
	if _, after, _ := r.conditions(); code == cli.ExitFine {
		for _, text := range after {
			screen.Foot = append(screen.Foot, "next      after the last wave alone: "+text)
		}
	}
	if s.Verdict == rollout.Inconclusive {
		screen.Foot = append(screen.Foot, "next      look at the switch; the same command goes on with this wave, and the "+
			"journals in "+f.state+".journals undo it (cellwarden resume JOURNAL --undo)")
	}
	doc := r.document(s)
	doc.Left = r.mixedCables(left)
	return screen.WithoutEmpty().Print(a.cmd, out, doc, code)
}

// notLookedAt are the bounds that some switch did not count.
func notLookedAt(s *rollout.State) string {
	var out []string
	for text := range lacking(s, func(m *rollout.Member) string { return m.NotCounted }) {
		for part := range strings.SplitSeq(text, "; ") {
			if name, _, bound := strings.Cut(part, ":"); bound && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// lacking are the switches by what each of them lacks.
func lacking(s *rollout.State, what func(*rollout.Member) string) map[string][]string {
	out := map[string][]string{}
	for i := range s.Waves {
		for k := range s.Waves[i].Switches {
			m := &s.Waves[i].Switches[k]
			if text := what(m); text != "" && !slices.Contains(out[text], m.Name) {
				out[text] = append(out[text], m.Name)
			}
		}
	}
	return out
}

// journalOf is the file of the n-th journal of a switch's push to a stage.
func (d *devices) journalOf(name string, stage, n int) string {
	return filepath.Join(d.folder, fmt.Sprintf("%s.%d.%d.jsonl", name, stage, n))
}

// devices do what is done to the switches of a fabric, over gNMI.
type devices struct {
	flags    *applyFlags
	route    *route
	switches map[string]*fabric.Switch
	folder   string    // of the journals
	began    time.Time // of the run, from which readings count their time
}
