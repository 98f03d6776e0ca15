package library

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/examples"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/files"
	"github.com/cellwarden/cellwarden/internal/peers"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
)

// MaxQuestion is the most bytes of a question, and of the answer that says what
// is wrong with it.
const MaxQuestion, maxComplaint = 16 << 20, 1 << 20

// question is a question of any kind. A key that a kind does not have is refused.
type question struct {
	Topology json.RawMessage   `json:"topology"`
	Path     *string           `json:"path"`
	Set      []string          `json:"set"`
	Files    map[string]string `json:"files"`

	Port  *string  `json:"port"` // of explain
	Items []string `json:"items"`

	Behaviour *string    `json:"behaviour"` // of an MMU
	HPCC      *hpccSizes `json:"hpcc"`
}

// parse reads a question of a kind that has these keys beside its topology.
func parse(text []byte, keys ...string) (*question, error) {
	if len(text) > MaxQuestion {
		return nil, fmt.Errorf("question: %d bytes (want at most %d)", len(text), MaxQuestion)
	}
	q := &question{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(q); err != nil {
		return nil, fmt.Errorf("question: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("question: more follows the object: want one object")
	}
	for _, k := range []struct {
		name  string
		given bool
	}{{"port", q.Port != nil}, {"items", q.Items != nil}, {"behaviour", q.Behaviour != nil}, {"hpcc", q.HPCC != nil}} {
		if k.given && !slices.Contains(keys, k.name) {
			want := append([]string{"topology", "path", "set", "files"}, keys...)
			return nil, fmt.Errorf("question: %s: this question has no such key (want %s)", k.name,
				strings.Join(want, ", "))
		}
	}
	return q, nil
}

// topology reads the topology of a question: its text, or the file of its path. Only with a path the files that it names
// are opened, if they are below its folder.
func (q *question) topology() (*topology.File, error) {
	if (len(q.Topology) > 0) == (q.Path != nil) {
		return nil, errors.New("topology: want either topology, an object or a text in YAML or JSON, or the path of a file")
	}
	var changes []topology.Change
	for i, s := range q.Set {
		c, err := topology.ParseChange(s)
		if err != nil {
			return nil, fmt.Errorf("set[%d]: %w", i, err)
		}
		changes = append(changes, c)
	}
	if q.Path != nil {
		set, ctx := files.New(), context.Background()
		text, err := set.Read(ctx, *q.Path)
		if err != nil {
			return nil, fmt.Errorf("path: %w", err)
		}
		return topology.Read(*q.Path, text, q.open(set.In(ctx, filepath.Dir(*q.Path))), changes...)
	}
	text := []byte(q.Topology)
	if text[0] == '"' {
		var s string
		if err := json.Unmarshal(text, &s); err != nil {
			return nil, fmt.Errorf("topology: %w", err)
		}
		text = []byte(s)
	}
	return topology.Read("topology", text, q.open(examples.Read), changes...)
}

// open returns a function that reads the files which the topology names: those of the question, then others.
func (q *question) open(others topology.Open) topology.Open {
	return func(name string) ([]byte, error) {
		if text, ok := q.Files[name]; ok {
			return []byte(text), nil
		}
		data, err := others(name)
		if err != nil && q.Path == nil {
			err = errors.New("no file is opened for a topology without a path: want its text in the question's files")
		}
		return data, err
	}
}

// Answer is a document, or a text that says why there is none.
type Answer struct {
	Code Code
	Text []byte
}

// answer makes an Answer of what a question gives.
func answer(ask func() (Code, any, error)) (out Answer) {
	defer func() {
		if fault := recover(); fault != nil {
			out = Answer{Fault, complaint(fmt.Sprint("fault: ", fault))}
		}
	}()
	code, document, err := ask()
	if err == nil {
		var text []byte
		if text, err = json.Marshal(document); err == nil {
			return Answer{code, text}
		}
	}
	return Answer{BadQuestion, complaint(err.Error())}
}

// complaint returns a text that prints and is not long: it may repeat what a
// question says.
func complaint(text string) []byte {
	return []byte(fielderr.Escape(text[:min(len(text), maxComplaint)], true))
}

// Plan answers with the document cellwarden.plan/v1.
func Plan(text []byte) Answer {
	return answer(func() (Code, any, error) {
		q, err := parse(text)
		if err != nil {
			return 0, nil, err
		}
		_, plan, err := q.plan()
		if err != nil {
			return 0, nil, err
		}
		return fitting(plan), q.document(plan), nil
	})
}

// plan plans the topology of a question.
func (q *question) plan() (*topology.File, *buffer.Plan, error) {
	file, err := q.topology()
	if err != nil {
		return nil, nil, err
	}
	plan, err := buffer.New(file.Intent)
	return file, plan, err
}

func (q *question) document(plan *buffer.Plan) report.PlanDocument {
	doc := report.Plan(plan)
	doc.Set = q.Set
	return doc
}

// fitting returns the code of a plan.
func fitting(plan *buffer.Plan) Code {
	if !plan.Fits {
		return DoesNotFit
	}
	return OK
}

// Explain answers with the document cellwarden.explain/v1. Its code says whether
// the port has the numbers: not if it is refused, or the plan is.
func Explain(text []byte) Answer {
	return answer(func() (Code, any, error) {
		q, err := parse(text, "port", "items")
		if err != nil {
			return 0, nil, err
		}
		return q.explain()
	})
}

func (q *question) explain() (Code, any, error) {
	for i, item := range q.Items {
		if !slices.Contains(report.ExplainItems(), item) {
			return 0, nil, fmt.Errorf("items[%d]: %s (want %s)", i, fielderr.Quote(item),
				strings.Join(report.ExplainItems(), ", "))
		}
	}
	if q.Port == nil {
		return 0, nil, errors.New("port: none is given: want the name of a port")
	}
	file, err := q.topology()
	if err != nil {
		return 0, nil, err
	}
	i, err := file.PortNamed(*q.Port)
	if err != nil {
		return 0, nil, fmt.Errorf("port: %w", err)
	}
	a, err := buffer.NewAdmission(file.Intent)
	if err != nil {
		return 0, nil, err
	}
	doc := report.Explain(&file.Intent, a, i, file.EntryOf(i).Path, file.Place, q.Items...)
	doc.Set = q.Set
	if doc.Refused != "" || doc.PlanRefused != "" {
		return DoesNotFit, doc, nil
	}
	return OK, doc, nil
}

// NewSwitch makes the MMU of a question. The switch is nil unless the code is
// [OK].
func NewSwitch(text []byte) (*Switch, Answer) {
	var made *Switch
	a := answer(func() (code Code, doc any, err error) {
		q, err := parse(text, "behaviour", "hpcc")
		if err != nil {
			return 0, nil, err
		}
		if q.HPCC != nil {
			made, err = q.hpcc()
			return OK, nil, err
		}
		family, err := q.family()
		if err != nil {
			return 0, nil, err
		}
		file, plan, err := q.plan()
		if err != nil {
			return 0, nil, err
		}
		if plan.Fits {
			made, err = newPlanned(&file.Intent, plan, family)
		}
		return fitting(plan), q.document(plan), err
	})
	if a.Code != OK {
		made = nil
	}
	return made, a
}

// family returns the family that a question names; zero: the chip's own.
func (q *question) family() (behaviour.Family, error) {
	if q.Behaviour == nil {
		return behaviour.Family{}, nil
	}
	f, ok := behaviour.Lookup(*q.Behaviour)
	if !ok {
		var names []string
		for _, f := range behaviour.Families() {
			names = append(names, f.Name)
		}
		return f, fmt.Errorf("behaviour: %s (want %s)", fielderr.Quote(*q.Behaviour), strings.Join(names, ", "))
	}
	return f, nil
}

// hpccSizes are the sizes of a switch with HPCC's rule.
type hpccSizes struct {
	Buffer   *int64  `json:"buffer_bytes"`
	Reserve  *int64  `json:"reserve_bytes"`
	Offset   *int64  `json:"resume_offset_bytes"`
	Headroom []int64 `json:"headroom_bytes"`
	Shift    []uint  `json:"alpha_shift"`
}

// mostHPCC is the largest buffer, whose bytes HPCC counts in 32 bits.
const mostHPCC = 1<<32 - 1

// hpcc makes a switch with HPCC's rule.
func (q *question) hpcc() (*Switch, error) {
	h := q.HPCC
	var bad fielderr.List
	bad.Check(len(q.Topology) == 0 && q.Path == nil && q.Set == nil && q.Files == nil && q.Behaviour == nil, "hpcc", "with a topology",
		"one of both")
	within := func(key string, v *int64) (n int64) {
		if bad.Check(v != nil, "hpcc."+key, "not given", "0 to %d", int64(mostHPCC)); v != nil {
			bad.Within("hpcc."+key, *v, 0, mostHPCC)
			n = *v
		}
		return n
	}
	sizes := peers.HPCC{Buffer: within("buffer_bytes", h.Buffer), Reserve: within("reserve_bytes", h.Reserve),
		Offset: within("resume_offset_bytes", h.Offset), Headroom: h.Headroom, Shift: h.Shift}
	bad.Within("hpcc.headroom_bytes: ports", int64(len(h.Headroom)), 1, buffer.MaxPorts)
	bad.Check(len(h.Headroom) == len(h.Shift), "hpcc.alpha_shift: ports", len(h.Shift), "%d as of headroom_bytes",
		len(h.Headroom))
	aside := int64(0)
	for i := range min(len(h.Headroom), buffer.MaxPorts) {
		aside += within(fmt.Sprintf("headroom_bytes[%d]", i), &h.Headroom[i]) + sizes.Reserve
	}
	for i, shift := range h.Shift {
		bad.Check(shift < 32, fmt.Sprintf("hpcc.alpha_shift[%d]", i), shift, "0 to 31")
	}
	bad.Check(len(bad) > 0 || aside <= sizes.Buffer, "hpcc.buffer_bytes", sizes.Buffer,
		"at least the %d of headroom and reserves", aside)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	return newByRule(peers.NewHPCC(sizes), len(h.Headroom), sizes.Reserve), nil
}
