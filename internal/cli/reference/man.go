package reference

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cellwarden/cellwarden/internal/cli"
)

// man writes the manual pages of all commands from the texts of --help. They have no date, so that a version always
// gives the same bytes.

func manCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "man FOLDER", Short: "Write a manual page for each command into a folder",
		Long: "man writes a manual page for each command into a folder: cellwarden-plan.1 for plan. The pages have the " +
			"texts of --help.\n\n" + cli.ExitCodes,
		Example: "  cellwarden man /usr/local/share/man/man1",
		Args:    cli.Args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := manPages(cmd, cmd.Root(), args[0]); err != nil {
				return cli.Failure(err)
			}
			return cli.Failure(cli.Commit(cmd))
		},
	}
	cli.ForceFlag(c)
	return c
}

// manPages writes the page of a command and those of the commands below it.
func manPages(cmd, of *cobra.Command, folder string) error {
	name := strings.ReplaceAll(of.CommandPath(), " ", "-")
	to, err := cli.Create(cmd, filepath.Join(folder, name+".1"))
	if err != nil {
		return err
	}
	if _, err := to.Write([]byte(manPage(name, of))); err != nil {
		return err
	}
	for _, below := range of.Commands() {
		if below.IsAvailableCommand() {
			if err := manPages(cmd, below, folder); err != nil {
				return err
			}
		}
	}
	return nil
}

// manPage is the page of a command, in the macros of man(7).
func manPage(name string, c *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"cellwarden\" \"cellwarden\"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n.SH "+
		"DESCRIPTION\n", roff(strings.ToUpper(name)), roff(name), roff(c.Short), roff(c.UseLine()))
	for part := range strings.SplitSeq(strings.TrimSpace(c.Long), "\n\n") {
		manLines(&b, part)
	}
	if c.Example != "" {
		b.WriteString(".SH EXAMPLES\n")
		manLines(&b, c.Example)
	}
	if c.HasAvailableInheritedFlags() || c.HasAvailableFlags() { // the first also adds the inherited to the flags
		b.WriteString(".SH OPTIONS\n")
		c.Flags().VisitAll(func(f *pflag.Flag) { manFlag(&b, f) })
	}
	if !c.HasParent() {
		b.WriteString(".SH EXIT STATUS\n")
		manLines(&b, cli.ExitCodeList)
	}
	return b.String()
}

// manFlag writes what a flag means.
func manFlag(b *strings.Builder, f *pflag.Flag) {
	if f.Hidden {
		return
	}
	value, usage := pflag.UnquoteUsage(f)
	text := "--" + f.Name
	if f.Shorthand != "" {
		text = "-" + f.Shorthand + ", " + text
	}
	fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(strings.TrimSpace(text+" "+value)), roff(usage))
}

// manLines writes a paragraph. Lines that are indented stay as they are.
func manLines(b *strings.Builder, part string) {
	b.WriteString(".PP\n")
	kept := false
	for line := range strings.Lines(part) {
		if indented := strings.HasPrefix(line, " "); indented != kept {
			b.WriteString(map[bool]string{true: ".nf\n", false: ".fi\n"}[indented])
			kept = indented
		}
		b.WriteString(roff(strings.TrimSuffix(line, "\n")) + "\n")
	}
	if kept {
		b.WriteString(".fi\n")
	}
}

// roff escapes a text: a hyphen that is copied stays one, and no line begins with a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\n.", "\n\\&."), "\n'", "\n\\&'")
}
