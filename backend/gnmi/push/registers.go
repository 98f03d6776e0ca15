package push

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/nos"
)

// registers are changes of registers over OpenConfig. A resumed push has no plan: its compatibility is nil.
type registers struct {
	profile *nos.Profile
	compat  *qos.Compatibility
	shares  []nos.Shares
	plan    nos.Plan
	report  *backend.Report      // nil: no switch was contacted
	found   *backend.Convergence // nil: no switch was contacted, or the push is resumed
	phased  bool                 // each phase is a Set, whatever the profile says
}

// describeRegisters computes which registers of the plan a kind of switch accepts. With Strict it refuses the plan if
// lossless groups need a register that is not sent.
func describeRegisters(to *nos.Profile, plan nos.Plan, opt *Options) (subject, error) {
	compat, err := qos.CheckCompatibility(plan.Layout, cellOf(plan), to)
	if err != nil {
		return nil, err
	}
	r := &registers{profile: to, compat: compat, shares: sharesOver(to, &plan.Intent), plan: plan,
		phased: opt.Connection.Phased}
	if err := CheckShares(r.shares, opt.Strict, opt.ShareTolerance); err != nil {
		return r, fmt.Errorf("nothing was sent: %w", err)
	}
	if opt.Strict && !r.sendsAll() {
		return r, &gapsError{r.verdict()}
	}
	return r, nil
}

// compareRegisters compares the registers that can be sent with those of the switch.
func compareRegisters(ctx context.Context, s *session, plan nos.Plan, opt *Options) (subject, error) {
	what, err := describeRegisters(s.result.Profile, plan, opt)
	if err != nil {
		return what, err
	}
	r := what.(*registers)
	r.found, err = backend.Look(ctx, s.Client, r.compat.Layout, backend.Options{Prune: opt.Prune})
	r.report = r.found.Report
	return r, err
}

func (r *registers) run(ctx context.Context, w *journal.Writer) error {
	r.found.Observer = w.Registers()
	return r.found.Run(ctx)
}

func (r *registers) plans(p *journal.Push) bool {
	return p.Plans(r.compat.Layout)
}

func (r *registers) again(ctx context.Context, s *session) error {
	now, err := s.Observe(ctx)
	if err != nil {
		return err
	}
	if left := r.found.Device.Diff(now); len(left) > 0 {
		return fmt.Errorf("%w: %s", backend.ErrMismatch, r.found.Device.Mismatch(left))
	}
	return nil
}

// about adds the plan and the phases, so that Resume sends in the same way.
func (r *registers) about(a *journal.About) {
	_, apart := r.profile.Quirk(nos.PhasesApart)
	a.Want, a.Apart = r.compat.Layout, apart || r.phased
}

func (r *registers) fill(out *Result) {
	if r.report != nil {
		fillRegisters(out, r.report, r.reach)
	}
	if r.compat == nil {
		return
	}
	out.Compatibility, out.Shares, out.Gaps = r.compat, r.shares, r.gaps()
	out.Lossless, out.Verdict = r.sendsAll(), r.verdict()
}

// fillRegisters writes the report of the engine for registers into a Result.
func fillRegisters(out *Result, r *backend.Report, reach func(buffer.Step) buffer.Disruption) {
	change := func(s buffer.Step) Change { return Change{Step: s, Reach: reach(s)} }
	out.State, out.Has, out.Gaps, out.LeftAlone = r.State, r.Has, r.Gaps, r.LeftAlone
	out.Changes, out.Differences = grouped.Each(r.Steps, change), grouped.Each(r.Differences, change)
	out.Others = grouped.Each(r.Others, change)
}

// reach is the traffic that a step may stop on this kind of switch.
func (r *registers) reach(s buffer.Step) buffer.Disruption { return r.profile.Disruption(s.Kind) }

// sendsAll tells whether everything that the lossless groups need is sent.
func (r *registers) sendsAll() bool {
	_, egress := r.plan.Intent.NotWritten()
	return r.compat.Lossless() && !egress
}

// inexpressible counts registers that are not sent, by kind.
func (r *registers) inexpressible(counts func(qos.RegisterOutcome) bool) map[buffer.Kind]int {
	out := map[buffer.Kind]int{}
	for _, n := range r.compat.Registers {
		if n.Outcome == qos.Inexpressible && counts(n) {
			out[n.Kind]++
		}
	}
	return out
}

// gaps lists the kinds of registers that are not sent.
func (r *registers) gaps() []backend.Gap {
	counts := r.inexpressible(func(qos.RegisterOutcome) bool { return true })
	var out []backend.Gap
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, backend.Gap{Kind: k, Count: counts[k], Why: r.compat.Profile.Rule(k).Reason()})
	}
	return out
}

// verdict says whether the push makes the switch lossless, and if not, what is missing.
func (r *registers) verdict() string {
	egress, needed := r.plan.Intent.NotWritten()
	if r.sendsAll() {
		return "everything that the lossless groups need is sent"
	}
	var what []string
	if needed {
		what = append(what, egress)
	}
	counts := r.inexpressible(func(n qos.RegisterOutcome) bool { return n.Critical })
	for _, k := range buffer.Kinds() {
		if counts[k] > 0 {
			what = append(what, fmt.Sprintf("%s (%d)", k.ShortName(), counts[k]))
		}
	}
	return "NOT LOSSLESS BY THIS PUSH ALONE: not sent: " + joined(what)
}
