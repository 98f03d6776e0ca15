package push

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/inputs"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/unit"
)

// render writes a plan as native configuration, without a connection. The dialects are
// in the packages below dialect.

// renderFlags are the flags of the render command. part is the name of a part, "" for the first. dir is a directory
// for all of them, "" for standard output. current is the path of a config_db.json; empty: the switch's configuration
// is not known.
type renderFlags struct {
	dialect, part, dir string
	strict             bool
	tolerance          unit.Percent // of shares
	sonic              sonicFlags
	current            string
	hwsku              hwskuFlags
}

// RenderCommand makes the verb. It needs no switch and no connection.
func RenderCommand() *cobra.Command {
	var f renderFlags
	c := cli.Command("render", cli.Args(1, 1), func(cmd *cobra.Command, args []string) error {
		return f.run(cmd, args[0])
	})
	cli.WordFlag(c, &f.dialect, "dialect", "", registry.Dialects(),
		"configuration to write: "+strings.Join(registry.Dialects(), ", "))
	c.Flags().StringVar(&f.part, "part", "", "part to print (default: the first, which is the whole)")
	c.Flags().StringVar(&f.dir, "dir", "",
		"directory for all parts, in place of standard output; it is made where it is not there")
	c.Flags().BoolVar(&f.strict, "strict", false, "write nothing if a value that lossless groups need cannot be "+
		"expressed, if it is not known that the switch keeps it, or if shares are off (exit code 8)")
	toleranceFlag(c, &f.tolerance)
	f.sonic.register(c, "unknown")
	cli.ForceFlag(c)
	cli.SetFlag(c)
	c.Flags().StringVar(&f.current, "current", "", "config_db.json of the SONiC switch")
	f.hwsku.register(c)
	// Its error is that the flag is not there, and it was added above.
	_ = c.MarkFlagRequired("dialect")
	for _, other := range []string{"part", "hwsku"} {
		c.MarkFlagsMutuallyExclusive(other, "dir")
	}
	return c
}

// run plans the topology and renders it. A plan that does not fit is not rendered. The plan has to fit, as for apply.
// Exit code 8 says that the dialect cannot express what was asked for with --strict.
func (f *renderFlags) run(cmd *cobra.Command, file string) error {
	// A flag that another dialect does not read is refused, so that nobody takes the output for that of the flag.
	if f.dialect != sonic.System.Name && (f.sonic.given() || f.current != "" || f.hwsku.folder != "") {
		return fmt.Errorf("--sonic-asic, --sonic-release, --sonic-model, --sonic-table, --sonic-max-headroom, --current and "+
			"--hwsku do not apply to dialect %s (want it with --dialect sonic)", f.dialect)
	}
	if err := f.hwsku.check(f.sonic.given() || f.part != "" || f.strict); err != nil {
		return err
	}
	err := f.sonic.read(cmd)
	if err != nil {
		return err
	}
	// Without --current the parts have the whole plan and not its differences.
	if f.sonic.Current, err = readCurrent(cmd, f.current); err != nil {
		return err
	}
	// A configuration of part of the ports would look like one of all.
	plan, in, err := inputs.LoadPlan(cmd, file, "nothing was written", false)
	if err != nil {
		return err
	}
	if f.hwsku.folder != "" {
		return f.hwsku.write(cmd, nos.Plan{Intent: in, Layout: plan.Layout()}, f.current, file)
	}
	// A topology that a dialect cannot express at all is refused with what it lacks.
	language, err := native.New(f.dialect, nos.Plan{Intent: in, Layout: plan.Layout()}, f.sonic.Options)
	if err != nil {
		if err = fmt.Errorf("nothing was written: %w", err); errors.Is(err, backend.ErrGaps) {
			return cli.ExitWith(cli.ExitGaps, err)
		}
		return err
	}
	// No switch is read here: what is not known of it is taken to be the worst case.
	return f.write(cmd, language.Unread(), &in)
}

// partOf finds a part by name. Without a name it returns the first, which is the whole
// configuration.
func partOf(r *nos.Rendering, name string) (nos.File, error) {
	var names []string
	for _, f := range r.Files {
		// The first part is the whole configuration in every dialect.
		if f.Name == name || name == "" {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return nos.File{}, fmt.Errorf("--part %q of dialect %s (want %s)", name, r.Dialect, strings.Join(names, ", "))
}

// write prints the configuration on standard output, and what it does not contain on standard error. With --strict
// nothing is written if lossless groups need more. Omissions, notes and shares are lines on standard error, each with
// a word in front that says what it is. Errors of gaps come after the lines, so that a reader sees what is missing.
func (f *renderFlags) write(cmd *cobra.Command, r *nos.Rendering, in *buffer.Intent) error {
	// It is found before anything is printed: a wrong name is wrong usage, whatever the configuration has.
	part, err := partOf(r, f.part)
	if err != nil {
		return err
	}
	if changes := cli.Changed(cmd); len(changes) > 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "note: the configuration is that of the topology"+cli.ChangedText(changes))
	}
	// Standard error, since the configuration on standard output goes into a file or a switch as it is.
	for _, line := range append(shareLines(r.Shares, in), omissionLines(r)...) {
		fmt.Fprintln(cmd.ErrOrStderr(), line)
	}
	// Without strict only a shaper that is lost refuses: other losses and shares that are off are listed.
	if err := push.CheckShares(r.Shares, f.strict, f.tolerance); err != nil {
		return cli.ExitWith(cli.ExitGaps, errors.New("nothing was written: "+withTolerance(err.Error(), f.tolerance)))
	}
	// The lines above have named what is missing.
	if f.strict && !r.Lossless() {
		return cli.ExitWith(cli.ExitGaps, fmt.Errorf("nothing was written: %w", backend.ErrGaps))
	}
	if f.dir == "" {
		_, err := cmd.OutOrStdout().Write(part.Content)
		return cli.Failure(err)
	}
	return writeFiles(cmd, "--dir: ", f.dir, r.Files)
}

// omissionText is an omission in a line. count is the number of registers that are left out for one reason.
func omissionText(o nos.Omission) string {
	if o.What != "" {
		return o.What + ": " + o.Why
	}
	return fmt.Sprintf("%v (%d): %s", o.Kind, o.Count, o.Why)
}

// omissionLines list what a rendering does not contain, with the notes for its use. The last line states whether the
// configuration makes the switch lossless. The last line is the one that a reader of a terminal sees, and it says
// whether lossless groups have all they need. Lines begin with a word for what they are: part, note, needs a reload,
// not expressed, may not stay.
func omissionLines(r *nos.Rendering) []string {
	var out, missing []string
	for _, f := range ordered(r) {
		out = append(out, fmt.Sprintf("part %s: %s", f.Name, f.Purpose))
	}
	out = append(out, cli.Prefixed("note: ", r.Notes)...)
	for w, n := range foldWaiting(r.Waiting).All() {
		needed := ""
		if w.critical {
			needed = ", needed by lossless groups"
		}
		out = append(out, fmt.Sprintf("needs a reload: %s (%d%s): %s", w.what, *n, needed, w.why))
	}
	for _, o := range r.Omitted {
		out = append(out, "not expressed: "+omissionText(o))
		if o.Critical {
			// What lossless groups do not need is listed and does not decide the last line.
			missing = append(missing, o.ShortName())
		}
	}
	for _, u := range r.Undone {
		out = append(out, fmt.Sprintf("may not stay: %s: %s", u.What, u.Why))
	}
	if len(missing) > 0 {
		last := "NOT LOSSLESS BY THIS CONFIGURATION ALONE: missing: " + strings.Join(missing, ", ")
		if len(r.Undone) > 0 {
			last += "; " + r.NotKept()
		}
		return append(out, last)
	}
	// What the switch itself may undo is worse than a reload: it happens later, and nobody is told.
	if len(r.Undone) > 0 {
		return append(out, r.NotKept())
	}
	if r.NeedsReload() {
		return append(out, "everything that the lossless groups need is in this configuration, but it needs a config "+
			"reload: load config_db.json, or "+inOrder(filesToApply(r)))
	}
	return append(out, "everything that the lossless groups need is in this configuration")
}

// inOrder names the files that have to be applied, in their order. A single file is named by itself. files are at
// least one where something has to be applied; without any the text is empty.
func inOrder(files []appliedFile) string {
	names := grouped.Each(files, func(f appliedFile) string { return f.Name })
	if n := len(names) - 1; n > 0 {
		return strings.Join(names[:n], ", ") + " and then " + names[n]
	}
	return strings.Join(names, "")
}
