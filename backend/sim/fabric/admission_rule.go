package fabric

import "github.com/cellwarden/cellwarden/unit"

// AdmissionRule admits packets in the place of a switch's MMU: the rule of another
// simulator, to compare with. A switch that has one needs no MMUConfig.
type AdmissionRule interface {
	// Arrive admits a frame or drops it; xoff: its priority has to be paused on
	// the port that it came in by, and is not yet.
	Arrive(in, out, priority int, bytes unit.Bytes) (admitted, xoff bool)
	// Leave takes an admitted frame's memory back; xon: the priority may go on.
	Leave(in, out, priority int, bytes unit.Bytes) (xon bool)
}
