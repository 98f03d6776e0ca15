package qos

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/oc"
	"github.com/cellwarden/cellwarden/pg"
)

// The minima of egress queues are a buffer allocation profile, too. The output of an
// interface is bound to it, and of each queue it has dedicated-buffer alone. Inputs and
// outputs have different profiles even with equal numbers, because their prefixes differ.

// queueMinima are the reserved cells of the egress queues of a port: the content
// of a buffer allocation profile that an output is bound to. 0: none.
type queueMinima [pg.PerPort]int64

func (m queueMinima) name(t target) string {
	if m == (queueMinima{}) {
		return ""
	}
	var b strings.Builder
	for n, v := range m {
		if v > 0 {
			fmt.Fprintf(&b, "%d: %d bytes\n", n, t.cell.Bytes(cells.Count(v)))
		}
	}
	return prefixMinima + digest(b.String())
}

// write sets no limit of shared cells: the switch keeps its own.
func (m queueMinima) write(qos *oc.OpenconfigQos_Qos, name string, t target) {
	profile := qos.GetOrCreateBufferAllocationProfiles().GetOrCreateBufferAllocationProfile(name)
	profile.GetOrCreateConfig().Name = &name
	for n, v := range m {
		if v == 0 {
			continue
		}
		t.writeQueue(qos, n)
		queue := t.queue(n)
		config := profile.GetOrCreateQueues().GetOrCreateQueue(queue).GetOrCreateConfig()
		config.Name, config.DedicatedBuffer = &queue, new(uint64(t.cell.Bytes(cells.Count(v))))
	}
}

// readMinima reads a profile as an output uses it. Bytes round up to cells.
func (t target) readMinima(name string, from *ocAllocation, bad *fielderr.List) (m queueMinima) {
	for n := range m {
		queue := t.queue(n)
		if config := from.GetQueues().GetQueue(queue).GetConfig(); config != nil {
			reserved := readBytes(config.DedicatedBuffer, pathText(pathPGQueue, name, queue)+"/dedicated-buffer", bad)
			m[n] = int64(t.cell.Holding(reserved))
		}
	}
	return m
}
