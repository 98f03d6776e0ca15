package fabric

import (
	"sync/atomic"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/packet"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// report reports an event of a frame.
func (s *part) report(what EventKind, port int32, k *packet.Packet, queue uint8, out int32) {
	s.observer(&Event{At: unit.Time(s.Now), Kind: what, Where: s.endOf(port), Out: int(out),
		From: int(s.ports[s.flows[k.Flow].from].node), Priority: int(k.Priority), Queue: int(queue),
		Flow: int(k.Flow), Seq: int(k.Seq), Bytes: unit.Bytes(k.Bytes), PCP: int(k.PCP), DSCP: int(k.DSCP), TTL: int(k.TTL),
		ECN: k.ECN(), FrameKind: k.Kind.String()})
}

// reportLoss reports a lost frame.
func (s *part) reportLoss(port, out int32, k *packet.Packet, why mmu.Cause) {
	s.observer(&Event{At: unit.Time(s.Now), Kind: Dropped, Where: s.endOf(port), Out: int(out), Priority: int(k.Priority),
		Flow: int(k.Flow), Seq: int(k.Seq), Bytes: unit.Bytes(k.Bytes), Cause: why, FrameKind: k.Kind.String()})
}

// reportDeparted reports that a frame's cells have been given back.
func (s *part) reportDeparted(l *leaving) {
	s.observer(&Event{At: unit.Time(s.Now), Kind: Departed, Where: s.endOf(l.In()), Out: int(l.out),
		Priority: int(l.Priority), Queue: int(l.queue),
		Flow: int(l.Flow), Seq: int(l.Seq), Bytes: unit.Bytes(l.Bytes)})
}

// reportPause reports an event of a priority.
func (s *part) reportPause(what EventKind, port int32, priority int) {
	s.observer(&Event{At: unit.Time(s.Now), Kind: what, Where: s.endOf(port), Out: -1, Priority: priority, Flow: -1})
}

// reportWanted reports that the MMU wants priorities paused or resumed.
func (s *part) reportWanted(port int32, mask pfc.Priorities, on bool) {
	what := PauseReleased
	if on {
		what = PauseWanted
	}
	for ; mask != 0; mask &= mask - 1 {
		s.reportPause(what, port, mask.Lowest())
	}
}

// reportPriority reports an event of a priority to an observer, if there is one. It is short, so that the compiler puts
// it where it is called.
func (s *part) reportPriority(what EventKind, port int32, priority int) {
	if s.observer != nil {
		s.reportPause(what, port, priority)
	}
}

// loseOnLink loses a frame that a port has sent into a dead link.
func (s *part) loseOnLink(from int32, k *packet.Packet, why mmu.Cause) {
	s.ports[from].record().Lost++
	s.lost(from, -1, k, why)
}

// lost counts a lost frame and reports it.
func (s *part) lost(where, out int32, k *packet.Packet, why mmu.Cause) {
	s.total.Drops++
	s.total.Causes[why]++
	if !k.Feedback() {
		// Any part can lose a frame of a flow, and parts run at the same time.
		atomic.AddInt64(&s.flows[k.Flow].lost, 1)
	}
	if s.observer != nil {
		s.reportLoss(where, out, k, why)
	}
}
