package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/answers"
)

const apiText = "Plans the packet buffer of lossless switches, and audits configurations. A topology is text " +
	"(YAML or JSON) or an object, with " +
	"the keys of docs/topology.md. A plan that does not fit is an answer with the status 200 and the verdict " +
	"does-not-fit; a topology that is malformed is refused with the status 422, and every complaint."

// Body is the body of an answer.
type Body[T any] struct{ Body T }

// topologyText is how the API describes a topology: docs/topology.md has the keys.
type topologyText string

// Schema describes it.
func (topologyText) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Description: "a topology as text (YAML or JSON), or as an object; docs/topology.md lists the keys",
		OneOf:       []*huma.Schema{{Type: huma.TypeString, MinLength: new(1)}, {Type: huma.TypeObject}},
	}
}

// api registers the operations.
func (s *server) api(api huma.API) {
	schemas := api.OpenAPI().Components.Schemas
	// A ratio is written as text: "4.10:1".
	schemas.RegisterTypeAlias(reflect.TypeFor[buffer.Ratio](), reflect.TypeFor[string]())
	schemas.RegisterTypeAlias(reflect.TypeFor[answers.Topology](), reflect.TypeFor[topologyText]())
	register(s, api, "plan", "Plan a switch", "The document cellwarden.plan/v1: verdict, cells of every slice, groups, "+
		"refusals with what would make the plan fit.", answers.Plan)
	register(s, api, "verify", "Simulate the worst case of every lossless group",
		"The document cellwarden.verify/v1. A plan that does not fit is refused: some of its ports have no registers.",
		answers.Verify)
	register(s, api, "headroom", "Size the headroom of one link", "The document cellwarden.headroom/v1: cells and bytes, "+
		"term by term with their sources.", answers.Headroom)
	register(s, api, "diff", "Compare two plans", "The document cellwarden.diff/v1: what changes in cells, refusals, and "+
		"the steps that a device needs.", answers.Diff)
	register(s, api, "capacity", "How far a switch goes",
		"The document cellwarden.capacity/v1: longest cables, most ports, "+
			"largest frames, smallest pools, each with the limit that refuses the next step.", answers.Capacity)
	s.more(api)
	huma.Register(api, huma.Operation{OperationID: "choices", Method: http.MethodGet, Path: "/v1/choices",
		Summary: "Chips, methods and examples"}, func(context.Context, *struct{}) (*Body[answers.Choices], error) {
		return &Body[answers.Choices]{answers.Names()}, nil
	})
	huma.Register(api, huma.Operation{OperationID: "example", Method: http.MethodGet, Path: "/v1/examples/{name}",
		Summary: "The text of an example"}, func(_ context.Context, in *struct {
		Name string `path:"name" maxLength:"100"`
	}) (*Body[answers.ExampleText], error) {
		text, err := answers.Example(in.Name)
		if err != nil {
			return nil, huma.Error404NotFound("no such example")
		}
		return &Body[answers.ExampleText]{text}, nil
	})
	huma.Register(api, huma.Operation{OperationID: "health", Method: http.MethodGet, Path: "/health",
		Summary: "Whether the server answers"}, func(context.Context, *struct{}) (*Body[map[string]string], error) {
		return &Body[map[string]string]{map[string]string{"status": "ok"}}, nil
	})
	describe(api)
}

// more registers the operations that ask more of a topology than its plan, and those about configurations and links.
func (s *server) more(api huma.API) {
	register(s, api, "burst", "How long incasts are absorbed", "The document cellwarden.burst/v1: until the ports pause, "+
		"until ECN marks, until the headroom is full. A plan that does not fit is refused: its pool is not known.",
		answers.Burst)
	register(s, api, "explain", "Where the numbers of a port come from", "The document cellwarden.explain/v1: terms, "+
		"sources, lines of the topology, and what was rounded.", answers.Explain)
	register(s, api, "sweep", "Plan a topology at every point of a grid", "The documents cellwarden.answer/v1, one for "+
		"each point in the order of the grid. More than 1,000 points are refused, and a grid without a point that can be "+
		"planned.", answers.Sweep)
	register(s, api, "audit", "What a switch's configuration means in cells, and what is wrong with it",
		"The document cellwarden.audit/v1. The configuration is a text in the question.", answers.Audit)
	register(s, api, "risk", "How likely a shared headroom pool overflows", "The document cellwarden.risk/v1: of the "+
		"switch and of each pool, and the ratio that the accepted risk allows. One behaviour is accepted: paused; pauses "+
		"and pause_time; congested and fan_in; or watermarks. Pools whose sums take too much work are refused.",
		answers.Risk)
	register(s, api, "ecn", "Whether a queue marks (ECN) before its groups pause (PFC)",
		"The document cellwarden.ecn/v1: the verdict for the congestion, the largest number of congested groups and the "+
			"largest kmin; with rtt advice, "+
			"with rate and flows what DCQCN settles at. A plan that does not fit is refused: its pool is not known. Without a "+
			"topology the question says pool, cell or chip, limit and kmin; or junos.", answers.ECN)
	register(s, api, "link", "Compare the two ends of links", "The document cellwarden.link/v1: differences of PFC, "+
		"credits, classes, frames, bandwidths, speed and cable, each with its consequence and repair, and what an end does "+
		"not say. The question has a and b, which are named a:PORT and b:PORT; or fabric and topologies; or lldp; or "+
		"lldp_pcap. Nothing is simulated.", answers.Link)
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
			long := !slices.Contains(soon, name) || large(&in.Body)
			text, err := []byte(nil), s.workOn(ctx, long, func() (err error) {
				out.Body, err = answer(ctx, &in.Body)
				return err
			})
			if err == nil { // writing an answer down can take longer than finding it
				big := large(&out.Body)
				err = s.workOn(ctx, long || big, func() (err error) {
					text, err = encoded(out.Body)
					return err
				})
				if big { // its text alone waits for the reader, and is counted
					out.Body = *new(A)
				}
			}
			if err != nil {
				return nil, refused(err)
			}
			if w, ok := ctx.Value(recorderKey{}).(*recorder); ok {
				w.text = text
			}
			return out, nil
		})
}

// large tells whether a question or an answer says of itself that it is a large one.
func large(x any) bool {
	l, says := x.(interface{ Large() bool })
	return says && l.Large()
}

// encoded writes an answer as JSON.
func encoded(answer any) ([]byte, error) {
	var b bytes.Buffer
	err := huma.DefaultJSONFormat.Marshal(&b, answer)
	return b.Bytes(), err
}

// marshal writes the text that a worker has made of an answer, or makes it.
func marshal(w io.Writer, answer any) error {
	if r, ok := w.(*recorder); ok && r.text != nil {
		_, err := w.Write(r.text)
		return err
	}
	return huma.DefaultJSONFormat.Marshal(w, answer)
}

// refused turns an error into the answer of the API: what is wrong with the question, line by line, or what is wrong
// with the server.
func refused(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, answers.ErrBusy):
		return huma.Error503ServiceUnavailable(err.Error())
	case errors.Is(err, answers.ErrFault):
		return huma.Error500InternalServerError(err.Error())
	}
	var lines []error
	for _, line := range answers.Complaints(err) {
		lines = append(lines, errors.New(line))
	}
	return huma.Error422UnprocessableEntity(answers.Refused, lines...)
}
