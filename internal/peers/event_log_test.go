package peers

import (
	"bufio"
	"strconv"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/unit"
)

// usedColumn is the log's name for the memory in use: ns3-datacenter includes headroom, HPCC does not.
func usedColumn(r Rule) string {
	if _, ok := r.(*ns3dc); ok {
		return "total_used"
	}
	return "shared_used"
}

// logWriter writes the event log, and notes maxima.
type logWriter struct {
	rule                        Rule
	payload                     int64
	out                         *bufio.Writer
	row                         []byte
	headroom, allHeadroom, used unit.Bytes
}

// observe writes the events that the other simulators log.
func (w *logWriter) observe(e *fabric.Event) {
	in := e.Where.Port
	switch e.Kind {
	case fabric.Enqueued:
		w.state(e, "enq", in, e.Out)
	case fabric.Departed:
		w.state(e, "deq", in, e.Out)
	case fabric.Dropped:
		w.state(e, "drop", in, e.Out)
	case fabric.PauseWanted:
		w.state(e, "pause", in, -1)
	case fabric.PauseReleased:
		w.state(e, "resume", in, -1)
	case fabric.Paused:
		w.host(e, "pause_rx_host", e.Where.Node, -1, 0)
	case fabric.Resumed:
		w.host(e, "resume_rx_host", e.Where.Node, -1, 0)
	case fabric.Delivered:
		w.host(e, "rx", e.From, e.Where.Node, int64(e.Seq)*w.payload)
	}
}

// state writes an event of the switch, with the rule's counters.
func (w *logWriter) state(e *fabric.Event, name string, in, out int) {
	c := w.rule.Columns(in, out, e.Priority)
	w.headroom = max(w.headroom, unit.Bytes(c[1]))
	w.used = max(w.used, unit.Bytes(c[2]))
	w.allHeadroom = max(w.allHeadroom, unit.Bytes(c[3]))
	w.write(e, name, in, out, e.Priority, c)
}

// host writes an event of a host. A frame has the payload before it in its
// flow; a pause has no priority, as in the other simulators' logs.
func (w *logWriter) host(e *fabric.Event, name string, in, out int, before int64) {
	if e.Where.Switch {
		return
	}
	priority := e.Priority
	if out < 0 {
		priority = 0
	}
	w.write(e, name, in, out, priority, [6]int64{before})
}

// write writes a row.
func (w *logWriter) write(e *fabric.Event, name string, in, out, priority int, state [6]int64) {
	if w.out == nil {
		return
	}
	b := append(strconv.AppendInt(w.row[:0], int64(e.At), 10), ',')
	b = append(append(b, name...), ',')
	for _, n := range [4]int64{int64(in), int64(out), int64(priority), int64(e.Bytes)} {
		b = append(strconv.AppendInt(b, n, 10), ',')
	}
	for i, n := range state {
		b = strconv.AppendInt(b, n, 10)
		if i < len(state)-1 {
			b = append(b, ',')
		}
	}
	w.row = append(b, '\n')
	w.out.Write(w.row)
}
