package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/user"
	"time"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
	"github.com/cellwarden/cellwarden/cells"
)

// The forms of the lines: of a push by OpenConfig, and of one in the switch's own
// words.
const (
	journalSchema = "cellwarden.journal/v1"
	nativeSchema  = "cellwarden.journal-native/v1"
)

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
	Plan    string     `json:"plan_sha256,omitempty"` // of Want, or of Changes

	// By OpenConfig.
	Apart  bool      `json:"phases_apart,omitempty"`   // each phase is a Set of its own
	Within string    `json:"rollback_after,omitempty"` // in which a commit has to be confirmed; 0s: it is not asked for
	Before []setting `json:"before,omitempty"`
	Want   []setting `json:"want,omitempty"`
	Commit string    `json:"commit,omitempty"` // send: id of the commit, which the switch undoes unless it is confirmed
	Steps  []string  `json:"steps,omitempty"`  // send

	// In the switch's own words.
	Changes []changeRecord `json:"changes,omitempty"` // start: all; send: those of the Set

	Phase int    `json:"phase,omitempty"` // send, sent: counted from 1; negative: it is undone
	Undo  bool   `json:"undo,omitempty"`  // resume: it shall be led back
	State string `json:"state,omitempty"` // end: in which the device was left
	Error string `json:"error,omitempty"`
}

// journal writes records, each on the disk before the next thing happens. Its
// file is made when there is something to be sent.
type journal struct {
	open  func() (journalFile, error)
	told  func(file string) // where it is, before anything is sent
	to    journalFile       // nil: not made yet
	start record            // what the first line says, and the schema of all

	unwritten error // why nothing could be sent: there is no place for the file
	broken    error // why nothing more can be written
	unsaid    error // broken, of which nobody was told, because undoing went on
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
	r.Schema, r.Time = j.start.Schema, time.Now().UTC()
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

// newStart says what a push is about.
func newStart(schema, target string, as *profile.Profile, cell cells.Size) record {
	return record{Schema: schema, Kind: "start", Who: whoAmI(), Target: target, Profile: as.Name, Cell: cell}
}

// checksum tells plans apart.
func checksum(plan any) string {
	text, _ := json.Marshal(plan)
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// newJournal is the journal of a push, where the flags want it.
func (p *push) newJournal(start record) *journal {
	return &journal{start: start, told: p.tell, open: func() (journalFile, error) { return createJournal(p.journal, p.dial.target, time.Now()) }}
}

// whoAmI is the user of this machine.
func whoAmI() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "unknown"
}

// end writes down how the device was left, if anything was written.
func (j *journal) end(state backend.State, err error) error {
	if j.to == nil {
		return nil
	}
	defer j.to.Close()
	if j.broken != nil {
		return j.unsaid // else it has been said
	}
	return j.write(record{Kind: "end", State: string(state), Error: errorText(err)})
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
