// Package journal writes down what a push sends to a device before it is sent, so
// that a push that was interrupted can be finished or undone.
//
// A [Writer] observes the push: see [Writer.Registers] for layouts of registers and [Values] for native configuration.
// Its file has a line of JSON for each event, and each line is on the disk before the next thing happens. [Read] reads
// it, [List] finds the pushes of a directory that did not end, and [Push.Resume] finishes or undoes one. While a push
// is under way its file is locked.
//
// Each line has a checksum that also covers the lines before it, so that a journal that was changed
// or damaged is refused. What a journal does not have, because the disk lost lines that it had
// confirmed, is found by reading the device: resuming compares all that the push was to change.
//
// A [Lock] keeps two pushes of one machine to one device apart.
//
// A journal has no credential.
package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os/user"
	"time"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
)

// The schemas of the lines: of a push of registers, and of native values. Each line ends with the member sum, a
// checksum of the line and of the sum of the line before it: see seal. Lines of version 1 have none.
const (
	schemaRegisters = "cellwarden.journal/v2"
	schemaValues    = "cellwarden.journal-native/v2"

	schemaRegisters1 = "cellwarden.journal/v1"
	schemaValues1    = "cellwarden.journal-native/v1"
)

// schemas are those that can be read.
var schemas = []string{schemaRegisters, schemaValues, schemaRegisters1, schemaValues1}

// sealed tells whether lines of a schema have checksums.
func sealed(schema string) bool { return schema == schemaRegisters || schema == schemaValues }

// ofValues tells whether a schema is of native values.
func ofValues(schema string) bool { return schema == schemaValues || schema == schemaValues1 }

// kind is the kind of an event.
type kind string

// The kinds of lines.
const (
	kindStart   kind = "start" // what the push is about: all that is needed to finish or undo it
	kindSend    kind = "send"  // a phase is going to be sent
	kindSent    kind = "sent"  // a phase was sent
	kindConfirm kind = "confirm"
	kindCancel  kind = "cancel"
	kindEnd     kind = "end"    // how the device was left
	kindResumed kind = "resume" // the push is resumed from here on
)

// Record is one line of a journal.
type Record struct {
	Schema string    `json:"schema"`
	Kind   kind      `json:"kind"`
	Time   time.Time `json:"time"`

	Who    string `json:"who,omitempty"` // Start, Resumed: the user of this machine
	Target string `json:"target,omitempty"`
	// PrefixTarget is the name of the device behind a gateway whose address Target is.
	PrefixTarget string     `json:"prefix_target,omitempty"`
	Profile      string     `json:"profile,omitempty"`
	Cell         cells.Size `json:"cell_bytes,omitempty"`
	// What the switch of the plan is, to be compared with the switch when the push is resumed. Journals of earlier
	// versions have none of it.
	Chip      string   `json:"chip,omitempty"` // name in the catalogue
	ChipTitle string   `json:"chip_title,omitempty"`
	Ports     []string `json:"ports,omitempty"`       // that the plan is about
	Plan      string   `json:"plan_sha256,omitempty"` // of Want, or of Changes

	SetTimeout string `json:"set_timeout,omitempty"` // how long a Set of the push may take

	// Of registers.
	Apart  bool      `json:"phases_apart,omitempty"`   // each phase is a Set of its own
	Within string    `json:"rollback_after,omitempty"` // in which a commit has to be confirmed; 0s: it is not asked for
	Before []setting `json:"before,omitempty"`
	Want   []setting `json:"want,omitempty"`

	Commit string `json:"commit,omitempty"` // Send: ID of the commit, which the device undoes unless it is confirmed

	Steps []string `json:"steps,omitempty"` // Send, of registers: for people
	Moves []move   `json:"moves,omitempty"` // Start: all; Send: those of the phase

	// Of native values.
	Changes []Value `json:"changes,omitempty"` // Start: all; Send: those of the phase

	Phase int    `json:"phase,omitempty"` // Send, Sent: counted from 1; of native values negative if it is undone
	Undo  bool   `json:"undo,omitempty"`  // Resumed: the push is undone
	State string `json:"state,omitempty"` // End: in which the device was left
	Error string `json:"error,omitempty"`
}

// Value is a change of a native value of a device. What it means is the device's matter.
type Value struct {
	Path   string `json:"path"` // for people; At decides
	Origin string `json:"origin,omitempty"`
	// At is the path's elements: a name, and of an entry of a list its key and the key's value.
	At      [][]string      `json:"at"`
	From    json.RawMessage `json:"from,omitempty"` // none: nothing is there
	To      json.RawMessage `json:"to,omitempty"`   // none: it is deleted
	Phase   int             `json:"phase,omitempty"`
	MayStop string          `json:"may_stop"` // a buffer.Disruption
}

// About is what a push is about, for the first line.
type About struct {
	Target string // address of the device
	// PrefixTarget is the name of the device behind a gateway whose address Target is; empty: none.
	PrefixTarget string
	Profile      string // name of the device's profile
	Cell         cells.Size
	Chip         string        // of the plan: its name in the catalogue
	ChipTitle    string        // what the chip is
	Ports        []string      // that the plan is about
	Longest      time.Duration // that a Set may take; 0: it is not noted

	// Of registers.
	Want   buffer.Layout
	Apart  bool          // each phase is a Set of its own
	Within time.Duration // in which a commit has to be confirmed; 0: it is not asked for
}

// start is the first line.
func (a About) start(schema string) Record {
	r := Record{Schema: schema, Kind: kindStart, Who: whoAmI(), Target: a.Target, PrefixTarget: a.PrefixTarget,
		Profile: a.Profile, Cell: a.Cell, Chip: a.Chip, ChipTitle: a.ChipTitle, Ports: a.Ports}
	if a.Longest > 0 {
		r.SetTimeout = a.Longest.String()
	}
	if !ofValues(schema) {
		r.Apart, r.Within, r.Want = a.Apart, a.Within.String(), settings(a.Want)
		r.Plan = checksum(r.Want)
	}
	return r
}

// seal adds the checksum to a line, and returns the line and the checksum: of SHA-256 of the sum of
// the line before it and the line as it is without its sum, the first 16 bytes in hexadecimal.
func seal(before string, line []byte) (whole []byte, sum string) {
	sum = chained(before, line)
	return fmt.Appendf(line[:len(line)-1:len(line)-1], `,"sum":"%s"}`, sum), sum
}

func chained(before string, line []byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(append([]byte(before), line...)))[:sumLength]
}

const sumLength = 32

// unseal returns the checksum of a line that is sealed, if it is the right one. has tells whether the line has one.
func unseal(before string, line []byte) (sum string, has, ok bool) {
	line = bytes.TrimRight(line, "\r\n")
	end := len(line) - len(`,"sum":""}`) - sumLength
	if end < 1 || !bytes.HasPrefix(line[end:], []byte(`,"sum":"`)) || !bytes.HasSuffix(line, []byte(`"}`)) {
		return "", false, false
	}
	sum = string(line[len(line)-2-sumLength : len(line)-2])
	return sum, true, sum == chained(before, append(line[:end:end], '}'))
}

// checksum tells plans apart.
func checksum(plan any) string {
	text, _ := json.Marshal(plan)
	return fmt.Sprintf("%x", sha256.Sum256(text))
}

// whoAmI is the user of this machine.
func whoAmI() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "unknown"
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
