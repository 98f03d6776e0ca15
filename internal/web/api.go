package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"

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

const apiText = "Plans the packet buffer of lossless switches, and audits configurations. A topology is text " +
	"(YAML or JSON) or an object, with " +
	"the keys of docs/topology.md. A plan that does not fit is an answer with the status 200 and the verdict " +
	"does-not-fit; a topology that is malformed is refused with the status 422, and every complaint."

// Body is the body of an answer.
type Body[T any] struct{ Body T }

// PlanAnswer is a plan, with the changes for which it holds.
type PlanAnswer struct {
	report.PlanDocument
	Set []string `json:"set,omitempty" doc:"changes of the topology for which the plan holds"`
}

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

// api registers the operations.
func (s *server) api(api huma.API) {
	// A ratio is written as text: "4.10:1".
	api.OpenAPI().Components.Schemas.RegisterTypeAlias(reflect.TypeFor[buffer.Ratio](), reflect.TypeFor[string]())
	register(s, api, "plan", "Plan a switch", "The document cellwarden.plan/v1: verdict, cells of every slice, groups, "+
		"refusals with what would make the plan fit.", func(_ context.Context, q *Question) (PlanAnswer, error) {
		p, err := q.answer()
		if err != nil {
			return PlanAnswer{}, err
		}
		return PlanAnswer{report.Plan(p.plan), q.Set}, nil
	})
	register(s, api, "verify", "Simulate the worst case of every lossless group",
		"The document cellwarden.verify/v1. A plan that does not fit is refused: some of its ports have no registers.",
		verify)
	register(s, api, "headroom", "Size the headroom of one link", "The document cellwarden.headroom/v1: cells and bytes, "+
		"term by term with their sources.", func(_ context.Context, q *HeadroomQuestion) (report.HeadroomDocument, error) {
		return q.answer()
	})
	register(s, api, "diff", "Compare two plans", "The document cellwarden.diff/v1: what changes in cells, refusals, and "+
		"the steps that a device needs.", diff)
	register(s, api, "capacity", "How far a switch goes",
		"The document cellwarden.capacity/v1: longest cables, most ports, "+
			"largest frames, smallest pools, each with the limit that refuses the next step.", askCapacity)
	s.more(api)
	s.behaviours(api)
	s.links(api)
	huma.Register(api, huma.Operation{OperationID: "choices", Method: http.MethodGet, Path: "/v1/choices",
		Summary: "Chips, methods and examples"}, func(context.Context, *struct{}) (*Body[Choices], error) {
		return &Body[Choices]{choices()}, nil
	})
	huma.Register(api, huma.Operation{OperationID: "example", Method: http.MethodGet, Path: "/v1/examples/{name}",
		Summary: "The text of an example"}, func(_ context.Context, in *struct {
		Name string `path:"name" maxLength:"100"`
	}) (*Body[struct {
		Topology string `json:"topology"`
	}], error) {
		text, err := examples.Read(in.Name)
		if err != nil {
			return nil, huma.Error404NotFound("no such example")
		}
		out := &Body[struct {
			Topology string `json:"topology"`
		}]{}
		out.Body.Topology = string(text)
		return out, nil
	})
	huma.Register(api, huma.Operation{OperationID: "health", Method: http.MethodGet, Path: "/health",
		Summary: "Whether the server answers"}, func(context.Context, *struct{}) (*Body[map[string]string], error) {
		return &Body[map[string]string]{map[string]string{"status": "ok"}}, nil
	})
	describe(api)
}

// register adds POST /v1/NAME: a question as JSON, and its answer, bounded in size and time.
func register[Q, A any](
	s *server, api huma.API, name, summary, text string, answer func(context.Context, *Q) (A, error),
) {
	huma.Register(api, huma.Operation{OperationID: name, Method: http.MethodPost, Path: "/v1/" + name, Summary: summary,
		Description: text, MaxBodyBytes: maxBody, Errors: []int{http.StatusRequestEntityTooLarge,
			http.StatusUnprocessableEntity, http.StatusServiceUnavailable}},
		func(ctx context.Context, in *Body[Q]) (*Body[A], error) {
			out := &Body[A]{}
			err := s.workOn(ctx, !slices.Contains(soon, name), func() (err error) {
				out.Body, err = answer(ctx, &in.Body)
				return err
			})
			if err != nil {
				return nil, refused(err)
			}
			return out, nil
		})
}

// verify plans and simulates.
func verify(ctx context.Context, q *VerifyQuestion) (*report.Verification, error) {
	p, err := q.Question.answer()
	if err != nil {
		return nil, err
	}
	if err := p.plan.Err(); err != nil {
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
	v, err := sim.Verify(ctx, p.file.Intent, p.plan.Layout(), o)
	if ctx.Err() != nil {
		return nil, errBusy
	}
	return v, err
}

// askCapacity answers how far a switch goes.
func askCapacity(ctx context.Context, q *CapacityQuestion) (report.CapacityDocument, error) {
	var only []capacity.Question
	for _, text := range q.Only {
		question, err := capacity.ParseQuestion(text)
		if err != nil {
			return report.CapacityDocument{}, fmt.Errorf("only: %w", err)
		}
		only = append(only, question)
	}
	file, err := q.read()
	if err != nil {
		return report.CapacityDocument{}, err
	}
	answers, err := capacity.AskUntil(ctx.Err, file.Intent, entriesOf(file), only...)
	if ctx.Err() != nil {
		return report.CapacityDocument{}, errBusy
	}
	if err != nil {
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

// entriesOf returns the entries of a topology's ports.
func entriesOf(file *topology.File) (out []capacity.Entry) {
	for _, e := range file.Entries {
		out = append(out, capacity.Entry{Text: e.Text, First: e.First, Count: e.Count})
	}
	return out
}

// diff compares two plans.
func diff(ctx context.Context, q *DiffQuestion) (report.DiffDocument, error) {
	var sides [2]planned
	var files [2]*report.PlanFile
	for i, side := range []*Question{&q.From, &q.To} {
		var err error
		if ctx.Err() != nil {
			return report.DiffDocument{}, errBusy
		}
		if sides[i], err = side.answer(); err != nil {
			return report.DiffDocument{}, fmt.Errorf("%s: %w", []string{"from", "to"}[i], err)
		}
		doc := report.Plan(sides[i].plan)
		if files[i], err = doc.File(); err != nil {
			return report.DiffDocument{}, err
		}
		files[i].Set = side.Set
	}
	known := report.DiffSteps{}
	if steps, err := sides[0].plan.Diff(sides[1].plan); err != nil {
		known = report.UnknownSteps(err.Error())
	} else {
		known = report.Steps(steps)
	}
	d := report.Diff(files[0], files[1], known)
	d.From.Name, d.To.Name = "from", "to"
	return d, nil
}

// answer sizes the link: it is the only port of a topology, so that the same keys are accepted and refused.
func (q *HeadroomQuestion) answer() (report.HeadroomDocument, error) {
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

// choices lists what a topology can name.
func choices() Choices {
	c := Choices{Methods: method.Methods(), Examples: examples.Topologies()}
	for _, chip := range asic.All() {
		c.Chips = append(c.Chips, Chip{chip.Name, chip.Title, int64(chip.TotalCells())})
	}
	return c
}
