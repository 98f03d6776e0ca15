package many

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/push"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/rollout"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/report"
)

// waves says in which order the switches of a fabric are changed, and what link says of every cable meanwhile.

// wavesFlags are the flags of waves, and of apply for a fabric. second and later are percents of the switches, 1 to
// 100. accept are codes of link. from is the file of the fabric as it is. soak is 0 to 24 hours. bounds are the most
// that a switch may count more after its wave than before it. Of the flags of apply, waves has the profile, the native
// configuration and the dry run.
type wavesFlags struct {
	from          string
	accept        []string
	second, later int
	soak          time.Duration
	bounds        rollout.Bounds
	push.Flags
}

// register adds the flags. apply has the same flags, so that the order which was looked at is the one that is made. By
// default a switch may count nothing that it did not count before.
func (f *wavesFlags) register(c *cobra.Command) {
	f.bounds = rollout.Strictest()
	c.Flags().StringVar(&f.from, "before", "", "the fabric as it is: the file of a fabric with the same switches")
	c.Flags().StringArrayVar(&f.accept, "accept", nil,
		"code of link that a cable of a fabric may have between two waves; repeatable")
	c.Flags().IntVar(&f.second, "second", 10, "percent of the switches of a role of a fabric in the second wave")
	c.Flags().IntVar(&f.later, "later", 25, "percent of the switches of a role of a fabric in later waves")
	c.Flags().DurationVar(&f.soak, "soak", time.Minute,
		"time between a wave of a fabric and the look at what its switches have counted")
	c.Flags().Var(&f.bounds, "at-most", "the most that a switch of a fabric may count from before its wave to after it; "+
		"more, and the wave is undone")
}

// route is the way from one fabric to another. from and to have the same switches. The embedded way has the waves,
// the stages, and what cables differ in meanwhile.
type route struct {
	*rollout.Way
	from, to *asked
	notes    []string // cables that are not compared
}

// route reads both fabrics and plans the waves. Both are planned in full, since a wave that does not fit must be known
// before the first is sent. Nothing is sent and no switch is asked. An error is wrong usage, or a plan that does not
// fit (exit code 3). A change that must not be made is no error: Way.Refused says why.
func (f *wavesFlags) route(to *asked) (*route, error) {
	switch {
	case f.from == "":
		return nil, cli.BadUsage("--before is missing (want the file of the fabric as it is: without " +
			"it nobody knows what is at the other end of a cable between two waves)")
	case f.second < 1 || f.second > 100 || f.later < 1 || f.later > 100:
		return nil, cli.BadUsage("--second and --later: want 1 to 100 percent")
	// 0 is accepted: counters are then read again as soon as the wave is sent.
	case f.soak < 0 || f.soak > 24*time.Hour:
		return nil, cli.BadUsage("--soak: %v (want 0s to 24h)", f.soak)
	}
	// The old fabric is read with the flags of the command, too.
	from, err := to.other(f.from)
	if err != nil {
		return nil, err
	}
	// A switch in one file alone would have no plan before or after.
	both, gone, added := pairs(from, to)
	if len(gone)+len(added) > 0 {
		return nil, cli.BadUsage("%s has %s that %s lacks, and lacks %s: want the same switches in "+
			"both", from.Name(), cmp.Or(fold(gone), "no switch"), to.Name(), cmp.Or(fold(added), "none"))
	}
	// A switch that does not change is among them: its cables are compared, and it stands beside others that do.
	switches := make([]rollout.Changed, len(both))
	for i, p := range both {
		// Kinds are planned once in each fabric.
		before, bad := from.planOf(p[0])
		after, err := to.planOf(p[1])
		if err := cmp.Or(bad, err); err != nil {
			return nil, err
		}
		switches[i] = rollout.Changed{Switch: p[1], Before: before, After: after}
	}
	// The cables are those of the new file: it says what will be connected. Hosts are left out: no wave changes a host,
	// so their cables have no state between two waves.
	wires, notes, err := to.wires(false)
	if err != nil {
		return nil, err
	}
	way, err := rollout.NewWay(switches, wires, rollout.Limits{Second: f.second, Later: f.later}, f.accept)
	if err != nil {
		return nil, cli.BadUsage("%s and %s: %w", from.Name(), to.Name(), err)
	}
	return &route{way, from, to, notes}, nil
}

// WavesCommand is fabric waves. It is a verb of the group fabric, which has the file of a fabric alone: a dry run of
// apply, for which no switch needs an address.
func WavesCommand() *cobra.Command {
	var f wavesFlags
	var format cli.Output
	c := cli.Command("fabric waves", cli.Args(1, 1), func(cmd *cobra.Command, args []string) error {
		a, err := load(cmd, args)
		if err == nil && (a == nil || a.only != "") {
			err = fmt.Errorf("%s: want the file of a fabric (docs/fabric.md)", args[0])
		}
		if err != nil {
			return err
		}
		a.run = func(a *asked) error {
			r, err := f.route(a)
			if err != nil {
				return err
			}
			return f.print(a, r, format, f.DryRun)
		}
		return a.all()
	})
	f.register(c)
	f.Flags.Register(c)
	cli.OutputFlag(c, &format)
	cli.AllFlag(c, &format)
	return c
}

// print prints a way, and what is sent on it. A refused one ends with 4, as findings of link do. Of a way that is
// looked at without --dry-run the waves are the first screen.
func (f *wavesFlags) print(a *asked, r *route, out cli.Output, whole bool) error {
	d, first := r.document(nil), []string{"waves", "meanwhile"}
	s := &cli.Screen{Head: []string{r.headline()}, Mood: cli.MoodOf(r.Refused == "")}
	// The conditions are in the first lines, since they are what a person has to see to.
	s.Head = append(s.Head, cli.Prefixed("first     before the first wave: ", d.Before)...)
	s.Head = append(s.Head, cli.Prefixed("last      after the last wave alone: ", d.After)...)
	// A wave goes to a stage, which has a name.
	waves := cli.Table("waves", "", "wave", "to", "number", "switches")
	for i, w := range d.Waves {
		waves.Row(cli.Count(i+1), w.To, cli.Count(len(w.Switches)), fold(w.Switches))
	}
	s.Sections = append(s.Sections, waves, r.meanwhile())
	goes := r.Refused == "" && len(r.Waves) > 0
	if goes {
		sent, notes := r.sent(f.Named, f.Native)
		s.Sections = append(s.Sections, r.tables(sent, &d)...)
		s.Note(notes...)
		if len(notes) == 0 {
			first = append(first, "stops")
		}
	}
	s.Note(r.notes...)
	if goes && whole {
		s.Note(fmt.Sprintf("each wave: drift FABRIC:SWITCH against the stage before, apply, wait %v, drift, and watch "+
			"beside switches of the role that are not touched; a wave that fails is undone", f.soak),
			"at most "+f.bounds.String()+" (--at-most)")
	}
	if goes {
		s.Foot = append(s.Foot, fmt.Sprintf("next      cellwarden apply %s --before %s --state waves.json", r.to.Name(),
			r.from.Name()))
	}
	if s = s.WithoutEmpty(); !whole {
		s.Brief(20, first...)
	}
	return s.Print(a.cmd, out, d, cli.CodeIf(r.Refused != "", cli.ExitLint))
}

// conditions say what must be done before the first wave, and after the last alone, so that no cable loses frames
// meanwhile; and whose business that is. They are what no switch can do: hosts that send, and people who exchange
// cables. before and after are sentences; who is for the verdict. They come from package rollout, which compares the
// plans; the texts are here.
func (r *route) conditions() (before, after, who []string) {
	for _, c := range []struct {
		is        bool
		list      *[]string
		who, what string
	}{
		{r.Removed != 0, &before, "hosts", "hosts send nothing lossless in priority " + priorities(r.Removed) + " any more"},
		{r.ShorterFrames, &before, "hosts", "hosts send no lossless frames that are longer than the new plan says"},
		{r.Added != 0, &after, "hosts", "hosts send lossless frames in priority " + priorities(r.Added)},
		{r.LongerFrames, &after, "hosts", "hosts send longer lossless frames than the old plan says"},
		// A cable that is shorter needs less headroom, so it can be exchanged before; a longer one has to wait.
		{r.Shorter > 0, &before, "cables", cli.Plural(r.Shorter, "cable is", "cables are") + " exchanged for shorter ones"},
		{r.Longer > 0, &after, "cables", cli.Plural(r.Longer, "cable is", "cables are") + " exchanged for longer ones"},
	} {
		if c.is {
			*c.list, who = append(*c.list, c.what), grouped.Add(who, c.who)
		}
	}
	return before, after, who
}

// priorities lists priorities for a sentence.
func priorities(set pfc.Priorities) string { return strings.ReplaceAll(set.String(), ",", ", ") }

// headline is the first line. READY is without conditions. READY IF names who has to wait for the waves, and READY AS
// ACCEPTED that cables will be in an error which the user has accepted. The order of the cases is that of what a
// person has to know first: a refusal, then what has to wait, then what was accepted.
func (r *route) headline() string {
	// A switch is in several waves if the change has stages, and is counted once.
	changed := map[string]bool{}
	for _, w := range r.Waves {
		for _, m := range w.Switches {
			changed[m.Name] = true
		}
	}
	of := fmt.Sprintf("%s for %d of %s", cli.Plural(len(r.Waves), "wave", "waves"), len(changed),
		cli.Plural(len(r.Switches), "switch", "switches"))
	if n := len(r.Stages) - 1; n > 1 {
		of += fmt.Sprintf(" in %d stages", n)
	}
	meanwhile := fmt.Sprintf("no error of link on any of %s between two waves", cli.Plural(len(r.Wires), "cable", "cables"))
	// With --accept, errors of the accepted codes stay in r.Mixed; a code that is not accepted refuses the way.
	if len(r.Mixed) > 0 {
		cables := rollout.CablesBy(r.Mixed, func(*rollout.Mixed) bool { return true })
		codes := rollout.CablesBy(r.Mixed, func(m *rollout.Mixed) string { return string(m.Code) })
		meanwhile = fmt.Sprintf("meanwhile the ends of %s differ (%s)", cli.Plural(len(cables.Of(true).All), "cable", "cables"),
			strings.Join(codes.Keys, ", "))
	}
	// Sentences are in the lines below; the first line names who has to wait.
	_, _, who := r.conditions()
	switch {
	case r.Refused != "":
		return "REFUSED: " + r.Refused
	case len(r.Waves) == 0:
		return fmt.Sprintf("NOTHING TO DO: %s has the same plans as %s", r.to.Name(), r.from.Name())
	case len(who) > 0:
		return "READY IF " + strings.Join(who, " and ") + " wait: " + of + "; " + meanwhile
	case len(r.Mixed) > 0:
		return "READY AS ACCEPTED: " + of + "; " + meanwhile
	}
	return "READY: " + of + "; " + meanwhile
}

// meanwhile lists the cables in an error between two waves, folded by code and stage. first is the message of the
// first cable of the row. A cable is counted once in each row, however many findings of the code it has.
func (r *route) meanwhile() cli.Section {
	s := cli.Table("meanwhile", "Cables that link calls an error while one end is a stage further", "on the way to",
		"code", "cables", "first")
	type key struct {
		stage int
		code  finding.Code
	}
	all := rollout.CablesBy(r.Mixed, func(m *rollout.Mixed) key { return key{m.Stage, m.Code} })
	for k, x := range all.All() {
		s.Row(r.Stages[k.stage], k.code, cli.Count(len(x.All)), x.First)
	}
	return s
}

// document is the route as JSON, with the state of a run if there is one. Without a state the verdict is ready or
// refused; with one it is that of the run.
func (r *route) document(s *rollout.Progress) report.FabricWavesDocument {
	d := report.FabricWavesDocument{Schema: report.Schema("fabric-waves"), From: r.from.Name(), To: r.to.Name(),
		Meanwhile: r.mixedCables(r.Mixed), Left: []report.FabricMixedCable{}, Refused: r.Refused,
		Switches: len(r.Switches), Cables: len(r.Wires), Verdict: "ready"}
	waves := r.Waves
	if s != nil {
		// A run without a verdict has not ended.
		waves, d.Verdict, d.Why = s.Waves, cmp.Or(string(s.Verdict), "under-way"), s.Why
	}
	if r.Refused != "" {
		d.Verdict = "refused"
	}
	// The conditions hold for a run, too: what comes after the last wave is still to be done then.
	d.Before, d.After, _ = r.conditions()
	for _, w := range waves {
		to := unnamed.Add(&d.Waves)
		to.To, to.State, to.Switches = r.Stages[w.Stage], w.State, w.Names()
	}
	return d
}

// mixedCables are cables in an error, as a document has them. An empty list is [] in JSON, and not null.
func (r *route) mixedCables(all []rollout.Mixed) []report.FabricMixedCable {
	out := []report.FabricMixedCable{}
	for _, m := range all {
		out = append(out, report.FabricMixedCable{A: m.Wire.A.String(), B: m.Wire.B.String(), To: r.Stages[m.Stage],
			Code: string(m.Code), What: m.Message})
	}
	return out
}
