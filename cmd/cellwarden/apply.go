package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
)

// applyFlags are the flags of the apply command.
type applyFlags struct {
	dial   dialFlags
	sim    bool
	opt    backend.Options
	format string
}

func applyCommand() *cobra.Command {
	var f applyFlags
	c := &cobra.Command{
		Use:   "apply FILE",
		Short: "Plan a topology and bring it to a switch over gNMI, or to a simulated ASIC",
		Long: "apply plans the topology; a plan that does not fit is refused and nothing is sent. An admitted one is compared with what\n" +
			"the device has, sent, read back and compared in cells. If the device then holds something else, the steps are undone.\n" +
			"OpenConfig has no words for headroom, pools and PFC: what cannot be sent is listed, and --strict refuses it.\n\n" + exitCodes,
		Example: "  cellwarden apply examples/arista-7060cx-32s.yaml --sim\n  cellwarden apply examples/arista-7060cx-32s.yaml --target 127.0.0.1:9339 --insecure",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	c.Flags().BoolVar(&f.sim, "sim", false, "apply to a simulated ASIC in this process")
	f.dial.register(c)
	c.Flags().BoolVar(&f.opt.DryRun, "dry-run", false, "say what would change and send nothing")
	c.Flags().BoolVar(&f.opt.Strict, "strict", false, "refuse, before anything is sent, if the device cannot hold all of the plan (exit code 8)")
	c.Flags().BoolVar(&f.opt.Prune, "prune", false, "also reset ports that the device has buffers for and the topology does not name")
	outputFlag(c, &f.format)
	c.MarkFlagsMutuallyExclusive("sim", "target")
	c.MarkFlagsOneRequired("sim", "target")
	return c
}

func (f *applyFlags) run(cmd *cobra.Command, file string) error {
	if err := checkFormat(f.format); err != nil {
		return err
	}
	plan, in, err := loadPlan(cmd, file)
	if err != nil {
		return err
	}
	if err := plan.Err(); err != nil {
		return exit{exitNoFit, fmt.Errorf("nothing was sent: %w", err)}
	}
	device, closeDevice, err := f.device(in)
	if err != nil {
		return err
	}
	defer closeDevice()
	report, err := backend.Converge(cmd.Context(), device, plan.Layout(), f.opt)
	if printed := applyReport(report, f.opt, err).write(cmd.OutOrStdout(), f.format, applyDocument(report, err)); printed != nil {
		return exit{exitFailure, printed}
	}
	if err != nil {
		return exit{applyCode(report, err), err}
	}
	return nil
}

// device opens the simulated ASIC or the switch, and says how to close it.
func (f *applyFlags) device(in buffer.Intent) (backend.Backend, func(), error) {
	if !f.sim {
		return f.dial.open(in.Chip.Cell)
	}
	asic, err := sim.New(in.Chip, sim.Ports(in)...)
	if err != nil {
		return nil, nil, exit{exitUsage, err}
	}
	return asic, func() {}, nil
}

// applyCode returns the exit code of an apply that ended with an error.
func applyCode(r *backend.Report, err error) int {
	switch {
	case errors.Is(err, backend.ErrGaps), errors.Is(err, gnmi.ErrInexpressible):
		return exitGaps
	case r.State == backend.RolledBack:
		return exitRolledBack
	case r.State == backend.Partial, r.State == backend.Unknown:
		return exitPartial
	case errors.Is(err, buffer.ErrNoFit):
		return exitNoFit
	default:
		return exitFailure
	}
}

// applyJSON is the report as JSON.
type applyJSON struct {
	Schema      string    `json:"schema"`
	Device      string    `json:"device"`
	State       string    `json:"state"`
	Error       string    `json:"error,omitempty"`
	Steps       []string  `json:"steps"`
	Gaps        []gapJSON `json:"not_expressible"`
	Differences []string  `json:"differences"`
	LeftAlone   []string  `json:"ports_left_alone"`
}

type gapJSON struct {
	Register string `json:"register"`
	Count    int    `json:"count"`
	Why      string `json:"why"`
}

func applyDocument(r *backend.Report, err error) applyJSON {
	d := applyJSON{Schema: "cellwarden.apply/v1", Device: r.Device, State: string(r.State), Steps: texts(r.Steps),
		Gaps: []gapJSON{}, Differences: texts(r.Differences), LeftAlone: append([]string{}, r.LeftAlone...)}
	for _, g := range r.Gaps {
		d.Gaps = append(d.Gaps, gapJSON{g.Kind.String(), g.Count, g.Why})
	}
	if err != nil {
		d.Error = err.Error()
	}
	return d
}

func texts(steps []buffer.Step) []string {
	out := make([]string, len(steps))
	for i, s := range steps {
		out[i] = s.String()
	}
	return out
}

func applyReport(r *backend.Report, opt backend.Options, err error) *report {
	out := &report{head: []string{fmt.Sprintf("%s: %s", r.Device, r.State), "  " + stateText(r, opt, err)}}
	if i := slices.IndexFunc(r.Gaps, func(g backend.Gap) bool { return g.Kind == buffer.GroupHeadroom }); i >= 0 {
		out.head = append(out.head, fmt.Sprintf("  NOT LOSSLESS BY THIS ALONE: the headroom of %s could not be sent. %s", plural(r.Gaps[i].Count, "group", "groups"), r.Gaps[i].Why))
	}
	if len(r.Steps) > 0 {
		title := "Changes"
		if r.State != backend.Applied {
			title = "Changes that the plan asks for"
		}
		out.sections = append(out.sections, stepSection(title, r.Steps))
	}
	if len(r.Differences) > 0 {
		out.sections = append(out.sections, stepSection("Differences: what the device holds, and what it should hold", r.Differences))
	}
	if len(r.Gaps) > 0 {
		s := section{title: "Not sent: this target has no words for", columns: []string{"register", "count", "why"}}
		for _, g := range r.Gaps {
			s.row(g.Kind.String(), count(g.Count), g.Why)
		}
		out.sections = append(out.sections, s)
	}
	if len(r.LeftAlone) > 0 {
		out.foot = append(out.foot, "left alone, because the topology does not name them (--prune resets them): "+buffer.FoldPorts(r.LeftAlone))
	}
	return out
}

// stateText says in a sentence how the device was left.
func stateText(r *backend.Report, opt backend.Options, err error) string {
	switch r.State {
	case backend.Unchanged:
		switch {
		case err != nil:
			return "nothing was sent"
		case opt.DryRun && len(r.Steps) > 0:
			return fmt.Sprintf("dry run: nothing was sent; %s would change", plural(len(r.Steps), "register", "registers"))
		default:
			return "it has all of the plan that it can hold; nothing was sent"
		}
	case backend.Applied:
		return fmt.Sprintf("%s changed, read back and found equal, in cells", plural(len(r.Steps), "register", "registers"))
	case backend.Refused:
		if !errors.Is(err, backend.ErrRefused) {
			return "sending failed, and it holds what it held before, as read back"
		}
		return "it refused, and holds what it held before, as read back"
	case backend.RolledBack:
		return "the steps were undone, and it holds what it held before, as read back"
	case backend.Partial:
		return fmt.Sprintf("it holds neither the plan nor what it held before: %s differ from before", plural(len(r.Differences), "register", "registers"))
	default:
		return "it no longer answers; it may hold the plan, what it held before, or parts of both. Run apply again when it answers: it compares first"
	}
}

// stepSection folds steps that are alike on several ports. What a step may stop
// is the vendors' worst case for its kind of register.
func stepSection(title string, steps []buffer.Step) section {
	type change struct {
		kind     buffer.Kind
		from, to int64
	}
	var order []change
	first := map[change]buffer.Step{}
	ports := map[change][]string{}
	counts := map[change]int{}
	for _, s := range steps {
		c := change{s.Kind, s.From, s.To}
		if counts[c]++; counts[c] == 1 {
			order = append(order, c)
			first[c] = s
		}
		where := s.Port
		if where == "" {
			where = fmt.Sprintf("slice %d", s.Index)
		}
		if n := len(ports[c]); n == 0 || ports[c][n-1] != where {
			ports[c] = append(ports[c], where)
		}
	}
	out := section{title: title, columns: []string{"phase", "register", "from", "to", "may stop", "count", "where"}}
	for _, c := range order {
		s := first[c]
		out.row(s.Phase().String(), c.kind.String(), c.kind.Text(c.from), c.kind.Text(c.to), s.Disruption().String(), count(counts[c]), buffer.FoldPorts(ports[c]))
	}
	return out
}
