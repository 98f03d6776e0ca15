package audit

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
)

// expressed tells whether a topology says all of a configuration. A plan that does not fit is expressed all the same:
// the switch has it, and the topology says it.
func (one *imported) expressed() bool { return one.err == nil && len(one.Differences) == 0 }

// head says what became of a configuration. Differences are listed with what they are about; beyond those that are kept
// the number is given.
func (one *imported) head() []string {
	name := one.name()
	if one.err != nil {
		// One line for each configuration, so that the lines of a folder can be counted.
		return []string{fmt.Sprintf("NOT IMPORTED: %s: %s", name, strings.ReplaceAll(one.err.Error(), "\n", "; "))}
	}
	verdict := fmt.Sprintf("EXPRESSED: %s: the plan of the topology has the pools, groups, queues, PFC, DSCPs, marking "+
		"and schedules of its %s", name, cli.Plural(len(one.Intent.Ports), "port", "ports"))
	// A chip that is assumed does not change the verdict.
	assumed := ""
	if one.Intent.Chip.Assumed() {
		assumed = "; its chip is not known, and one is assumed that holds its pools"
	}
	if n := len(one.Differences); n > 0 {
		verdict = fmt.Sprintf("NOT EXPRESSED: %s: %s, %s", name, cli.Plural(len(one.Intent.Ports), "port", "ports"),
			cli.Plural(n, "difference", "differences"))
	}
	lines := []string{verdict + assumed}
	for _, d := range one.Differences {
		lines = append(lines, "  differs: "+d.String())
	}
	if one.Rest > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more differences", one.Rest))
	}
	// A switch can have a configuration that a plan refuses: it is imported, and this says so.
	if !one.Plan.Fits {
		lines = append(lines, fmt.Sprintf("  the plan does not fit: %s of %d", cli.Plural(len(one.Plan.Refusals), "refusal",
			"refusals"), len(one.Intent.Ports)))
	}
	lines = append(lines, cli.Prefixed("  note: ", one.Notes)...)
	return lines
}

// name names a configuration. In a folder many configurations have one path, so the role and the buffer model tell
// them apart.
func (one *imported) name() string {
	if one.of == "" {
		return one.from
	}
	return one.from + " (" + one.of + ")"
}

// comments are the comments of a topology in a file: what it does not say, and where its values come from. They are in
// the file, since a later reader of the topology has no report beside it.
func (one *imported) comments(file string) topology.Comments {
	head := []string{"Imported from " + one.name() + ". Lines of templates are those of the text that they render."}
	for _, d := range one.Differences {
		head = append(head, "not expressed: "+d.String())
	}
	head = append(head, cli.Prefixed("note: ", one.Notes)...)
	// The file of the chip stands beside the topology, which names it without a folder.
	base := filepath.Base(file)
	return topology.Comments{Head: head, Path: one.Sources, Ports: one.PortSources,
		ChipFile: strings.TrimSuffix(base, filepath.Ext(base)) + ".chip.json"}
}

// report prints what was imported, and returns the exit code. whole is true only if every configuration is expressed.
func (f *importFlags) report(cmd *cobra.Command, found []*imported) error {
	// Imports is [] and not null in JSON, and the verdict that of all. Exit code 8 is one configuration or more that no
	// topology says as a whole, or that was not imported.
	whole := true
	document := report.ImportDocument{Schema: report.Schema("import"), Verdict: "EXPRESSED",
		Imports: []report.ImportedConfig{}}
	var lines []string
	for _, one := range found {
		whole = whole && one.expressed()
		lines = append(lines, one.head()...)
		document.Imports = append(document.Imports, one.document())
	}
	if !whole {
		document.Verdict = "NOT EXPRESSED"
	}
	// The topology has standard output then, so that it can be piped.
	out := cmd.OutOrStdout()
	if f.file == "" {
		out = cmd.ErrOrStderr()
	}
	if len(found) > 1 {
		lines = append([]string{f.summary(found)}, lines...)
	}
	// Names come from the configuration of a switch and may have characters that move a terminal's cursor.
	for i := range lines {
		lines[i] = fielderr.Escape(lines[i], false)
	}
	var err error
	// check has refused JSON without --write, so a document always goes to standard output.
	if f.audit.list.Output.Format == "json" {
		err = cli.WriteJSON(out, document)
	} else {
		_, err = io.WriteString(out, strings.Join(lines, "\n")+"\n")
	}
	return cli.Ended(err, cli.CodeIf(!whole, cli.ExitGaps))
}

// summary counts the configurations of a folder. Of many configurations the numbers come first.
func (f *importFlags) summary(found []*imported) string {
	expressed, refused := 0, 0
	for _, one := range found {
		switch {
		// The three counts add up to all. What was not imported has no differences to count.
		case one.err != nil:
			refused++
		case one.expressed():
			expressed++
		}
	}
	return fmt.Sprintf("%s: %d are expressed, %d differ, %d are not imported", cli.Plural(len(found), "configuration",
		"configurations"), expressed, len(found)-expressed-refused, refused)
}

// document is the configuration in the document of import. Fits is null for a configuration that was not imported.
func (one *imported) document() report.ImportedConfig {
	d := report.ImportedConfig{From: one.from, Variant: one.of, Topology: one.file, Notes: []string{}}
	unnamed.List(&d.Differences, 0)
	if one.err != nil {
		d.Error = one.err.Error()
		return d
	}
	// Rest counts the differences beyond those that are kept.
	d.NotListed = one.Rest
	d.Ports, d.Classes, d.Fits = len(one.Intent.Ports), len(one.Intent.Classes), new(one.Plan.Fits)
	for _, differs := range one.Differences {
		to := unnamed.Add(&d.Differences)
		to.Object, to.File, to.Line, to.Message = differs.Object, differs.File, differs.Line, differs.Message
	}
	d.Notes = append(d.Notes, one.Notes...)
	return d
}
