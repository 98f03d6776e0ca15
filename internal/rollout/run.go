package rollout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cellwarden/cellwarden/internal/grouped"
)

// Devices do what is done to switches. Stages count from 0, what the switches have before the first wave. Calls for
// several switches are made at the same time.
type Devices interface {
	// Differs compares a switch with a stage, and returns what differs; "": nothing. The error says why there is no
	// answer.
	Differs(ctx context.Context, name string, stage int) (string, error)
	// Send brings a switch from the stage before to a stage. What an earlier run had begun is finished. An error that is
	// ErrAsBefore says that the switch has what it had; after another it is not known what it has. The text says what of
	// the stage the switch could not be sent; "": nothing.
	Send(ctx context.Context, name string, stage int) (string, error)
	// Undo restores what a switch had before the sends of a stage.
	Undo(ctx context.Context, name string, stage int) error
	// Read reads what a switch has counted, and Judge says what is wrong by two readings: findings that speak against the
	// change, what is not known and must be, and what else is not counted. Without a first reading (nil) there are no
	// findings, and the rest is of the second.
	Read(ctx context.Context, name string, stage int) (Counted, error)
	Judge(name string, stage int, before *Counted, after Counted) (findings, unknown, uncounted []string)
}

// ErrAsBefore says that a switch refused a change, or took it back, and has what it had.
var ErrAsBefore = errors.New("the switch has what it had")

// Verdict is the outcome of a run.
type Verdict string

// The verdicts. A run without one is under way.
const (
	Successful   Verdict = "successful"
	Failed       Verdict = "failed"       // the wave was undone
	Inconclusive Verdict = "inconclusive" // it stopped, and a person decides
)

// The states of a wave and of a switch of it.
const (
	Waiting = "waiting"
	Sending = "sending"
	Sent    = "sent"
	Checked = "checked"
	Undoing = "undoing"
	Undone  = "undone"
	Unknown = "unknown"
)

// Member is a switch of a wave.
type Member struct {
	Name  string `json:"name"`
	State string `json:"state"`
	Why   string `json:"why,omitempty"`
	// NotSent is what of the stage the switch cannot be sent.
	NotSent string `json:"not_sent,omitempty"`
	// NotCounted is what the switch did not count, of what there are bounds for.
	NotCounted string `json:"not_counted,omitempty"`
}

// Wave is some switches that are brought to a stage together.
type Wave struct {
	Stage    int      `json:"stage"`
	State    string   `json:"state"`
	Switches []Member `json:"switches"`
	// Before is what its switches, and those that it is compared with, had counted before it. It is kept, so that a run
	// that was killed after a push still sees what was lost.
	Before map[string]Counted `json:"before,omitempty"`
}

// Names are those of its switches.
func (w *Wave) Names() []string {
	return grouped.Each(w.Switches, func(m Member) string { return m.Name })
}

// Progress is what is known of a run: which waves there are, and how far they are.
type Progress struct {
	Schema  string    `json:"schema"`
	Began   time.Time `json:"began"`
	Plan    string    `json:"plan"` // the sum of what is to be done
	Verdict Verdict   `json:"verdict"`
	Why     string    `json:"why"`
	Waves   []Wave    `json:"waves"`
}

// Count is how many waves are in a state.
func (s *Progress) Count(state string) (n int) {
	for i := range s.Waves {
		if s.Waves[i].State == state {
			n++
		}
	}
	return n
}

// Options say how waves are run.
type Options struct {
	Soak       time.Duration
	Parallel   int                                            // switches at a time
	Most       int                                            // waves of this run; 0: all
	Peers      func(name string, untouched []string) []string // switches to compare with
	Untouched  func(stage int) []string                       // switches that no wave has
	Save       func(*Progress) error                          // writes the state down, before what it says is done
	Wait       func(context.Context, time.Duration) error
	Say        func(wave int, text string)
	MayUnknown bool // what is not known of counters does not stop
}

// runner is one run.
type runner struct {
	*Progress
	Devices
	Options
	mu  sync.Mutex
	why []string // reasons to stop; each begins with the name of a switch
}

// Run does the waves that are not done, until one fails, nothing is known of a switch, or as many are done as this run
// may: then there is no verdict yet. The error is that of Save, or of the context: then the run is to be resumed with
// the state that was saved last.
func Run(ctx context.Context, s *Progress, d Devices, o Options) error {
	r := &runner{Progress: s, Devices: d, Options: o}
	if s.Verdict == Inconclusive {
		s.Verdict, s.Why = "", "" // a person has decided to go on
	}
	if s.Count(Undoing) > 0 {
		s.Verdict = "" // it was killed while it undid a wave
	}
	if s.Why != "" {
		r.why = []string{s.Why}
	}
	done := 0
	for i := range s.Waves {
		switch {
		case s.Waves[i].State == Checked:
			continue
		case s.Verdict != "" || o.Most > 0 && done == o.Most:
			return r.save()
		}
		done++
		if err := r.wave(ctx, i); err != nil {
			return err
		}
	}
	s.Verdict = cmp.Or(s.Verdict, Successful)
	return r.save()
}

// save writes the state down.
func (r *runner) save() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Save(r.Progress)
}

// set changes the state of a switch, and writes it down.
func (r *runner) set(m *Member, state, why string) error {
	r.mu.Lock()
	m.State, m.Why = state, why
	r.mu.Unlock()
	return r.save()
}

// each works on switches at the same time. It returns the first error.
func each[T any](r *runner, all []T, work func(*T) error) error {
	var group errgroup.Group
	group.SetLimit(max(1, r.Parallel))
	for i := range all {
		group.Go(func() error { return work(&all[i]) })
	}
	return group.Wait()
}

// stop ends the run with a verdict. Switches are worked on at the same time, so that their reasons are sorted.
func (r *runner) stop(v Verdict, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Verdict != Inconclusive { // what is not known counts more than what failed
		r.Verdict = v
	}
	r.why = append(r.why, why)
	slices.Sort(r.why)
	r.Why = strings.Join(r.why, "; ")
}

// unknown ends the run because of a switch of which it is not known what it has.
func (r *runner) unknown(m *Member, what string, err error) error {
	r.stop(Inconclusive, m.Name+what+line(err))
	return r.set(m, Unknown, line(err))
}

// wave does one wave from where it is.
func (r *runner) wave(ctx context.Context, n int) error {
	w := &r.Waves[n]
	if w.State == Undoing {
		return r.undo(ctx, n)
	}
	if w.State == Waiting {
		if err := r.expected(ctx, w); err != nil || r.Verdict != "" {
			return err
		}
		if err := r.readings(ctx, n); err != nil || r.Verdict != "" {
			return err
		}
	}
	w.State = Sending
	if err := r.save(); err != nil {
		return err
	}
	r.Say(n, "sending")
	if err := r.send(ctx, w); err != nil {
		return err
	}
	if r.Verdict == "" {
		r.Say(n, fmt.Sprintf("sent; waiting for %v", r.Soak))
		if err := r.Wait(ctx, r.Soak); err != nil {
			return err
		}
		if err := r.check(ctx, n); err != nil {
			return err
		}
	}
	switch r.Verdict {
	case Failed:
		return r.undo(ctx, n)
	case Inconclusive:
		return r.save()
	}
	w.State, w.Before = Checked, nil
	for i := range w.Switches {
		w.Switches[i].State = Checked
	}
	r.Say(n, "as planned")
	return r.save()
}

// expected looks whether the switches of a wave have what they should have before it.
func (r *runner) expected(ctx context.Context, w *Wave) error {
	return each(r, w.Switches, func(m *Member) error {
		text, err := r.Differs(ctx, m.Name, w.Stage-1)
		switch {
		case err != nil:
			r.stop(Inconclusive, m.Name+" does not answer, nothing was sent to it: "+line(err))
		case text != "":
			// A switch that was sent to by an earlier run may have the new stage already.
			if now, err := r.Differs(ctx, m.Name, w.Stage); err != nil || now != "" {
				r.stop(Inconclusive, m.Name+" is not what it should be before this wave, nothing was sent to it: "+text)
			}
		}
		return ctx.Err() // an interruption: what was said of the switch is not written down
	})
}

// line is an error in a line.
func line(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// readings notes what the switches of a wave, and those that it is compared with, have counted before it. One that
// cannot be read is left out. It stops the run before anything is sent if a switch of the wave does not count what must
// be known after it.
func (r *runner) readings(ctx context.Context, n int) error {
	w, untouched := &r.Waves[n], r.untouched(n)
	w.Before = map[string]Counted{}
	names := w.Names()
	for _, m := range w.Switches {
		names = append(names, r.Peers(m.Name, untouched)...)
	}
	slices.Sort(names)
	err := each(r, slices.Compact(names), func(name *string) error {
		reading, err := r.Read(ctx, *name, w.Stage-1)
		if err == nil {
			r.mu.Lock()
			w.Before[*name] = reading
			r.mu.Unlock()
		}
		return ctx.Err()
	})
	for _, m := range w.Switches {
		unknown := []string{"it could not be read"}
		if reading, known := w.Before[m.Name]; known {
			_, unknown, _ = r.Judge(m.Name, w.Stage-1, nil, reading)
		}
		if err == nil && len(unknown) > 0 && !r.MayUnknown {
			r.stop(Inconclusive, m.Name+": what it loses would not be known, nothing was sent to it: "+
				strings.Join(unknown, "; "))
		}
	}
	return err
}

// untouched are the switches that this stage has not reached, and does not reach with this wave.
func (r *runner) untouched(n int) []string {
	out := r.Untouched(r.Waves[n].Stage)
	for i := n + 1; i < len(r.Waves) && r.Waves[i].Stage == r.Waves[n].Stage; i++ {
		out = append(out, r.Waves[i].Names()...)
	}
	return out
}

// send sends to the switches of a wave. After the first that does not take it, no other is begun.
func (r *runner) send(ctx context.Context, w *Wave) error {
	return each(r, w.Switches, func(m *Member) error {
		if m.State == Sent {
			return nil
		}
		r.mu.Lock()
		stopped := r.Verdict != ""
		r.mu.Unlock()
		if stopped || ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.set(m, Sending, ""); err != nil {
			return err
		}
		text, err := r.Send(ctx, m.Name, w.Stage)
		r.mu.Lock()
		m.NotSent = text
		r.mu.Unlock()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, ErrAsBefore):
			r.stop(Failed, m.Name+": "+line(err))
			return r.set(m, Waiting, line(err))
		case err != nil:
			return r.unknown(m, ": it is not known what it has: ", err)
		}
		return r.set(m, Sent, "")
	})
}

// check looks at the switches after a wave.
func (r *runner) check(ctx context.Context, n int) error {
	w := &r.Waves[n]
	untouched := r.untouched(n)
	return each(r, w.Switches, func(m *Member) error {
		text, err := r.Differs(ctx, m.Name, w.Stage)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return r.unknown(m, " does not answer after the change: ", err)
		case text != "":
			r.stop(Failed, m.Name+" has not kept the change: "+text)
			return nil
		}
		findings, unknown, uncounted := r.judged(ctx, w, m.Name, w.Stage)
		r.mu.Lock()
		m.NotCounted = strings.Join(append(uncounted, unknown...), "; ")
		r.mu.Unlock()
		if len(findings) == 0 {
			if len(unknown) > 0 && !r.MayUnknown {
				r.stop(Inconclusive, m.Name+": it is not known what it has lost: "+strings.Join(unknown, "; "))
			}
			return nil
		}
		// What switches show that were not touched is not the change's.
		for _, peer := range r.Peers(m.Name, untouched) {
			theirs, _, _ := r.judged(ctx, w, peer, w.Stage-1)
			if kinds := shared(findings, theirs); kinds != "" {
				r.stop(Inconclusive, fmt.Sprintf("%s shows %s, and so does %s, which was not changed", m.Name, kinds, peer))
				return nil
			}
		}
		r.stop(Failed, m.Name+": "+strings.Join(findings, "; "))
		return nil
	})
}

// judged reads a switch again and says what is wrong since the reading before a wave.
func (r *runner) judged(ctx context.Context, w *Wave, name string, stage int) (findings, unknown, uncounted []string) {
	was, known := w.Before[name]
	if !known {
		return nil, []string{"it could not be read before"}, nil
	}
	now, err := r.Read(ctx, name, stage)
	if err != nil {
		return nil, []string{line(err)}, nil
	}
	return r.Judge(name, stage, &was, now)
}

// shared names a kind of finding that both lists have: what is before the first colon.
func shared(a, b []string) string {
	kind := func(text string) string { k, _, _ := strings.Cut(text, ":"); return k }
	for _, x := range a {
		if slices.ContainsFunc(b, func(y string) bool { return kind(y) == kind(x) }) {
			return kind(x)
		}
	}
	return ""
}

// undo takes a wave back, and that wave alone. A switch that has not been sent to is left.
func (r *runner) undo(ctx context.Context, n int) error {
	w := &r.Waves[n]
	w.State = Undoing
	if err := r.save(); err != nil {
		return err
	}
	r.Say(n, "undoing")
	err := each(r, w.Switches, func(m *Member) error {
		if m.State == Waiting || m.State == Undone {
			return nil
		}
		err := r.Undo(ctx, m.Name, w.Stage)
		text := ""
		if err == nil {
			if text, err = r.Differs(ctx, m.Name, w.Stage-1); err == nil && text != "" {
				err = errors.New(text)
			}
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return r.unknown(m, " could not be undone: ", err)
		}
		return r.set(m, Undone, "")
	})
	if err != nil {
		return err
	}
	if r.Verdict == "" {
		r.Verdict = Failed // a run that was killed while it undid
	}
	if r.Verdict == Failed {
		w.State = Undone
	}
	return r.save()
}
