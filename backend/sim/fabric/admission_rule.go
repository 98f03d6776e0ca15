package fabric

import "github.com/cellwarden/cellwarden/unit"

// AdmissionRule admits packets in place of a switch's MMU. With it the
// simulator runs the rule of another simulator, for comparison: see package
// peer. A switch with a rule needs no mmu.Config.
type AdmissionRule interface {
	// Arrive admits a frame or drops it. xoff says that the frame's priority
	// must be paused on port in, and is not paused yet.
	Arrive(in, out, priority int, bytes unit.Bytes) (admitted, xoff bool)
	// Leave gives back the memory of an admitted frame. xon says that the
	// priority may be resumed on port in.
	Leave(in, out, priority int, bytes unit.Bytes) (xon bool)
}
