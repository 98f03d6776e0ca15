package answers

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/examples"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// This file has the operations about one plan or two, and about one link.

// PlanAnswer is a plan, with the changes for which it holds.
type PlanAnswer struct{ report.PlanDocument }

// largeRows is the number of rows above which an answer is a large one: some hundreds of KB.
const largeRows = 1000

// Large tells whether the answer takes long to write.
func (p *PlanAnswer) Large() bool { return len(p.Groups)+len(p.Refusals) > largeRows }

// VerifyQuestion is a question to verify.
type VerifyQuestion struct {
	Question
	Alone  bool   `json:"alone,omitempty" doc:"fill each group alone, not all groups of a headroom pool at once"`
	Frame  string `json:"frame,omitempty" example:"64B"`
	Delays string `json:"delays,omitempty" enum:"both-ends,texts,larger,nvidia,nvidia-quanta"`
}

// CapacityQuestion is a topology, and the questions about it.
type CapacityQuestion struct {
	Question
	Only []string `json:"only,omitempty" maxItems:"20" doc:"questions to answer; by default all" example:"[\"cable\"]"`
}

// DiffQuestion is two topologies.
type DiffQuestion struct {
	From Question `json:"from"`
	To   Question `json:"to"`
}

// HeadroomQuestion is one link at one chip.
type HeadroomQuestion struct {
	Chip     string          `json:"chip" doc:"name of a chip of the catalogue" example:"tomahawk"`
	Headroom json.RawMessage `json:"headroom,omitempty"`
	Speed    string          `json:"speed" example:"100G"`
	Cable    string          `json:"cable,omitempty" doc:"length of the cable; or delay" example:"300m"`
	Medium   string          `json:"medium,omitempty"`
	Delay    string          `json:"delay,omitempty" doc:"measured one-way delay, in place of the cable"`
	Extra    string          `json:"extra_delay,omitempty"`
	MACsec   bool            `json:"macsec,omitempty"`
	Response string          `json:"response_delay,omitempty"`
	MTU      string          `json:"mtu,omitempty" doc:"longest frame of the port; by default 9216B"`
	Lossless string          `json:"lossless_mtu,omitempty"`
}

// Choices are what a topology can name.
type Choices struct {
	Chips    []Chip   `json:"chips"`
	Methods  []string `json:"methods"`
	Examples []string `json:"examples"`
}

// Chip is a chip of the catalogue.
type Chip struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Cells int64  `json:"total_cells" doc:"0: not sourced; no plan, or with chip.pool_bytes of the topology"`
}

// Plan plans a switch.
func Plan(ctx context.Context, q *Question) (PlanAnswer, error) {
	p, err := q.Planned(ctx)
	if err != nil {
		return PlanAnswer{}, err
	}
	out := PlanAnswer{report.Plan(p.Plan)}
	out.Set = q.Set
	return out, nil
}

// Verify plans and simulates.
func Verify(ctx context.Context, q *VerifyQuestion) (*report.Verification, error) {
	p, err := q.Question.Planned(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.Plan.Err(); err != nil {
		return nil, fmt.Errorf("nothing was verified: %w", err)
	}
	o := sim.VerifyOptions{Alone: q.Alone}
	if q.Frame != "" {
		if o.Frame, err = unit.ParseBytes(q.Frame); err != nil {
			return nil, fmt.Errorf("frame: %w", err)
		}
	}
	if q.Delays != "" {
		sum, err := thresholds.ParseDelaySum(q.Delays)
		if err != nil {
			return nil, fmt.Errorf("delays: %w", err)
		}
		o.Delays = unit.Given(sum)
	}
	v, err := sim.Verify(ctx, p.File.Intent, p.Plan.Layout(), o)
	return v, inTime(ctx, err)
}

// Capacity answers how far a switch goes.
func Capacity(ctx context.Context, q *CapacityQuestion) (report.CapacityDocument, error) {
	only, err := capacity.ParseQuestions(q.Only...)
	if err != nil {
		return report.CapacityDocument{}, fmt.Errorf("only: %w", err)
	}
	file, err := q.read()
	if err != nil {
		return report.CapacityDocument{}, err
	}
	answers, err := capacity.AskUntil(ctx.Err, file.Intent, file.CapacityEntries(), only...)
	if err := inTime(ctx, err); err != nil {
		return report.CapacityDocument{}, err
	}
	admission, err := buffer.NewAdmission(file.Intent)
	if err != nil {
		return report.CapacityDocument{}, err
	}
	doc := report.Capacity(file.Intent, admission, answers)
	doc.Set = q.Set
	return doc, nil
}

// Diff compares two plans.
func Diff(ctx context.Context, q *DiffQuestion) (report.DiffDocument, error) {
	var sides [2]Planned
	var files [2]*report.PlanFile
	for i, side := range []*Question{&q.From, &q.To} {
		var err error
		if sides[i], err = side.Planned(ctx); err != nil {
			return report.DiffDocument{}, fmt.Errorf("%s: %w", []string{"from", "to"}[i], err)
		}
		if doc := report.Plan(sides[i].Plan); ctx.Err() == nil {
			files[i], err = doc.File()
		}
		if err := inTime(ctx, err); err != nil {
			return report.DiffDocument{}, err
		}
		files[i].Set = side.Set
	}
	steps, err := sides[0].Plan.Diff(sides[1].Plan)
	known := report.Steps(steps)
	if err != nil {
		known = report.UnknownSteps(err.Error())
	}
	if err := inTime(ctx, nil); err != nil {
		return report.DiffDocument{}, err
	}
	d := report.Diff(files[0], files[1], known)
	d.From.Name, d.To.Name = "from", "to"
	return d, nil
}

// Headroom sizes the link: it is the only port of a topology, so that the same keys are accepted and refused.
func Headroom(_ context.Context, q *HeadroomQuestion) (report.HeadroomDocument, error) {
	port := map[string]any{"name": "port", "speed": q.Speed}
	for key, value := range map[string]string{"cable": q.Cable, "medium": q.Medium, "delay": q.Delay,
		"extra_delay": q.Extra, "response_delay": q.Response, "mtu": q.MTU} {
		if value != "" {
			port[key] = value
		}
	}
	if q.MACsec {
		port["macsec"] = true
	}
	class := map[string]any{"name": "lossless", "priorities": []int{3}, "lossless": true}
	if q.Lossless != "" {
		class["mtu"] = q.Lossless
	}
	headroom := q.Headroom
	if len(headroom) == 0 {
		headroom = json.RawMessage(`{"method":"ieee802.1qbb"}`)
	}
	text, err := json.Marshal(map[string]any{"chip": q.Chip, "headroom": headroom, "classes": []any{class},
		"ports": []any{port}})
	if err != nil {
		return report.HeadroomDocument{}, err
	}
	in, err := topology.Parse("question", text, open)
	if err != nil {
		return report.HeadroomDocument{}, err
	}
	link := in.Ports[0].Link(in.Ports[0].MTU)
	if in.Classes[0].MTU > 0 {
		link.LosslessMTU = in.Classes[0].MTU
	}
	e, err := in.Sizing.Explain(link, in.Chip.Memory())
	if err != nil {
		return report.HeadroomDocument{}, err
	}
	return report.Headroom(e, in.Sizing, link, in.Chip.Memory()), nil
}

// ExampleText is the text of an example.
type ExampleText struct {
	Topology string `json:"topology"`
}

// Example reads an example.
func Example(name string) (ExampleText, error) {
	text, err := examples.Read(name)
	return ExampleText{string(text)}, err
}

// Names lists what a topology can name.
func Names() Choices {
	c := Choices{Methods: method.Methods(), Examples: examples.Topologies()}
	for _, chip := range asic.All() {
		c.Chips = append(c.Chips, Chip{chip.Name, chip.Title, int64(chip.TotalCells())})
	}
	return c
}
