package library

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/answers"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/files"
	"github.com/cellwarden/cellwarden/internal/peers"
	"github.com/cellwarden/cellwarden/report"
)

// MaxQuestion is the most bytes of a question, and of the answer that says what is wrong with it.
const MaxQuestion, maxComplaint = 16 << 20, 1 << 20

// question is a question of any kind. A key that a kind does not have is refused.
type question struct {
	answers.Question
	Path *string `json:"path"`

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
	if err := answers.Decode(text, q); err != nil {
		return nil, fmt.Errorf("question: %w", err)
	}
	for _, k := range []struct {
		name  string
		given bool
	}{{"port", q.Port != nil}, {"items", q.Items != nil}, {"behaviour", q.Behaviour != nil}, {"hpcc", q.HPCC != nil}} {
		if k.given && !slices.Contains(keys, k.name) {
			want := append([]string{"topology", "path", "set", "files"}, keys...)
			return nil, fmt.Errorf("question: %s: this question has no such key (want %s)", k.name, strings.Join(want, ", "))
		}
	}
	if q.HPCC != nil {
		return q, nil
	}
	return q, q.opened()
}

// opened reads the file of a question's path. Only with a path the files that the topology names are opened, if they
// are below its folder.
func (q *question) opened() error {
	if (q.Topology != "") == (q.Path != nil) {
		return errors.New("topology: want either topology, an object or a text in YAML or JSON, or the path of a file")
	}
	if q.Path == nil {
		return nil
	}
	set, ctx := files.New(), context.Background()
	text, err := set.Read(ctx, *q.Path)
	if err != nil {
		return fmt.Errorf("path: %w", err)
	}
	q.Topology = answers.Topology(text)
	q.From(*q.Path, set.In(ctx, filepath.Dir(*q.Path)))
	return nil
}

// Answer is a document, or a text that says why there is none.
type Answer struct {
	Code Code
	Text []byte
}

// answer makes an Answer of what a question of a kind gives.
func answer(text []byte, keys []string, ask func(*question) (fits bool, document any, err error)) (out Answer) {
	defer func() {
		if fault := recover(); fault != nil {
			out = Answer{Fault, complaint(fmt.Sprint("fault: ", fault))}
		}
	}()
	var document any
	fits := false
	q, err := parse(text, keys...)
	if err == nil {
		fits, document, err = ask(q)
	}
	if err == nil {
		text, err = json.Marshal(document)
	}
	switch {
	case err != nil:
		return Answer{BadQuestion, complaint(err.Error())}
	case !fits:
		return Answer{DoesNotFit, text}
	}
	return Answer{OK, text}
}

// complaint returns a text that prints and is not long: it may repeat what a question says.
func complaint(text string) []byte {
	return []byte(fielderr.Escape(text[:min(len(text), maxComplaint)], true))
}

// Plan answers with the document cellwarden.plan/v1.
func Plan(text []byte) Answer {
	return answer(text, nil, func(q *question) (bool, any, error) {
		doc, err := answers.Plan(context.Background(), &q.Question)
		return doc.Fits, doc, err
	})
}

// Explain answers with the document cellwarden.explain/v1. Its code says whether
// the port has the numbers: not if it is refused, or the plan is.
func Explain(text []byte) Answer {
	return answer(text, []string{"port", "items"}, func(q *question) (bool, any, error) {
		asked := answers.ExplainQuestion{Question: q.Question, Items: q.Items}
		if q.Port != nil {
			asked.Port = *q.Port
		}
		doc, err := answers.Explain(context.Background(), &asked)
		return doc.Refused == "" && doc.PlanRefused == "", doc, err
	})
}

// NewSwitch makes the MMU of a question. The switch is nil unless the code is [OK].
func NewSwitch(text []byte) (made *Switch, a Answer) {
	a = answer(text, []string{"behaviour", "hpcc"}, func(q *question) (_ bool, _ any, err error) {
		if q.HPCC != nil {
			made, err = q.hpcc()
			return true, nil, err
		}
		family, err := q.family()
		if err != nil {
			return false, nil, err
		}
		p, err := q.Planned(context.Background())
		if err != nil {
			return false, nil, err
		}
		if p.Plan.Fits {
			made, err = newPlanned(&p.File.Intent, p.Plan, family)
		}
		doc := report.Plan(p.Plan)
		doc.Set = q.Set
		return p.Plan.Fits, doc, err
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
		return f, fmt.Errorf("behaviour: %s (want %s)", fielderr.Quote(*q.Behaviour), strings.Join(behaviour.Names(), ", "))
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
	bad.Check(q.Topology == "" && q.Path == nil && q.Set == nil && q.Files == nil && q.Behaviour == nil, "hpcc", "with a topology",
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
