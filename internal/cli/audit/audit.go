package audit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/dial"
	"github.com/cellwarden/cellwarden/unit"
)

// audit says what a switch's configuration means in cells and what is wrong with it. Package audit checks; this file
// reads the flags. audit_sources.go finds what to audit, the other files of this name print.

// auditFlags are the flags of the audit command.
type auditFlags struct {
	chip, table, cable, peer string
	system                   string
	topologies               []string
	failOn                   string
	baseline, writeBaseline  string
	since, patch, explain    string
	verify, confirmed        bool
	dial                     dial.DialFlags
	format                   cli.Output
}

// auditLong is the description of the command in --help.
const auditLong = `audit reads the buffer configuration of switches and lists what is wrong with it, with a code,
a line, the numbers and a repair for each finding. A PATH is

  - a config_db.json of a SONiC switch, or JSON that SONiC's templates have rendered (- is standard input),
  - a hwsku folder of sonic-buildimage, or a folder with such folders below it, such as device/: the templates
    are rendered by python3 with jinja2, for every topology that a folder has files for,
  - a headroom table (pg_profile_lookup.ini),
  - the agent configuration of FBOSS (agent.conf), the running configuration of NX-OS or EOS, or the configuration of
    Junos (with braces, as set commands or as JSON): what they say of buffers and QoS. --chip names the chip, where
    they do not.

With --target the configuration is read from a switch over gNMI, and nothing is changed.

The report says which chip the switch has and how that was known, which ports are lossless on which priorities
over which cable, and where the cells of each slice are. What is not known is called unknown, and is not checked.

A finding is certain if no reading of the configuration makes it right. Severities are error, warning and note;
--fail-on says which of them end with exit code 4. --explain CODE says what a code means.

` + cli.ExitCodes

// auditCommand returns the audit command.
func auditCommand() *cobra.Command {
	var f auditFlags
	c := &cobra.Command{
		Use:   "audit PATH...",
		Short: "Say what a switch's buffer configuration means in cells, and what is wrong with it",
		Long:  auditLong,
		Example: `  cellwarden audit config_db.json --table pg_profile_lookup.ini
  cellwarden audit sonic-buildimage/device/arista -o sarif > findings.sarif
  cellwarden audit --since origin/master device/
  cellwarden audit --patch change.diff device/
  cellwarden audit --explain pool-over-chip`,
		RunE: func(cmd *cobra.Command, paths []string) error { return f.run(cmd, paths) },
	}
	flags := c.Flags()
	flags.StringVar(&f.chip, "chip", "", "the chip of all switches: a name or a chip file (default: known by platform "+
		"or HwSKU)")
	flags.StringVar(&f.table, "table", "", "headroom table of the switch (pg_profile_lookup.ini), for a config_db.json")
	flags.StringVar(&f.cable, "cable", "", "length of the cables of which the configuration says nothing, such as 40m")
	flags.StringVar(&f.system, "system", "", "the system that the configurations are of: sonic, fboss, nxos, eos, junos "+
		"(default: known by the text)")
	flags.StringVar(&f.peer, "peer", "", "configuration of the switch at the other end of links: compare both ends")
	flags.StringSliceVar(&f.topologies, "topology", nil,
		"audit hwsku folders for these topologies only: t0, t1, t2, lt2, ft2, def")
	failOnFlag(c, &f.failOn)
	flags.StringVar(&f.baseline, "baseline", "", "file of accepted findings: they are counted and not listed")
	flags.StringVar(&f.writeBaseline, "write-baseline", "", "write all findings to a file for --baseline, and accept them")
	flags.StringVar(&f.since, "since", "", "list only what the work tree brings in, compared with this revision of git")
	flags.StringVar(&f.patch, "patch", "", "list only what a patch (git diff) of the revision of --since brings in; "+
		"default: of HEAD")
	flags.StringVar(&f.explain, "explain", "", "say what a code means, and end; all: every code")
	flags.BoolVar(&f.verify, "verify", false,
		"simulate the worst case of every configuration whose cells are counted and fit")
	flags.BoolVar(&f.confirmed, "certain", false, "list only findings that are certain")
	f.dial.Register(c)
	auditOutput(c, &f.format)
	_ = c.RegisterFlagCompletionFunc("explain", cobra.FixedCompletions(audit.Codes(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

// failOnFlag adds --fail-on, of audit and of lint.
func failOnFlag(c *cobra.Command, failOn *string) {
	c.Flags().StringVar(failOn, "fail-on", string(audit.Error),
		"least severity that ends with exit code 4: "+strings.Join(failLevels(), ", "))
	_ = c.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions(failLevels(), cobra.ShellCompDirectiveNoFileComp))
}

// auditOutput adds -o with the formats of findings.
func auditOutput(c *cobra.Command, o *cli.Output) {
	c.Flags().StringVarP(&o.Format, "output", "o", "table", "output format: "+strings.Join(auditFormats(), ", "))
	cli.TableFlags(c, o)
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(auditFormats(), cobra.ShellCompDirectiveNoFileComp))
}

// auditFormats are the formats of all reports, and two that programs read.
func auditFormats() []string { return append(slices.Clone(cli.Formats), "sarif", "junit") }

// certainty is the level of --fail-on that counts findings that are certain.
const certainty = "certain"

// failLevels are the values of --fail-on.
func failLevels() []string {
	return []string{string(audit.Error), string(audit.Warning), string(audit.Note), certainty, "never"}
}

// run audits and prints.
func (f *auditFlags) run(cmd *cobra.Command, paths []string) error {
	if f.explain != "" {
		return f.explainCode(cmd)
	}
	if err := f.check(paths); err != nil {
		return err
	}
	found, err := f.collect(cmd, paths)
	if err != nil {
		return err
	}
	if err := found.accept(cmd, f); err != nil {
		return err
	}
	return found.end(cmd, f.format, f.failOn)
}

// end prints the report, and returns exit code 4 if a finding is as severe as --fail-on says.
func (r *auditReport) end(cmd *cobra.Command, o cli.Output, failOn string) error {
	if err := r.write(cmd.OutOrStdout(), o); err != nil {
		return cli.Failure(err)
	}
	if err := cli.Commit(cmd); err != nil {
		return cli.Failure(err)
	}
	if slices.ContainsFunc(r.Findings, func(n audit.Finding) bool { return fails(n, failOn) }) {
		return cli.Silent(cli.ExitLint)
	}
	return nil
}

// checkFailOn refuses a level that --fail-on does not have.
func checkFailOn(level string) error {
	if slices.Contains(failLevels(), level) {
		return nil
	}
	return fmt.Errorf("--fail-on %q: accepted: %s", level, strings.Join(failLevels(), ", "))
}

// checkAuditFormat refuses a format that findings do not have.
func checkAuditFormat(o cli.Output) error {
	switch {
	case o.Format == "sarif" || o.Format == "junit":
		return nil
	case slices.Contains(cli.Formats, o.Format):
		return cli.CheckFormat(o)
	}
	return fmt.Errorf("output format %q: accepted: %s", o.Format, strings.Join(auditFormats(), ", "))
}

// check refuses flags that do not go together.
func (f *auditFlags) check(paths []string) error {
	if err := errors.Join(checkFailOn(f.failOn), checkAuditFormat(f.format)); err != nil {
		return err
	}
	switch {
	case len(paths) == 0 && f.dial.Target == "":
		return errors.New("nothing to audit: accepted: a PATH, or --target ADDRESS")
	case len(paths) > 0 && f.dial.Target != "":
		return errors.New("--target: accepted without a PATH")
	case f.baseline != "" && f.writeBaseline != "":
		return errors.New("--baseline and --write-baseline: accepted: one of them")
	case (f.since != "" || f.patch != "") && len(paths) != 1:
		return errors.New("--since and --patch: accepted: one PATH, a folder in a work tree of git")
	case (f.since != "" || f.patch != "") && f.peer != "":
		return errors.New("--since, --patch and --peer: accepted: one of them")
	}
	if f.cable != "" {
		if _, err := unit.ParseLength(f.cable); err != nil {
			return fmt.Errorf("--cable: %w", err)
		}
	}
	return nil
}

// fails tells whether a finding ends with exit code 4.
func fails(n audit.Finding, failOn string) bool {
	switch failOn {
	case "never":
		return false
	case certainty:
		return n.Certain && n.Severity != audit.Note
	}
	return n.Severity.AtLeast(audit.Severity(failOn))
}

// explainCode prints what a code means.
func (f *auditFlags) explainCode(cmd *cobra.Command) error {
	all := audit.All()
	if f.explain != "all" {
		if !audit.Known(audit.Code(f.explain)) {
			return fmt.Errorf("--explain %q: accepted: all, %s", f.explain, strings.Join(audit.Codes(), ", "))
		}
		all = []audit.Meaning{*audit.About(audit.Code(f.explain))}
	}
	var text strings.Builder
	for i, m := range all {
		if i > 0 {
			text.WriteByte('\n')
		}
		explainMeaning(&text, m)
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), text.String())
	return cli.Failure(err)
}

// explainMeaning writes the meaning of a code.
func explainMeaning(w *strings.Builder, m audit.Meaning) {
	certain := "not certain"
	if m.Certain {
		certain = "certain"
	}
	fmt.Fprintf(w, "%s (%s, %s)\n  when:   %s\n  effect: %s\n  repair: %s\n", m.Code, m.Severity, certain, m.Rule,
		m.Effect,
		m.Repair)
	for _, n := range m.Mistakes {
		fmt.Fprintf(w, "  it was: sonic-buildimage %s (%s), %s\n          %s\n", n.Commit, n.Date, n.Subject, n.Found)
	}
}
