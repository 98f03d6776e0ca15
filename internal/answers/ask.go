package answers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
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

// Questions read what is posted to a path of the server: the operations of the API, and what the page asks.
var Questions = map[string]func(question []byte) (Asked, error){
	"/v1/plan": typed(Plan, soon), "/v1/verify": typed(Verify, long), "/v1/headroom": typed(Headroom, soon),
	"/v1/diff": typed(Diff, long), "/v1/capacity": typed(Capacity, long), "/v1/burst": typed(Burst, long),
	"/v1/explain": typed(Explain, soon), "/v1/sweep": typed(Sweep, long), "/v1/risk": typed(Risk, long),
	"/v1/ecn":      typed(ECN, soon),
	"/page/answer": ofPage((*PageQuestion).Answer, (*PageQuestion).refused),
	"/page/report": ofPage((*PageQuestion).Report, (*PageQuestion).unmade),
}

// The answers of some operations take milliseconds, but of a large question. The others may take long.
const soon, long = false, true

// Asked is a question that was read, and what answers it.
type Asked struct {
	Long   bool                               // the answer may take long
	Answer func(context.Context) (any, error) // for Written
	Refuse func(error) Reply                  // why there is none
}

// typed is an operation whose question is read from JSON.
func typed[Q, A any](answer func(context.Context, *Q) (A, error), long bool) func([]byte) (Asked, error) {
	return func(question []byte) (Asked, error) {
		q := new(Q)
		err := Decode(question, q)
		if err == nil {
			err = bounded(reflect.ValueOf(q).Elem(), "")
		}
		return Asked{long || Large(q), func(ctx context.Context) (any, error) {
			out, err := answer(ctx, q)
			return &out, err
		}, Problem}, err
	}
}

// Large tells whether a question or an answer says of itself that it is a large one.
func Large(x any) bool {
	l, says := x.(interface{ Large() bool })
	return says && l.Large()
}

// bounded checks the bounds that the tags of a question's fields state, for the description of the API too.
func bounded(question reflect.Value, at string) error {
	var wrong []error
	for field, v := range question.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		if v.Kind() == reflect.Struct && field.IsExported() {
			wrong = append(wrong, bounded(v, at+strings.TrimPrefix(name+".", ".")))
			continue
		}
		for _, of := range [][2]string{{"Items", "values"}, {"Length", "characters"}} {
			if most, err := strconv.Atoi(field.Tag.Get("max" + of[0])); err == nil && size(v) > most {
				wrong = append(wrong, fmt.Errorf("%s%s: %d %s (want at most %d)", at, name, size(v), of[1], most))
			}
			if least, err := strconv.Atoi(field.Tag.Get("min" + of[0])); err == nil && size(v) < least {
				wrong = append(wrong, fmt.Errorf("%s%s: %d %s (want at least %d)", at, name, size(v), of[1], least))
			}
		}
	}
	return errors.Join(wrong...)
}

// size is the number of characters of a text, or of values of a list.
func size(v reflect.Value) int {
	if v.Kind() == reflect.String {
		return utf8.RuneCountInString(v.String())
	}
	return v.Len()
}

// Malformed is a question that is no question at all, and the status of the answer.
type Malformed struct {
	Status int
	Text   string
}

func (m Malformed) Error() string { return m.Text }

// Ask answers a request to a path of the server: what the page asks, and the operations of the API. A fault of the
// program is an answer too.
func Ask(ctx context.Context, path string, body []byte) (out Reply) {
	defer func() {
		if x := recover(); x != nil {
			out = Problem(fmt.Errorf("%w: %v", ErrFault, x))
		}
	}()
	if read := Questions[path]; read != nil {
		asked, err := read(body)
		if err != nil {
			return Unread(path, err)
		}
		answer, err := asked.Answer(ctx)
		if err != nil {
			return asked.Refuse(err)
		}
		return Written(ctx, answer)
	}
	if example, named := strings.CutPrefix(path, "/v1/examples/"); named {
		text, err := Example(example)
		if err != nil {
			return plain(notFound, "no such example (want one that /v1/choices lists)")
		}
		return written(ok, text)
	}
	if path == "/v1/choices" {
		return written(ok, Names())
	}
	return plain(notFound, "nothing answers this")
}

// Unread is the answer to what was posted to a path and is no question.
func Unread(path string, err error) Reply {
	if strings.HasPrefix(path, "/v1/") {
		return Problem(err)
	}
	m := Malformed{badRequest, err.Error()}
	errors.As(err, &m)
	return plain(m.Status, m.Text)
}

// plain is an answer of one line, or of several.
func plain(status int, text string) Reply {
	return Reply{status, "text/plain; charset=utf-8", []byte(text + "\n")}
}

// Decode reads one object. A key that it does not have, and what follows it, is refused.
func Decode(body []byte, q any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	err := d.Decode(q)
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) && other.Field != "" {
		return fmt.Errorf("%s: %s (want %s)", other.Field, other.Value, inJSON(other.Type))
	}
	if err == nil {
		if _, err := d.Token(); !errors.Is(err, io.EOF) {
			return Malformed{badRequest, "more follows the object: want one object"}
		}
		return nil
	}
	if key, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
		return fmt.Errorf("%s: this question has no such key", key)
	}
	return Malformed{badRequest, err.Error()}
}

// inJSON says what a value of a type is in JSON.
func inJSON(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return inJSON(t.Elem())
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Float64:
		return "a number"
	}
	return "an integer"
}

// Written is an answer as JSON, as long as the context allows. A large plan takes 200 ms to write, and encoding/json
// knows no context: so it is given one field of an answer after the other, and of a list one value after the other.
func Written(ctx context.Context, answer any) Reply {
	if r, is := answer.(Reply); is {
		return r
	}
	v := reflect.ValueOf(answer)
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if _, itself := answer.(json.Marshaler); itself || v.Kind() != reflect.Struct {
		return written(ok, answer)
	}
	w := newWriter()
	if err := w.fields(ctx, v); errors.Is(err, ErrBusy) {
		return Problem(err)
	} else if err != nil {
		return Problem(fmt.Errorf("%w: %w", ErrFault, err))
	}
	w.Bytes()[0] = '{' // each field begins with a comma
	w.WriteString("}\n")
	return Reply{ok, "application/json", w.Bytes()}
}

func written(status int, answer any) Reply {
	w := newWriter()
	if err := w.encoder.Encode(answer); err != nil {
		return plain(fault, err.Error())
	}
	return Reply{status, "application/json", w.Bytes()}
}

// writer writes JSON.
type writer struct {
	bytes.Buffer
	encoder *json.Encoder
}

func newWriter() *writer {
	w := &writer{}
	w.encoder = json.NewEncoder(w)
	w.encoder.SetEscapeHTML(false)
	return w
}

// fields writes the fields of a struct. One that is no list is a struct of its own to encoding/json, so that its tag
// means what it always means.
func (w *writer) fields(ctx context.Context, v reflect.Value) (err error) {
	for f, x := range v.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		from := w.Len()
		switch {
		case !f.IsExported():
		case f.Anonymous && name == "":
			err = w.fields(ctx, x)
		case x.Kind() == reflect.Slice && x.Len() > 0 && x.Type().Elem().Kind() == reflect.Struct:
			fmt.Fprintf(w, ",%q:", name)
			err = w.list(ctx, x)
		default:
			one := reflect.New(reflect.StructOf([]reflect.StructField{{Name: f.Name, Type: f.Type, Tag: f.Tag}})).Elem()
			one.Field(0).Set(x)
			err = w.encoder.Encode(one.Interface())
			w.Truncate(max(w.Len()-len("}\n"), from))
			if rest := w.Bytes()[from:]; len(rest) > len("{") {
				rest[0] = ','
			} else { // the field is left out
				w.Truncate(from)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// list writes a list.
func (w *writer) list(ctx context.Context, list reflect.Value) error {
	for i := range list.Len() {
		if ctx.Err() != nil {
			return ErrBusy
		}
		before := byte(',')
		if i == 0 {
			before = '['
		}
		w.WriteByte(before)
		if err := w.encoder.Encode(list.Index(i).Interface()); err != nil {
			return err
		}
		w.Truncate(w.Len() - len("\n"))
	}
	w.WriteByte(']')
	return nil
}

// statusOf returns the status of an error.
func statusOf(err error) int {
	var m Malformed
	switch {
	case errors.As(err, &m):
		return m.Status
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

// titles are the names of the statuses of refusals.
var titles = map[int]string{badRequest: "Bad Request", 413: "Request Entity Too Large", 415: "Unsupported Media Type",
	unprocessable: "Unprocessable Entity", fault: "Internal Server Error", unavailable: "Service Unavailable"}

// Problem is the answer of the API to a question that is refused (RFC 9457).
func Problem(err error) Reply {
	out := struct {
		Title  string      `json:"title"`
		Status int         `json:"status"`
		Detail string      `json:"detail"`
		Errors []Complaint `json:"errors,omitempty"`
	}{Status: statusOf(err), Detail: err.Error()}
	out.Title = titles[out.Status]
	if out.Status == unprocessable {
		out.Detail = Refused
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
