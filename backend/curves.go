package backend

import "github.com/cellwarden/cellwarden/buffer"

// The registers of a queue's marking curve (kmin, kmax and pmax) belong together: half of one curve beside half of
// another marks as neither of the two clients has planned, and a kmin above the kmax is no curve at all. So a curve
// in which another client has changed a register is left as a whole.

// curveOf names the curve that a register is of, by its first register.
func curveOf(r buffer.Register) (curve buffer.Register, ok bool) {
	switch r.Kind {
	case buffer.QueueECNMin, buffer.QueueECNMax, buffer.QueueECNPMax:
		return buffer.Register{Kind: buffer.QueueECNMin, Port: r.Port, Index: r.Index}, true
	}
	return r, false
}

// curveKinds are the registers of a curve.
var curveKinds = []buffer.Kind{buffer.QueueECNMin, buffer.QueueECNMax, buffer.QueueECNPMax}

// foreignCurves are the curves that others have changed. A curve is foreign if one of the others is a register of it,
// or if it has a register without a step whose value is neither the one from before the push nor the planned one.
func foreignCurves(now, before, want buffer.Layout, steps, others []buffer.Step) map[buffer.Register]bool {
	foreign, stepped := map[buffer.Register]bool{}, map[buffer.Register]bool{}
	for _, s := range others {
		if curve, ok := curveOf(s.Register); ok {
			foreign[curve] = true
		}
	}
	for _, s := range steps {
		stepped[s.Register] = true
	}
	for _, s := range steps {
		curve, ok := curveOf(s.Register)
		if !ok || before == nil {
			continue
		}
		for _, k := range curveKinds {
			r := buffer.Register{Kind: k, Port: s.Port, Index: s.Index}
			if v := now.Value(r); !stepped[r] && v != before.Value(r) && v != want.Value(r) {
				foreign[curve] = true
			}
		}
	}
	return foreign
}

// keepCurves takes the steps of foreign curves out of those that are to be made. They are returned apart.
func keepCurves(foreign map[buffer.Register]bool, steps []buffer.Step) (left, kept []buffer.Step) {
	for _, s := range steps {
		if curve, ok := curveOf(s.Register); ok && foreign[curve] {
			kept = append(kept, s)
		} else {
			left = append(left, s)
		}
	}
	return left, kept
}

// Note says that values of this push are left, because they belong to a curve that others have changed.
func (d *Registers) Note() string {
	if !d.kept {
		return ""
	}
	return "; kmin, kmax and pmax of a queue are made or taken back together, or not at all"
}
