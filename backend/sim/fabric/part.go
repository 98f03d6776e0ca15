package fabric

import (
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/clock"
	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
)

// part is a part of the network with a clock and packets of its own: one or
// several switches with their hosts. See parts.go.
type part struct {
	shared
	clock.Clock
	store      packet.Store
	number     int
	own        []int32 // its switches
	source     int32   // of the present event
	end        int64   // of the present run
	total      totals
	elided     int64 // events that were left out: see lazy.go
	lastElided int64 // time of the last of these
	recent     int64 // events of its last window: see workers.go
	beginsAt   int64 // when the next frame begins that another part must know of: see late.go
	observer   func(*Event)
	// what crosses to other parts when the window is over
	frames []frameLetter
	pauses []pauseLetter
	lldps  []lldpLetter
	layers []layerLetter
}

// run runs all events of the part up to and at a time.
func (s *part) run(end int64) {
	flows := int32(len(s.ports)) * perPort
	for {
		source, ok := s.Take(end)
		if !ok {
			s.closeWindow(end)
			return
		}
		s.source = source
		if source >= flows {
			if source >= s.failing.first {
				s.failureDue(source)
				continue
			}
			s.flowDue(source - flows)
			continue
		}
		i := int32(uint32(source) / perPort)
		switch uint32(source) % perPort {
		case onSent:
			s.sent(i)
		case onArrival:
			s.arrived(i)
		case onPause:
			s.pauseArrived(i)
		case onExpiry:
			s.pauseExpired(i)
		case onRefresh:
			s.refreshPause(i)
		case onReady:
			s.kick(i)
		case onWatch:
			s.watchdogDue(i)
		case onLLDP:
			s.linkDue(i)
		}
	}
}
