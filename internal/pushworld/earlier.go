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
	slices.SortStableFunc(out, func(a, b *journal.Push) int { return b.Start.Time.Compare(a.Start.Time) })
	return out
}

// keeps does what package push does after a push that had nothing to send (session.keeps of its earlier.go): the commit
// of an earlier push of the same plan is confirmed, and a push that may still change the switch is named.
func (o *operation) keeps(ctx context.Context, client *gnmi.Client, h holding, s backend.State,
	err error) (backend.State, error) {
	waits := errors.Is(err, backend.ErrCommitWaits)
	if !o.extras.looks || err != nil && !waits || len(o.job.changed) > 0 {
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
		return h.again(ctx)
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
	case p.AtWork(time.Now(), client.LongestSet()) <= 0 || o.broken == EarlierSetsLand:
		return nil
	}
	for _, one := range p.Unanswered() {
		if one.Values == nil {
			if now, err := client.Observe(ctx); err != nil || !one.Made(now) {
				return errors.Join(fmt.Errorf("a Set of %s may still be made", p.File), err)
			}
			continue
		}
		left, err := o.left(ctx, client, one)
		if err != nil || left > 0 {
			return errors.Join(fmt.Errorf("a Set of %s may still be made", p.File), err)
		}
	}
	return nil
}

// left counts the native values that the switch has not made of a push.
func (o *operation) left(ctx context.Context, client *gnmi.Client, p *journal.Push) (int, error) {
	device := native.Resumption{Client: client}
	if err := device.Look(ctx, p, journal.Options{DryRun: true, Overwrite: true}); err != nil {
		return 0, err
	}
	return len(device.Push.Report.Changes), nil
}
