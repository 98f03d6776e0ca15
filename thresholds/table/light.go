package table

import (
	"github.com/cellwarden/cellwarden/internal/exact"
	"github.com/cellwarden/cellwarden/unit"
)

// LightFloor is the least that can be in flight to a port when it pauses the sender at the other end of a cable: what
// arrives while the pause frame travels there and the last bit travels back, at 5 ns/m, and one frame of 1500 bytes
// that the sender has begun, rounded up. Reaction times and the waste of cells come in addition.
func LightFloor(rate unit.BitRate, cable unit.Length) unit.Bytes {
	return unit.Bytes(inFlight(rate, cable).Ceil()) + 1500
}

// inFlight returns 2 x cable x 5 ns/m x rate in bytes, exactly. A millimetre takes 5 ps.
func inFlight(rate unit.BitRate, cable unit.Length) exact.Ratio {
	return exact.Whole(cable).Times(2*5, 8).Times(int64(rate), int64(unit.Second))
}

// InFlight is what is in flight on a link both ways at 4.9 ns/m, in bytes, rounded down: less cannot be enough. 4.9
// ns/m is the delay of fibre with a group index of 1.468, the least that is in use; headroom is sized with 5 ns/m.
func InFlight(rate unit.BitRate, cable unit.Length) unit.Bytes {
	return unit.Bytes(exact.Whole(cable).Times(2*49, 80).Times(int64(rate), int64(unit.Second)).Floor())
}

// light reports a row whose headroom is less than what is in flight, or less than that and one frame.
func (l *linter) light(r Row) {
	flight, floor := InFlight(r.Rate, r.Cable), LightFloor(r.Rate, r.Cable)
	switch {
	case r.XOFF < flight:
		l.addRow("headroom-below-flight", r, numbers{"xoff": int64(r.XOFF), "in_flight": int64(flight)},
			"xoff %d is less than the %d bytes in flight", r.XOFF, flight)
	case r.XOFF < floor:
		l.addRow("headroom-below-frame", r, numbers{"xoff": int64(r.XOFF), "needed": int64(floor)},
			"xoff %d is less than the %d bytes in flight at 5 ns/m with a frame of 1500 bytes", r.XOFF, floor)
	}
}
