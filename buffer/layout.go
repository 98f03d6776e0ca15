package buffer

import (
	"cmp"
	"fmt"
	"slices"
)

// Compare orders registers: pools, then ports by name, group and kind.
func (r Register) Compare(o Register) int {
	return cmp.Or(ComparePorts(r.Port, o.Port), cmp.Compare(r.Index, o.Index), cmp.Compare(r.Kind, o.Kind))
}

// Setting is a register and its value.
type Setting struct {
	Register
	Value int64
}

// String prints "Ethernet1/8 group 3 headroom 1292 cells".
func (s Setting) String() string { return s.Register.String() + " " + s.Kind.Text(s.Value) }

// Layout is the content of a device's registers, sorted, without those that
// hold their empty value. A Layout is not changed once it is made.
type Layout []Setting

// NewLayout sorts settings and drops those with an empty value. A register that is
// named twice panics: it would have two values.
func NewLayout(settings []Setting) Layout {
	out := make(Layout, 0, len(settings))
	for _, s := range settings {
		out = appendSetting(out, s.Register, s.Value)
	}
	byRegister := func(a, b Setting) int { return a.Compare(b.Register) }
	if !slices.IsSortedFunc(out, byRegister) {
		slices.SortFunc(out, byRegister)
	}
	for i := 1; i < len(out); i++ {
		if out[i].Register == out[i-1].Register {
			panic(fmt.Sprintf("buffer: %v has two values", out[i].Register))
		}
	}
	return out
}

// Value returns the value of a register; the empty value if the layout does not have it.
func (l Layout) Value(r Register) int64 {
	if i, ok := slices.BinarySearchFunc(l, r, func(s Setting, r Register) int { return s.Compare(r) }); ok {
		return l[i].Value
	}
	return r.Kind.Empty()
}

// Critical tells whether a lossless group depends on a register: its headroom, from a
// pool or its own, PFC, its minimum and its shared limit, and the DSCPs of its
// priority, because packets that are classified into another group are not protected;
// or a virtual channel: its credits and its map.
// The schedule of its queue is not critical: a group that waits longer is paused for
// longer, and loses nothing.
func (l Layout) Critical(r Register) bool {
	switch row := r.Kind.row(); {
	case row.lossless == "":
		return false
	case row.scope == SliceScope, r.Kind.OfCredits(): // channels in a layout have credits
		return true
	default:
		return l.Value(Register{GroupLossless, r.Port, r.Index}) == 1
	}
}

// Only returns the settings of the registers for which keep holds.
func (l Layout) Only(keep func(Register) bool) Layout {
	var out Layout
	for _, s := range l {
		if keep(s.Register) {
			out = append(out, s)
		}
	}
	return out
}

// SameOnPorts tells whether two layouts have the same registers on the ports of the steps. Registers without a port do
// not count.
func (l Layout) SameOnPorts(other Layout, steps []Step) bool {
	ports := map[string]bool{}
	for _, s := range steps {
		ports[s.Port] = s.Port != ""
	}
	on := func(r Register) bool { return ports[r.Port] }
	return slices.Equal(l.Only(on), other.Only(on))
}

// With returns the layout after the steps. It does not look at From.
func (l Layout) With(steps []Step) Layout {
	changed := make(map[Register]int64, len(steps))
	for _, s := range steps {
		changed[s.Register] = s.To
	}
	var out []Setting
	for _, s := range l {
		if _, ok := changed[s.Register]; !ok {
			out = append(out, s)
		}
	}
	for r, v := range changed {
		out = append(out, Setting{r, v})
	}
	return NewLayout(out)
}

// appendSetting adds a setting unless its value is empty.
func appendSetting(out []Setting, r Register, v int64) []Setting {
	if v == r.Kind.Empty() {
		return out
	}
	return append(out, Setting{r, v})
}
