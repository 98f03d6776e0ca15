package answers

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/capacity/risk"
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

// The operations that state how the traffic of a switch behaves.

// RiskQuestion is a topology, and how the groups of its shared headroom pools pause.
type RiskQuestion struct {
	Question
	Paused     *string  `json:"paused,omitempty" doc:"part of the time for which each group is paused" example:"0.1%"`
	Pauses     *float64 `json:"pauses,omitempty" doc:"pauses of a group in a second, with pause_time"`
	PauseTime  *string  `json:"pause_time,omitempty" doc:"length of a pause, with pauses" example:"20us"`
	Congested  *string  `json:"congested,omitempty" example:"1%"`
	FanIn      *int     `json:"fan_in,omitempty" doc:"senders of a congested egress port, with congested" example:"8"`
	Watermarks *string  `json:"watermarks,omitempty"`
	Target     *float64 `json:"accepted_risk,omitempty" doc:"risk that is accepted; by default 1e-6"`
	Trials     int      `json:"trials,omitempty"`
	Seed       *uint64  `json:"seed,omitempty" doc:"seed of the trials; by default 1"`
}

// ECNQuestion is a topology, or a pool in its place, and the congestion and senders of a class that marks.
type ECNQuestion struct {
	Topology  Topology `json:"topology,omitempty"`
	Set       []string `json:"set,omitempty" maxItems:"256" example:"[\"ports[0].cable=2km\"]"`
	Class     string   `json:"class,omitempty" doc:"with topology: class that marks, if there are several"`
	Feeding   *int     `json:"feeding,omitempty" doc:"congested groups that feed the queue; by default 1"`
	Groups    *int     `json:"groups,omitempty"`
	RTT       string   `json:"rtt,omitempty" example:"8us"`
	Rate      string   `json:"rate,omitempty" example:"100G"`
	Flows     int      `json:"flows,omitempty" doc:"flows through the bottleneck"`
	LoopDelay string   `json:"loop_delay,omitempty" doc:"from mark to reaction, for the stability of DCQCN" example:"4us"`

	ECNPool
}

// ECNPool is a pool in place of a topology, with the options of the verb ecn as its keys.
type ECNPool struct {
	Pool       *string `json:"pool,omitempty" doc:"without topology: shared pool of the whole chip" example:"10875072B"`
	Slices     *int    `json:"slices,omitempty"`
	Cell       *string `json:"cell,omitempty" doc:"without topology: size of a cell, or chip" example:"208B"`
	Chip       *string `json:"chip,omitempty" example:"tomahawk"`
	Alpha      *string `json:"alpha,omitempty" example:"1/8"`
	DynamicTh  *int    `json:"dynamic_th,omitempty" doc:"without topology: the same factor as n of 2^n"`
	Static     *string `json:"static,omitempty" example:"256000B"`
	Reserved   *string `json:"reserved,omitempty" example:"1248B"`
	KMin       *string `json:"kmin,omitempty" example:"250000B"`
	KMax       *string `json:"kmax,omitempty" example:"1048576B"`
	PMax       *string `json:"pmax,omitempty" doc:"without topology: marking probability at kmax" example:"5%"`
	QueueLimit *string `json:"queue_limit,omitempty" example:"3407872B"`
	Junos      *string `json:"junos,omitempty" example:"qfx3500,lossless=66%,lossless-headroom=24%,lossy=10%"`
}

// mostSums is the most work of one sum of package risk, groups times cells: a pool of 600,000 cells with 400 groups. A
// question takes a hundred sums or two.
const mostSums = 1 << 28

// Risk answers how likely a shared headroom pool overflows. It also answers for a plan that does not fit.
func Risk(ctx context.Context, q *RiskQuestion) (report.RiskDocument, error) {
	asked := risk.Question{Paused: optional(q.Paused), Pauses: optional(q.Pauses), PauseTime: optional(q.PauseTime),
		Congested: optional(q.Congested), FanIn: optional(q.FanIn), File: "watermarks",
		Target: optional(q.Target).Or(1e-6), Trials: q.Trials, Seed: optional(q.Seed).Or(1), Most: mostSums, Named: key}
	if q.Watermarks != nil {
		asked.Watermarks = unit.Given([]byte(*q.Watermarks))
	}
	if err := asked.Check(); err != nil {
		return report.RiskDocument{}, err
	}
	file, err := q.read()
	if err != nil {
		return report.RiskDocument{}, err
	}
	doc, err := asked.Answer(ctx, file.Intent)
	doc.Set = q.Set
	return doc, err
}

// ECN answers whether a queue marks before its groups send XOFF.
func ECN(ctx context.Context, q *ECNQuestion) (report.ECNDocument, error) {
	asked := report.ECNQuestion{Class: q.Class, Groups: optional(q.Groups), Rate: q.Rate, Flows: q.Flows, RTT: q.RTT,
		LoopDelay: q.LoopDelay, Pool: q.options(), Named: key}
	asked.Check.Feeding = optional(q.Feeding).Or(1)
	if err := q.of(ctx, &asked); err != nil {
		return report.ECNDocument{}, err
	}
	doc, err := asked.Answer()
	doc.Set = q.Set
	return doc, err
}

// of makes the question of the topology, or of the pool in its place.
func (q *ECNQuestion) of(ctx context.Context, asked *report.ECNQuestion) error {
	if q.Topology == "" {
		switch {
		case q.Class != "":
			return errors.New("class: accepted with topology")
		case len(q.Set) > 0:
			return errors.New("set: accepted with topology")
		}
		return asked.OfPool(func(name string) (buffer.Chip, error) {
			chip, err := asic.Load(name)
			if err == nil && chip.Cell == 0 && q.Cell == nil {
				err = fmt.Errorf("%s: the size of its cells is not sourced (want cell too)", name)
			}
			return chip, err
		})
	}
	if err := asked.WithoutPool(); err != nil {
		return err
	}
	p, err := (&Question{Topology: q.Topology, Set: q.Set}).Planned(ctx)
	if err != nil {
		return err
	}
	if err := p.Plan.Err(); err != nil {
		return fmt.Errorf("the plan does not fit, so its pool is not known: %w", err)
	}
	return asked.OfPlan(p.Plan, &p.File.Intent)
}

// options returns the fields that the question gives, by the names of the verb's flags.
func (p ECNPool) options() map[string]string {
	out := map[string]string{}
	for field, v := range reflect.ValueOf(p).Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !v.IsNil() {
			out[strings.ReplaceAll(name, "_", "-")] = fmt.Sprint(v.Elem())
		}
	}
	return out
}

// optional is a value of a question that can be absent.
func optional[T any](value *T) (out unit.Optional[T]) {
	if value != nil {
		out = unit.Given(*value)
	}
	return out
}

// key is the key of a question for an option of a verb: "pause_time" for "pause-time".
func key(option string) string { return strings.ReplaceAll(option, "-", "_") }
