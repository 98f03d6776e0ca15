package buffer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/complain"
	"github.com/cellwarden/cellwarden/thresholds"
)

// This file plans classes with credit-based flow control (CBFC). Each priority of such a class is a virtual
// channel with a group of its own. Its credits are reserved cells: a credit that the neighbour has been given
// cannot be taken back, so no other port may use its cell. The shared credits of a port are the port's own minimum,
// Port.Reserved, which is reserved too. So credits are admitted into the same slices as headroom, and refused in the
// same way.
//
// SAI has up to 32 channels a port. A plan has one for each priority, at most 8.

// channel returns the virtual channel of a class on a link: what keeps it full.
func (in *Intent) channel(c *Class, l thresholds.Link) cbfc.Channel {
	out := cbfc.Channel{Link: l, Memory: in.Chip.Memory()}
	switch s := in.Sizing.(type) {
	case thresholds.IEEE:
		out.Delays, out.Frame = s.Delays, s.Mix.Frame()
	case thresholds.Framed:
		out.Frame = s.LongestFrame()
	}
	return out
}

// credit gives a group of a class with credits its reserved cells: those that the class states, or those that keep the
// link full.
func (g *groupDemand) credit(in *Intent, p *Port) error {
	full, err := cbfc.Size(in.channel(g.class, p.Link(cmp.Or(g.class.MTU, p.MTU))))
	stated, given := g.class.Reserved.Get()
	if err != nil && !given {
		return fmt.Errorf("port %s, class %s: credits: %w", p.Name, g.class.Name, err)
	}
	g.reservedBytes = stated
	if !given {
		g.reservedBytes = full.Buffer
	}
	if err == nil {
		g.fullRate = full.Cells
	}
	if g.Reserved = in.Chip.Cell.Holding(g.reservedBytes); g.Reserved > cells.Count(cbfc.MaxLimit) {
		return fmt.Errorf("port %s, class %s: %d credits: accepted: at most the %d that counters of 20 bits hold", p.Name,
			g.class.Name, g.Reserved, cbfc.MaxLimit)
	}
	g.Limit = thresholds.Static(0) // nothing of what all ports share
	return nil
}

// validateCredits refuses what a class with credits cannot have.
func (c *Class) validateCredits(path string, bad *complain.List) {
	if !c.Credits {
		return
	}
	bad.Check(!c.Lossless, path+".lossless", "pfc and cbfc", "one of the two")
	bad.Check(!c.Group.IsGiven(), path+".group", c.Group, "none: each priority with credits has the group of its number")
	bad.Check(!c.XONOffset.IsGiven(), path+".xon_offset", c.XONOffset, "none: credits have no pauses to resume from")
	bad.Check(c.StaticLimit == 0, path+".static_limit", c.StaticLimit,
		"none: credits share the reserved bytes of their port, and nothing of the pool")
	bad.Check(c.Alpha == nil || !c.Credits, path+".alpha", c.Alpha,
		"none: credits share the reserved bytes of their port, and nothing of the pool")
}

// CreditsOn tells whether the class has credits on a port: of its own, or because the port has them for its lossless
// classes.
func (c *Class) CreditsOn(p *Port) bool { return c.Credits || c.Lossless && p.Credits }

// ownGroups tells whether each priority of the class has a group of its own.
func (c *Class) ownGroups() bool { return c.Lossless || c.Credits }

// CreditGroups returns the groups of a port that have credits, with the cells that back them, in the order of the
// classes. The error is that of a port that cannot be sized.
func (in *Intent) CreditGroups(port int) ([]CreditGroup, error) {
	p := &in.Ports[port]
	if in.Chip.Reclaims.idle(p.State) {
		return nil, nil
	}
	var out []CreditGroup
	for i := range in.Classes {
		c := &in.Classes[i]
		if !c.CreditsOn(p) || !in.carries(p, i) {
			continue
		}
		g, err := in.groupOf(c, p)
		if err != nil {
			return nil, err
		}
		for _, n := range c.Groups() {
			out = append(out, CreditGroup{Group: n, Class: c.Name, Cells: g.Reserved, FullRate: g.fullRate})
		}
	}
	return out, nil
}

// CreditGroup is a group with credits.
type CreditGroup struct {
	Group    int
	Class    string
	Cells    cells.Count // its credits, a reserved cell for each
	FullRate cells.Count // that keep the link full; 0: not known for this link
}

// warnCredits says of each class with credits whether they keep its links full.
func (a *Admission) warnCredits(warn func(string)) {
	seen := map[*demand]bool{}
	for _, e := range a.ports {
		if seen[e.demand] {
			continue
		}
		seen[e.demand] = true
		for i := range e.demand.groups {
			g, k := &e.demand.groups[i], e.demand.kind
			if !g.credits {
				continue
			}
			text := fmt.Sprintf("class %s at %v over %s: %d credits of a cell each (CBFC)", g.class.Name, k.rate, k.path(),
				g.Reserved)
			switch {
			case g.fullRate == 0:
				text += "; how many keep the link full is not known"
			case g.Reserved+e.demand.port < g.fullRate:
				text += fmt.Sprintf(", fewer than the %d that keep the link full: no frame is lost, and the link is slower",
					g.fullRate)
			case g.Reserved < g.fullRate:
				text += fmt.Sprintf(": the link is full with the %d shared credits of the port, which needs %d", e.demand.port,
					g.fullRate)
			default:
				text += fmt.Sprintf(": the link stays full with %d; delays of the ends are inferred", g.fullRate)
			}
			warn(text)
		}
	}
}

// creditsNotWritten names the classes with credits; empty without one.
func (in *Intent) creditsNotWritten() string {
	var names []string
	for i := range in.Classes {
		c := &in.Classes[i]
		if slices.ContainsFunc(in.Ports, func(p Port) bool { return c.CreditsOn(&p) && p.Classes.Has(i) }) {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "credits (CBFC) of " + strings.Join(names, ", ") + ", with their virtual channels"
}
