package answers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Statuses of HTTP that an answer has. They are numbers here, so that a page without a server has no HTTP in it.
const (
	ok            = 200
	badRequest    = 400
	notFound      = 404
	unprocessable = 422
	fault         = 500
	unavailable   = 503
)

// ErrBusy says that the time of a request was over before its answer was ready.
var ErrBusy = errors.New("the answer was not ready in time: the server is busy, or the question is too large")

// ErrFault says that the program failed.
var ErrFault = errors.New("cellwarden failed at this request")

// Reply is an answer as a server sends it.
type Reply struct {
	Status int
	Type   string // of the body
	Body   []byte
}

// operations answer POST /v1/NAME.
var operations = map[string]func(context.Context, []byte) (any, error){
	"plan": typed(Plan), "verify": typed(Verify), "headroom": typed(Headroom), "diff": typed(Diff),
	"capacity": typed(Capacity), "burst": typed(Burst), "explain": typed(Explain), "sweep": typed(Sweep),
	"risk": typed(Risk), "ecn": typed(ECN),
}

// typed is an operation whose question is read from JSON.
func typed[Q, A any](answer func(context.Context, *Q) (A, error)) func(context.Context, []byte) (any, error) {
	return func(ctx context.Context, body []byte) (any, error) {
		var q Q
		if err := Decode(body, &q); err != nil {
			return nil, malformed{err}
		}
		return answer(ctx, &q)
	}
}

// malformed is a question that is no question at all.
type malformed struct{ error }

// Ask answers a request to a path of the server: what the page asks, and the operations of the API. A fault of the
// program is an answer too.
func Ask(ctx context.Context, path string, body []byte) (out Reply) {
	defer func() {
		if x := recover(); x != nil {
			out = problem(fmt.Errorf("%w: %v", ErrFault, x))
		}
	}()
	name, versioned := strings.CutPrefix(path, "/v1/")
	example, named := strings.CutPrefix(name, "examples/")
	switch {
	case path == "/page/answer" || path == "/page/report":
		q, err := ReadPage(body)
		switch {
		case err != nil:
			return Reply{badRequest, "text/plain; charset=utf-8", []byte(err.Error() + "\n")}
		case path == "/page/report":
			return q.Report(ctx)
		}
		return q.Answer(ctx)
	case versioned && name == "choices":
		return written(ok, Names())
	case versioned && named:
		text, err := Example(example)
		if err == nil {
			return written(ok, text)
		}
	case versioned && operations[name] != nil:
		answer, err := operations[name](ctx, body)
		if err != nil {
			return problem(err)
		}
		return written(ok, answer)
	}
	return Reply{notFound, "text/plain; charset=utf-8", []byte("nothing answers this\n")}
}

// Decode reads one object. A key that it does not have, and what follows it, is refused.
func Decode(body []byte, q any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(q); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more follows the object: want one object")
	}
	return nil
}

// written is an answer as JSON.
func written(status int, answer any) Reply {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(answer); err != nil {
		return Reply{fault, "text/plain; charset=utf-8", []byte(err.Error() + "\n")}
	}
	return Reply{status, "application/json", b.Bytes()}
}

// statusOf returns the status of an error.
func statusOf(err error) int {
	switch {
	case errors.As(err, new(malformed)):
		return badRequest
	case errors.Is(err, ErrBusy):
		return unavailable
	case errors.Is(err, ErrFault):
		return fault
	}
	return unprocessable
}

// Complaint is one line of what is wrong.
type Complaint struct {
	Message string `json:"message"`
}

// problem is the answer of the API to a question that is refused (RFC 9457), as package web writes it.
func problem(err error) Reply {
	out := struct {
		Title  string      `json:"title"`
		Status int         `json:"status"`
		Detail string      `json:"detail"`
		Errors []Complaint `json:"errors,omitempty"`
	}{Status: statusOf(err), Detail: err.Error()}
	switch out.Status {
	case unavailable:
		out.Title = "Service Unavailable"
	case fault:
		out.Title = "Internal Server Error"
	case badRequest:
		out.Title = "Bad Request"
	default:
		out.Title, out.Detail = "Unprocessable Entity", Refused
		for _, line := range Complaints(err) {
			out.Errors = append(out.Errors, Complaint{line})
		}
	}
	r := written(out.Status, out)
	r.Type = "application/problem+json"
	return r
}

// Refused is the first line of the refusal of a question.
const Refused = "the question is refused"
