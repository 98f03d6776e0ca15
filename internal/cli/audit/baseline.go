package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/cli"
)

// baselineSchema is the schema of a file of accepted findings.
const baselineSchema = "cellwarden.audit-baseline/v1"

// BaselineJSON is a file of accepted findings.
type BaselineJSON struct {
	Schema   string         `json:"schema"`
	Accepted []acceptedJSON `json:"accepted"`
}

// acceptedJSON is a finding that is accepted, with what identifies it. The line is not part of it: it moves. The
// numbers are: a finding with other numbers is a new one.
type acceptedJSON struct {
	Code     audit.Code       `json:"code"`
	Folder   string           `json:"folder,omitempty"`
	File     string           `json:"file"`
	Topology string           `json:"topology,omitempty"`
	Object   string           `json:"object"`
	Bytes    map[string]int64 `json:"bytes,omitempty"`
	Why      string           `json:"why,omitempty"` // for people
}

// key is the key of the finding.
func (a *acceptedJSON) key() string {
	f := audit.Finding{Code: a.Code, Folder: a.Folder, File: a.File, Topology: a.Topology, Object: a.Object,
		Bytes: a.Bytes}
	return f.Key()
}

// accept writes the baseline, or takes out what it accepts.
func (r *auditReport) accept(cmd *cobra.Command, f *auditFlags) error {
	switch {
	case f.writeBaseline != "":
		return r.writeBaseline(cmd, f.writeBaseline)
	case f.baseline == "":
		return nil
	}
	name, data, err := cli.ReadInput(cmd, f.baseline)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf("--baseline: %w", err))
	}
	known, err := readBaseline(data)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf("--baseline %s: %w", name, err))
	}
	r.without(known)
	return nil
}

// readBaseline reads the keys of accepted findings.
func readBaseline(data []byte) (map[string]bool, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var b BaselineJSON
	if err := decoder.Decode(&b); err != nil {
		return nil, fmt.Errorf("%w: accepted: what --write-baseline writes", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the document: accepted: what --write-baseline writes")
	}
	if b.Schema != baselineSchema {
		return nil, fmt.Errorf("schema %q: accepted: %s", b.Schema, baselineSchema)
	}
	known := map[string]bool{}
	for i := range b.Accepted {
		if !audit.Known(b.Accepted[i].Code) {
			return nil, fmt.Errorf("accepted[%d].code: %.40q: accepted: a code of audit --explain all", i, b.Accepted[i].Code)
		}
		known[b.Accepted[i].key()] = true
	}
	return known, nil
}

// without takes out the findings with these keys, and counts those that are gone.
func (r *auditReport) without(known map[string]bool) {
	left := maps.Clone(known)
	r.Findings = slices.DeleteFunc(r.Findings, func(f audit.Finding) bool {
		key := f.Key()
		delete(left, key)
		if known[key] {
			r.Accepted++
		}
		return known[key]
	})
	r.Gone = len(left)
}

// writeBaseline writes all findings, and accepts them.
func (r *auditReport) writeBaseline(cmd *cobra.Command, path string) error {
	b := BaselineJSON{Schema: baselineSchema, Accepted: []acceptedJSON{}}
	seen := map[string]bool{}
	for i := range r.Findings {
		f := &r.Findings[i]
		if key := f.Key(); !seen[key] {
			seen[key] = true
			b.Accepted = append(b.Accepted, acceptedJSON{f.Code, f.Folder, f.File, f.Topology, f.Object, f.Bytes, ""})
		}
	}
	out, err := cli.Create(cmd, path)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, fmt.Errorf("--write-baseline: %w", err))
	}
	if err := cli.WriteJSON(out, b); err != nil {
		return cli.Failure(err)
	}
	r.Accepted, r.Findings = len(r.Findings), nil
	return nil
}
