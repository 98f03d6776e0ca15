package finding

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// baselineSchema names the form of a [Baseline]. The form is that of the audit, which had it first; all verbs share it.
const baselineSchema = "cellwarden.audit-baseline/v1"

// Baseline is a file of accepted findings. Its fields are published: cellwarden.audit-baseline/v1.
type Baseline struct {
	Schema   string     `json:"schema"`
	Accepted []Accepted `json:"accepted"`
}

// Accepted is a finding that is accepted, with what identifies it. The line is not part of it: it moves. The numbers
// are: a finding with other numbers is a new one.
type Accepted struct {
	Code     Code             `json:"code"`
	Folder   string           `json:"folder,omitempty"`
	File     string           `json:"file"`
	Topology string           `json:"topology,omitempty"`
	Object   string           `json:"object"`
	Bytes    map[string]int64 `json:"bytes,omitempty"`
	Values   string           `json:"values,omitempty"` // that were compared, where they are not bytes
	Why      string           `json:"why,omitempty"`    // for people
}

// NewBaseline accepts findings.
func NewBaseline(all []Finding) Baseline {
	b := Baseline{Schema: baselineSchema, Accepted: []Accepted{}}
	seen := map[string]bool{}
	for i := range all {
		f := &all[i]
		if key := f.Key(); !seen[key] {
			seen[key] = true
			b.Accepted = append(b.Accepted, Accepted{Code: f.Code, Folder: f.Folder, File: f.File, Topology: f.Topology,
				Object: f.Object, Bytes: f.Bytes, Values: f.Values})
		}
	}
	return b
}

// ReadBaseline reads a baseline. A code that the registry does not have is refused.
func ReadBaseline(data []byte, codes *Registry) (Baseline, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var b Baseline
	if err := decoder.Decode(&b); err != nil {
		return b, fmt.Errorf("%w: want what --write-baseline writes", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return b, errors.New("text after the document: want what --write-baseline writes")
	}
	if b.Schema != baselineSchema {
		return b, fmt.Errorf("schema %q: want %s", b.Schema, baselineSchema)
	}
	for i := range b.Accepted {
		if code := b.Accepted[i].Code; !codes.Known(code) {
			return b, fmt.Errorf("accepted[%d].code: %.40q: want a code of %s --explain all", i, code, codes.command)
		}
	}
	return b, nil
}

// keys returns what identifies the accepted findings.
func (b *Baseline) keys() map[string]bool {
	out := map[string]bool{}
	for i := range b.Accepted {
		a := &b.Accepted[i]
		f := Finding{Code: a.Code, Folder: a.Folder, File: a.File, Topology: a.Topology, Object: a.Object, Bytes: a.Bytes,
			Values: a.Values}
		out[f.Key()] = true
	}
	return out
}

// New returns the findings that are not accepted, how many are, and how many of the baseline are not found any more.
func (b *Baseline) New(all []Finding) (fresh []Finding, accepted, gone int) {
	known := b.keys()
	fresh, gone = without(all, known)
	return fresh, len(all) - len(fresh), gone
}

// Since returns the findings of now that were not there before, how many different ones were there before, and how many
// of these are not there any more.
func Since(before, now []Finding) (fresh []Finding, were, mended int) {
	known := map[string]bool{}
	for i := range before {
		known[before[i].Key()] = true
	}
	fresh, mended = without(now, known)
	return fresh, len(known), mended
}

// without returns the findings whose keys are not known, and how many known keys no finding has.
func without(all []Finding, known map[string]bool) (fresh []Finding, gone int) {
	found := map[string]bool{}
	for i := range all {
		if key := all[i].Key(); known[key] {
			found[key] = true
		}
	}
	fresh = slices.DeleteFunc(slices.Clone(all), func(f Finding) bool { return found[f.Key()] })
	return fresh, len(known) - len(found)
}
