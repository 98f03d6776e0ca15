package push

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/nos"
)

// session is a connection to one switch for one push.
type session struct {
	*gnmi.Client
	to     Target
	about  gnmi.Expected   // the switch of the plan
	names  []string        // by which the switch is locked: see lockNames
	locks  []*journal.Lock // none: a dry run, or there is no place for them
	result *Result
}

// open connects to a switch, and takes its lock unless the push is a dry run. It sends nothing.
func open(to Target, about gnmi.Expected, c gnmi.Options, dryRun bool,
	waiting func(string, time.Duration)) (*session, error) {
	s := &session{to: to, about: about, result: &Result{State: backend.Unchanged, Has: backend.NotRead}}
	c.Cell, c.Target = about.Cell, to.PrefixTarget
	if waiting != nil {
		c.Waiting = func(longest time.Duration) { waiting(s.result.Device, longest) }
	}
	var err error
	if s.Client, err = gnmi.Dial(to.Address, c); err != nil {
		return nil, err
	}
	s.result.Device = s.Name()
	if s.names, err = lockNames(to.Address, to.PrefixTarget); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if !dryRun {
		if err := s.take(c); err != nil {
			s.release()
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// take takes the locks of the switch. A machine without a place for locks pushes without one, and says so in the log.
func (s *session) take(c gnmi.Options) error {
	for _, name := range s.names {
		lock, err := journal.LockTarget(name, time.Now())
		if _, held := errors.AsType[*journal.HeldError](err); held {
			return fmt.Errorf("nothing was sent: %w", err)
		}
		if err != nil {
			if c.Log != nil {
				c.Log.Warn("no lock: another push of this machine could write to the switch at the same time", "target", name,
					"error", err)
			}
			return nil
		}
		s.locks = append(s.locks, lock)
	}
	return nil
}

// release gives the locks back.
func (s *session) release() {
	for _, lock := range s.locks {
		lock.Release()
	}
	s.locks = nil
}

// end gives the locks and the connection back.
func (s *session) end() {
	s.result.Sets = s.Sets()
	s.release()
	_ = s.Close()
}

// meet asks the switch for its kind, and compares the switch with that of the plan. undone is what is not done with
// another switch.
func (s *session) meet(ctx context.Context, undone string) (err error) {
	if s.result.Probe, err = s.Probe(ctx); err != nil {
		return err
	}
	s.result.Profile = s.result.Probe.Profile
	if s.result.Unsaid, err = native.Identify(ctx, s.Client, s.result.Probe).Check(s.about); err != nil {
		return fmt.Errorf("%s: %w", undone, err)
	}
	return nil
}

// expected is the switch that a plan is for.
func expected(in *buffer.Intent) gnmi.Expected {
	return gnmi.Expected{Chip: in.Chip.Name, Title: in.Chip.Title, Cell: in.Chip.Cell,
		Ports: grouped.Each(in.Ports, func(p buffer.Port) string { return p.Name })}
}

// recorded is the switch that a journal is about.
func recorded(start *journal.Record) (about gnmi.Expected, missing []string) {
	if start.Chip == "" {
		missing = append(missing, "chip")
	}
	if len(start.Ports) == 0 {
		missing = append(missing, "ports")
	}
	return gnmi.Expected{Chip: start.Chip, Title: start.ChipTitle, Cell: start.Cell, Ports: start.Ports}, missing
}

// notDone adds to the error of a reading what is not done with a switch that the plan is not for, or whose
// configuration is not sent. Other errors of a reading say it themselves.
func notDone(what string, err error) error {
	if errors.Is(err, backend.ErrIdentity) || errors.Is(err, native.ErrNotSent) {
		return fmt.Errorf("%s: %w", what, err)
	}
	return err
}

// subject is the part of a switch that a push changes: registers over OpenConfig, or values of native configuration.
type subject interface {
	// run sends the changes. A nil Writer writes no journal.
	run(context.Context, *journal.Writer) error
	// fill writes the changes, and how the switch was left, into the Result.
	fill(*Result)
	// about completes the first line of the journal.
	about(*journal.About)
	// plans tells whether an earlier push has changed nothing but what this plan has, to its values.
	plans(*journal.Push) bool
	// again reads the switch once more and compares it with the plan: backend.ErrMismatch if they differ.
	again(context.Context, *session) error
}

// compare compares a plan with the switch.
func (s *session) compare(ctx context.Context, plan nos.Plan, opt *Options) (subject, error) {
	if opt.wantsNative(s.result.Profile) {
		return compareValues(ctx, s, plan, opt)
	}
	return compareRegisters(ctx, s, plan, opt)
}

// cellOf is the size of the cells of a plan's chip.
func cellOf(plan nos.Plan) cells.Size { return plan.Intent.Chip.Cell }
