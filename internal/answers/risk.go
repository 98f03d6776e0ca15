package answers

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity/risk"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// This file has the operations that state how the traffic of a switch behaves.

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
