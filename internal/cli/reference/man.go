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

// ManCommand writes the pages. All get their names together at the end, so a folder has all of them or those of before.
func ManCommand() *cobra.Command {
	c := cli.Command("man", cli.Args(1, 1), func(cmd *cobra.Command, args []string) error {
		if err := manPages(cmd, cmd.Root(), args[0]); err != nil {
			return cli.Failure(err)
		}
		return cli.Failure(cli.Commit(cmd))
	})
	cli.ForceFlag(c)
	return c
}

// manPages writes the page of a command and those of the commands below it. Commands that are hidden, and topics of
// help, have no page of their own.
func manPages(cmd, of *cobra.Command, folder string) error {
	// man(1) finds cellwarden-plan for "man cellwarden plan".
	name := strings.ReplaceAll(of.CommandPath(), " ", "-")
	// The page has a temporary name until all are written: an error leaves those of before.
	if err := cli.Put(cmd, filepath.Join(folder, name+".1"), []byte(manPage(name, of))); err != nil {
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

// manPage is the page of a command, in the macros of man(7). man(7) has requests at the beginning of lines (.TH, .SH,
// .B) and no other structure.
func manPage(name string, c *cobra.Command) string {
	var b strings.Builder
	// Section 1 is that of commands. The date is empty, which man(7) allows.
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"cellwarden\" \"cellwarden\"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n.SH "+
		"DESCRIPTION\n", roff(strings.ToUpper(name)), roff(name), roff(c.Short), roff(c.UseLine()))
	// An empty line of the help ends a paragraph, as in every text of it.
	for part := range strings.SplitSeq(strings.TrimSpace(c.Long), "\n\n") {
		manLines(&b, part)
	}
	// Examples are indented, so that manLines keeps their lines.
	if c.Example != "" {
		b.WriteString(".SH EXAMPLES\n")
		manLines(&b, c.Example)
	}
	if c.HasAvailableInheritedFlags() || c.HasAvailableFlags() { // the first also adds the inherited to the flags
		b.WriteString(".SH OPTIONS\n")
		// VisitAll goes by name, as the help does.
		c.Flags().VisitAll(func(f *pflag.Flag) { manFlag(&b, f) })
	}
	// The codes are the same for all commands, and are in the page of the program.
	if !c.HasParent() {
		b.WriteString(".SH EXIT STATUS\n")
		manLines(&b, cli.ExitCodeList)
	}
	return b.String()
}

// manFlag writes what a flag means. A name in backquotes in the help is that of the flag's value, as pflag has it.
func manFlag(b *strings.Builder, f *pflag.Flag) {
	if f.Hidden {
		return
	}
	// .TP is a paragraph with a tag (man(7)): the line after it is the flag, and what follows is indented below that.
	value, usage := pflag.UnquoteUsage(f)
	// The short form comes first, as in the help.
	text := "--" + f.Name
	if f.Shorthand != "" {
		text = "-" + f.Shorthand + ", " + text
	}
	fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(strings.TrimSpace(text+" "+value)), roff(usage))
}

// manLines writes a paragraph. Lines that are indented stay as they are. .nf and .fi switch filling off and on, by
// which a list of commands keeps its lines.
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
	// A line that begins with a dot or an apostrophe is a request of roff. \& before it has no width and makes it text.
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\n.", "\n\\&."), "\n'", "\n\\&'")
}
