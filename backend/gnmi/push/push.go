package push

import (
	"context"
	"slices"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
)

// Apply brings a plan to a switch. The Result is nil if the switch was not contacted, because the options are wrong or
// another process of this machine has the lock (*journal.HeldError). Otherwise its State says how the switch was left,
// and the error why the switch does not have the plan.
func Apply(ctx context.Context, to Target, plan nos.Plan, opt Options) (*Result, error) {
	s, err := open(to, expected(&plan.Intent), opt.Connection, opt.DryRun, opt.Waiting)
	if err != nil {
		return nil, err
	}
	defer s.end()
	s.result.plan = plan
	return s.result, s.apply(ctx, plan, &opt)
}

// apply compares, checks what may be disrupted, and sends. A plan that is refused leaves the switch untouched.
func (s *session) apply(ctx context.Context, plan nos.Plan, opt *Options) error {
	if err := s.meet(ctx, "nothing was sent"); err != nil {
		return err
	}
	var unmade []*journal.Push
	if !opt.DryRun {
		unmade = s.unmade(ctx, "", journalsOf(opt)...)
	}
	what, err := s.compare(ctx, plan, opt)
	if what != nil {
		what.fill(s.result)
	}
	if err != nil || opt.DryRun {
		return err
	}
	if err := s.result.Allowed(opt.Disruption); err != nil {
		return err
	}
	return s.send(ctx, what, unmade, opt)
}

// send sends the changes and writes the journal. unmade are the earlier pushes of session.unmade.
func (s *session) send(ctx context.Context, what subject, unmade []*journal.Push, opt *Options) error {
	var w *journal.Writer
	if !opt.NoJournal {
		about := journal.About{Target: s.to.Address, PrefixTarget: s.to.PrefixTarget, Profile: s.result.Profile.Name,
			Cell: s.about.Cell, Chip: s.about.Chip, ChipTitle: s.about.Title, Ports: s.about.Ports,
			Within: opt.Connection.Rollback, Longest: s.LongestSet()}
		what.about(&about)
		w = journal.NewIn(opt.Journal, about)
		w.Created = func(file string) {
			s.result.Journal = file
			for _, lock := range s.locks {
				lock.Notes(file)
			}
			if opt.JournalCreated != nil {
				opt.JournalCreated(file)
			}
		}
	}
	err := what.run(ctx, w)
	what.fill(s.result)
	s.commit()
	err = w.End(s.result.State, err)
	s.result.Unended = w.Unended()
	switch { // the journal of this push has ended, or there is none: those that follow are of others
	case len(s.result.Changes) == 0:
		return s.keeps(ctx, what, opt, err)
	case s.blocked(err):
		return s.keeps(ctx, what, opt, joinedErrors(err, s.Keeps(ctx)))
	case err == nil:
		return s.lasts(ctx, unmade, func() error { return what.again(ctx, s) })
	}
	return err
}

// commit records whether the switch undoes an unconfirmed push by itself, or by a reboot.
func (s *session) commit() {
	if sent, known := s.Commits(); len(s.result.Changes) > 0 && (s.result.Rendering == nil || sent) {
		s.result.Commit = known
	}
	if s.Unsaved() {
		s.result.Commit = unsaved
	}
}

// unsaved is what is said of a Set of which a switch has everything, and has not said that it saved it.
const unsaved = "the switch made the changes and did not say that it saved them: a reboot may undo them (config save)"

// Describe computes what a kind of switch receives of a plan, without a connection. The values of a SONiC switch are
// compared with SONiC.Current; without it, every value counts as a change. The Result is never nil.
func Describe(to *nos.Profile, plan nos.Plan, opt Options) (*Result, error) {
	r := &Result{Device: "profile " + to.Name, State: backend.Unchanged, Has: backend.NotRead, Profile: to, plan: plan}
	var what subject
	var err error
	if opt.wantsNative(to) {
		what, err = describeValues(to, plan, &opt)
	} else {
		what, err = describeRegisters(to, plan, &opt)
	}
	if what != nil {
		what.fill(r)
	}
	return r, err
}

// ToDevice brings a plan to a device that is reached by other means than gNMI and can express every register, such as a
// simulated ASIC. Of the Options it uses DryRun, Strict and Prune. The Result is never nil.
func ToDevice(ctx context.Context, device backend.Backend, plan nos.Plan, opt Options) (*Result, error) {
	r := &Result{Device: device.Name(), State: backend.Unchanged, plan: plan}
	what, missing := plan.Intent.NotWritten()
	if missing && opt.Strict {
		return r, &gapsError{what}
	}
	found, err := backend.Converge(ctx, device, plan.Layout, backend.Options{DryRun: opt.DryRun, Strict: opt.Strict,
		Prune: opt.Prune})
	fillRegisters(r, found, buffer.Step.Disruption)
	r.Lossless = len(found.Gaps) == 0 && !missing && !r.credits()
	return r, err
}

// credits tells whether the plan has virtual channels with credits.
func (r *Result) credits() bool {
	return slices.ContainsFunc(r.plan.Layout, func(s buffer.Setting) bool { return s.Kind.OfCredits() })
}
