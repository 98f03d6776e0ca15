package many

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/inputs"
	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/topology"
)

// This file reads the fabric that a verb is asked about, and asks the verb about one switch of it.

// way is how a verb answers for a fabric: with a row for each kind of switch, if it does not say otherwise. That of
// apply gets its run from Verbs, which registers the flags for it. Of reached, instead and run one is set at most.
type way struct {
	// reached has the verdicts of a verb that asks each switch at its target, by exit code: its first lines have addresses
	// in them, so the head of all says these instead. Another code is FAILED. nil: the verb reaches no switch.
	reached  map[int]string
	instead  string
	run      func(*asked) error // another way; nil: none
	restrict []string           // flags that mean nothing for a fabric
}

// asked is a question about a fabric. switches are in the order of the file. cables have ports of both ends where the
// file or the role says them.
type asked struct {
	*fabric.File
	way
	cmd *cobra.Command
	// fresh makes the whole command line anew, and args are the arguments of the verb, the file of the fabric first.
	fresh    func() *cobra.Command
	args     []string
	switches []*fabric.Switch
	at       map[string]*fabric.Switch // by name, in switches
	cables   []fabric.Cable
	alone    func(*cobra.Command, []string) error // the verb for one switch
	only     string                               // the switch of FABRIC:SWITCH; empty: all
	// Kinds are by their number, and filled as switches are asked about.
	kinds map[int]*kind
}

// Keys that the file of a fabric has, and one that every topology has, and one that every scenario has: scenarios
// list switches too. The file is looked at as text, because a file that is no YAML has to get the error of the verb
// and not of this package. A key has to begin a line, and can stand behind a brace and in quotes, as in JSON.
var (
	fabricKeys   = once.Pattern(`(?m)^[{\s]*"?(switches|generate)"?\s*:`)
	topologyKeys = once.Pattern(`(?m)^[{\s]*"?(chip|until)"?\s*:`)
)

// readKey is the key of a context's fabric: a command for one switch of it does not read it again.
type readKey struct{}

// load reads the fabric that the first argument names, with the switch of FABRIC:SWITCH in only. It is nil for another
// file, which the verb reads by itself. A file that is both, or none, is the verb's. The error is that of the file of a
// fabric, with its place.
func load(cmd *cobra.Command, args []string) (*asked, error) {
	if len(args) == 0 {
		return nil, nil
	}
	file, only := args[0], ""
	// A pipe can be read once, so that only a regular file is looked into. The function reads file at the time of the
	// call, which changes below.
	regular := func() bool { info, err := os.Stat(file); return err == nil && info.Mode().IsRegular() }
	// A file whose own name has a colon is found before, as it stands. The last colon divides, because the path of a file
	// can have one.
	if at := strings.LastIndexByte(file, ':'); at >= 0 && !regular() {
		file, only = file[:at], file[at+1:]
	}
	if a, read := cmd.Context().Value(readKey{}).(*asked); read && a.Name() == file {
		own := *a
		own.cmd, own.args, own.only, own.kinds = cmd, args, only, map[int]*kind{}
		return &own, nil
	}
	if !regular() {
		return nil, nil
	}
	shown, data, err := cli.ReadInput(cmd, file)
	if err != nil || !fabricKeys().Match(data) || topologyKeys().Match(data) {
		return nil, nil // the verb says what is wrong with the file
	}
	f, err := fabric.Read(shown, data)
	if err != nil {
		return nil, cli.ExitWith(cli.ExitUsage, err)
	}
	return askedOf(cmd, f, args, only)
}

// askedOf is a question about a fabric that is read.
func askedOf(cmd *cobra.Command, f *fabric.File, args []string, only string) (*asked, error) {
	a := &asked{cmd: cmd, File: f, args: args, only: only, at: map[string]*fabric.Switch{}, kinds: map[int]*kind{}}
	switches, cables, err := f.Planned()
	if err != nil {
		return nil, cli.ExitWith(cli.ExitUsage, err)
	}
	a.cables = cables
	for i := range switches {
		s := &switches[i]
		a.switches, a.at[s.Name] = append(a.switches, s), s
	}
	return a, nil
}

// find finds a switch with a topology.
func (a *asked) find(name string) (*fabric.Switch, error) {
	// The error has the names that there are, cut to a line.
	s := a.at[name]
	if s == nil {
		return nil, cli.BadUsage("%s: no switch %q (want one of %s)", a.Name(), name,
			cli.FirstLine(fold(slices.Collect(maps.Keys(a.at)))))
	}
	return s, a.need("topology", s)
}

// one answers for one switch, as for a topology. The switch travels in the context: the verb reads its topology and its
// changes from there, and prints its name.
func (a *asked) one(name string) error {
	s, err := a.find(name)
	if err != nil {
		return err
	}
	// Package fabric makes a scenario of the one switch with its neighbours as hosts.
	if a.only = name; a.cmd.Name() == "sim" { // the file of a topology is no scenario
		return a.run(a)
	}
	// A flag that the user gave counts more than the file, and these are in the place of a switch that is reached.
	without := slices.ContainsFunc([]string{"sim", "targets", "to-file", "counters"}, a.cmd.Flags().Changed)
	for flag, value := range map[string]string{"target": s.Target, "profile": s.Profile} {
		if f := a.cmd.Flags().Lookup(flag); value != "" && f != nil && !f.Changed && !without {
			if err := a.cmd.Flags().Set(flag, value); err != nil {
				return err
			}
		}
	}
	a.cmd.SetContext(cli.WithMember(a.cmd.Context(), a.member(s)))
	return a.alone(a.cmd, a.args)
}

// member is a switch as its verb reads it.
func (a *asked) member(s *fabric.Switch) cli.Member {
	return cli.Member{Name: a.Name() + ":" + s.Name, Topology: s.Topology, Changes: s.Changes}
}

// need refuses switches without a topology or a target. All of them are named at once, with the names folded into
// ranges.
func (a *asked) need(what string, all ...*fabric.Switch) error {
	key := map[string]string{"topology": "topology of the role or the switch (docs/fabric.md)",
		"target": `target of the role or the switch, such as "{name}:9339"`}[what]
	var without []string
	for _, s := range all {
		if map[string]string{"topology": s.Topology, "target": s.Target}[what] == "" {
			without = append(without, s.Name)
		}
	}
	if len(without) == 0 {
		return nil
	}
	return cli.BadUsage("%s: no %s of %s: want the key %s", a.Name(), what, fold(without), key)
}

// all answers for all switches. Flags that mean nothing for many switches are refused, with the form for one. Nothing
// is read but the file of the fabric until the flags are known to fit.
func (a *asked) all() error {
	if len(a.switches) == 0 {
		return cli.ExitWith(cli.ExitUsage, errors.New(a.Name()+": no switch"))
	}
	one := a.Name() + ":" + a.switches[0].Name
	// The verb has no answer for many switches, and says what has.
	if a.instead != "" {
		return cli.BadUsage("%s is a fabric of %s: %s", a.Name(), cli.Plural(len(a.switches), "switch", "switches"),
			strings.NewReplacer("FABRIC:SWITCH", one, "FABRIC", a.Name()).Replace(a.instead))
	}
	// CSV and pages of one switch have no place for many. --html is left to the run of a verb that has one.
	for _, name := range append([]string{"table", "tables", "html"}, a.restrict...) {
		if f := a.cmd.Flags().Lookup(name); f != nil && f.Changed && !(name == "html" && a.run != nil) {
			return cli.BadUsage("--%s: accepted with one switch, %s", name, one)
		}
	}
	if len(a.args) > 1 && a.cmd.Name() != "diff" {
		return cli.BadUsage("%q: want the file of a fabric alone", a.args[1])
	}
	// A switch without a topology has no plan, so none of these questions has an answer for it.
	if err := a.need("topology", a.switches...); err != nil {
		return err
	}
	if a.run != nil {
		return a.run(a)
	}
	rows, err := a.answers()
	if err != nil {
		return err
	}
	return a.print(rows)
}

// words are the command line of the verb for one switch: its flags but for those that are left out. Flags are repeated
// as they were given, and those of lists one by one: a joined list would be split again at its commas.
func (a *asked) words(s *fabric.Switch, without ...string) []string {
	out := []string{a.cmd.Name(), a.member(s).Name}
	a.cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(without, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		// The text of a list has brackets, which no flag reads.
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			out = append(out, "--"+f.Name+"="+v)
		}
	})
	return out
}

// child runs a command for one switch. Its output, its errors and its exit code are the
// answer. It has no standard input, and its errors are text: nothing of it reaches the terminal.
func (a *asked) child(ctx context.Context, words []string) (out, bad string, code int) {
	var stdout, stderr strings.Builder
	// A command of its own has flags of its own, so that children can run at the same time.
	c := a.fresh()
	c.SetArgs(words)
	c.SetIn(strings.NewReader(""))
	c.SetOut(&stdout)
	c.SetErr(&stderr)
	// The exit code is made from the error, as for a command of its own.
	err := c.ExecuteContext(context.WithValue(ctx, readKey{}, a))
	bad = stderr.String()
	if err != nil && err.Error() != "" {
		bad += err.Error()
	}
	return stdout.String(), strings.TrimSpace(bad), cli.CodeOf(err)
}

// kind is what switches of one kind have in common.
type kind struct {
	*topology.File
	port map[string]int // the index of each port by its name: thousands of cables look for theirs
	plan *nos.Plan      // nil: see planOf
}

// topology reads the topology of a switch. An error names the switch by which the kind was met first. Errors are about
// files, and end with the code of wrong usage. The file is not planned here: see planOf.
func (a *asked) topology(s *fabric.Switch) (*kind, error) {
	if k := a.kinds[s.Kind]; k != nil {
		return k, nil
	}
	// The changes of the switch are its keys in the file of the fabric, and its cables.
	f, err := inputs.TopologyWith(a.cmd, s.Topology, false, s.Changes...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.member(s).Name, err)
	}
	k := &kind{File: f, port: map[string]int{}}
	for i := range f.Intent.Ports {
		k.port[f.Intent.Ports[i].Name] = i
	}
	a.kinds[s.Kind] = k
	return k, nil
}

// planOf plans a switch whose plan has to fit. A refused plan is never sent, so its switch has none. The plan is that
// of the kind, and is shared by its switches: package rollout compares plans by pointer.
func (a *asked) planOf(s *fabric.Switch) (*nos.Plan, error) {
	k, err := a.topology(s)
	if err != nil {
		return nil, err
	}
	if k.plan != nil {
		return k.plan, nil
	}
	plan, err := buffer.New(k.Intent)
	if err != nil {
		return nil, cli.BadUsage("%s: %w", a.member(s).Name, err)
	}
	if err := plan.Err(); err != nil {
		return nil, cli.ExitWith(cli.ExitNoFit, fmt.Errorf("%s: nothing was sent: %w", a.member(s).Name, err))
	}
	k.plan = &nos.Plan{Intent: k.Intent, Layout: plan.Layout()}
	return k.plan, nil
}

// fold folds names into ranges. See buffer.FoldPorts: leaf1, leaf2 and leaf3 are leaf1-3. It sorts, so the order of
// the names is lost.
func fold(names []string) string { return buffer.FoldPorts(names) }
