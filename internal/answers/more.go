package answers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/capacity/sweep"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// This file has the operations that ask more of a topology than its plan.

// BurstQuestion is a topology, and incasts that it is to absorb.
type BurstQuestion struct {
	Question
	Incast []int  `json:"incast,omitempty" maxItems:"64"`
	Frame  string `json:"frame,omitempty" doc:"size of the frames; by default the longest of the class" example:"1500B"`
}

// ExplainQuestion is a port of a topology.
type ExplainQuestion struct {
	Question
	Port  string   `json:"port" minLength:"1" maxLength:"200" example:"Ethernet1"`
	Items []string `json:"items,omitempty" maxItems:"20"`
}

// SweepQuestion is a topology, and a grid of values of its keys.
type SweepQuestion struct {
	Question
	Vary []string `json:"vary" minItems:"1" maxItems:"8" example:"[\"cable=5m..10km:12\"]"`
}

// SweepAnswers are the points of a grid, in its order: the lines of `sweep -o jsonl`.
type SweepAnswers struct {
	Set     []string        `json:"set,omitempty" doc:"changes of the topology for which all points hold"`
	Answers []report.Answer `json:"answers"`
}

// mostBursts is the largest number of bursts of an answer, which then has some megabytes.
const mostBursts = 10_000

// Burst answers how long a switch absorbs incasts.
func Burst(_ context.Context, q *BurstQuestion) (report.BurstDocument, error) {
	frame, wrong := q.check()
	file, err := q.read()
	if err := errors.Join(wrong, err); err != nil {
		return report.BurstDocument{}, err
	}
	senders, entries := q.Incast, file.CapacityEntries()
	if len(senders) == 0 {
		senders = []int{2, 4, 8, 16, 32, 0} // 0: all ports of an entry
	}
	if n := len(entries) * len(senders) * lossless(&file.Intent); n > mostBursts {
		return report.BurstDocument{}, fmt.Errorf("incast: %d bursts of all entries and classes (want at most %d)", n,
			mostBursts)
	}
	bursts, err := capacity.Bursts(file.Intent, entries, senders, frame)
	if errors.Is(err, buffer.ErrNoFit) {
		err = fmt.Errorf("the plan does not fit, so its pool is not known: %w", err)
	}
	if err != nil {
		return report.BurstDocument{}, err
	}
	doc := report.Bursts(bursts)
	doc.Set = q.Set
	doc.LeaveOut(&file.Intent, entries, q.Incast)
	return doc, nil
}

// check reads the frame of a question, and refuses numbers of senders that no switch has.
func (q *BurstQuestion) check() (frame unit.Bytes, err error) {
	var bad []error
	for _, n := range q.Incast {
		if n < 1 || n > buffer.MaxPorts {
			bad = append(bad, fmt.Errorf("incast: %d senders (want 1 to %d)", n, buffer.MaxPorts))
		}
	}
	if q.Frame != "" {
		if frame, err = unit.ParseBytes(q.Frame); err != nil {
			bad = append(bad, fmt.Errorf("frame: %w", err))
		} else if frame < thresholds.MinFrame || frame > thresholds.MaxFrameSize {
			bad = append(bad, fmt.Errorf("frame: %v (want %v to %v)", frame, thresholds.MinFrame, thresholds.MaxFrameSize))
		}
	}
	return frame, errors.Join(bad...)
}

// lossless counts the lossless classes.
func lossless(in *buffer.Intent) (n int) {
	for i := range in.Classes {
		if in.Classes[i].Lossless {
			n++
		}
	}
	return n
}

// Explain explains the numbers of a port.
func Explain(_ context.Context, q *ExplainQuestion) (report.ExplainDocument, error) {
	for _, item := range q.Items {
		if !slices.Contains(report.ExplainItems(), item) {
			return report.ExplainDocument{}, fmt.Errorf("items: %.200q (want %s)", item,
				strings.Join(report.ExplainItems(), ", "))
		}
	}
	file, err := q.read()
	if err != nil {
		return report.ExplainDocument{}, err
	}
	i, err := file.PortNamed(q.Port)
	if err != nil {
		return report.ExplainDocument{}, fmt.Errorf("port: %w", err)
	}
	a, err := buffer.NewAdmission(file.Intent)
	if err != nil {
		return report.ExplainDocument{}, err
	}
	doc := report.Explain(&file.Intent, a, i, file.EntryOf(i).Path, file.Place, q.Items...)
	doc.Set = q.Set
	return doc, nil
}

// mostPoints is the largest number of points of a grid. A switch with hundreds of ports is planned in milliseconds, so
// the points of most questions are planned within the time of a request.
const mostPoints = 1000

// Sweep plans every point of a grid.
func Sweep(ctx context.Context, q *SweepQuestion) (SweepAnswers, error) {
	out := SweepAnswers{Set: q.Set}
	g, err := sweep.Parse(q.Vary...)
	if err != nil {
		return out, fmt.Errorf("vary: %w", err)
	}
	if g.Len() > mostPoints {
		return out, fmt.Errorf("vary: %d points (want at most %d)", g.Len(), mostPoints)
	}
	file, err := q.read() // without the values of the grid: a fault of the topology is told once
	if err != nil {
		return out, err
	}
	failed := 0
	for i := range g.Len() {
		if ctx.Err() != nil {
			return SweepAnswers{}, ErrBusy
		}
		a := q.point(g, i, len(file.Entries))
		if a.Error != "" {
			failed++
		}
		out.Answers = append(out.Answers, a)
	}
	if failed == g.Len() {
		return out, fmt.Errorf("vary: no point can be planned; the last: %s", out.Answers[failed-1].Error)
	}
	return out, nil
}

// point plans a point of a grid. One that the topology does not accept is an answer of its own.
func (q *SweepQuestion) point(g sweep.Grid, i, entries int) report.Answer {
	file, err := q.read(g.Changes(i, entries)...)
	var a *buffer.Admission
	if err == nil {
		a, err = buffer.NewAdmission(file.Intent)
	}
	var out report.Answer
	if err == nil {
		out = report.AnswerOf(a)
	} else {
		out = report.AnswerError(err)
	}
	out.Line, out.Vary = i+1, g.JSON(i)
	return out
}
