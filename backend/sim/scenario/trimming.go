package scenario

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

// trimming reads how a switch trims the frames that its queues with `trim` refuse. size is bytes of a trimmed frame,
// and class the one in whose queue these wait.
func (r *reader) trimming(v *document.Value, p *switchSpec) {
	if v == nil {
		return
	}
	f := v.Fields("size", "class")
	v.Need(f, "size", "class")
	// A class that is not known is -1, and trims refuses it.
	p.trimSize, p.trimClass = document.Quantity(f["size"], unit.ParseBytes), r.classOf(f["class"])
	if f["size"] != nil && (p.trimSize < 1 || p.trimSize > fabric.LongestFrame) {
		f["size"].Refuse(fmt.Sprintf("1B to %v", fabric.LongestFrame))
	}
}

// trims completes the queues of a switch that trim. What is left of a frame goes to the queue of the class for it, with
// the DSCP of that class. Queues are in one list, with a queue for each class on each port. A Trim of 0 is none, so
// the number counts from 1.
func (r *reader) trims(i int) {
	p, w := &r.specs[i], &r.s.Network.Switches[i]
	// A port has a queue for each class, and one for the priorities without a class.
	each := len(p.queues)
	for c := range p.queues {
		if !p.queues[c].trim {
			continue
		}
		switch {
		case p.egressPool == nil:
			r.Fail(p.line, p.path, "queues with trim: want an egress_pool, without which no queue refuses a frame")
			return
		case p.trimSize == 0 || p.trimClass < 0:
			r.Fail(p.line, p.path, "queues with trim: want trimming, such as {size: 256B, class: rests}")
			return
		case c == p.trimClass:
			r.Fail(p.line, p.path, "the class of trimming: want one whose queue does not trim")
			return
		}
		// What is left waits in the queue of the same port.
		for j := range w.Ports {
			w.MMU.Queues[j*each+c].Trim = 1 + j*each + p.trimClass
		}
		w.MMU.Trim, w.TrimDSCP = p.trimSize, r.s.Classes[p.trimClass].DSCP
	}
}

// trimPlanned makes the queues of a planned switch trim as its topology says. Queues of a planned switch are those of
// eight priorities on each port, also where the file has fewer classes.
func trimPlanned(in *buffer.Intent, w *fabric.Switch) {
	t := in.Trimming
	for i := range in.Classes {
		if !in.Classes[i].Trim {
			continue
		}
		for port := range w.Ports {
			for _, queue := range in.Classes[i].Priorities {
				w.MMU.Queues[port*pg.PerPort+queue].Trim = 1 + port*pg.PerPort + t.Queue
			}
		}
		w.MMU.Trim, w.TrimDSCP = t.Size, t.DSCP
	}
}
