package many

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/push"
	"github.com/cellwarden/cellwarden/internal/files"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/rollout"
	"github.com/cellwarden/cellwarden/internal/sleep"
	"github.com/cellwarden/cellwarden/report"
)

// apply of a fabric brings a change to its switches in waves. Package internal/rollout does them one after another, and
// devices.go does what is done to one switch.

// applyFlags are the flags that apply has for a fabric alone.
type applyFlags struct {
	wavesFlags
	// state is the path of the file of the run; empty: only a dry run is accepted. notCounted lets a run go on with a
	// switch that does not count what the bounds are about.
	state      string
	most       int // waves of this run; 0: all
	notCounted bool
}

// registerApply adds the flags of a fabric to apply.
func registerApply(c *cobra.Command) *applyFlags {
	f := &applyFlags{}
	f.register(c)
	c.Flags().StringVar(&f.state, "state", "",
		"file that says how far the waves of a fabric are; with it, apply goes on where it was")
	c.Flags().IntVar(&f.most, "waves", 0, "stop after this number of waves of a fabric, such as 1 to drain the switches "+
		"of the next one by hand; the same command goes on (default: all)")
	c.Flags().BoolVar(&f.notCounted, "without-counters", false,
		"go on where a switch of a fabric does not count what it loses")
	return f
}

// fabricAlone are the flags of apply that mean nothing for one switch. With the file of one switch they are refused:
// see Verbs.
var fabricAlone = []string{"state", "soak", "waves", "without-counters", "at-most", "before", "accept", "second",
	"later"}

// run brings a change to the switches, when apply has read the flags that it has for one switch as well.
func (f *applyFlags) run(a *asked) error {
	a.cmd.SetContext(push.WithInstead(a.cmd.Context(), func(flags push.Flags) error {
		f.Flags = flags
		return f.change(a)
	}))
	return a.alone(a.cmd, a.args)
}

// change brings a change to the switches. A dry run, a route that is refused and one without waves end before the state
// is locked or read.
func (f *applyFlags) change(a *asked) error {
	switch {
	case f.most < 0:
		return fmt.Errorf("--waves: %d (want 1 or more; 0: all)", f.most)
	// A run without a state could not be resumed, and would leave a fabric between two waves.
	case f.state == "" && !f.DryRun:
		return errors.New("--state is missing (want a file that says how far the waves are: a run that is killed goes on " +
			"with it), or --dry-run")
	}
	// A dry run needs no switch.
	if !f.DryRun {
		if err := a.need("target", a.switches...); err != nil {
			return err
		}
	}
	// The whole way is planned before the first switch is contacted. An error here is of the files or the flags. A route
	// that must not be gone is no error: its Refused says why.
	r, err := f.route(a)
	if err != nil {
		return err
	}
	out := cli.Output{Format: a.format()}
	if f.DryRun || r.Refused != "" || len(r.Waves) == 0 {
		return f.print(a, r, out, true)
	}
	// Two runs with one state would both send the same wave. The state is read after the lock is held, so nobody writes
	// it between the two.
	// The same file under a relative and an absolute path has to have one lock. Links are not followed. The lock is one of
	// package journal, as that of a push to a switch. The words in front keep the two kinds apart.
	path, err := filepath.Abs(f.state)
	if err != nil {
		return cli.Failure(err)
	}
	lock, err := journal.LockTarget("waves of "+path, time.Now())
	if err != nil {
		return cli.ExitWith(cli.ExitFailure, fmt.Errorf("--state %s: %w", f.state, err))
	}
	defer lock.Release()
	// It is the state of an earlier run with the same plans, or a new one that nothing has been written of.
	state, err := f.begun(a.cmd.Context(), r)
	if err != nil {
		return err
	}
	d := &devices{flags: f, route: r, began: state.Began}
	// Save writes the state down as the waves go on: see package rollout. Waves are counted from 1 for people and from 0
	// in the state.
	o := rollout.Options{Soak: f.soak, Parallel: f.Parallel, Most: f.most, MayUnknown: f.notCounted, Peers: r.peers,
		Wait: sleep.For, Untouched: r.Unchanged, Save: f.save, Say: func(wave int, text string) {
			fmt.Fprintf(a.cmd.ErrOrStderr(), "wave %d of %d (%s): %s\n", wave+1, len(state.Waves),
				fold(state.Waves[wave].Names()), text)
		}}
	// An error is one of this machine, such as a state that cannot be written: what switches have is in the verdict of
	// the state.
	if err := rollout.Run(a.cmd.Context(), state, d, o); err != nil {
		return cli.ExitWith(cli.ExitPartial, fmt.Errorf("%w: the same command goes on where it was (%s)", err, f.state))
	}
	return f.ended(a, r, state, out)
}

// begun reads the state of an earlier run, or begins one. A state of another change is refused: its waves would be of
// other plans.
func (f *applyFlags) begun(ctx context.Context, r *route) (*rollout.Progress, error) {
	// Plan is a sum over the plans of all stages. Times are in whole seconds of UTC, so the file can be compared.
	fresh := &rollout.Progress{Schema: report.Schema("fabric-waves-state"), Plan: r.Sum(), Waves: r.Waves,
		Began: time.Now().UTC().Truncate(time.Second)}
	// Lstat, so that a link which leads nowhere is an error of reading below and not a new state.
	if _, err := os.Lstat(f.state); errors.Is(err, os.ErrNotExist) {
		return fresh, nil
	}
	// Errors of reading, of the form and of another change are wrong usage: nothing is sent.
	data, err := files.Read(ctx, f.state)
	s := &rollout.Progress{}
	if err == nil {
		err = json.Unmarshal(data, s)
	}
	// JSON of another kind decodes without an error, since unknown keys are passed over: the schema tells.
	if err == nil && s.Schema != fresh.Schema {
		err = fmt.Errorf("schema %q (want %s)", s.Schema, fresh.Schema)
	}
	// A state of the same plans can have other waves, if its file was edited: its numbers of waves would then mean other
	// switches.
	same := func(x, y rollout.Wave) bool { return x.Stage == y.Stage && slices.Equal(x.Names(), y.Names()) }
	if err == nil && (s.Plan != fresh.Plan || !slices.EqualFunc(s.Waves, fresh.Waves, same)) {
		err = fmt.Errorf("it is of another change: %s or %s is not what it was when the waves began (want the same files, or "+
			"another --state)", r.to.Name(), r.from.Name())
	}
	if err != nil {
		return nil, cli.BadUsage("--state %s: %w", f.state, err)
	}
	return s, nil
}

// save writes the state down. The file is replaced when it is complete. An error of it stops the run, since what is not
// written down could not be resumed.
func (f *applyFlags) save(s *rollout.Progress) error {
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	// The file gets its name when it is complete.
	set := files.New()
	defer set.Discard()
	out, err := set.Create(f.state, true)
	if err == nil {
		_, err = out.Write(append(text, '\n'))
	}
	return errors.Join(err, set.Commit())
}

// mostPeers is how many switches of its role a switch is compared with. Each peer is read before and after the wave
// as well, which is time of the run.
const mostPeers = 2

// peers are the first switches of a switch's role that are not touched. A switch of the same role sees the same
// traffic, so it tells what would have been counted anyway. The list is empty where every switch of the role is
// touched: the counts of the wave are then judged alone.
func (r *route) peers(name string, untouched []string) []string {
	same := slices.DeleteFunc(slices.Clone(untouched), func(other string) bool {
		return other == name || r.to.at[other].Role != r.to.at[name].Role
	})
	return same[:min(len(same), mostPeers)]
}

// ended prints how the run ended: what the switches have, and the cables that are in an error because of it. Exit code
// 6 says that a wave failed, and 7 that the run stopped and undid nothing, because something is not known.
func (f *applyFlags) ended(a *asked, r *route, s *rollout.Progress, out cli.Output) error {
	// A wave that was sent and not yet judged is not done.
	done := s.Count(rollout.Checked)
	// After a wave that was undone the fabric is between two waves, and cables can differ at their ends.
	code, left := cli.ExitFine, r.Left(s)
	next := "" // the switches of the next wave, of a run that has not ended
	// The verdict is the first word, and a wave that failed is named with the reason.
	head := fmt.Sprintf("SUCCESSFUL: %s of %s", cli.Plural(done, "wave", "waves"), f.state)
	screen := &cli.Screen{}
	var bounds []string // that some switch did not count
	for text, names := range lacking(s, func(m *rollout.Member) string { return m.NotCounted }) {
		screen.Note(fmt.Sprintf("not looked at on %s: %s (--at-most stops where it is not counted)", fold(*names), text))
		// A part is the name of a bound, a colon and the places. A part without a colon names no bound.
		for part := range strings.SplitSeq(text, "; ") {
			if name, _, bound := strings.Cut(part, ":"); bound {
				bounds = grouped.Add(bounds, name)
			}
		}
	}
	if slices.Sort(bounds); len(bounds) > 0 {
		head += ", as far as switches count: " + strings.Join(bounds, ", ") + " not on all"
	}
	switch s.Verdict {
	// The waves before the failed one are Checked, so done+1 is its number.
	case rollout.Failed:
		code = cli.ExitRolledBack
		head = fmt.Sprintf("FAILED: wave %d was undone, %d before it stay: %s", done+1, done, s.Why)
		// A wave that failed before anything was sent has nothing to undo.
		if s.Count(rollout.Undone) == 0 {
			head = fmt.Sprintf("FAILED in wave %d: %s", done+1, s.Why)
		}
	// The run has done as many waves as it may.
	case "":
		next = fold(s.Waves[done].Names())
		head = fmt.Sprintf("UNDER WAY: %d of %s done; the next is of %s", done,
			cli.Plural(len(s.Waves), "wave", "waves"), next)
	case rollout.Inconclusive:
		code = cli.ExitPartial
		head = fmt.Sprintf("INCONCLUSIVE: stopped in wave %d of %d, nothing was undone: %s", done+1, len(s.Waves), s.Why)
	}
	if len(left) > 0 {
		head += fmt.Sprintf("; %s now", cli.Plural(len(left), "error of link is", "errors of link are"))
	}
	screen.Head, screen.Mood = []string{head}, cli.MoodOf(code == cli.ExitFine)
	// Switches that are not as planned are listed with their state.
	waves := cli.Table("waves", "", "wave", "to", "state", "switches", "not as planned")
	for i := range s.Waves {
		w := &s.Waves[i]
		var bad []string
		for _, m := range w.Switches {
			if m.State == rollout.Unknown || m.Why != "" {
				bad = append(bad, m.Name+": "+m.State)
			}
		}
		waves.Row(cli.Count(i+1), r.Stages[w.Stage], w.State, fold(w.Names()), cli.Dash(strings.Join(bad, ", ")))
	}
	cables := cli.Table("left", "Cables that link calls an error now", "a", "b", "code", "what")
	for _, m := range left {
		cables.Row(m.Wire.A, m.Wire.B, string(m.Code), m.Message)
	}
	screen.Sections = []cli.Section{waves, cables}
	for text, names := range lacking(s, func(m *rollout.Member) string { return m.NotSent }) {
		screen.Note(fmt.Sprintf("not sent to %s: %s (--strict refuses such a plan)", fold(*names), text))
	}
	slices.Sort(screen.Foot)
	// The cables that are in an error now are in the document as well.
	doc := r.document(s)
	doc.Left = r.mixedCables(left)
	// What hosts and people do after the last wave is said only when all waves are done.
	if s.Verdict == rollout.Successful {
		screen.Foot = append(screen.Foot, cli.Prefixed("next      after the last wave alone: ", doc.After)...)
	}
	if next != "" {
		screen.Foot = append(screen.Foot, fmt.Sprintf("next      the same command goes on with wave %d; drain %s first, and "+
			"undrain those of the wave before, if their traffic must not stop", done+1, next))
	}
	if s.Verdict == rollout.Inconclusive {
		rest := "; with --without-counters also where a switch does not count"
		if s.Count(rollout.Sending) > 0 {
			rest = ", and the journals in " + f.journals() + " undo it (cellwarden resume JOURNAL --undo)"
		}
		screen.Foot = append(screen.Foot, "next      look at the switch; the same command goes on with this wave"+rest)
	}
	return screen.WithoutEmpty().Print(a.cmd, out, doc, code)
}

// lacking are the switches by what each of them lacks. The key is the text, so that many switches with the same lack
// are one line. A switch in several waves is listed once.
func lacking(s *rollout.Progress, what func(*rollout.Member) string) iter.Seq2[string, *[]string] {
	var out grouped.By[string, []string]
	for i := range s.Waves {
		for k := range s.Waves[i].Switches {
			m := &s.Waves[i].Switches[k]
			if text := what(m); text != "" {
				names := out.Of(text)
				*names = grouped.Add(*names, m.Name)
			}
		}
	}
	return out.All()
}

// journals is the folder of the journals. They are beside the state, so that both go together to another machine.
func (f *applyFlags) journals() string { return f.state + ".journals" }

// journalOf is the file of the n-th journal of a switch's push to a stage. n counts from 1: a switch that is gone on
// with has another journal. A later run of the same change finds the journals by these names, so their form must not
// change while runs are under way.
func (d *devices) journalOf(name string, stage, n int) string {
	return filepath.Join(d.flags.journals(), fmt.Sprintf("%s.%d.%d.jsonl", name, stage, n))
}

// devices do what is done to the switches of a fabric, over gNMI. It is what package rollout asks to do its steps on,
// with a stage as a number of route.Stages. Its methods are called for several switches at the same time, and change
// nothing in it.
type devices struct {
	flags *applyFlags
	route *route
	began time.Time // of the run, from which readings count their time
}
