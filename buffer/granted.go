package buffer

import (
	"slices"

	"github.com/cellwarden/cellwarden/unit"
)

// Granted is a threshold as it was asked for, and as the chip holds it.
type Granted struct {
	Name    string     // "reserved", "headroom", "xon offset", "static limit", "ecn kmin", "ecn kmax"
	Asked   unit.Bytes // for a static limit: a slice's part
	Granted unit.Bytes // in whole cells
}

// Granted lists the thresholds of the group that the chip holds otherwise than they were asked for.
func (g *GroupGrant) Granted() []Granted {
	return rounded(Granted{"reserved", g.ReservedAsked, g.ReservedGranted},
		Granted{"headroom", g.HeadroomAsked, g.HeadroomGranted}, Granted{"xon offset", g.XONOffsetAsked, g.XONOffsetGranted},
		Granted{"static limit", g.StaticAsked, g.StaticGranted})
}

// rounded returns those of the thresholds that are not as they were asked for.
func rounded(all ...Granted) []Granted {
	return slices.DeleteFunc(all, func(t Granted) bool { return t.Asked == t.Granted })
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

// Granted lists the thresholds that the chip holds otherwise than they were asked for.
func (m *Marking) Granted() []Granted {
	return rounded(Granted{"ecn kmin", m.KMinAsked, m.KMinGranted}, Granted{"ecn kmax", m.KMaxAsked, m.KMaxGranted})
}

// markings lists the classes that mark.
func (in *Intent) markings() []Marking {
	out := []Marking{}
	for _, c := range in.Classes {
		if c.ECN.KMax > 0 {
			out = append(out, Marking{c.Name, c.ECN.KMin, in.Chip.MarkingGranted(c.ECN.KMin), c.ECN.KMax,
				in.Chip.MarkingGranted(c.ECN.KMax)})
		}
	}
	return out
}
