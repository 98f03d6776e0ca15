package cli

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli/fold"
)

// This file prints the help of all verbs: the question that a verb answers, one example, what it does, its line, more
// examples, its flags. It fits the screen as reports do.

// helpText has the texts of all commands, in a form that its first lines describe.
//
//go:embed help.txt
var helpText string

// texts are what the help says of a command: its usage, the question that it answers, a line, examples, what it does.
type texts struct{ use, asks, short, examples, long string }

// textsIn finds the texts of a command by its path below the root, such as "fabric deadlock". A checkout may have the
// line ends of Windows.
func textsIn(all, path string) (t texts, known bool) {
	_, entry, known := strings.Cut(strings.ReplaceAll(all, "\r\n", "\n"), "\n== "+path+"\n")
	entry, _, _ = strings.Cut(entry, "\n== ")
	head, long, _ := strings.Cut(strings.TrimRight(entry, "\n"), "\n\n")
	lines := append(strings.SplitN(head, "\n", 4), "", "", "")
	return texts{lines[0], strings.TrimPrefix(lines[1], "-"), lines[2], lines[3], long}, known
}

// Command makes a command with the texts of its help, which end with where the exit codes are listed.
func Command(path string, args cobra.PositionalArgs, run func(*cobra.Command, []string) error) *cobra.Command {
	t, known := textsIn(helpText, path)
	if !known {
		panic("cli: help.txt has no command " + path)
	}
	if t.long != "" {
		t.long += "\n\n" + ExitCodes
	}
	return &cobra.Command{Use: t.use, Short: t.short, Long: t.long, Example: t.examples, Args: args, RunE: run}
}

// Help prints the help of a command. It begins with its question, or with its short description if it has none.
func Help(cmd *cobra.Command, _ []string) {
	w := cmd.OutOrStdout()
	width := surfaceOf(w, nil).width
	first, more := examples(cmd)
	t, _ := textsIn(helpText, strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" "))
	parts := []string{reflow(cmp.Or(t.asks, cmd.Short), width), first, reflow(strings.TrimSpace(cmd.Long), width)}
	if cmd.Runnable() || cmd.HasAvailableSubCommands() {
		parts = append(parts, usageOf(cmd, more, width))
	}
	_, _ = io.WriteString(w, joinParts(parts)+"\n") // the help of a closed pipe is nobody's
}

// Usage prints the line of a verb, its examples and its flags. It goes to standard error, where cobra asks for it
// after a mistake.
func Usage(cmd *cobra.Command) error {
	w := cmd.OutOrStderr()
	_, err := io.WriteString(w, usageOf(cmd, cmd.Example, surfaceOf(w, nil).width)+"\n")
	return err
}

// joinParts joins what is not empty, with an empty line between. It reuses the slice that it is given, whose parts
// nobody reads afterwards.
func joinParts(parts []string) string {
	kept := parts[:0]
	for _, p := range parts {
		if strings.TrimSpace(p) != "" {
			kept = append(kept, strings.TrimRight(p, "\n"))
		}
	}
	return strings.Join(kept, "\n\n")
}

// examples returns the first example of a verb, and the others. An example may have several lines; the next one
// begins with the name of the program.
func examples(cmd *cobra.Command) (first, more string) {
	lines := strings.Split(cmd.Example, "\n")
	n := 1
	for n < len(lines) && !strings.HasPrefix(strings.TrimLeft(lines[n], " "), "cellwarden ") {
		n++
	}
	return strings.Join(lines[:n], "\n"), strings.Join(lines[n:], "\n")
}

// usageOf is the line of a verb, the verbs below it, examples and flags. Flags of all commands come last, because
// they are the same everywhere.
func usageOf(cmd *cobra.Command, examples string, width int) string {
	line := cmd.UseLine()
	if cmd.HasAvailableSubCommands() {
		line = cmd.CommandPath() + " [command]"
	}
	parts := append([]string{"Usage:\n  " + line}, subcommands(cmd, width)...)
	if examples != "" {
		parts = append(parts, "More examples:\n"+examples)
	}
	if cmd.HasAvailableLocalFlags() {
		parts = append(parts, "Flags:\n"+cmd.LocalFlags().FlagUsagesWrapped(width))
	}
	if cmd.HasAvailableInheritedFlags() {
		parts = append(parts, "Flags of all commands:\n"+cmd.InheritedFlags().FlagUsagesWrapped(width))
	}
	if cmd.HasAvailableSubCommands() {
		parts = append(parts, fmt.Sprintf("%s [command] --help says more about a command.", cmd.CommandPath()))
	}
	return joinParts(parts)
}

// subcommands lists the commands below one, by group, and the topics of its help. The command help is not available
// by cobra's word and is listed all the same.
func subcommands(cmd *cobra.Command, width int) (out []string) {
	list := func(title, group string, of func(*cobra.Command) bool) {
		var lines []string
		for _, c := range cmd.Commands() {
			if c.GroupID == group && (of(c) || c.Name() == "help") {
				line := "  " + c.Name() + strings.Repeat(" ", max(1, cmd.NamePadding()-len(c.Name())+1)) + c.Short
				lines = append(lines, wrapAt(line, cmd.NamePadding()+3, width)...)
			}
		}
		if len(lines) > 0 {
			out = append(out, title+"\n"+strings.Join(lines, "\n"))
		}
	}
	for _, g := range cmd.Groups() {
		list(g.Title, g.ID, (*cobra.Command).IsAvailableCommand)
	}
	if len(cmd.Groups()) == 0 {
		list("Commands:", "", (*cobra.Command).IsAvailableCommand)
	}
	list("Topics, for "+cmd.CommandPath()+" help:", "", (*cobra.Command).IsAdditionalHelpTopicCommand)
	return out
}

// wrapAt folds a line behind an indentation. indent is bytes of the line that stay at the left, and the following
// lines have as many blanks. Help has ASCII alone.
func wrapAt(line string, indent, width int) []string {
	if width <= 0 || len(line) <= width {
		return []string{line}
	}
	return fold.Words(line[indent:], line[:indent], strings.Repeat(" ", indent), width)
}

// reflow folds the paragraphs of a text. Lines that are indented stay: they are commands, files and lists. Paragraphs
// are wrapped in the source for its readers, at another width than that of a screen.
func reflow(long string, width int) string {
	var out []string
	for part := range strings.SplitSeq(long, "\n\n") {
		var lines []string
		// A line of prose after an indented one begins a new paragraph line.
		prose := false
		for line := range strings.SplitSeq(part, "\n") {
			indented := strings.HasPrefix(line, " ")
			if n := len(lines); prose && !indented && n > 0 {
				lines[n-1] += " " + line
			} else {
				lines = append(lines, line)
			}
			prose = !indented
		}
		var folded []string
		for _, line := range lines {
			if strings.HasPrefix(line, " ") {
				folded = append(folded, line)
			} else {
				folded = append(folded, wrapAt(line, 0, width)...)
			}
		}
		out = append(out, strings.Join(folded, "\n"))
	}
	return strings.Join(out, "\n\n")
}
