package push

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/nos/registry"
)

// Target is a line of a file of switches: a switch, and what is special about it.
type Target struct {
	Address      string
	PrefixTarget string // name of the switch at a gateway that serves several at the address; empty: not said
	Profile      string // name of its profile; empty: not said
	Topology     string // file of its topology; empty: not said
}

// String is the address, with the name of the switch if the address is a gateway's.
func (t Target) String() string {
	if t.PrefixTarget == "" {
		return t.Address
	}
	return t.Address + " (" + t.PrefixTarget + ")"
}

// fields are what a line may have after the address.
const fields = "prefix-target=NAME, profile=NAME, topology=FILE"

// ParseTargets reads a file of switches, a line each: ADDRESS [prefix-target=NAME] [profile=NAME] [topology=FILE]; #
// begins a remark. Two lines must not name one switch. The error lists every mistake, with the name of the file and the
// line.
func ParseTargets(name string, data []byte) ([]Target, error) {
	known := func(name string) error { _, err := registry.LoadProfile(name); return err }
	return parseTargets(name, data, gnmi.Address, known)
}

// parseTargets is ParseTargets with these checks: address also returns the form in which two addresses of one switch
// are equal, and profile checks the name of a profile.
func parseTargets(name string, data []byte, address func(string) (string, error),
	profile func(string) error) ([]Target, error) {
	var out []Target
	var bad []error
	n, first := 0, map[Target]int{} // the line that names a switch first
	for line := range bytes.Lines(data) {
		n++
		if len(out) == mostTargets {
			return nil, fmt.Errorf("%s: line %d: want at most %d switches", name, n, mostTargets)
		}
		text, _, _ := strings.Cut(string(line), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		t, where, err := parseTarget(words, address, profile)
		if shown := strings.Join(words, " "); err == nil && fielderr.Escape(shown, false) != shown {
			err = fmt.Errorf("%s: want characters that print", fielderr.Quote(shown))
		}
		if before, again := first[where]; again && err == nil {
			err = fmt.Errorf("%s is in line %d already: want each switch once", t, before)
		}
		if first[where] = n; err != nil {
			bad = append(bad, fmt.Errorf("%s: line %d: %w", name, n, err))
		}
		out = append(out, t)
	}
	if len(out) == 0 {
		bad = append(bad, fmt.Errorf("%s: the file names no switch: want ADDRESS in a line, and after it %s", name,
			fields))
	}
	return out, fielderr.Join(bad...)
}

// mostTargets is the largest number of switches in a file.
const mostTargets = 65_536

// parseTarget reads the words of a line. where has the parts that name the switch: the normal form of the address, and
// the name at a gateway.
func parseTarget(words []string, address func(string) (string, error), profile func(string) error) (t, where Target,
	err error) {
	t.Address = words[0]
	if where.Address, err = address(t.Address); err != nil {
		return t, where, errors.New(fielderr.Requote(err, t.Address))
	}
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		field := map[string]*string{"prefix-target": &t.PrefixTarget, "profile": &t.Profile, "topology": &t.Topology}[key]
		if field == nil || *field != "" || value == "" {
			return t, where, fmt.Errorf("%s: want %s, each once", fielderr.Quote(word), fields)
		}
		if *field = value; key == "profile" {
			if err := profile(value); err != nil {
				return t, where, errors.New(fielderr.Requote(err, value))
			}
		}
	}
	where.PrefixTarget = t.PrefixTarget
	return t, where, nil
}

// Each works on every target and returns the outcomes in the order of the targets. It works on at most parallel targets
// at a time, 1 or more. A target that fails does not stop the others. done is called after each target, one at a time,
// with the number of targets that are done; nil: it is not called.
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
