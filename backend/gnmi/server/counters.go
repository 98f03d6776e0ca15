package server

import (
	"context"
	"strconv"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
	"github.com/cellwarden/cellwarden/cells"
)

// Counters is where what traffic does to the buffer plugs in: whoever moves
// packets through the device, such as a simulator, implements it and is given
// to the server as [Options.Counters]. It is asked at every Get that wants
// state, at every sample, and when [Server.Changed] is called; the server holds
// no count of its own. It is called by one goroutine at a time, never while the
// device is being written.
type Counters interface {
	// Count returns what has been counted, in any order. Queues and ports
	// that it leaves out have no counters, which is not the same as zero.
	Count(context.Context) (Counts, error)
}

// Counts is all that is counted at one moment.
type Counts struct {
	Queues []QueueCount
	Ports  []PortCount
}

// QueueCount is what one queue has counted since the device began. A priority
// group is the queue of its number on the way in, as package gnmi has it.
type QueueCount struct {
	Port                  string
	Queue                 int  // 0 to 7; others are left out
	Input                 bool // a priority group, not an egress queue
	Sent, SentBytes       uint64
	Dropped, DroppedBytes uint64
	Marked, MarkedBytes   uint64      // with ECN's congestion experienced
	Watermark             cells.Count // the most cells that it has held; below 0 counts as 0
}

// PortCount is the PFC and pause frames of one port. OpenConfig counts MAC
// control frames by port, not by priority.
type PortCount struct {
	Port              string
	PauseIn, PauseOut uint64
}

// addCounters writes counters into a tree that is shown. Ports and queues that are
// not configured appear with their counters alone.
func (s *Server) addCounters(ctx context.Context, tree *oc.Root) error {
	if s.opt.Counters == nil {
		return nil
	}
	counts, err := s.opt.Counters.Count(ctx)
	if err != nil {
		return status.Errorf(codes.Unavailable, "reading the counters of %s: %v", s.device.Name(), err)
	}
	for _, q := range counts.Queues {
		if q.Port != "" && q.Queue >= 0 && q.Queue < 8 {
			addQueueCounters(tree, q, s.cell)
		}
	}
	for _, p := range counts.Ports {
		if p.Port != "" {
			c := tree.GetOrCreateInterfaces().GetOrCreateInterface(p.Port).GetOrCreateEthernet().GetOrCreateState().GetOrCreateCounters()
			c.InMacPauseFrames, c.OutMacPauseFrames = &p.PauseIn, &p.PauseOut
		}
	}
	return nil
}

// addQueueCounters writes the counters of one queue. OpenConfig has the length of a
// queue in bytes: here those of the cells that it took.
func addQueueCounters(tree *oc.Root, q QueueCount, cell cells.Size) {
	port, name := tree.GetOrCreateQos().GetOrCreateInterfaces().GetOrCreateInterface(q.Port), strconv.Itoa(q.Queue)
	longest := uint64(cell.Bytes(max(q.Watermark, 0)))
	if q.Input {
		c := port.GetOrCreateInput().GetOrCreateQueues().GetOrCreateQueue(name).GetOrCreateState()
		c.TransmitPkts, c.TransmitOctets, c.DroppedPkts, c.DroppedOctets = &q.Sent, &q.SentBytes, &q.Dropped, &q.DroppedBytes
		c.EcnMarkedPkts, c.EcnMarkedOctets, c.MaxQueueLen = &q.Marked, &q.MarkedBytes, &longest
		return
	}
	c := port.GetOrCreateOutput().GetOrCreateQueues().GetOrCreateQueue(name).GetOrCreateState()
	c.TransmitPkts, c.TransmitOctets, c.DroppedPkts, c.DroppedOctets = &q.Sent, &q.SentBytes, &q.Dropped, &q.DroppedBytes
	c.EcnMarkedPkts, c.EcnMarkedOctets, c.MaxQueueLen = &q.Marked, &q.MarkedBytes, &longest
}
