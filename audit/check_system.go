package audit

import (
	"cmp"
	"fmt"

	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// noDrop checks, of a switch that makes its groups from classes, that PFC and no-drop classes are there together. Ports
// with the same fault are one finding.
func (c *check) noDrop() {
	f := &folds{}
	for _, p := range c.sw.Ports {
		classes := p.LosslessGroups()
		switch {
		case p.Paused && p.PFC == 0 && len(classes) == 0:
			f.note("pfc-no-class", p.MapAt, p, "PFC", "PFC is on, and no class that the port has is without drops")
		case !p.Paused && len(classes) > 0 && !p.Down:
			at := p.MapAt // the statement that switches it off, if there is one
			if at.Line == 0 {
				at = p.At
			}
			f.note("no-drop-no-pfc", at, p, "PFC", "the port has classes without drops, and PFC is off")
		}
	}
	for _, p := range c.sw.Ports {
		c.otherGroups(f, p)
	}
	f.report(c.collector)
}

// headrooms compares the headroom of each group with what is in flight on its cable. Rows of a headroom table are
// compared as such. Of headroom that the switch computes it is known at most for which cables it is.
func (c *check) headrooms() {
	type fault struct {
		profile *Profile
		link    link
	}
	var seen grouped.By[fault, []string]
	for _, p := range c.sw.Ports {
		for _, n := range p.LosslessGroups() {
			profile := p.Groups[n].Profile
			if profile == nil || profile.Row != nil || !p.CableGiven || p.Speed == 0 && profile.HeadroomType != "dynamic" {
				continue
			}
			k := fault{profile, link{p.Speed, p.Cable}}
			if profile.HeadroomType == "dynamic" {
				k.link.speed = 0 // the switch's own headroom is compared by the cable alone
			}
			if names := seen.Of(k); len(*names) == 0 || (*names)[len(*names)-1] != p.Name {
				*names = append(*names, p.Name)
			}
		}
	}
	for k, names := range seen.All() {
		if k.profile.HeadroomType == "dynamic" {
			if most := k.profile.DefaultCable; most > 0 && k.link.cable > most {
				c.add("no-drop-no-headroom", k.profile.At, k.profile.object(), nil, "the cable is %v, and the headroom that "+
					"the switch gives by itself is for cables up to %v: %s", k.link.cable, most, ports(*names))
			}
			continue
		}
		flight := table.InFlight(k.link.speed, k.link.cable)
		if xoff := k.profile.XOFF; xoff.Bytes() < flight {
			c.add("headroom-below-flight", xoff.At, k.profile.object(), numbers{"xoff": xoff.Value, "in_flight": int64(flight)},
				"%v: headroom %d is less than the %d bytes in flight: %s", k.link, xoff.Value, flight, ports(*names))
		}
	}
}

// groupsOverChip adds up the lossless groups of a switch without pools: each has memory of its own.
func (c *check) groupsOverChip() {
	sum, n := int64(0), 0
	var first *Profile
	for _, p := range c.sw.Ports {
		for _, g := range p.LosslessGroups() {
			if profile := p.Groups[g].Profile; profile != nil && profile.Pool == nil && profile.HeadroomType != "dynamic" {
				sum, n = sum+profile.Size.Value+profile.XOFF.Value, n+1
				first = cmp.Or(first, profile)
			}
		}
	}
	if n > 0 && c.overMemory(unit.Bytes(sum)) {
		c.add("over-commitment", first.At, first.object(), numbers{"sum": sum, "chip": int64(c.Chip.Most())},
			"%d groups have %d bytes of their own together, more than the memory of %s", n, sum, c.memory()).Certain = true
	}
}

// statements says how much of a configuration was understood.
func (r *Meaning) statements(out *Result) {
	s := r.Statements
	if s.Unread > 0 {
		out.Unknown = append(out.Unknown, fmt.Sprintf("%s about buffers or QoS %s not understood, and not checked",
			counted(s.Unread, "statement"), isAre(s.Unread)))
	}
	if s.Other > 0 {
		out.Unknown = append(out.Unknown, fmt.Sprintf("%s about something else %s not read", counted(s.Other, "statement"),
			isAre(s.Other)))
	}
	out.Unknown = append(out.Unknown, r.Unknown...)
}

// counted prints a number and a noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
