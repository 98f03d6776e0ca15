package answers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/examples"
	"github.com/cellwarden/cellwarden/topology"
)

// Topology is a topology in a request: its text, YAML or JSON, or the same as an object.
type Topology string

// UnmarshalJSON takes a text as it is, and an object as its JSON text.
func (t *Topology) UnmarshalJSON(data []byte) error {
	var text string
	if len(data) > 0 && data[0] == '"' {
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
		*t = Topology(text)
		return nil
	}
	*t = Topology(data)
	return nil
}

// Question is a topology with changes.
type Question struct {
	Topology Topology          `json:"topology"`
	Set      []string          `json:"set,omitempty" maxItems:"256" doc:"changes, PATH=VALUE with a path as in the topology" example:"[\"ports[0].cable=2km\"]"`
	Files    map[string]string `json:"files,omitempty" doc:"texts of the files that the topology names, by these names"`

	name  string        // of the topology's file; empty: it came in a request
	other topology.Open // opens the files that are not of Files; nil: those of the examples
}

// From says that the topology is of a file, and what opens the files that it names beside those of the question.
func (q *Question) From(name string, other topology.Open) { q.name, q.other = name, other }

// largeText is the length of a topology, in bytes, above which it is a large one: with some two hundred ports that are
// named one by one.
const largeText = 16 << 10

// Large tells whether the question takes long to answer.
func (q *Question) Large() bool {
	n := len(q.Topology)
	for _, text := range q.Files {
		n += len(text)
	}
	return n > largeText
}

// Planned is a question that was read and planned.
type Planned struct {
	File *topology.File
	Plan *buffer.Plan
}

// read reads the topology of a question, with further changes behind its own.
func (q *Question) read(further ...topology.Override) (*topology.File, error) {
	var changes []topology.Override
	var bad []error
	for _, text := range q.Set {
		c, err := topology.ParseOverride(text)
		if err != nil {
			bad = append(bad, fmt.Errorf("set: %w", err))
			continue
		}
		changes = append(changes, c)
	}
	file, err := topology.Read(cmp.Or(q.name, "topology"), []byte(q.Topology), q.open, append(changes, further...)...)
	if len(bad) > 0 { // with what is wrong with the topology and with the other changes
		return nil, fmt.Errorf("%w: %w", buffer.ErrInvalid, errors.Join(append(bad, err)...))
	}
	return file, err
}

// Planned reads and plans a question, as long as the context allows.
func (q *Question) Planned(ctx context.Context) (Planned, error) {
	f, err := q.read()
	if err != nil {
		return Planned{}, err
	}
	plan, err := buffer.NewUntil(ctx.Err, f.Intent)
	return Planned{f, plan}, inTime(ctx, err)
}

// inTime is the error of work that a context may have ended.
func inTime(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ErrBusy
	}
	return err
}

// open reads a file that the topology names.
func (q *Question) open(path string) ([]byte, error) {
	if text, given := q.Files[path]; given {
		return []byte(text), nil
	}
	if q.other != nil {
		return q.other(path)
	}
	return open(path)
}

// errFile says that a topology names a file.
var errFile = errors.New("a topology in a request cannot name files, except those of the examples (want their texts in files)")

// open reads the files that a topology names: those of the examples, which are in the program.
func open(path string) ([]byte, error) {
	data, err := examples.Read(path)
	if err != nil {
		return nil, errFile
	}
	return data, nil
}

// Complaints splits an error into its lines.
func Complaints(err error) (out []string) {
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(strings.TrimPrefix(line, buffer.ErrInvalid.Error()+":")); line != "" {
			out = append(out, line)
		}
	}
	return out
}
