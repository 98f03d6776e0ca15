package linkcheck

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/pg"
)

// flowControl compares the PFC that is in force.
func (r *Result) flowControl(a, b *End) {
	if !a.PFC.IsGiven() || !b.PFC.IsGiven() {
		return
	}
	x, y := r.inForce(a, b)
	// A priority with credits at an end is a matter of credits, which has findings of its own.
	x, y = x&^counted(a, b), y&^counted(a, b)
	r.willing(a, b)
	r.capability(a, b, y)
	r.capability(b, a, x)
	if x == y {
		if r.Settled != nil && !r.Settled.A.PFC.Active && a.PFC.Or(0)|b.PFC.Or(0) != 0 {
			r.add("pfc-off", fmt.Sprintf("%s is configured with PFC for %v and %s for %v, and PFC is off at both", a.Name,
				a.PFC.Or(0), b.Name, b.PFC.Or(0))+r.reasons(a, b),
				"nobody sends or obeys pauses: lossless frames are dropped when a buffer is full",
				"configure the same priorities at both ends, or make one end willing")
		}
		return
	}
	code, effects := finding.Code("pfc-priorities"), []string(nil)
	if x == 0 || y == 0 {
		code = "pfc-one-end"
	}
	repair := fmt.Sprintf("enable PFC for the same priorities at both: %v as %s has, or %v as %s has", x, a.Name, y,
		b.Name)
	for _, side := range []struct {
		with, without *End
		alone, theirs pfc.Priorities
	}{{a, b, x &^ y, y &^ x}, {b, a, y &^ x, x &^ y}} {
		if side.alone != 0 {
			effects = append(effects, fmt.Sprintf("for %v, %s does not obey the pauses of %s, which drops what arrives when "+
				"its headroom is full, and %s sends no pauses, and drops when its buffer is full", side.alone, side.without.Name,
				side.with.Name, side.without.Name))
		}
		if side.theirs == 0 {
			repair = fmt.Sprintf("enable PFC for %v at %s, or disable it at %s", side.alone, side.without.Name, side.with.Name)
		}
	}
	r.add(code, fmt.Sprintf("%s has PFC for %v, %s has PFC for %v", a.Name, x, b.Name, y)+r.reasons(a, b),
		strings.Join(effects, "; "), repair)
}

// reasons says why the negotiation did not make the ends equal; nothing if there was none.
func (r *Result) reasons(a, b *End) string {
	if r.Settled == nil {
		return ""
	}
	return fmt.Sprintf(" (after negotiation: at %s, %s; at %s, %s)", a.Name, r.Settled.A.PFC.Reason, b.Name,
		r.Settled.B.PFC.Reason)
}

// willing warns of two willing ends, where nobody decided who decides.
func (r *Result) willing(a, b *End) {
	x, _ := a.Willing()
	y, _ := b.Willing()
	if !x.Or(false) || !y.Or(false) {
		return
	}
	message, effect := fmt.Sprintf("%s and %s are both willing", a.Name, b.Name), ""
	if r.Settled != nil {
		message += fmt.Sprintf(", with PFC for %v and %v", a.PFC.Or(0), b.PFC.Or(0))
		effect = "what is in force depends on which port has the higher address, and changes with a replaced card"
	}
	f := r.add("willing-both", message, effect,
		"make one end willing and the other not: the switch decides, and the server is willing")
	if r.Settled != nil && r.Settled.A.Version == dcbx.CEEVersion {
		f.Shown, f.Effect = ceeOff, "with CEE, PFC is off as soon as the two differ"
	}
}

// capability finds an end that supports PFC for fewer classes than are lossless at the other.
func (r *Result) capability(e, other *End, theirs pfc.Priorities) {
	if n, ok := e.Capability.Get(); ok && size(theirs) > n {
		r.add("pfc-capability", fmt.Sprintf("%s has PFC for %d priorities (%v), and %s supports PFC for %d", other.Name,
			size(theirs), theirs, e.Name, n),
			fmt.Sprintf("%s obeys the pauses of %d of them at most, and frames of the others are dropped at %s when its "+
				"headroom is full", e.Name, n, other.Name),
			fmt.Sprintf("use at most %d lossless priorities at %s", n, other.Name))
	}
}

// classification compares from where the ends read priorities, and which they read, for the priorities with PFC.
func (r *Result) classification(a, b *End) {
	x, y := r.inForce(a, b)
	lossless := x | y | counted(a, b)
	if !a.PFC.IsGiven() || !b.PFC.IsGiven() || lossless == 0 || a.Trust == pg.TrustUnknown ||
		b.Trust == pg.TrustUnknown {
		return
	}
	add := func(message, effect, repair string) {
		if f := r.add("class-map", message, effect, repair); x|y == 0 { // the scenario has pauses
			f.Shown = ""
		}
	}
	if a.Trust != b.Trust {
		byTag, byDSCP := a, b
		if a.Trust == pg.TrustDSCP {
			byTag, byDSCP = b, a
		}
		stopped := fmt.Sprintf("sends no pauses, and are dropped when it is full; the pauses of %s stop a priority that its "+
			"frames do not have at %s", byDSCP.Name, byTag.Name)
		if x|y == 0 {
			stopped = fmt.Sprintf("has no credits, and are dropped when it is full; the channel of %s is not theirs",
				byDSCP.Name)
		}
		add(fmt.Sprintf("%s reads the priority from the PCP of the VLAN tag, %s from the DSCP", byTag.Name, byDSCP.Name),
			fmt.Sprintf("frames without a tag, as routed links send them, have priority 0 at %s: they are in a lossy group, "+
				"which %s", byTag.Name, stopped),
			fmt.Sprintf("read the DSCP at %s too (Layer 3 PFC), with the map of %s", byTag.Name, byDSCP.Name))
		return
	}
	for p := range pg.PerPort {
		if m, n := a.DSCP[p], b.DSCP[p]; lossless.Has(p) && m != 0 && n != 0 && m != n {
			add(fmt.Sprintf("priority %d has DSCP %v at %s and DSCP %v at %s", p, m, a.Name, n, b.Name),
				fmt.Sprintf("frames with DSCP %v are lossless at one end and lossy at the other, which drops them without a "+
					"pause", m^n),
				fmt.Sprintf("map the same DSCPs to priority %d at both ends", p))
		}
	}
}
