package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/files"
)

// Push is what a journal tells of a push.
type Push struct {
	File  string // empty: it was not read from a file
	Start Record // the first line
	// Longest is how long a Set of the push may take; 0: not known.
	Longest time.Duration

	// Of registers.
	Before, Want buffer.Layout
	Steps        []buffer.Step // all that were to be changed
	Sending      []buffer.Step // those of the last phase whose effect is not known
	Within       time.Duration // in which a commit had to be confirmed; negative: not known

	// Of native values.
	Values  []Value // all that were to be changed; none: the push is of registers
	Pending []Value // those of the last phase whose effect is not known

	Last    Record   // the last line that is whole
	Torn    bool     // a line after it was cut off: the push was killed while it wrote
	Resumed bool     // the push was resumed before
	Commits []string // IDs of commits that may have been begun, the last first

	// State is how Resume left the device, with the commit that Resume had the device undo; empty: nothing was asked of
	// the device, or it was a dry run.
	State backend.State

	// Restores tells of one of Unanswered whether it gives previous values back.
	Restores bool

	began      bool          // it has sent a phase, as far as the lines tell
	sends      []Record      // all, in their order
	unanswered []Record      // Sends whose effect is not known
	undoing    bool          // the last resumption undoes the push
	leaves     buffer.Layout // of one of Unanswered: what the device had before the push, with all that it has sent
	sum        string        // of the last line that is whole
	whole      int64         // bytes of the lines that are whole
	size       int64         // bytes in all
}

// Reader reads journals.
type Reader struct {
	// Values refuses native values that no push has written; nil: they are not checked. It is one function for all
	// Readers of a process: List and OfDevice keep in mind which journals have passed it.
	Values func([]Value) error
}

// MaxBytes is the longest journal. One of 4,096 ports, with every register before and after and a line for each change,
// has less than half of it.
const MaxBytes = 64 << 20

// maxLines is the largest number of lines of a journal. A push has two for each phase, and two for each time that it is
// resumed.
const maxLines = 10_000

// readInput reads the text of a journal, which is a regular file of at most MaxBytes.
func readInput(ctx context.Context, name string) ([]byte, error) {
	return files.ReadAtMost(ctx, name, MaxBytes)
}

// ReadFile reads the journal of a push.
func (r Reader) ReadFile(name string) (*Push, error) {
	data, err := readInput(context.Background(), name)
	if err != nil {
		return nil, err
	}
	p, err := r.Read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p.File = name
	return p, nil
}

// Read reads the lines of a push. A last line that does not end was cut off, and
// does not count: the event had not happened yet, or reading the device shows it.
func (r Reader) Read(data []byte) (*Push, error) {
	p := &Push{whole: int64(bytes.LastIndexByte(data, '\n') + 1), size: int64(len(data))}
	p.Torn = p.whole < p.size
	n, sum := 0, ""
	for line := range bytes.Lines(data[:p.whole]) {
		if n++; n > maxLines {
			return nil, fmt.Errorf("line %d: want at most %d lines: a push has two for each phase", n, maxLines)
		}
		var l Record
		if err := json.Unmarshal(line, &l); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		switch {
		case n == 1 && !slices.Contains(schemas, l.Schema):
			return nil, fmt.Errorf("line 1: schema %s: want %s", fielderr.Quote(l.Schema), strings.Join(schemas, ", "))
		case n > 1 && l.Schema != p.Start.Schema:
			return nil, fmt.Errorf("line %d: schema %s: want %s, as in line 1", n, fielderr.Quote(l.Schema), p.Start.Schema)
		case n == 1 && l.Kind != kindStart:
			return nil, fmt.Errorf("line 1: kind %s: want start", fielderr.Quote(string(l.Kind)))
		case n == 1:
			p.Start = l
		}
		// A line of version 1 with a checksum is one of version 2 whose schema is damaged, and what else is.
		var has, ok bool
		if sum, has, ok = unseal(sum, line); has && !ok || has != sealed(l.Schema) {
			return nil, fmt.Errorf("line %d: %w", n, errChanged)
		}
		p.follow(l)
	}
	slices.Reverse(p.Commits)
	if p.Start.Kind == "" {
		return nil, unbegun(data)
	}
	p.sum = sum
	if p.Start.SetTimeout != "" {
		var err error
		if p.Longest, err = time.ParseDuration(p.Start.SetTimeout); err != nil || p.Longest <= 0 {
			return p, fmt.Errorf("set_timeout: %s: want a time such as 5m0s", fielderr.Quote(p.Start.SetTimeout))
		}
	}
	if ofValues(p.Start.Schema) {
		return p, errors.Join(p.checkPlan(p.Start.Changes), p.readValues(r))
	}
	return p, errors.Join(p.checkPlan(p.Start.Want), p.readRegisters())
}

// errChanged says that a line of a journal is not as it was written.
var errChanged = errors.New("the checksum does not match: the journal was changed or is damaged, and is not followed")

// ErrNothingSent says that a push was killed before the first line of its journal was on the disk:
// the push had sent nothing.
var ErrNothingSent = errors.New("the push was killed before the first line of its journal was written: nothing was sent")

// unbegun is the error of a journal without a whole line: it has the beginning of the first line,
// or nothing, or it is no journal.
func unbegun(data []byte) error {
	const begin = `{"schema":"cellwarden.journal`
	if n := min(len(data), len(begin)); string(data[:n]) != begin[:n] {
		return errors.New("no line starts a push: want a journal")
	}
	return ErrNothingSent
}

// checkPlan compares the plan with its checksum, which journals of version 1 have, too.
func (p *Push) checkPlan(plan any) error {
	if p.Start.Plan != "" && p.Start.Plan != checksum(plan) {
		return fmt.Errorf("plan_sha256: %w", errChanged)
	}
	return nil
}

// follow keeps what a line tells.
func (p *Push) follow(l Record) {
	p.Last = l
	if l.Kind == kindResumed {
		p.Resumed, p.undoing = true, l.Undo
	}
	if l.Commit != "" {
		p.Commits = append(p.Commits, l.Commit)
	}
	switch {
	case l.Kind == kindSend:
		p.began, l.Undo = true, p.undoing
		p.sends = append(p.sends, l)
		p.unanswered = append(p.unanswered, l)
	case l.Kind == kindSent && l.Error == "":
		for i, sent := range slices.Backward(p.unanswered) {
			if sent.Phase == l.Phase {
				p.unanswered = slices.Delete(p.unanswered, i, i+1)
				break
			}
		}
	case l.Kind == kindEnd && backend.State(l.State) == backend.Unchanged && l.Error != "":
		// A resumption has failed and has sent nothing. It may have ended before the time of the Sets was over.
	case l.Kind == kindEnd && backend.State(l.State) != backend.Unknown:
		p.unanswered = nil
	}
}

// readRegisters reads the layouts.
func (p *Push) readRegisters() (err error) {
	if p.Before, err = layoutOf(p.Start.Before); err != nil {
		return fmt.Errorf("before: %w", err)
	}
	if p.Want, err = layoutOf(p.Start.Want); err != nil {
		return fmt.Errorf("want: %w", err)
	}
	if p.Steps, err = stepsOf(p.Start.Moves); err != nil {
		return fmt.Errorf("moves: %w", err)
	}
	if p.Start.Moves == nil { // as earlier versions wrote it
		p.Steps = buffer.Diff(p.ofPlan(p.Before), p.Want)
	}
	for _, l := range p.unanswered {
		if p.Sending, err = stepsOf(l.Moves); err != nil {
			return fmt.Errorf("moves of a phase: %w", err)
		}
	}
	if p.Within = -1; p.Start.Within != "" {
		if p.Within, err = time.ParseDuration(p.Start.Within); err != nil || p.Within < 0 {
			return fmt.Errorf("rollback_after: %s: want a time such as 2m0s, or 0s", fielderr.Quote(p.Start.Within))
		}
	}
	return nil
}

// ofPlan returns the registers of the ports of the plan, and of the slices.
func (p *Push) ofPlan(l buffer.Layout) buffer.Layout {
	ours := map[string]bool{"": true}
	for _, r := range p.Want {
		ours[r.Port] = true
	}
	return l.Only(func(r buffer.Register) bool { return ours[r.Port] })
}

// readValues reads the native values.
func (p *Push) readValues(r Reader) error {
	p.Within, p.Values = -1, p.Start.Changes
	if err := r.check(p.Values); err != nil {
		return err
	}
	for _, l := range p.unanswered {
		p.Pending = l.Changes
		if err := r.check(p.Pending); err != nil {
			return err
		}
	}
	return nil
}

func (r Reader) check(all []Value) error {
	if len(all) == 0 {
		return errors.New("no changes: want 1 or more")
	}
	if r.Values == nil {
		return nil
	}
	return r.Values(all)
}

// Plans tells whether a push of registers was of this layout, and has changed nothing but registers of its ports, to
// what the layout has.
func (p *Push) Plans(want buffer.Layout) bool {
	ports := map[string]bool{}
	for _, setting := range want {
		ports[setting.Port] = true
	}
	others := func(s buffer.Step) bool { return !ports[s.Port] || want.Value(s.Register) != s.To }
	return p.Values == nil && slices.Equal(p.Want, want) && !slices.ContainsFunc(p.Steps, others)
}

// AtWork is how long a device may still be at work on a phase that it has not answered, if one phase takes it that long
// at most. A clock that was set back makes it no longer.
func (p *Push) AtWork(now time.Time, longest time.Duration) time.Duration {
	if len(p.unanswered) == 0 {
		return 0
	}
	since := now.Sub(p.unanswered[len(p.unanswered)-1].Time)
	return longest - max(0, since)
}

// unsettled says that the device may still make a Set that it did not answer; nil: it does not.
func (p *Push) unsettled(now time.Time) error {
	left := p.AtWork(now, p.Longest)
	switch {
	case len(p.unanswered) == 0 || p.Longest > 0 && left <= 0:
		return nil
	case p.Longest <= 0:
		return errors.New("a Set of this push was not answered, and the switch may still make it: want resume again")
	}
	return fmt.Errorf("a Set of this push was not answered, and until %s the switch may still make it: want resume again",
		now.Add(left).UTC().Format("15:04:05Z"))
}

// Unanswered are the Sets whose effect is not known, each as a push of what it changes: what Target.Look finds left of
// one, the device may still make while AtWork is not over. A Set that undoes is among them.
func (p *Push) Unanswered() []*Push {
	var out []*Push
	for _, l := range p.unanswered {
		one := *p
		one.Restores = l.Phase < 0 || l.Undo // both write what they give back as a whole
		if one.Values = l.Changes; p.Values == nil {
			one.Values = nil
			one.Steps, _ = stepsOf(l.Moves) // Read has parsed them
			one.leaves = p.after(l)
		}
		out = append(out, &one)
	}
	return out
}

// after is what a device has after a Set of the push, if nobody else has written to it.
func (p *Push) after(last Record) buffer.Layout {
	all := p.Before
	for _, l := range p.sends {
		steps, _ := stepsOf(l.Moves)
		if all = all.With(steps); l.Phase == last.Phase && l.Time.Equal(last.Time) {
			break
		}
	}
	return all
}

// Made tells of one of Unanswered, of registers, whether a device holds what the Set leaves on its ports, so that it
// would change nothing if it came now. A Set binds a port to a profile, which also replaces what is beside the
// registers that it changes: that others have given these their values does not show that it was made.
func (p *Push) Made(now buffer.Layout) bool {
	unmade := func(s buffer.Step) bool { return now.Value(s.Register) != s.To }
	return !slices.ContainsFunc(p.Steps, unmade) && now.SameOnPorts(p.leaves, p.Steps)
}

// Waiting is the ID of the commit of a push that did not end which a device may still undo: the last that it has sent,
// until the time in which it has to be confirmed is over; empty: none. Journals of native values do not say that time:
// it is taken to be at most an hour.
func (p *Push) Waiting(now time.Time) string {
	if !p.Open() || len(p.Commits) == 0 {
		return ""
	}
	longest := p.Within
	if longest < 0 {
		longest = time.Hour
	}
	if now.Sub(p.Last.Time) > longest+undoing {
		return ""
	}
	return p.Commits[0]
}

// undoing is how long a device is given to undo a commit.
const undoing = 10 * time.Minute

// Open tells whether there is something to finish or to undo. A push that was refused or undone has its previous
// values; if it was resumed, the values then may be half of the plan.
func (p *Push) Open() bool {
	switch backend.State(p.Last.State) {
	case backend.Applied:
		return false
	case backend.Refused, backend.RolledBack:
		return p.Resumed
	case backend.Unchanged:
		return p.Resumed && p.Last.Error != ""
	}
	return true
}

// LastLine describes the last line in a few words.
func (p *Push) LastLine() string {
	text := string(p.Last.Kind)
	if p.Last.Phase > 0 {
		text += fmt.Sprintf(" phase %d", p.Last.Phase)
	}
	if p.Last.State != "" {
		text += ", " + p.Last.State
	}
	if p.Torn {
		text += ", and a line that was cut off"
	}
	return text
}

// Progress describes in a few words how far the push came.
func (p *Push) Progress() string {
	done, phase := "sent", p.Last.Phase
	if phase < 0 {
		done, phase = "undone", -phase
	}
	switch p.Last.Kind {
	case kindStart:
		return "nothing was sent"
	case kindSend:
		return fmt.Sprintf("phase %d was being %s", phase, done)
	case kindSent:
		return fmt.Sprintf("phase %d was %s", phase, done)
	case kindConfirm:
		return "it was being confirmed"
	case kindCancel:
		return "it was being undone"
	case kindResumed:
		return "it was being resumed"
	default:
		return p.LastLine()
	}
}
