// Package fleet does something to many switches at once: it reads the file that
// lists them, works on so many at a time, and keeps the outcomes in the order of the
// file.
package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/cellwarden/cellwarden/internal/complain"
)

// Target is a line of a file of switches: a switch, and what is special about it.
type Target struct {
	Address  string
	Profile  string // name of its profile; empty: not said
	Topology string // file of its topology; empty: not said
}

// Format checks what is in a file of switches.
type Format struct {
	// Address checks an address, and returns the form in which two addresses of one
	// switch are equal; nil: all are accepted as they are.
	Address func(string) (string, error)
	// Profile checks the name of a profile; nil: all are accepted.
	Profile func(string) error
}

// Parse reads a file of switches, a line each: ADDRESS [profile=NAME]
// [topology=FILE]; # begins a remark. Its error names everything that is wrong, with
// the name of the file and the line.
func (f Format) Parse(name string, data []byte) ([]Target, error) {
	var out []Target
	var bad []error
	n, first := 0, map[string]int{}
	for line := range bytes.Lines(data) {
		n++
		if len(out) == MaxTargets {
			return nil, fmt.Errorf("%s: line %d: accepted: at most %d switches", name, n, MaxTargets)
		}
		text, _, _ := strings.Cut(string(line), "#")
		fields := strings.Fields(text)
		if len(fields) == 0 {
			continue
		}
		t, where, err := f.target(fields)
		if shown := strings.Join(fields, " "); err == nil && complain.Escape(shown, false) != shown {
			err = fmt.Errorf("%s: accepted: characters that print", complain.Quote(shown))
		}
		if before, again := first[where]; again && err == nil {
			err = fmt.Errorf("%s is in line %d already: accepted: each switch once", t.Address, before)
		}
		if first[where] = n; err != nil {
			bad = append(bad, fmt.Errorf("%s: line %d: %w", name, n, err))
		}
		out = append(out, t)
	}
	if len(out) == 0 {
		bad = append(bad, fmt.Errorf("%s: the file names no switch: accepted: ADDRESS [profile=NAME] [topology=FILE] in a line",
			name))
	}
	return out, complain.Join(bad...)
}

// MaxTargets is the largest number of switches in a file.
const MaxTargets = 65_536

// target reads the fields of a line, and returns the normal form of the address.
func (f Format) target(fields []string) (t Target, where string, err error) {
	t.Address, where = fields[0], fields[0]
	if f.Address != nil {
		if where, err = f.Address(t.Address); err != nil {
			return t, where, errors.New(complain.Requote(err, t.Address))
		}
	}
	for _, field := range fields[1:] {
		key, value, _ := strings.Cut(field, "=")
		switch {
		case key == "profile" && t.Profile == "":
			if f.Profile != nil {
				if err := f.Profile(value); err != nil {
					return t, where, errors.New(complain.Requote(err, value))
				}
			}
			t.Profile = value
		case key == "topology" && t.Topology == "" && value != "":
			t.Topology = value
		default:
			return t, where, fmt.Errorf("%s: accepted: profile=NAME, topology=FILE, each once", complain.Quote(field))
		}
	}
	return t, where, nil
}

// Each works on every target, so many at a time, 1 or more, and returns the outcomes
// in the order of the targets. A target that fails stops no other. done is called
// after each, one at a time, with the number of targets that are done; nil: it is
// not.
func Each[T any](ctx context.Context, targets []Target, parallel int, work func(context.Context, int, Target) T,
	done func(n, i int, outcome T)) []T {
	out := make([]T, len(targets))
	places := make(chan struct{}, max(1, parallel))
	var group sync.WaitGroup
	var mu sync.Mutex
	n := 0
	for i, t := range targets {
		places <- struct{}{}
		group.Go(func() {
			defer func() { <-places }()
			outcome := work(ctx, i, t)
			mu.Lock()
			defer mu.Unlock()
			n++
			if out[i] = outcome; done != nil {
				done(n, i, outcome)
			}
		})
	}
	group.Wait()
	return out
}
