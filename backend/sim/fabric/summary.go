package fabric

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// Summary is the result of a run.
type Summary struct {
	Sent         int64            `json:"frames_sent"`
	Delivered    int64            `json:"frames_delivered"`
	Drops        int64            `json:"drops"` // data and feedback frames
	ByReason     map[string]int64 `json:"drops_by_reason"`
	PauseSent    int64            `json:"pause_sent"`
	ResumeSent   int64            `json:"resume_sent"`
	Marked       int64            `json:"ecn_marked"`
	CNP          int64            `json:"cnp_sent"`
	ACK          int64            `json:"ack_sent"`
	NAK          int64            `json:"nak_sent"`
	Resent       int64            `json:"frames_retransmitted"`   // among Sent
	Refused      int64            `json:"frames_out_of_sequence"` // arrived, but not delivered
	Timeouts     int64            `json:"retransmission_timeouts"`
	MaxHeadroom  cells.Count      `json:"max_headroom_cells"` // largest headroom of a group in a slice
	MaxShared    cells.Count      `json:"max_shared_cells"`   // largest shared use of a group in a slice
	LastDelivery unit.Time        `json:"last_delivery_ps"`
	Events       int64            `json:"events"`
}

// Summary sums up the run so far.
func (s *Sim) Summary() Summary {
	total := s.totals()
	out := Summary{Sent: total.Sent, Delivered: total.Delivered, Drops: total.Drops,
		PauseSent: total.PauseSent, ResumeSent: total.ResumeSent,
		CNP: total.Feedback[packet.CNP], ACK: total.Feedback[packet.ACK], NAK: total.Feedback[packet.NAK], Resent: total.Resent,
		Refused: total.Refused, Timeouts: total.Timeouts, Marked: total.Marked,
		LastDelivery: s.leaps.modelTime(total.LastDelivery), Events: s.eventCount(), ByReason: map[string]int64{}}
	for i := range s.switches {
		if s.switches[i].mmu == nil {
			continue
		}
		for _, r := range s.switches[i].mmu.Snapshot(nil) {
			switch r.Account {
			case mmu.GroupHeadroomPeak:
				out.MaxHeadroom = max(out.MaxHeadroom, cells.Count(r.Value))
			case mmu.GroupSharedPeak:
				out.MaxShared = max(out.MaxShared, cells.Count(r.Value))
			}
		}
	}
	for c, n := range total.Causes {
		if n > 0 {
			out.ByReason[Reason(mmu.Cause(c))] = n
		}
	}
	return out
}

// Check returns an error that names every broken invariant: every frame was
// delivered or dropped or is still in the network, and every MMU's accounts add
// up.
func (s *Sim) Check() error {
	var bad []error
	total := s.totals()
	if total.Sent+total.FeedbackMade != total.Delivered+total.Refused+total.FeedbackDelivered+total.Drops+
		s.underWay() {
		bad = append(bad, fmt.Errorf(
			"%d frames and %d answers sent, %d delivered, %d refused, %d answers delivered, %d dropped, %d under way",
			total.Sent, total.FeedbackMade, total.Delivered, total.Refused, total.FeedbackDelivered,
			total.Drops,
			s.underWay()))
	}
	bad = s.checkSenders(bad)
	if err := s.checkEgress(); err != nil {
		bad = append(bad, err)
	}
	for i := range s.switches {
		if s.switches[i].mmu == nil {
			continue
		}
		if err := s.switches[i].mmu.Check(); err != nil {
			bad = append(bad, fmt.Errorf("switch %d: %w", i, err))
		}
		if err := s.switches[i].checkTallies(); err != nil {
			bad = append(bad, fmt.Errorf("switch %d: %w", i, err))
		}
	}
	if err := s.checkLayers(); err != nil {
		bad = append(bad, err)
	}
	if counted := s.countedDrops(); total.Drops != counted[0] || total.Drops != counted[1] {
		bad = append(bad, fmt.Errorf("%d frames dropped, %d by reason, %d by port", total.Drops, counted[0],
			counted[1]))
	}
	return errors.Join(bad...)
}

// countedDrops returns the sum of the drops by cause, and by port. They must be
// equal.
func (s *Sim) countedDrops() (sums [2]int64) {
	for _, n := range s.totals().Causes {
		sums[0] += n
	}
	for i := range s.ports {
		sums[1] += s.ports[i].past().Lost + s.ports[i].past().LostIn
		for _, n := range s.ports[i].past().Drops {
			sums[1] += n
		}
	}
	return sums
}
