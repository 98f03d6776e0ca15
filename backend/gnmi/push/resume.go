package push

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/sleep"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// Resume finishes or undoes a push that was interrupted: it reads the switch and sends the remaining changes as the
// push sent them, and continues its journal. An empty Target is the one that the journal names. The Result is nil if
// the switch was not contacted: see Apply.
func Resume(ctx context.Context, to Target, p *journal.Push, opt ResumeOptions) (*Result, error) {
	if to.Address == "" {
		to.Address, to.PrefixTarget = p.Start.Target, p.Start.PrefixTarget
	}
	c := opt.Connection
	var err error
	if c.Profile, err = registry.LoadProfile(p.Start.Profile); err != nil {
		return nil, fmt.Errorf("%s: %w", p.File, err)
	}
	if c.Phased = c.Phased || p.Start.Apart; p.Within >= 0 && !opt.OwnRollback {
		c.Rollback = p.Within
	}
	c.SetTimeout = cmp.Or(c.SetTimeout, p.Longest)
	about, missing := recorded(&p.Start)
	s, err := open(to, about, c, opt.DryRun, opt.Waiting)
	if err != nil {
		return nil, err
	}
	defer s.end()
	s.result.Resumed, s.result.Undo, s.result.Unrecorded = true, opt.Undo, missing
	if err := s.meet(ctx, "nothing was sent"); err != nil {
		return s.result, err
	}
	return s.result, s.resume(ctx, p, &opt)
}

// resume sends the remaining changes. The changes are known when the journal allows them, and again when they are made.
func (s *session) resume(ctx context.Context, p *journal.Push, opt *ResumeOptions) error {
	p.Longest = s.LongestSet() // for so long the switch is waited for
	notice := s.waitNotice(p, opt)
	defer notice.cancel()
	device, fill := s.remaining(p, opt, notice)
	var unmade []*journal.Push
	if !opt.DryRun {
		unmade = s.unmade(ctx, p.File, filepath.Dir(p.File))
	}
	unanswered := len(p.Pending) > 0 && p.Pending[0].Origin == sonic.Origin
	err := p.Resume(ctx, device, journal.Options{Undo: opt.Undo, Overwrite: opt.Overwrite, DryRun: opt.DryRun,
		Continued: func() { s.result.Journal = p.File },
		Allow: func() error {
			notice.cancel() // what the switch was at work on is over
			fill(s.result)
			if opt.Disruption == nil {
				return nil
			}
			s.result.Sets = s.Sets()
			return s.result.Allowed(*opt.Disruption)
		}})
	fill(s.result)
	if p.State != "" {
		s.result.State = p.State // with a commit that was cancelled first
	}
	if !opt.DryRun {
		s.commit()
		if unanswered && err == nil && !opt.Undo && s.result.State == backend.Unchanged {
			s.result.Commit = unsaved // SONiC saves with its answer alone, and no Set followed
		}
	}
	if err == nil {
		err = s.lasts(ctx, unmade, func() error { return s.complete(ctx, p, opt) })
	}
	return err
}

// complete reads the switch once more and tells whether a resumed push has left nothing to be done.
func (s *session) complete(ctx context.Context, p *journal.Push, opt *ResumeOptions) error {
	device, fill := s.remaining(p, opt, nil)
	if err := device.Look(ctx, p, journal.Options{DryRun: true, Undo: opt.Undo, Overwrite: opt.Overwrite}); err != nil {
		return err
	}
	r := Result{Profile: s.result.Profile}
	fill(&r)
	switch {
	case len(r.Changes) > 0:
		return fmt.Errorf("%w: %s", backend.ErrMismatch, r.Changes[0])
	case len(r.Others) > 0: // there were none when it was compared
		return fmt.Errorf("%w since: %s", backend.ErrOthers, r.Others[0])
	}
	return nil
}

// remaining returns the rest of a push, by the kind of its changes, and what writes all that is known of it into a
// Result.
func (s *session) remaining(p *journal.Push, opt *ResumeOptions, notice *waitNotice) (journal.Target, func(*Result)) {
	pause := func(ctx context.Context, d time.Duration) error {
		notice.tell()
		return sleep.For(ctx, d)
	}
	if p.Values != nil {
		r := &native.Resumption{Client: s.Client, Pause: pause}
		return r, func(out *Result) {
			if r.Push != nil {
				r.Push.Report.Rendering = &nos.Rendering{Dialect: out.Profile.Dialect}
				(&values{report: r.Push.Report, resumed: true}).fill(out)
			}
		}
	}
	r := &journal.Registers{Backend: s.Client, Longest: s.LongestSet(), Pause: pause}
	return r, func(out *Result) {
		if r.Report != nil {
			fillRegisters(out, r.Report, func(s buffer.Step) buffer.Disruption { return out.Profile.Disruption(s.Kind) })
		}
	}
}

// waitNotice tells the caller once that a resumption waits for the switch, which may still be at work on a Set.
type waitNotice struct {
	tell   func()
	cancel func() // nothing is told any more
}

// silence is how long a resumption waits for the switch before it says so: a switch that makes one Set at a time does
// not answer the cancellation of a commit before the Set has ended.
const silence = time.Second

// waitNotice returns the notice of a push that is resumed. It is also given after the silence.
func (s *session) waitNotice(p *journal.Push, opt *ResumeOptions) *waitNotice {
	left := p.AtWork(time.Now(), s.LongestSet())
	if opt.DryRun || opt.Waiting == nil || left <= 0 {
		return &waitNotice{func() {}, func() {}}
	}
	var once sync.Once
	tell := func() { once.Do(func() { opt.Waiting(s.result.Device, left) }) }
	timer := time.AfterFunc(silence, tell)
	return &waitNotice{tell, func() { timer.Stop(); once.Do(func() {}) }}
}
