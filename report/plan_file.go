package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
)

// PlanFile is a plan as a document that was written before: the output of `plan -o json`.
type PlanFile struct {
	Verdict  string    `json:"verdict"`
	Refused  int       `json:"refused_ports"`
	Slices   []Slice   `json:"slices"`
	Groups   []Group   `json:"groups"`
	Channels []Channel `json:"channels"`
	// Schedules are how ports share their bandwidth by groups.
	Schedules []Schedule `json:"ets"`
	Bill      []BillRow  `json:"bill"`
	Refusals  []Refusal  `json:"refusals"`
	Set       []string   `json:"set"`

	rest map[string]any // the other keys of the document
}

// Cell is the size of the chip's cells; 0: the document does not say it.
func (f *PlanFile) Cell() cells.Size {
	chip, _ := f.rest["chip"].(map[string]any)
	n, _ := chip["cell_bytes"].(json.Number)
	size, err := n.Int64()
	if err != nil || size < 0 || size > 1<<20 {
		return 0
	}
	return cells.Size(size)
}

// IsPlan tells whether data is a document that says it is a plan. What else is wrong with it is for [ReadPlan].
func IsPlan(data []byte) bool {
	var x struct {
		Schema string `json:"schema"`
	}
	return json.Unmarshal(data, &x) == nil && strings.HasPrefix(x.Schema, "cellwarden.plan/")
}

// ReadPlan reads a plan that was written as a document.
func ReadPlan(data []byte) (*PlanFile, error) {
	if len(data) > maxPlanFile {
		return nil, fmt.Errorf("%w: a plan of %d bytes (want at most %d)", buffer.ErrInvalid, len(data), maxPlanFile)
	}
	f := &PlanFile{}
	if err := json.Unmarshal(data, f); err != nil {
		return nil, fmt.Errorf("%w: %w (want a document %s)", buffer.ErrInvalid, err, Schema("plan"))
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&f.rest); err != nil {
		return nil, fmt.Errorf("%w: %w", buffer.ErrInvalid, err)
	}
	if schema := f.rest["schema"]; schema != Schema("plan") {
		return nil, fmt.Errorf("%w: schema %v (want %s)", buffer.ErrInvalid, schema, Schema("plan"))
	}
	for _, key := range []string{"schema", "set", "fits", "refused_ports", "slices", "groups", "channels", "ets", "bill",
		"refusals", "further", "turns_on", "next"} {
		delete(f.rest, key)
	}
	return f, nil
}

// File returns the plan as ReadPlan reads it. The long lists, which are the same there, take no way through JSON.
func (d *PlanDocument) File() (*PlanFile, error) {
	short := *d
	short.Slices, short.Groups, short.Channels, short.Schedules, short.Bill = nil, nil, nil, nil, nil
	short.Refusals, short.Sizing.Kinds = nil, nil
	data, err := json.Marshal(&short)
	if err != nil {
		return nil, err
	}
	f, err := ReadPlan(data)
	if err == nil {
		f.Slices, f.Groups, f.Channels, f.Schedules, f.Bill = d.Slices, d.Groups, d.Channels, d.Schedules, d.Bill
		f.Refusals = d.Refusals
		if headroom, is := f.rest["headroom"].(map[string]any); is {
			headroom["sized"] = d.Sizing.Kinds // see appendOther
		}
	}
	return f, err
}
