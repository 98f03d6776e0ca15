package server

import (
	"context"

	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/oc"
)

// Counters is the source of the counters and watermarks of queues, such as a simulator
// that moves packets through the device. It is given to the server as
// [Options.Counters]. The server calls it at every Get that includes state, at every
// sample, and after [Server.Changed]; it stores no counts. Calls come from one goroutine
// at a time, and never while the device is being written.
type Counters interface {
	// Count returns the present counts, in any order. Queues and ports that it leaves
	// out have no counters, which is not the same as zero.
	Count(context.Context) (Counts, error)
}

// Counts are all counts at one moment.
type Counts struct {
	Queues []QueueCount
	Ports  []PortCount
}

// QueueCount are the counts of one queue since the device began. A priority group is the
// input queue with its number, as in package qos.
type QueueCount struct {
	Port                  string
	Queue                 int  // 0 to 7; others are left out
	Input                 bool // a priority group, not an egress queue
	Sent, SentBytes       uint64
	Dropped, DroppedBytes uint64
	Marked, MarkedBytes   uint64      // with ECN's congestion experienced
	Watermark             cells.Count // the most cells that it has held; below 0 counts as 0
}

// PortCount are the PFC and pause frames of one port. OpenConfig counts MAC control
// frames by port, not by priority.
type PortCount struct {
	Port              string
	PauseIn, PauseOut uint64
}

// addCounters writes counters into the state of a tree. Ports and queues that are not
// configured appear with their counters alone. cell is the size of the chip's cells in bytes.
func addCounters(tree *oc.Root, names qos.Names, counts Counts, cell cells.Size) {
	for _, q := range counts.Queues {
		if q.Port != "" && q.Queue >= 0 && q.Queue < 8 {
			addQueueCounters(tree, names, q, cell)
		}
	}
	for _, p := range counts.Ports {
		if p.Port != "" {
			ethernet := tree.GetOrCreateInterfaces().GetOrCreateInterface(p.Port).GetOrCreateEthernet()
			c := ethernet.GetOrCreateState().GetOrCreateCounters()
			c.InMacPauseFrames, c.OutMacPauseFrames = &p.PauseIn, &p.PauseOut
		}
	}
}

// addQueueCounters writes the counters of one queue. OpenConfig has the length of a queue
// in bytes: here the size of the cells that it held.
func addQueueCounters(tree *oc.Root, names qos.Names, q QueueCount, cell cells.Size) {
	port := tree.GetOrCreateQos().GetOrCreateInterfaces().GetOrCreateInterface(names.Interface(q.Port))
	name := names.Queue(q.Queue)
	var c *queueCounters
	if q.Input { // its struct has the same leaves
		c = (*queueCounters)(port.GetOrCreateInput().GetOrCreateQueues().GetOrCreateQueue(name).GetOrCreateState())
	} else {
		c = port.GetOrCreateOutput().GetOrCreateQueues().GetOrCreateQueue(name).GetOrCreateState()
	}
	c.TransmitPkts, c.TransmitOctets, c.DroppedPkts, c.DroppedOctets = &q.Sent, &q.SentBytes, &q.Dropped, &q.DroppedBytes
	c.EcnMarkedPkts, c.EcnMarkedOctets = &q.Marked, &q.MarkedBytes
	c.MaxQueueLen = new(uint64(cell.Bytes(max(q.Watermark, 0))))
}

// queueCounters is the state of an egress queue.
type queueCounters = oc.OpenconfigQos_Qos_Interfaces_Interface_Output_Queues_Queue_State
