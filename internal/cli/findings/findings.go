// Package findings is what all verbs with findings share: the formats that programs of continuous integration read, the
// baseline, the meaning of a code, and what is new since a revision of git.
package findings

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/cli"
)

// Flags are the flags of a verb that lists findings. check is "audit" or another verb's word. codes is the registry by
// which codes are explained, and those of a baseline recognised.
type Flags struct {
	Output                           cli.Output
	Baseline, WriteBaseline, explain string
	check                            string // name in JUnit's XML
	codes                            *finding.Registry
}

// Register adds -o, --baseline, --write-baseline and --explain to a command that has its arguments and its run already:
// with --explain it needs neither. It wraps both, so that no verb has to think of --explain. Flags of other verbs are
// not asked for either. Beside the formats of all reports there are two that programs read: SARIF is what code hosts
// show beside the lines of a change, and JUnit's XML what build servers show as failed tests.
func (f *Flags) Register(c *cobra.Command, check string, codes *finding.Registry) {
	f.check, f.codes = check, codes
	f.Output.More = []string{"sarif", "junit"}
	cli.FormatFlags(c, &f.Output)
	flags := c.Flags()
	flags.StringVar(&f.Baseline, "baseline", "", "file of accepted findings: they are counted and not listed")
	flags.StringVar(&f.WriteBaseline, "write-baseline", "", "write all findings to a file for --baseline, and accept them")
	flags.StringVar(&f.explain, "explain", "", "print the meaning of a code, and end; all: every code")
	_ = c.RegisterFlagCompletionFunc("explain",
		cobra.FixedCompletions(codes.Codes(), cobra.ShellCompDirectiveNoFileComp))
	args, run := c.Args, c.RunE
	c.Args = func(cmd *cobra.Command, given []string) error {
		if f.explain != "" || args == nil {
			return nil
		}
		return args(cmd, given)
	}
	c.RunE = func(cmd *cobra.Command, given []string) error {
		if f.explain != "" {
			return f.explainCode(cmd)
		}
		return run(cmd, given)
	}
}

// explainCode prints what a code means.
func (f *Flags) explainCode(cmd *cobra.Command) error {
	text, err := f.codes.Explain(f.explain)
	if err != nil {
		return fmt.Errorf("--explain %w", err)
	}
	_, err = io.WriteString(cmd.OutOrStdout(), text)
	return cli.Failure(err)
}

// OneDocument tells whether a command prints one document in the format of -o. Such a document has all findings of
// all files in it, so nothing is printed before the last file was read.
func (f *Flags) OneDocument() bool {
	return f.Output.Format == "sarif" || f.Output.Format == "junit"
}

// Check refuses a format that findings do not have, and flags that do not go together. It does not read the baseline:
// that is for Accept, when the findings are there.
func (f *Flags) Check() error {
	var err error
	if !f.OneDocument() {
		err = cli.CheckFormat(f.Output)
	}
	if f.Baseline != "" && f.WriteBaseline != "" {
		err = errors.Join(err, errors.New("--baseline and --write-baseline (want one of them)"))
	}
	return err
}

// Accepted counts what a baseline accepts, and what of it is not found any more. A baseline that has entries of which
// nothing is found any more should be written again; until then they are counted.
type Accepted struct{ Count, Gone int }

// Lines say it; none: there is nothing to say.
func (a Accepted) Lines() []string {
	if a == (Accepted{}) {
		return nil
	}
	return []string{fmt.Sprintf("%d findings are accepted by the baseline and not listed; %d of the baseline are gone",
		a.Count, a.Gone)}
}

// Accept writes findings as a baseline, or returns those that the baseline does not accept. A baseline that was written
// has its name when the command commits its files. An error of the baseline is wrong usage. A code that the registry
// does not have is one, since a misspelt code would accept nothing without a word.
func (f *Flags) Accept(cmd *cobra.Command, all []finding.Finding) ([]finding.Finding, Accepted, error) {
	switch {
	case f.WriteBaseline != "":
		out, err := cli.Create(cmd, f.WriteBaseline)
		if err != nil {
			return nil, Accepted{}, cli.BadUsage("--write-baseline: %w", err)
		}
		return nil, Accepted{Count: len(all)}, cli.Failure(cli.WriteJSON(out, finding.NewBaseline(all)))
	case f.Baseline == "":
		return all, Accepted{}, nil
	}
	name, data, err := cli.ReadInput(cmd, f.Baseline)
	if err != nil {
		return nil, Accepted{}, cli.BadUsage("--baseline: %w", err)
	}
	known, err := finding.ReadBaseline(data, f.codes)
	if err != nil {
		return nil, Accepted{}, cli.BadUsage("--baseline %s: %w", name, err)
	}
	fresh, count, gone := known.New(all)
	return fresh, Accepted{count, gone}, nil
}

// Print prints the findings in a format for programs, or the report that they are in. checked says what was checked. A
// baseline that was written gets its name only after that: a reader has seen what it accepts.
func (f *Flags) Print(cmd *cobra.Command, checked string, all []finding.Finding, report func() error) (
	err error) {
	w := cmd.OutOrStdout()
	switch f.Output.Format {
	case "sarif":
		var text bytes.Buffer
		if err = finding.WriteSARIF(&text, cli.ReadVersion().Version, f.codes, all); err == nil {
			_, err = w.Write(cli.PlainJSON(text.Bytes()))
		}
	case "junit":
		err = finding.WriteJUnit(w, f.check, checked, all)
	default:
		err = report()
	}
	if err == nil && f.WriteBaseline != "" {
		err = cli.Commit(cmd)
	}
	return err
}
