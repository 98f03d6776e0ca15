package scenario

import (
	"bufio"
	"io"
	"strconv"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/internal/csvcell"
	"github.com/cellwarden/cellwarden/unit"
)

// TraceColumns are the columns of a trace. A column that does not apply to an
// event is empty.
const TraceColumns = "time_ps,event,port,class,queue,out,flow,kind,frame,bytes,reason," +
	"reserved_cells,shared_cells,headroom_cells,queue_frames"

// traceWriter writes events as CSV. The cells are those of the priority's group
// on the port after the event, in all slices together. queue_frames is the
// number of frames that wait in the egress queue. Both are empty for hosts.
// Lines are made without fmt, and one buffer is reused: a run has millions of
// events.
type traceWriter struct {
	*Scenario
	w    *bufio.Writer
	sim  *fabric.Sim
	line []byte // reused for every line
}

// newTraceWriter writes the columns' names.
func newTraceWriter(w io.Writer, s *Scenario, sim *fabric.Sim) *traceWriter {
	t := &traceWriter{Scenario: s, w: bufio.NewWriterSize(w, 1<<16), sim: sim}
	t.write([]byte(TraceColumns + "\n"))
	return t
}

// write adds a line. The buffer keeps the first error for finish, and the simulation goes on without the trace.
func (t *traceWriter) write(line []byte) { _, _ = t.w.Write(line) }

// event writes a line. An event about no queue leaves the fields of the queue empty, and one that no flow causes
// those of the flow.
func (t *traceWriter) event(e *fabric.Event) {
	// Integers of picoseconds: a time with a point would need a decision about its digits.
	l := strconv.AppendInt(t.line[:0], int64(e.At), 10)
	l = t.text(l, e.Kind.String())
	l = t.text(l, t.PortName(e.Where))
	if e.Priority < 0 { // LLDP and what it changes: of no class and no flow
		l = append(append(l, ",,,,,"...), e.FrameKind...)
		l = append(number(append(l, ','), int64(e.Bytes), e.LLDP != nil), ",,,,,\n"...)
		t.line = l
		t.write(l)
		return
	}
	l = t.text(l, t.ClassName(e.Priority))
	// Only these events are about a queue; in others the number of one would be chance.
	queued := e.Where.Switch && (e.Kind == fabric.Enqueued || e.Kind == fabric.Departed || e.Kind == fabric.Departs)
	l = number(l, int64(e.Queue), queued)
	if out := e.Out >= 0 && e.Where.Switch && (e.Kind == fabric.Enqueued || e.Kind == fabric.Departed); out {
		l = t.text(l, t.PortName(fabric.AtSwitch(e.Where.Node, e.Out)))
	} else {
		l = append(l, ',')
	}
	if e.Flow >= 0 {
		l = t.text(l, t.FlowName(e.Flow))
	} else {
		l = append(l, ',')
	}
	l = append(append(l, ','), e.FrameKind...)
	l = number(l, int64(e.Seq), e.Flow >= 0)
	l = number(l, int64(e.Bytes), e.Flow >= 0)
	if l = append(l, ','); e.Kind == fabric.Dropped {
		l = append(l, fabric.Reason(e.Cause)...)
	}
	l = t.state(l, e, queued)
	// The buffer is kept, because append may have moved it.
	t.line = append(l, '\n')
	t.write(t.line)
}

// text appends a field. Names in a file are free.
func (t *traceWriter) text(l []byte, s string) []byte {
	return csvcell.Append(append(l, ','), s)
}

// number appends a number, or an empty field.
func number(l []byte, n int64, known bool) []byte {
	if l = append(l, ','); known {
		l = strconv.AppendInt(l, n, 10)
	}
	return l
}

// state appends what the group and the queue hold. A host has no memory, and a switch without an MMU none that is
// counted: the four fields are then empty.
func (t *traceWriter) state(l []byte, e *fabric.Event, queued bool) []byte {
	if !e.Where.Switch || t.sim.MMU(e.Where.Node) == nil {
		return append(l, ",,,,"...)
	}
	group := t.Network.Switches[e.Where.Node].Ports[e.Where.Port].Groups[e.Priority]
	// Cells of the port's minimum count as reserved, and those of the chip's global headroom as headroom.
	held := t.sim.MMU(e.Where.Node).Held(group)
	l = number(l, int64(held.Reserved+held.Port), true)
	l = number(l, int64(held.Shared), true)
	l = number(l, int64(held.Headroom+held.Global), true)
	port := e.Where.Port
	// A frame that begins to leave is reported at its egress port; other events
	// are reported at the port of arrival.
	if e.Kind != fabric.Departs {
		port = e.Out
	}
	if queued && port >= 0 {
		frames, _ := t.sim.Queue(e.Where.Node, port, e.Queue)
		return number(l, int64(frames), true)
	}
	return append(l, ',')
}

// finish ends the trace. The last line of a run that was cut says so.
func (t *traceWriter) finish(r *Result) error {
	if r.Cut {
		t.write(append(strconv.AppendInt(nil, int64(max(r.End, unit.Time(0))), 10), ",cut,,,,,,,,,,,,,\n"...))
	}
	return t.w.Flush()
}
