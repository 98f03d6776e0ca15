package web

import (
	"context"
	"fmt"
	"strings"

	"github.com/danielgtaylor/huma/v2"

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
	Congested  *string  `json:"congested,omitempty" doc:"part of the time for which each egress port is congested" example:"1%"`
	FanIn      *int     `json:"fan_in,omitempty" doc:"senders of a congested egress port, with congested" example:"8"`
	Watermarks *string  `json:"watermarks,omitempty" doc:"text of CSV with the columns port, group and cells: measured headroom watermarks"`
	Target     *float64 `json:"accepted_risk,omitempty" doc:"risk that is accepted; by default 1e-6"`
	Trials     int      `json:"trials,omitempty" doc:"also estimate the risk of paused, or of pauses, from this number of random trials"`
	Seed       *uint64  `json:"seed,omitempty" doc:"seed of the trials; by default 1"`
}

// ECNQuestion is a topology, and the congestion and senders of a class that marks.
type ECNQuestion struct {
	Question
	Class     string `json:"class,omitempty" doc:"class that marks, if there are several"`
	Feeding   *int   `json:"feeding,omitempty" doc:"congested groups that feed the queue; by default 1"`
	Groups    *int   `json:"groups,omitempty" doc:"all congested groups; by default all lossless groups of the slice that pauses first"`
	RTT       string `json:"rtt,omitempty" doc:"round-trip time of the senders, for advice on kmin, kmax and pmax" example:"8us"`
	Rate      string `json:"rate,omitempty" doc:"speed of the bottleneck; with rtt by default of the fastest port of the class" example:"100G"`
	Flows     int    `json:"flows,omitempty" doc:"flows through the bottleneck"`
	LoopDelay string `json:"loop_delay,omitempty" doc:"from mark to reaction, for the stability of DCQCN" example:"4us"`
}

// behaviours registers the operations.
func (s *server) behaviours(api huma.API) {
	register(s, api, "risk", "How likely a shared headroom pool overflows", "The document cellwarden.risk/v1: of the "+
		"switch and of each pool, and the ratio that the accepted risk allows. One behaviour is accepted: paused; pauses "+
		"and pause_time; congested and fan_in; or watermarks. Pools whose sums take too much work are refused.", askRisk)
	register(s, api, "ecn", "Whether a queue marks (ECN) before its groups pause (PFC)", "The document cellwarden.ecn/v1: "+
		"the verdict for the congestion, the largest number of congested groups and the largest kmin; with rtt advice, "+
		"with rate and flows what DCQCN settles at. A plan that does not fit is refused: its pool is not known.", askECN)
}

// mostSums is the most work of one sum of package risk, groups times cells: a pool of 600,000 cells with 400 groups. A
// question takes a hundred sums or two.
const mostSums = 1 << 28

// askRisk answers how likely a shared headroom pool overflows. It also answers for a plan that does not fit.
func askRisk(_ context.Context, q *RiskQuestion) (report.RiskDocument, error) {
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
	doc, err := asked.Answer(file.Intent)
	doc.Set = q.Set
	return doc, err
}

// askECN answers whether a queue marks before its groups send XOFF.
func askECN(_ context.Context, q *ECNQuestion) (report.ECNDocument, error) {
	p, err := q.answer()
	if err != nil {
		return report.ECNDocument{}, err
	}
	if err := p.plan.Err(); err != nil {
		return report.ECNDocument{}, fmt.Errorf("the plan does not fit, so its pool is not known: %w", err)
	}
	asked := report.ECNQuestion{Class: q.Class, Groups: optional(q.Groups), Rate: q.Rate, Flows: q.Flows, RTT: q.RTT,
		LoopDelay: q.LoopDelay, Named: key}
	asked.Check.Feeding = optional(q.Feeding).Or(1)
	if err := asked.OfPlan(p.plan, &p.file.Intent); err != nil {
		return report.ECNDocument{}, err
	}
	doc, err := asked.Answer()
	doc.Set = q.Set
	return doc, err
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
