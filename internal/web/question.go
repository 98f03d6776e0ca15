package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/danielgtaylor/huma/v2"

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

// Schema describes a topology: docs/topology.md has the keys.
func (Topology) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Description: "a topology as text (YAML or JSON), or as an object; docs/topology.md lists the keys",
		OneOf:       []*huma.Schema{{Type: huma.TypeString, MinLength: new(1)}, {Type: huma.TypeObject}},
	}
}

// Question is a topology with changes.
type Question struct {
	Topology Topology `json:"topology"`
	Set      []string `json:"set,omitempty" maxItems:"256" doc:"changes, PATH=VALUE with a path as in the topology" example:"[\"ports[0].cable=2km\"]"`
}

// planned is a question that was read and planned.
type planned struct {
	file *topology.File
	plan *buffer.Plan
}

// read reads the topology of a question, with further changes behind its own.
func (q *Question) read(further ...topology.Change) (*topology.File, error) {
	var changes []topology.Change
	var bad []error
	for _, text := range q.Set {
		c, err := topology.ParseChange(text)
		if err != nil {
			bad = append(bad, fmt.Errorf("set: %w", err))
			continue
		}
		changes = append(changes, c)
	}
	file, err := topology.Read("topology", []byte(q.Topology), open, append(changes, further...)...)
	if len(bad) > 0 { // with what is wrong with the topology and with the other changes
		return nil, fmt.Errorf("%w: %w", buffer.ErrInvalid, errors.Join(append(bad, err)...))
	}
	return file, err
}

// answer reads and plans a question.
func (q *Question) answer() (planned, error) {
	f, err := q.read()
	if err != nil {
		return planned{}, err
	}
	plan, err := buffer.New(f.Intent)
	return planned{f, plan}, err
}

// errFile says that a topology names a file.
var errFile = errors.New("a topology in a request cannot name files, except those of the examples")

// open reads the files that a topology names: those of the examples, which are in the program.
func open(path string) ([]byte, error) {
	data, err := examples.Read(path)
	if err != nil {
		return nil, errFile
	}
	return data, nil
}

// refused turns an error into the answer of the API: what is wrong with the question, line by line, or what is wrong
// with the server.
func refused(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errBusy):
		return huma.Error503ServiceUnavailable(err.Error())
	case errors.Is(err, errFault):
		return huma.Error500InternalServerError(err.Error())
	}
	var lines []error
	for _, line := range complaints(err) {
		lines = append(lines, errors.New(line))
	}
	return huma.Error422UnprocessableEntity("the question is refused", lines...)
}

// complaints splits an error into its lines.
func complaints(err error) (out []string) {
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(strings.TrimPrefix(line, buffer.ErrInvalid.Error()+":")); line != "" {
			out = append(out, line)
		}
	}
	return out
}
