package link

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/dcbx/linkcheck"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// This file simulates a link with its own numbers: the headroom that one end has planned, on the link as the other end
// says it. Package backend/sim builds the worst case of the link, as verify does.

// aboutHeadroom is the scenario of the findings by which the headroom of an end can be too small.
const aboutHeadroom = "headroom-too-small.yaml"

// planned runs each link that has a finding about headroom, in both directions. c.Pairs has the ends of each link of
// the document, in the same order.
func (c *linkRun) planned(d *report.LinkDocument) error {
	for i := range d.Links {
		l := &d.Links[i]
		// One finding about headroom is enough: both directions are then run.
		if !slices.ContainsFunc(l.Findings, func(f report.LinkFinding) bool { return f.Scenario == aboutHeadroom }) {
			continue
		}
		a, b := &c.Pairs[i][0], &c.Pairs[i][1]
		// The first is the headroom of end A on the link as B says it, the second the other way.
		runs := unnamed.List(&l.Planned, 2)
		for k, e := range []*linkcheck.End{a, b} {
			to, other := &runs[k], []*linkcheck.End{b, a}[k]
			// Groups is [] and not null in JSON where nothing was run.
			to.End, to.LinkOf, to.Groups = e.Name, other.Name, []int{}
			groups, link, err := c.headroomOf(e, other)
			// An interrupted run has no result, and is no reason why the link cannot be run.
			if stop := c.cmd.Context().Err(); stop != nil {
				return stop
			}
			if err != nil {
				to.NotRun = err.Error()
				continue
			}
			// The numbers are those of the group with the least margin: its frames are lost first.
			worst := slices.MinFunc(groups, func(a, b report.VerifiedGroup) int { return cmp.Compare(a.Margin, b.Margin) })
			to.Link, to.Granted, to.Needed = link, worst.Granted, worst.FirstDropBelow
			for _, g := range groups {
				to.Groups = append(to.Groups, g.Group)
				// Frames, of all groups of the end.
				to.Lost += g.Drops
			}
		}
	}
	return nil
}

// headroomOf runs the headroom that an end has planned on the link of the other end, and says what that link is. The
// error is a reason for the reader, and the run goes on: an end that LLDP describes has no plan, and a plan that does
// not fit has no headroom to try.
func (c *linkRun) headroomOf(e, other *linkcheck.End) ([]report.VerifiedGroup, string, error) {
	at, known := c.places[e.Name]
	if !known {
		return nil, "", fmt.Errorf("%s is known by LLDP, which does not say its headroom", e.Name)
	}
	// The plan is made for each link anew: those with a finding about headroom are few.
	plan, err := buffer.New(*at.in)
	if err != nil {
		return nil, "", err
	}
	// A refused port has no headroom at all, and an admitted one of a refused plan is never applied.
	if !plan.Fits {
		return nil, "", fmt.Errorf("the plan of %s does not fit, so that its headroom is not known", at.file)
	}
	// The layout stays that of the end's own plan: its headroom is what is tried on another link.
	in, link := c.onLinkOf(at, other)
	// Each group is filled alone: whether several can pause at once is a question for verify.
	v, err := sim.Verify(c.cmd.Context(), in, plan.Layout(), sim.VerifyOptions{Alone: true})
	if err != nil {
		return nil, "", err
	}
	// Verify answers for all ports of the intent, and only this one has the link of the other end.
	groups := slices.DeleteFunc(v.Groups, func(g report.VerifiedGroup) bool { return g.Port != in.Ports[at.port].Name })
	if len(groups) == 0 {
		return nil, "", errors.New(e.Name + " has no headroom: no lossless class with pauses")
	}
	return groups, link, nil
}

// onLinkOf returns the intent of an end with the link that the other end says: its speed, its cable or measured delay,
// and its lossless frames. What the other end does not say is the end's own. The receiver keeps its own MTU as a bound:
// a longer frame than that is dropped for its length and not for want of headroom.
func (c *linkRun) onLinkOf(at place, other *linkcheck.End) (in buffer.Intent, link string) {
	in = *at.in
	// The intent is shared by all links of the file.
	in.Ports, in.Classes = slices.Clone(in.Ports), slices.Clone(in.Classes)
	p := &in.Ports[at.port]
	// A rate that the other end does not say is taken to be this one's, since a link has one. An end that LLDP
	// describes says no cable, so that the cable of this end's own file stays.
	p.Rate = other.Rate.Or(p.Rate)
	if far, known := c.places[other.Name]; known {
		q := &far.in.Ports[far.port]
		p.Cable, p.Medium, p.Extra, p.MACsec = q.Cable, q.Medium, q.Extra, q.MACsec
		// A delay that this end's file has is replaced even by none: it is of the cable that this file says.
		p.Delay, p.Measured = q.Delay, q.Measured
	}
	var frames []string // of the lossless classes, each length once
	for k := range in.Classes {
		class := &in.Classes[k]
		var sent unit.Bytes // the longest frame of the class; 0: the other end does not say it
		for _, q := range class.Priorities {
			sent = max(sent, min(other.Frames[q], p.MTU))
		}
		// Headroom is for frames of lossless classes; those of lossy ones are not tried.
		if class.Lossless && sent > 0 {
			class.MTU = sent
		}
		if class.Lossless && p.Classes.Has(k) {
			frames = grouped.Add(frames, class.Frame(p).String())
		}
	}
	// A measured delay is what was simulated where there is one, and not the length beside it. This text is of the link
	// that was simulated, whichever end has said which part of it.
	over := p.Cable.String()
	if p.Measured.IsGiven() {
		over = p.Measured.String()
	} else if delay, given := p.Delay.Get(); given {
		over = delay.String() + " one way"
	}
	return in, fmt.Sprintf("%v, %s, frames of up to %s", p.Rate, over, strings.Join(frames, " and "))
}

// plannedSections are the links that were run with their own numbers, as a table and sentences. What was not simulated
// is a sentence with its reason, not a row of zeros.
func plannedSections(d *report.LinkDocument) (s cli.Section, foot []string) {
	s = cli.Table("this-link", "Simulated with the numbers of this link: the headroom of one end, the link of the other",
		"headroom of", "cells", "link of", "which is", "needs cells", "frames lost")
	for i := range d.Links {
		for _, x := range d.Links[i].Planned {
			if x.NotRun != "" {
				foot = append(foot, fmt.Sprintf("the headroom of %s is not simulated: %s", x.End, x.NotRun))
				continue
			}
			// Needed is the size of headroom below which the first frame is lost.
			s.Row(x.End, cli.Count(x.Granted), x.LinkOf, x.Link, cli.Count(x.Needed), cli.Count(x.Lost))
		}
	}
	return s, foot
}
