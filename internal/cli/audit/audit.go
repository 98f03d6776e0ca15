package audit

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/dial"
	"github.com/cellwarden/cellwarden/internal/cli/findings"
	"github.com/cellwarden/cellwarden/internal/cli/inputs"
	"github.com/cellwarden/cellwarden/unit"
)

// audit says what a switch's configuration means in cells and what is wrong with it. Package audit checks; this file
// reads the flags. sources.go finds what to audit, report.go prints.

// auditFlags are the flags of the audit command. included is whether the size of a pool includes its xoff; absent:
// inferred for the chip. topologies are roles of SONiC's device folders. slack is cells, -1 without the flag. table,
// peer and patch are paths, and since is a revision of git; empty: not given.
type auditFlags struct {
	chip, table       string
	cell              cells.Size // 0: not given
	cable             unit.Optional[unit.Length]
	included          unit.Optional[bool]
	peer              string
	system            string
	topologies        []string
	failOn            finding.Level
	since, patch      string
	verify, confirmed bool
	slack             int64 // more cells in a slice; below zero: slack is not asked for
	dial              dial.DialFlags
	list              findings.Flags
}

// register adds the flags of what is read, which import has, too. A file has one role, which it does not say: the first
// of --topology is then named in its findings.
func (f *auditFlags) register(c *cobra.Command) {
	cli.HeadroomTableFlag(c, &f.table)
	cli.TypedFlag(c.Flags(), &f.cable, "cable", "", cli.Known(unit.ParseLength),
		"length of the cables that the configuration does not give, such as 40m")
	c.Flags().StringSliceVar(&f.topologies, "topology", nil,
		"read hwsku folders for these topologies only: t0, t1, t2, lt2, ft2, def")
	f.dial.Register(c)
}

// AuditCommand returns the audit command. It takes any number of paths, since a pipeline names the files that a change
// has touched.
func AuditCommand() *cobra.Command {
	var f auditFlags
	c := cli.Command("audit", nil, f.run)
	flags := c.Flags()
	// Flags about the switches hold for all paths of the command line, whatever each of them is.
	flags.StringVar(&f.chip, "chip", "", "the chip of all switches: a name or a chip file (default: known by platform "+
		"or HwSKU)")
	cli.TypedFlag(flags, &f.cell, "cell", "", inputs.ParseCell,
		"size of a cell, such as 208B (or --chip): also check the alignment of headroom tables")
	c.MarkFlagsMutuallyExclusive("cell", "chip") // a chip has a cell of its own
	f.register(c)
	dial.SizeIncludesFlag(c, &f.included)
	// It is needed only for a text that shows no system or another one. --peer is read by it, too.
	flags.StringVar(&f.system, "system", "", "the system that the configurations are of: sonic, fboss, nxos, eos, junos "+
		"(default: known by the text)")
	flags.StringVar(&f.peer, "peer", "", "configuration of the switch at the other end of links: compare both ends")
	// Findings below the level are printed and end with exit code 0.
	cli.WordFlag(c, (*string)(&f.failOn), "fail-on", string(finding.Error), finding.Levels(),
		"least severity that ends with exit code 4: "+strings.Join(finding.Levels(), ", "))
	findings.SinceFlag(c, &f.since)
	// A patch alone is compared with HEAD: see compared.
	flags.StringVar(&f.patch, "patch", "", "list only what a patch (git diff) of the revision of --since brings in; "+
		"default: of HEAD")
	flags.BoolVar(&f.verify, "verify", false,
		"simulate the worst case of every configuration whose cells are counted and fit")
	flags.Int64Var(&f.slack, "slack", -1, "in place of the findings: how many cells each configuration has left until it "+
		"is refused, and whether it still fits if the SDK takes this many cells more in each slice (--slack=608)")
	// --slack alone asks about 0 more cells. The help shows no default of 0, and there is none: the flag is off.
	flags.Lookup("slack").NoOptDefVal, flags.Lookup("slack").DefValue = "0", "0"
	// It is applied before the exit code is decided, as is a baseline.
	flags.BoolVar(&f.confirmed, "certain", false, "list only findings that are certain")
	f.list.Register(c, "audit", audit.Codes())
	cli.AllFlag(c, &f.list.Output)
	return c
}

// run audits and prints. The exit code follows from the findings that are left and from what was read: see end.
func (f *auditFlags) run(cmd *cobra.Command, paths []string) error {
	if err := f.check(paths); err != nil {
		return err
	}
	// An error of a path that was named ends the run here, before anything is printed.
	found, err := f.collect(cmd, paths)
	if err != nil {
		return err
	}
	return found.end(cmd, &f.list, f.failOn)
}

// end takes out what the baseline accepts, prints the report, and returns exit code 4 if a finding is as severe as
// --fail-on says, else 3 if too little was read. The order matters: accepted findings are gone before the exit code is
// decided, and a baseline that was written has its name only after the report was printed.
func (r *auditReport) end(cmd *cobra.Command, list *findings.Flags, failOn finding.Level) error {
	// The baseline is taken out before the exit code is decided: what someone accepted does not fail a pipeline. With
	// --write-baseline all are accepted, and none is left. Gone are accepted findings that are not found any more.
	fresh, accepted, err := list.Accept(cmd, r.Findings)
	if err != nil {
		return err
	}
	r.Findings, r.Accepted, r.Gone = fresh, accepted.Count, accepted.Gone
	// It is a part of the report, because the first line depends on it.
	r.failed = failOn.Fails(r.Findings)
	err = r.print(cmd, list)
	// What was found counts more than what was not read.
	if r.failed {
		return cli.Ended(err, cli.ExitLint)
	}
	return cli.Ended(err, cli.CodeIf(len(r.tooLittle()) > 0, cli.ExitNoFit))
}

// check refuses flags that do not go together. Complaints are about flags alone; whether a path exists is found out
// when it is read.
func (f *auditFlags) check(paths []string) error {
	if err := f.list.Check(); err != nil {
		return err
	}
	switch {
	case len(paths) == 0 && f.dial.Address == "":
		return errors.New("nothing to audit (want a path, or --target)")
	case len(paths) > 0 && f.dial.Address != "":
		return errors.New("--target: accepted without a path")
	// -1 is a flag that was not given. 2^31 cells are more than any chip has.
	case f.slack < -1 || f.slack > 1<<31:
		return fmt.Errorf("--slack=%d (want 0 to %d cells)", f.slack, 1<<31)
	// Slack is a number of a state, and no finding that a change could bring in.
	case f.slack >= 0 && (f.since != "" || f.patch != ""):
		return errors.New("--slack: accepted without --since and --patch")
	// Tables may be several, because each is compared by itself.
	case f.since != "" && f.patch == "" && areTables(paths):
	case (f.since != "" || f.patch != "") && len(paths) != 1:
		return errors.New("--since and --patch (want one path, a folder or a configuration in a work tree of git, or " +
			"headroom tables)")
	// The other end of a link has no revision here, so no difference of both could be formed.
	case (f.since != "" || f.patch != "") && f.peer != "":
		return errors.New("--since, --patch and --peer (want one of them)")
	}
	return nil
}
