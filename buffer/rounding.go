package buffer

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// What is asked for in bytes is granted in cells, and in those that the chip can
// hold. What has to hold something rounds up, what must not be overstated down.

// headroom returns the least headroom that the chip can hold, at least n. (The
// P200 rounds up to a mantissa of four bits: sonic-mgmt,
// tests/qos/files/cisco/qos_param_generator.py.)
func (r Rounding) headroom(n cells.Count) cells.Count {
	if r.HeadroomMantissa == 0 {
		return n
	}
	return r.HeadroomMantissa.Up(n)
}

// resumeOffset returns the least XON offset that the chip can hold, at least n:
// the hysteresis that is asked for is a minimum. The granularity is sourced, that
// it is rounded up is inferred.
func (r Rounding) resumeOffset(n cells.Count) cells.Count {
	if r.ResumeOffset == 0 {
		return n
	}
	return (n + r.ResumeOffset - 1) / r.ResumeOffset * r.ResumeOffset
}

// limit returns the largest static limit that the chip can hold, at most n.
func (r Rounding) limit(n cells.Count) cells.Count {
	if r.Mantissa == 0 {
		return n
	}
	return r.Mantissa.Down(n)
}

// marking returns the cells of a threshold that marks packets: the largest that
// the chip can hold, at most b.
func (c *Chip) marking(b unit.Bytes) cells.Count {
	if g := c.Rounding.Marking; g > 0 {
		b = b / g * g
	}
	return c.Cell.Within(b)
}

// Granted is a threshold as it was asked for, and as the chip holds it.
type Granted struct {
	Name    string     // "reserved", "headroom", "xon offset", "static limit", "ecn kmin", "ecn kmax"
	Asked   unit.Bytes // for a static limit: a slice's part
	Granted unit.Bytes // in whole cells
}

// Granted lists the thresholds of the group that the chip holds otherwise than
// they were asked for.
func (g *Group) Granted() []Granted {
	var out []Granted
	for _, t := range []Granted{
		{"reserved", g.ReservedAsked, g.ReservedGranted}, {"headroom", g.HeadroomAsked, g.HeadroomGranted},
		{"xon offset", g.XONOffsetAsked, g.XONOffsetGranted}, {"static limit", g.StaticAsked, g.StaticGranted},
	} {
		if t.Asked != t.Granted {
			out = append(out, t)
		}
	}
	return out
}

// Marking is where the egress queues of a class begin to mark packets and where
// they mark all, as asked for and as the chip holds it.
type Marking struct {
	Class       string
	KMinAsked   unit.Bytes
	KMinGranted unit.Bytes
	KMaxAsked   unit.Bytes
	KMaxGranted unit.Bytes
}

// Granted lists the thresholds that the chip holds otherwise than they were
// asked for.
func (m *Marking) Granted() []Granted {
	var out []Granted
	for _, t := range []Granted{{"ecn kmin", m.KMinAsked, m.KMinGranted}, {"ecn kmax", m.KMaxAsked, m.KMaxGranted}} {
		if t.Asked != t.Granted {
			out = append(out, t)
		}
	}
	return out
}

// markings lists the classes that mark.
func (in *Intent) markings() []Marking {
	out := []Marking{}
	for _, c := range in.Classes {
		if c.ECN.KMax > 0 {
			granted := func(b unit.Bytes) unit.Bytes { return in.Chip.Cell.Bytes(in.Chip.marking(b)) }
			out = append(out, Marking{c.Name, c.ECN.KMin, granted(c.ECN.KMin), c.ECN.KMax, granted(c.ECN.KMax)})
		}
	}
	return out
}

// warnRounding says where the chip itself, beside its cells, grants a group
// something else.
func (a *Admission) warnRounding(g *groupDemand, warn func(string)) {
	c := &a.in.Chip
	if n := c.Cell.Holding(g.xonOffset); g.XONOffset != n {
		warn(fmt.Sprintf("class %s: an XON offset of %d cells becomes %d: %s holds multiples of %d; that it rounds up is inferred",
			g.class.Name, n, g.XONOffset, c.Name, c.Rounding.ResumeOffset))
	}
	if g.Headroom != g.sized.Cells {
		warn(fmt.Sprintf("class %s: a headroom of %d cells becomes %d: %s holds %d bits of it", g.class.Name, g.sized.Cells, g.Headroom, c.Name, c.Rounding.HeadroomMantissa))
	}
}
