package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/dialect"
)

// renderFlags are the flags of the render command.
type renderFlags struct {
	dialect, part, dir string
	strict             bool
	sonic              sonicFlags
	current            string
}

func renderCommand() *cobra.Command {
	var f renderFlags
	c := &cobra.Command{
		Use:   "render FILE",
		Short: "Plan a topology and write it in a switch's own words: SONiC, SR Linux, Junos, EOS",
		Long: "render plans the topology and writes the admitted plan as a switch's own configuration, for what OpenConfig has no words\n" +
			"for: headroom, PFC, pools. The text goes to standard output; what the dialect cannot express either, and what has to be\n" +
			"known before using the text, goes to standard error. Some dialects have several parts: --part names one, --dir writes all.\n" +
			"What a SONiC switch takes while it runs, and what needs a reload, depends on its chip, its release and what it has: what is\n" +
			"not told is taken to be the worst. With --current, its config_db.json, the parts are the differences from that.\n\n" + exitCodes,
		Example: "  cellwarden render examples/arista-7060cx-32s.yaml --dialect sonic\n  cellwarden render examples/arista-7060cx-32s.yaml --dialect sonic --part now.json --sonic-release 202511 --current config_db.json",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	c.Flags().StringVar(&f.dialect, "dialect", "", "whose words: "+strings.Join(dialectNames(), ", "))
	c.Flags().StringVar(&f.part, "part", "", "part to print (default: the whole)")
	c.Flags().StringVar(&f.dir, "dir", "", "folder to write all parts to, in place of standard output")
	c.Flags().BoolVar(&f.strict, "strict", false, "write nothing if something that lossless groups need cannot be expressed (exit code 8)")
	f.sonic.register(c, "not known")
	c.Flags().StringVar(&f.current, "current", "", "what the SONiC switch has, its config_db.json")
	_ = c.MarkFlagRequired("dialect")
	c.MarkFlagsMutuallyExclusive("part", "dir")
	return c
}

func dialectNames() []string {
	var out []string
	for _, d := range native.Dialects() {
		out = append(out, d.Name)
	}
	return out
}

func (f *renderFlags) run(cmd *cobra.Command, file string) error {
	i := slices.Index(dialectNames(), f.dialect)
	if i < 0 {
		return fmt.Errorf("dialect %q: accepted: %s", f.dialect, strings.Join(dialectNames(), ", "))
	}
	if !native.Dialects()[i].Depends && f.sonic.asic+f.sonic.release+f.current != "" {
		return fmt.Errorf("dialect %s has no use for --sonic-asic, --sonic-release and --current: accepted: with --dialect sonic", f.dialect)
	}
	known, err := f.sonic.options()
	if err != nil {
		return err
	}
	if known.Current, err = readCurrent(f.current); err != nil {
		return err
	}
	plan, in, err := loadPlan(cmd, file)
	if err != nil {
		return err
	}
	if err := plan.Err(); err != nil {
		return exit{exitNoFit, fmt.Errorf("nothing was written: %w", err)}
	}
	language, err := native.New(f.dialect, dialect.Plan{Intent: in, Layout: plan.Layout()}, known)
	if err != nil {
		return err
	}
	return f.write(cmd, language.Unread())
}

// partOf finds a part by name; no name is the whole.
func partOf(r *dialect.Rendering, name string) (dialect.File, error) {
	var names []string
	for _, f := range r.Files {
		if f.Name == name || name == "" {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return dialect.File{}, fmt.Errorf("part %q of dialect %s: accepted: %s", name, r.Dialect, strings.Join(names, ", "))
}

// write prints the rendering, and what is not in it to standard error.
func (f *renderFlags) write(cmd *cobra.Command, r *dialect.Rendering) error {
	part, err := partOf(r, f.part)
	if err != nil {
		return err
	}
	for _, line := range omissionLines(r) {
		fmt.Fprintln(cmd.ErrOrStderr(), line)
	}
	if f.strict && !r.Lossless() {
		return exit{exitGaps, fmt.Errorf("nothing was written: %w", backend.ErrGaps)}
	}
	if f.dir == "" {
		_, err := cmd.OutOrStdout().Write(part.Content)
		return failure(err)
	}
	for _, file := range r.Files {
		if err := os.WriteFile(filepath.Join(f.dir, file.Name), file.Content, 0o644); err != nil {
			return exit{exitFailure, err}
		}
	}
	return nil
}

// omissionLines tell what is not in a rendering and what to know about it. The
// last says whether it makes the switch lossless.
func omissionLines(r *dialect.Rendering) []string {
	var out, missing []string
	for _, f := range r.Files {
		out = append(out, fmt.Sprintf("part %s: %s", f.Name, f.Purpose))
	}
	for _, n := range r.Notes {
		out = append(out, "note: "+n)
	}
	for _, w := range foldWaiting(r.Waiting) {
		needed := ""
		if w.critical {
			needed = ", needed by lossless groups"
		}
		out = append(out, fmt.Sprintf("takes a reload: %s (%d%s): %s", w.what, w.count, needed, w.why))
	}
	for _, o := range r.Omitted {
		out = append(out, fmt.Sprintf("not expressed: %v (%d): %s", o.Kind, o.Count, o.Why))
		if o.Critical {
			missing = append(missing, o.Kind.ShortName())
		}
	}
	if len(missing) > 0 {
		return append(out, "NOT LOSSLESS BY THIS ALONE: not in it are "+strings.Join(missing, ", "))
	}
	if r.NeedsReload() {
		return append(out, "everything that lossless groups need is in it, but not without a reload: config_db.json as a whole, or now.json and then reload.json")
	}
	return append(out, "everything that lossless groups need is in it")
}
