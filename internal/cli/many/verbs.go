// Package many has the verbs of one switch answer for all switches of a fabric, and brings a change to them in waves.
//
// verbs.go wraps the verbs of the root: where the first argument is the file of a fabric, the verb is asked about its
// switches, and FABRIC:SWITCH is one of them. Most verbs answer with a row for each kind of switch (rows.go): switches
// with one topology and the same changes have one plan, so the verb is run for the first of them, by a command of its
// own, and its first line and its exit code are those of all. plan draws a page beside that (page.go), link compares
// the ends of every cable (link.go), diff compares two fabrics and render writes a folder for each switch (pair.go).
//
// A change goes in waves: waves.go says in which order, with every cable compared between two waves (package
// internal/rollout makes the waves), and apply.go makes it, switch by switch (devices.go); dry_run.go says without a
// switch what each stage sends. The state of a run is a file, so that a run which was killed goes on where it was.
package many

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli"
)

// This file has the verbs of one switch read the file of a fabric: FABRIC is every switch of it, with a row for each
// kind, and FABRIC:SWITCH is one of them, for which the verb prints what it prints for a topology.

// ways are the verbs that read the file of a fabric. Those that do not say what to do instead. A verb that is not here
// reads a fabric's file as a topology and refuses it.
var ways = map[string]way{
	"plan": {run: plan, restrict: []string{"lines", "shard", "jobs", "full", "merge", "sonic-pools", "compare", "measured",
		"verify", "risk", "live"}},
	"verify": {}, "capacity": {}, "risk": {},
	"diff":   {run: diff},
	"render": {run: render},
	"link": {run: link, restrict: []string{"fabric", "lldp", "lldp-pcap", "scenarios", "since", "baseline",
		"write-baseline"}},
	"drift": {restrict: []string{"target", "targets", "watch", "profile"}, reached: Drifted},
	"watch": {restrict: []string{"target", "targets", "counters", "metrics", "baseline", "write-baseline", "profile",
		"count"}, reached: map[int]string{cli.ExitFine: "NOTHING FOUND", cli.ExitLint: "FINDINGS",
		cli.ExitFailure: "NOT READ"}},
	"apply": {restrict: []string{"sim", "target", "targets", "journal", "to-file", "dialect", "current", "prune",
		"phases", "set", "force", "share-tolerance", "sonic-asic", "sonic-max-headroom", "sonic-model", "sonic-release",
		"sonic-table"}},
	"audit": {instead: "audit reads configurations, and a fabric says what is planned: cellwarden audit with the " +
		"configurations of the switches, or cellwarden drift FABRIC"},
	"import":  {instead: "import makes a topology of the configuration of one switch: name it in the file of the fabric"},
	"sim":     {run: sim, restrict: []string{"flow-list"}},
	"sweep":   {instead: "sweep plans one switch with other values: cellwarden sweep FABRIC:SWITCH"},
	"explain": {instead: "explain is about a port of one switch: cellwarden explain FABRIC:SWITCH PORT"},
	"ecn":     {instead: "ecn is about the queues of one switch: cellwarden ecn FABRIC:SWITCH"},
	"resume":  {instead: "resume reads the journal of one push: cellwarden resume lists them"},
	"probe":   {instead: "probe is about one group of one switch"},
}

// Drifted has the verdicts of drift by exit code.
var Drifted = map[int]string{cli.ExitFine: "AS PLANNED", cli.ExitDrift: "DIFFERS", cli.ExitFailure: "NOT READ"}

// Verbs makes the verbs of a command read the file of a fabric too. fresh makes the command again: each kind of switch
// is asked about by a command of its own. It replaces the commands' run functions; apply alone gets flags for fabrics
// as well.
func Verbs(root *cobra.Command, fresh func() *cobra.Command) {
	for _, c := range root.Commands() {
		// A verb of subcommands alone has no run to replace. A copy: what is set on w below does not change the table.
		w, known := ways[c.Name()]
		if !known || c.RunE == nil {
			continue
		}
		var own []string // flags that are for fabrics alone
		if c.Name() == "apply" {
			f := registerApply(c)
			w.run, own = f.run, fabricAlone
		}
		// It is what the verb does with a topology.
		alone := c.RunE
		c.RunE = func(cmd *cobra.Command, args []string) error {
			// Any other file is nil here, and the verb reads it.
			a, err := load(cmd, args)
			if err := cmp.Or(err, second(cmd, args)); err != nil {
				return err
			}
			for _, flag := range own {
				if (a == nil || a.only != "") && cmd.Flags().Changed(flag) {
					return cli.BadUsage("--%s: accepted with the file of a fabric", flag)
				}
			}
			if a == nil {
				return alone(cmd, args)
			}
			// The way is a copy of the table's, with the flags of this command.
			a.fresh, a.way, a.alone = fresh, w, alone
			if a.only != "" {
				return a.one(a.only)
			}
			return a.all()
		}
	}
}

// second adds the switch of a fabric that the second plan of diff is to the context.
func second(cmd *cobra.Command, args []string) error {
	if cmd.Name() != "diff" || len(args) < 2 {
		return nil
	}
	b, err := load(cmd, args[1:])
	if err != nil || b == nil || b.only == "" {
		return err
	}
	s, err := b.find(b.only)
	if err == nil {
		cmd.SetContext(cli.WithMember(cmd.Context(), b.member(s)))
	}
	return err
}
