package pushworld

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/sleep"
)

// holding is what an apply that had nothing to send knows of the plan that the switch holds.
type holding struct {
	plans func(*journal.Push) bool    // whether an earlier push has changed nothing but values of the plan
	again func(context.Context) error // reads the switch once more and compares it
}

// earlier are the pushes to the switch that did not end, by the journals of the computer, the newest first. What cannot
// be read is left out.
func (o *operation) earlier() []*journal.Push {
	var out []*journal.Push
	for _, name := range slices.Sorted(maps.Keys(o.computer.files)) {
		p, err := reader.Read(o.computer.files[name].data)
		if err != nil || !p.Open() || p.Start.Target != address {
			continue
		}
		p.File = name
		out = append(out, p)
	}
	o.listed, o.open = o.now(), nil
	for _, p := range out {
		o.open = append(o.open, p.File)
	}
	slices.SortStableFunc(out, func(a, b *journal.Push) int { return b.Start.Time.Compare(a.Start.Time) })
	return out
}

// keeps does what package push does after a push that had nothing to send (session.keeps of its earlier.go): the commit
// of an earlier push of the same plan is confirmed, and a push that may still change the switch is named.
func (o *operation) keeps(ctx context.Context, client *gnmi.Client, h holding, s backend.State,
	err error) (backend.State, error) {
	waits := errors.Is(err, backend.ErrCommitWaits)
	if !o.extras.looks || err != nil && !waits {
		return s, err
	}
	all := o.earlier()
	for _, p := range all {
		held := o.computer.files[p.File].locked
		busy := held != nil && !held.ended && !held.dead
		if id := p.Waiting(time.Now()); waits && !busy && id != "" && (h.plans(p) || o.broken == ProofIsThePlan) {
			done, s, err := o.confirms(ctx, client, p, id, h)
			if done {
				return s, err
			}
		}
		if why := o.undoes(ctx, client, p, waits, busy); why != nil {
			if changed := h.again(ctx); changed != nil && err == nil {
				o.has, err = backend.NotRead, changed
			}
			return backend.Unknown, errors.Join(err, why)
		}
	}
	if err == nil && len(all) > 0 && o.broken != LastIsCompared {
		if err = h.again(ctx); err != nil {
			o.has = backend.NotRead
			return backend.Unknown, err
		}
	}
	o.looked = err == nil
	return s, err
}

// confirms has the switch keep the commit of an earlier push.
func (o *operation) confirms(ctx context.Context, client *gnmi.Client, p *journal.Push, id string,
	h holding) (done bool, s backend.State, err error) {
	open := func(name string) (continuation, error) { return o.computer.open(o, name) }
	err = p.Keep(journal.Options{Open: open}, func() error {
		if err := client.ConfirmCommit(ctx, id); err != nil {
			return err
		}
		return sleep.Fresh(func() error { return client.Stays(ctx) }, func() error { return h.again(ctx) })
	})
	if _, uncontinued := errors.AsType[*journal.ContinueError](err); uncontinued {
		return false, backend.Unknown, nil
	}
	if err != nil {
		o.has = backend.NotRead
	}
	o.note(o.name, "has confirmed the commit of %s: %v", p.File, err)
	return true, p.State, err
}

// undoes says why an earlier push may change what the switch holds; nil: it does not.
func (o *operation) undoes(ctx context.Context, client *gnmi.Client, p *journal.Push, waits, busy bool) error {
	id := p.Waiting(time.Now())
	switch {
	case busy:
		return fmt.Errorf("%w: %s", journal.ErrUnderWay, p.File)
	case id != "" && (waits || client.Unsure()):
		return fmt.Errorf("a commit of %s may wait", p.File)
	}
	return o.mayMake(ctx, client, p)
}

// mayMake says that the switch may still make a Set of an earlier push that it did not answer; nil: it does not.
func (o *operation) mayMake(ctx context.Context, client *gnmi.Client, p *journal.Push) error {
	if p.AtWork(time.Now(), client.LongestSet()) <= 0 || o.broken == EarlierSetsLand {
		return nil
	}
	for _, one := range p.Unanswered() {
		if one.Values == nil {
			if now, err := client.Observe(ctx); err != nil || !o.made(one, now) {
				return errors.Join(fmt.Errorf("a Set of %s may still be made", p.File), err)
			}
			continue
		}
		left, err := (&native.Resumption{Client: client}).Remains(ctx, one)
		if err != nil || left {
			return errors.Join(fmt.Errorf("a Set of %s may still be made", p.File), err)
		}
	}
	return nil
}

// made tells whether the switch has made a Set of registers, or would change nothing by it.
func (o *operation) made(one *journal.Push, now buffer.Layout) bool {
	if o.broken == PortsAreWhole {
		return !slices.ContainsFunc(one.Steps, func(s buffer.Step) bool { return now.Value(s.Register) != s.To })
	}
	return one.Made(now)
}

// unmade are the earlier pushes of which the switch may still make a Set, as package push finds them before it sends
// anything; without is the journal of the operation itself.
func (o *operation) unmade(ctx context.Context, client *gnmi.Client, without string) (out []*journal.Push) {
	if !o.extras.looks {
		return nil
	}
	for _, p := range o.earlier() {
		if p.File == without {
			continue
		}
		atWork := p.AtWork(time.Now(), client.LongestSet()) > 0 && o.broken != EarlierSetsLand
		replaced := p.Start.Time.After(time.Now()) || o.computer.later(p, false) != ""
		if atWork && replaced || o.mayMake(ctx, client, p) != nil {
			out = append(out, p)
		}
	}
	return out
}

// lasts does what package push does after an operation that has changed the switch (session.lasts of its earlier.go): it
// does not end with success while a Set of an earlier push may still replace what it has made.
func (o *operation) lasts(ctx context.Context, client *gnmi.Client, before []*journal.Push, s backend.State, err error,
	again func(context.Context) error) (backend.State, error) {
	if err != nil {
		return s, err
	}
	var why error
	for _, p := range before {
		if n := o.computer.files[p.File]; n != nil { // another process may have ended it
			if now, err := reader.Read(n.data); err == nil {
				now.File, p = p.File, now
			}
		}
		if why = o.mayMake(ctx, client, p); why != nil {
			break
		}
	}
	if len(before) > 0 && (o.broken != LastIsCompared || why != nil) {
		if err = again(ctx); err != nil {
			o.has = backend.NotRead
		}
	}
	if err = errors.Join(err, why); err != nil {
		o.outlasted = true
		return backend.Unknown, err
	}
	o.looked = o.extras.looks
	return s, nil
}

// left counts what remains to be done of a push, as package push finds it.
func (o *operation) left(ctx context.Context, client *gnmi.Client, p *journal.Push, opt journal.Options) (int, error) {
	opt.DryRun = true
	if p.Values == nil {
		device := journal.Registers{Backend: client}
		err := device.Look(ctx, p, opt)
		if err != nil {
			return 0, err
		}
		return len(device.Report.Steps) + len(device.Report.Others), nil
	}
	device := native.Resumption{Client: client}
	if err := device.Look(ctx, p, opt); err != nil {
		return 0, err
	}
	return len(device.Push.Report.Changes) + len(device.Push.Report.Others), nil
}
