package capacity

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
)

// Compared is a whole switch with the headroom of one method.
type Compared struct {
	Method string
	Err    error // why the method cannot size the switch; nil: it can

	Fits    bool
	Refused int    // ports
	First   string // why the first of them is refused
	// frames assumed to fill the headroom; empty: the kinds of ports differ, or the method does not say
	Mix      string
	Largest  cells.Count // headroom of the largest group
	Headroom cells.Count // of all groups of all ports together
	Shared   cells.Count // cells left to share in the slice with the fewest; of the ports that are admitted
	Cable    Answer      // to CableAll
}

// Compare plans an intent with the headroom of another method.
func Compare(in buffer.Intent, sizer thresholds.Sizer) Compared {
	in.Sizing = sizer
	c := Compared{Method: sizer.Method()}
	a, err := buffer.NewAdmission(in)
	if err != nil {
		c.Err = err
		return c
	}
	c.Fits, c.Refused = a.Fits(), len(a.Denied())
	if denied, refused := a.FirstDenied(); refused {
		c.First = denied.Port + ": " + denied.Shortfall.String()
	}
	mixes := map[string]bool{}
	for i := range in.Ports {
		for _, g := range a.GroupsOf(i) {
			c.Headroom, c.Largest = c.Headroom+g.Headroom, max(c.Largest, g.Headroom)
			if g.Lossless {
				mixes[g.Sized.Mix.String()] = true
			}
		}
	}
	if len(mixes) == 1 {
		for mix := range mixes {
			c.Mix = mix
		}
	}
	for i, b := range a.SliceBills() {
		if i == 0 || b.Shared < c.Shared {
			c.Shared = b.Shared
		}
	}
	k := newAsker(in, a)
	c.Cable = k.cableAll()
	return c
}
