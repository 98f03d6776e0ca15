package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/dialect"
)

// speak finds out what the switch has of a push in its own words, and makes what
// is left.
func (f *resumeFlags) speak(ctx context.Context, p *push, s *story, client *gnmi.Client, file string) error {
	i := &native.Interrupted{Changes: s.words, Undo: f.undo}
	if f.dryRun {
		_, err := f.found(ctx, p, i, client)
		return err
	}
	j, err := s.goOn(file, f.undo)
	if err != nil {
		return err
	}
	p.wrote = file
	i.Unanswered, i.Within, i.Pause = s.pending, s.atWork(time.Now(), longestSets*p.dial.timeout), p.waiting()
	n, err := f.found(ctx, p, i, client)
	if err == nil && f.allowed != "" {
		err = p.reaches(n.Report.Changes)
	}
	if err != nil {
		return errors.Join(err, j.end(p.report.State, err))
	}
	err = p.runWritten(ctx, n, j)
	p.report.State = n.Report.State
	return err
}

// found reads the switch and says what is left.
func (f *resumeFlags) found(ctx context.Context, p *push, i *native.Interrupted, client *gnmi.Client) (*native.Push, error) {
	n, err := i.Look(ctx, client)
	if err != nil {
		return nil, err
	}
	n.Longest = longestSets * p.dial.timeout
	n.Report.Rendering = &dialect.Rendering{Dialect: p.met.Profile.Dialect}
	p.spoken = &spoken{report: n.Report, profile: p.met.Profile, resumed: true}
	return n, nil
}

// atWork is how long a switch may still be at work on a Set that it has not
// answered. A clock that was set back makes it no longer.
func (s *story) atWork(now time.Time, longest time.Duration) time.Duration {
	if len(s.unanswered) == 0 {
		return 0
	}
	since := now.Sub(s.unanswered[len(s.unanswered)-1].Time)
	return longest - max(0, since)
}

// waiting sleeps between two looks, and says once that it does.
func (p *push) waiting() func(context.Context, time.Duration) error {
	said := false
	return func(ctx context.Context, d time.Duration) error {
		if !said {
			said = true
			fmt.Fprintf(p.aloud, "%s: the switch may still be at work on what it did not answer: waiting until it has all of it, or no longer can be (%d times --timeout)\n", p.report.Device, longestSets)
		}
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// holdsSection lists what a switch had of a push: every path, or by kind.
func holdsSection(found []native.Found, every bool) section {
	if every {
		s := section{title: "What it holds", columns: []string{"path", "holds"}}
		for _, f := range found {
			s.row(dialect.Text(f.Path), string(f.Holds))
		}
		return s
	}
	type alike struct{ what, holds string }
	var order []alike
	n := map[alike]int{}
	for _, f := range found {
		a := alike{kindOf(dialect.Text(f.Path)), string(f.Holds)}
		if n[a]++; n[a] == 1 {
			order = append(order, a)
		}
	}
	s := section{title: "What it held", columns: []string{"what", "holds", "count"}}
	for _, a := range order {
		s.row(a.what, a.holds, count(n[a]))
	}
	return s
}

// foundJSON is what a switch had at a path of a push that is resumed.
type foundJSON struct {
	Path  string `json:"path"`
	Holds string `json:"holds"` // before, planned, something else
}

func foundDocument(found []native.Found) []foundJSON {
	var out []foundJSON
	for _, f := range found {
		out = append(out, foundJSON{dialect.Text(f.Path), string(f.Holds)})
	}
	return out
}
