package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"time"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pg"
)

// journalSchema names the form of the lines.
const journalSchema = "cellwarden.journal/v1"

// record is one line of a journal. A push writes one that it starts, with all
// that is needed to finish or undo it; one before and one after each phase; and
// one that it ends. Who resumes it writes one that says so, and goes on. No line
// has a credential.
type record struct {
	Schema string    `json:"schema"`
	Kind   string    `json:"kind"` // start, send, sent, confirm, cancel, end, resume
	Time   time.Time `json:"time"`

	Who     string     `json:"who,omitempty"` // start, resume: the user of this machine
	Target  string     `json:"target,omitempty"`
	Profile string     `json:"profile,omitempty"`
	Cell    cells.Size `json:"cell_bytes,omitempty"`
	Apart   bool       `json:"phases_apart,omitempty"`   // each phase is a Set of its own
	Within  string     `json:"rollback_after,omitempty"` // in which a commit has to be confirmed; 0s: it is not asked for
	Plan    string     `json:"plan_sha256,omitempty"`    // of Want
	Before  []setting  `json:"before,omitempty"`
	Want    []setting  `json:"want,omitempty"`

	Phase  int      `json:"phase,omitempty"`  // send, sent: counted from 1
	Commit string   `json:"commit,omitempty"` // send: id of the commit, which the switch undoes unless it is confirmed
	Steps  []string `json:"steps,omitempty"`
	Undo   bool     `json:"undo,omitempty"`  // resume: it shall be led back
	State  string   `json:"state,omitempty"` // end: in which the device was left
	Error  string   `json:"error,omitempty"`
}

// setting is a register and its value, in cells or the register's unit.
type setting struct {
	Register string `json:"register"`
	Port     string `json:"port,omitempty"`
	Index    int    `json:"index"`
	Value    int64  `json:"value"`
}

func settings(l buffer.Layout) []setting {
	out := make([]setting, len(l))
	for i, s := range l {
		out[i] = setting{name(buffer.Register{Kind: s.Kind, Port: "x"}), s.Port, s.Index, s.Value}
	}
	return out
}

// layoutOf reads settings. It refuses registers that are not there and those
// that are named twice.
func layoutOf(all []setting) (buffer.Layout, error) {
	kinds := map[string]buffer.Kind{}
	for _, k := range buffer.Kinds() {
		kinds[name(buffer.Register{Kind: k, Port: "x"})] = k
	}
	seen := map[buffer.Register]bool{}
	var out []buffer.Setting
	for _, s := range all {
		k, known := kinds[s.Register]
		r := buffer.Register{Kind: k, Port: s.Port, Index: s.Index}
		if !known || seen[r] || s.Index < 0 || s.Index >= pg.PerPort && s.Port != "" {
			return nil, fmt.Errorf("register %q of %q, %d: accepted: registers of a layout, each once", s.Register, s.Port, s.Index)
		}
		seen[r] = true
		out = append(out, buffer.Setting{Register: r, Value: s.Value})
	}
	return buffer.NewLayout(out), nil
}

// journal writes records, each on the disk before the next thing happens. Its
// file is made when there is something to be sent.
type journal struct {
	open  func() (journalFile, error)
	told  func(file string) // where it is, before anything is sent
	to    journalFile       // nil: not made yet
	start record            // what the first line says
	read  bool              // what the device held before is in it
	phase int

	unwritten error // why nothing could be sent: there is no place for the file
	broken    error // why nothing more can be written
}

// journalFile is what of a file is needed.
type journalFile interface {
	io.WriteCloser
	Sync() error
	Name() string
}

// begin makes the file and writes what the push is about.
func (j *journal) begin() error {
	if j.to != nil || j.unwritten != nil {
		return j.unwritten
	}
	to, err := j.open()
	if err == nil {
		j.to = to
		err = j.write(j.start)
	}
	if err != nil {
		j.discard()
		j.unwritten = exit{exitUsage, fmt.Errorf("nothing was sent, because what is sent cannot be written down: %w: accepted: --journal FILE, new and in a place that can be written, or --journal off", err)}
		return j.unwritten
	}
	j.told(j.to.Name())
	return nil
}

// discard removes a file of which not even the first line could be written.
func (j *journal) discard() {
	if j.to != nil {
		_ = j.to.Close()
		_ = os.Remove(j.to.Name())
		j.to = nil
	}
}

func (j *journal) write(r record) error {
	r.Schema, r.Time = journalSchema, time.Now().UTC()
	line, err := json.Marshal(r)
	if err == nil {
		_, err = j.to.Write(append(line, '\n'))
	}
	if err == nil {
		err = j.to.Sync()
	}
	if err != nil {
		j.broken = fmt.Errorf("journal: %w", err)
	}
	return j.broken
}

// whoAmI is the user of this machine.
func whoAmI() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "unknown"
}

// newStart says what a push is about.
func newStart(to dialFlags, as *profile.Profile, cell cells.Size, want buffer.Layout) record {
	_, apart := as.Quirk(profile.PhasesApart)
	r := record{Kind: "start", Who: whoAmI(), Target: to.target, Profile: as.Name, Cell: cell, Apart: apart || to.phased, Within: to.rollback.String(), Want: settings(want)}
	text, _ := json.Marshal(r.Want)
	r.Plan = fmt.Sprintf("%x", sha256.Sum256(text))
	return r
}

// journaled is a device whose changes are written down as they are made.
type journaled struct {
	backend.Backend
	*journal
}

// Observe notes what the device held when it was first read.
func (d *journaled) Observe(ctx context.Context) (buffer.Layout, error) {
	l, err := d.Backend.Observe(ctx)
	if err == nil && !d.read {
		d.read, d.start.Before = true, settings(l)
	}
	return l, err
}

// Apply writes down what is going to be sent, and what came of it. If that
// cannot be written, nothing is sent. Only what was sent before is undone then,
// and that has to be done without being written.
func (d *journaled) Apply(ctx context.Context, steps []buffer.Step) error {
	if err := d.begin(); err != nil {
		return err
	}
	if d.broken != nil {
		return d.Backend.Apply(ctx, steps)
	}
	d.phase++
	r := record{Kind: "send", Phase: d.phase, Steps: texts(steps)}
	if c, ok := d.Backend.(interface{ NextCommit() string }); ok {
		r.Commit = c.NextCommit()
	}
	if err := d.write(r); err != nil {
		return err
	}
	err := d.Backend.Apply(ctx, steps)
	return errors.Join(err, d.write(record{Kind: "sent", Phase: d.phase, Error: errorText(err)}))
}

// Confirm writes down that it is going to be confirmed. What cannot be written
// is not confirmed, unless it is undone already.
func (d *journaled) Confirm(ctx context.Context) error {
	c, ok := d.Backend.(backend.Confirmer)
	if !ok {
		return nil
	}
	if d.broken == nil && d.to != nil {
		if err := d.write(record{Kind: "confirm"}); err != nil {
			return err
		}
	}
	return c.Confirm(ctx)
}

// Cancel writes down that it is going to be cancelled, if that can be written.
func (d *journaled) Cancel(ctx context.Context) (bool, error) {
	c, ok := d.Backend.(backend.Confirmer)
	if !ok {
		return false, nil
	}
	if d.broken == nil && d.to != nil {
		_ = d.write(record{Kind: "cancel"})
	}
	return c.Cancel(ctx)
}

// end writes down how the device was left, if anything was written.
func (j *journal) end(r *backend.Report, err error) error {
	if j.to == nil {
		return nil
	}
	defer j.to.Close()
	if j.broken != nil {
		return nil // it has been said
	}
	return j.write(record{Kind: "end", State: string(r.State), Error: errorText(err)})
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
