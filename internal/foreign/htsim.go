package foreign

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/unit"
)

// htsim reads a connection matrix: a header with the numbers of nodes, connections and triggers, then connections and
// triggers in any order. A connection starts at a time in picoseconds, or at a trigger. A trigger is activated by
// connections that are done: at their sender (send_done_trigger), when the last byte is acknowledged, or at their
// receiver (recv_done_trigger).
func (r *reader) htsim(data []byte) {
	r.list.Format = Htsim
	m := matrix{reader: r, stated: map[string]int64{}, triggers: map[int64]*trigger{}, ids: map[int64]int{}}
	body := false
	n := 0
	for text := range strings.SplitSeq(string(data), "\n") {
		n++
		f := strings.Fields(text)
		if len(f) == 0 || !body && strings.HasPrefix(f[0], "#") {
			continue
		}
		switch {
		case strings.Contains(f[0], "->"):
			body = true
			m.connection(n, f)
		case f[0] == "trigger":
			body = true
			m.trigger(n, f)
		case f[0] == "failure":
			body = true
			r.failf(n, "failure: want none; write failures in the scenario")
		case !body && slices.Contains(headers, f[0]):
			m.header(n, f)
		default:
			r.failf(n, "%q: want Nodes, Connections and Triggers, then SRC->DST and trigger", shorten(f[0]))
		}
		if len(r.list.Flows) > MaxFlows {
			r.failf(n, "more than %[1]d connections (want at most %[1]d)", MaxFlows)
			return
		}
	}
	m.finish(n)
}

// headers are the words of the header.
var headers = []string{"Nodes", "Connections", "Triggers", "Failures"}

// matrix is the state of reading a connection matrix.
type matrix struct {
	*reader
	stated   map[string]int64 // numbers of the header
	triggers map[int64]*trigger
	defined  int           // triggers with a line of their own
	ids      map[int64]int // flow of each id
}

// trigger is what happens when connections are done.
type trigger struct {
	line         int    // where it is defined; 0: nowhere yet
	used         int    // first line that names it
	kind         string // oneshot, multishot or barrier
	count        int64  // of a barrier
	by           []int  // flows that activate it
	acknowledged []bool // for each of these: when it is acknowledged, not when it has arrived
	starts       []int  // flows that it starts
}

// at returns a trigger by its number.
func (m *matrix) at(line int, id int64) *trigger {
	t := m.triggers[id]
	if t == nil {
		t = &trigger{used: line}
		m.triggers[id] = t
	}
	return t
}

// header reads a line of the header.
func (m *matrix) header(line int, f []string) {
	if _, twice := m.stated[f[0]]; twice || len(f) != 2 {
		m.failf(line, "%s: want one line %s NUMBER", f[0], f[0])
		return
	}
	m.stated[f[0]] = m.number(line, f[0], f[1], 0, 1<<31)
	if f[0] == "Nodes" {
		m.list.Nodes = int(m.stated[f[0]])
	}
}

// connection reads a connection.
func (m *matrix) connection(line int, f []string) {
	from, to, _ := strings.Cut(f[0], "->")
	flow := Flow{Line: line, Priority: -1, From: int(m.number(line, "source", from, 0, 1<<31)),
		To: int(m.number(line, "destination", to, 0, 1<<31))}
	i := len(m.list.Flows)
	var id, start, size, trigger bool
	for k := 1; k < len(f); k += 2 {
		key, value := f[k], ""
		if k+1 < len(f) {
			value = f[k+1]
		}
		switch key {
		case "start":
			at, ok := scaled(value, 0)
			if start = true; !ok {
				m.failf(line, "start %q: want a whole number of picoseconds below 10^17", shorten(value))
			}
			flow.Start = unit.Time(at)
		case "size":
			size = true
			flow.Size = unit.Bytes(m.number(line, "size", value, 0, 1<<31-1))
		case "id":
			n := m.number(line, "id", value, 1, 1<<32-1)
			if _, twice := m.ids[n]; twice {
				m.failf(line, "id %d: want an id that no other connection has", n)
			}
			id, m.ids[n] = true, i
		case "trigger":
			trigger = true
			t := m.at(line, m.number(line, key, value, 1, 1<<32-1))
			t.starts = append(t.starts, i)
		case "send_done_trigger", "recv_done_trigger":
			t := m.at(line, m.number(line, key, value, 1, 1<<32-1))
			t.by, t.acknowledged = append(t.by, i), append(t.acknowledged, key == "send_done_trigger")
		default:
			m.failf(line, "%q: want id, start, trigger, size, send_done_trigger, recv_done_trigger", shorten(key))
		}
	}
	switch {
	case !size:
		m.failf(line, "no size: want size BYTES; 0 is without end")
	case start == trigger:
		m.failf(line, "want start or trigger, one of them")
	case trigger && !id:
		m.failf(line, "no id: want an id for a connection with a trigger")
	}
	m.add(flow)
}

// trigger reads the definition of a trigger.
func (m *matrix) trigger(line int, f []string) {
	m.defined++
	var d trigger
	id := int64(0)
	for k := 1; k < len(f); k++ {
		value := ""
		if k+1 < len(f) {
			value = f[k+1]
		}
		switch f[k] {
		case "id":
			id = m.number(line, "id", value, 1, 1<<32-1)
			k++
		case "count":
			d.count = m.number(line, "count", value, 1, 1<<31)
			k++
		case "oneshot", "multishot", "barrier":
			if d.kind != "" {
				m.failf(line, "%s beside %s: want one of them", f[k], d.kind)
			}
			d.kind = f[k]
		default:
			m.failf(line, "%q: want id, count, oneshot, multishot, barrier", shorten(f[k]))
		}
	}
	if id == 0 || d.kind == "" {
		m.failf(line, "want trigger id NUMBER and oneshot, multishot or barrier")
		return
	}
	t := m.at(line, id)
	if t.line > 0 {
		m.failf(line, "trigger %d: want one definition; line %d has it", id, t.line)
	}
	t.line, t.kind, t.count = line, d.kind, d.count
}

// finish compares the numbers of the header with the lines, and makes the connections wait for those that trigger them.
func (m *matrix) finish(last int) {
	for k, found := range []int{len(m.list.Flows), m.defined} {
		if what := []string{"Connections", "Triggers"}[k]; m.stated[what] != int64(found) {
			m.failf(last, "%s %d, and %d lines: want the same number", what, m.stated[what], found)
		}
	}
	if _, ok := m.stated["Nodes"]; !ok {
		m.failf(last, "no Nodes: want a header with Nodes NUMBER")
	}
	for i := range m.list.Flows {
		f := &m.list.Flows[i]
		if n := m.stated["Nodes"]; int64(max(f.From, f.To)) >= n {
			m.failf(f.Line, "%d->%d: want nodes 0 to %d", f.From, f.To, n-1)
		}
	}
	list := make([]*trigger, 0, len(m.triggers))
	for _, t := range m.triggers {
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b *trigger) int {
		return cmp.Or(cmp.Compare(a.used, b.used), cmp.Compare(a.line, b.line))
	})
	for _, t := range list {
		m.bind(t)
	}
}

// bind makes the connections that a trigger starts wait for those that activate it. What htsim would stop at, or never
// start, is refused.
func (m *matrix) bind(t *trigger) {
	n := len(t.by)
	switch {
	case t.line == 0:
		m.failf(t.used, "the trigger has no definition: want a line trigger id NUMBER and its kind")
		return
	case len(t.starts) == 0:
		return
	case n == 0:
		m.failf(t.line, "no connection activates the trigger: want a send_done_trigger or recv_done_trigger")
		return
	case t.kind == "oneshot" && n > 1:
		m.failf(t.line, "%d connections activate a oneshot: want one; htsim stops at the second", n)
		return
	case t.kind == "barrier" && t.count != int64(n):
		m.failf(t.line, "a barrier of count %d and %d connections that activate it: want as many", t.count, n)
		return
	case t.kind == "multishot" && len(t.starts) > n:
		m.failf(t.line, "a multishot starts %d connections and is activated %d times: want as often or more",
			len(t.starts), n)
		return
	case slices.Contains(t.acknowledged, true) && slices.Contains(t.acknowledged, false):
		m.failf(t.line, "send_done_trigger and recv_done_trigger activate one trigger: want one kind of them")
		return
	}
	for _, i := range t.by {
		if m.list.Flows[i].Size == 0 {
			m.failf(m.list.Flows[i].Line, "a connection without end activates a trigger: want a size of 1 or more")
			return
		}
	}
	for _, i := range t.starts {
		f := &m.list.Flows[i]
		f.After, f.Acknowledged, f.InTurn = t.by, t.acknowledged[0], t.kind == "multishot"
	}
}
