package main

import (
	"fmt"
	"path"
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/examples"
)

// This file runs the scenarios that show what findings of link lead to.

// linkSimJSON is what the run of a scenario gave. It is the scenario's network, and not the link that was compared.
type linkSimJSON struct {
	Sent       int64            `json:"frames_sent"`
	Drops      int64            `json:"drops"`
	ByReason   map[string]int64 `json:"drops_by_reason"`
	PauseSent  int64            `json:"pause_sent"`
	AsExpected bool             `json:"expectations_met"`
	End        int64            `json:"end_ps"`
	Flows      []linkSimFlow    `json:"flows"`
}

// linkSimFlow is a flow of such a run.
type linkSimFlow struct {
	Name string `json:"name"`
	Sent int64  `json:"frames_sent"`
	Lost int64  `json:"frames_lost"`
	Rate int64  `json:"bits_per_second"`
}

// simulate runs the scenario of each finding, each scenario once.
func (c *linkRun) simulate(d *linkJSON) error {
	runs := map[string]*linkSimJSON{}
	for i := range d.Links {
		for j := range d.Links[i].Findings {
			f := &d.Links[i].Findings[j]
			if f.Scenario == "" {
				continue
			}
			if runs[f.Scenario] == nil {
				one, err := c.simulated(f.Scenario)
				if err != nil {
					return err
				}
				runs[f.Scenario] = one
			}
			f.Simulated = runs[f.Scenario]
		}
	}
	return nil
}

// simulated runs a scenario of the examples.
func (c *linkRun) simulated(name string) (*linkSimJSON, error) {
	file := path.Join("scenarios", name)
	data, err := examples.Read(file)
	if err != nil {
		return nil, err
	}
	s, err := scenario.ReadContext(c.cmd.Context(), file, data, examples.Read)
	if err != nil {
		return nil, err
	}
	r, err := s.Run(c.cmd.Context(), scenario.Options{})
	if err != nil {
		return nil, err
	}
	if r.Cut {
		return nil, fmt.Errorf("%s: interrupted at %v of model time", file, r.End)
	}
	out := &linkSimJSON{Sent: r.Summary.Sent, Drops: r.Summary.Drops, ByReason: r.Summary.ByReason,
		PauseSent: r.Summary.PauseSent, AsExpected: len(r.Unmet) == 0, End: int64(r.End), Flows: []linkSimFlow{}}
	for i := range r.Flows {
		f := &r.Flows[i]
		out.Flows = append(out.Flows, linkSimFlow{f.Name, f.Sent, f.Lost, int64(f.Rate)})
	}
	return out, nil
}

// text prints the counts: "1,968 of 19,337 frames lost (headroom full 1,968), 30 pauses; the scenario is as expected".
func (s *linkSimJSON) text() string {
	var reasons []string
	for _, reason := range fabric.Reasons() {
		if n := s.ByReason[reason]; n > 0 {
			reasons = append(reasons, fmt.Sprintf("%s %s", reason, count(n)))
		}
	}
	lost := fmt.Sprintf("%s of %s frames lost", count(s.Drops), count(s.Sent))
	if len(reasons) > 0 {
		lost += " (" + strings.Join(reasons, ", ") + ")"
	}
	verdict := "the scenario is as expected"
	if !s.AsExpected {
		verdict = "NOT as the scenario expects"
	}
	return fmt.Sprintf("%s, %s; %s", lost, plural(int(s.PauseSent), "pause", "pauses"), verdict)
}
