package traffic

import (
	"context"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/pg"
)

// counters are the counters of the ports through which packets run: of eight groups and
// eight egress queues each. The server reads them while nothing else uses the device.
//
// The packets that a group has transmitted are those that it admitted. Bytes count from
// the destination address to the FCS. A watermark is the greatest number of cells that
// were held at one time, of all slices and accounts: reserved, shared and headroom.
type counters struct {
	asic  *sim.ASIC
	ports []string
}

// Count reads the counters of the simulation.
func (c counters) Count(context.Context) (server.Counts, error) {
	var out server.Counts
	for _, name := range c.ports {
		port, _ := c.asic.Counters(name)
		out.Ports = append(out.Ports, server.PortCount{Port: name,
			PauseIn: uint64(port.PauseFramesIn), PauseOut: uint64(port.PauseFramesOut)})
		for n := range pg.PerPort {
			group, _ := c.asic.Group(name, n)
			queue, _ := c.asic.Queue(name, n)
			out.Queues = append(out.Queues,
				queueCount(name, n, true, group.Tally), queueCount(name, n, false, queue.Tally))
		}
	}
	return out, nil
}

// queueCount is a tally of the simulation in the server's form.
func queueCount(port string, queue int, input bool, t fabric.Tally) server.QueueCount {
	return server.QueueCount{Port: port, Queue: queue, Input: input,
		Sent: uint64(t.Passed), SentBytes: uint64(t.PassedBytes),
		Dropped: uint64(t.Dropped), DroppedBytes: uint64(t.DroppedBytes),
		Marked: uint64(t.Marked), MarkedBytes: uint64(t.MarkedBytes), Watermark: t.Peak}
}
