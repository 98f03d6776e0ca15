package sonic

import (
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/configdb"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/nos"
)

// Packet trimming: SWITCH_TRIMMING has the length, the DSCP and the queue of what is left of packets, and a profile of
// BUFFER_PROFILE says whether queues with it trim (sonic-trimming.yang, sonic-buffer-profile.yang; SONiC,
// doc/packet_trimming).
const trimmings, allPorts = "SWITCH_TRIMMING", "GLOBAL"

// trimming writes the settings of the whole switch, if queues of the plan trim.
func (w *writer) trimming() {
	if t := w.plan.Intent.Trimming; len(w.plan.Intent.Trims()) > 0 && w.untrimmed == "" {
		w.db.Set(trimmings, allPorts, Entry{"size": number(t.Size), "dscp_value": strconv.Itoa(t.DSCP),
			"queue_index": strconv.Itoa(t.Queue)})
	}
}

// trimProfile gives a queue the profile with which it does what the plan says of trimming. It returns false for a queue
// that does not trim and shall not, and if the plan says nothing of trimming. The queue for what is left of packets
// gets a profile if it has none. The profile is the one that the queue has, with the action of the plan and its
// minimum; else the switch's own for lossy queues.
func (w *writer) trimProfile(n int, q nos.Queue, now string) (name string, done bool) {
	class, plan := w.plan.Class(n), &w.plan.Intent
	trims := trims(w.now["BUFFER_PROFILE"][now])
	bare := n == plan.Trimming.Queue && now == "" // the queue for what is left has to have a profile
	switch {
	case class == nil || len(plan.Trims()) == 0 || !class.Trim && !trims && !bare:
		return "", false
	case w.now["DEVICE_METADATA"]["localhost"]["switch_type"] == "voq":
		w.untrimmed = "BUFFER_QUEUE has other keys on a chassis with virtual output queues"
		return "", true
	}
	base := w.now["BUFFER_PROFILE"][now]
	for _, model := range egressLossy {
		if base == nil {
			base = w.now["BUFFER_PROFILE"][model]
		}
	}
	if base == nil {
		w.untrimmed = "BUFFER_QUEUE needs a profile with an egress pool and threshold, which come from the switch's " +
			"configuration (cellwarden render --current): it is unknown, or has none for these queues"
		return "", true
	}
	fields := Entry{}
	if class.Trim || trims {
		fields[discardAction] = map[bool]string{true: "trim", false: "drop"}[class.Trim]
	}
	for _, field := range []string{"pool", "size", "dynamic_th", "static_th"} {
		if v, there := base[field]; there {
			fields[field] = v
		}
	}
	if q.Reserved > 0 {
		fields["size"] = number(q.Reserved)
	}
	return w.reuse("BUFFER_PROFILE", ownQueue+"LOSSY_"+contentName(fields), fields, now), true
}

// omitTrimming says why trimming is not written.
func (w *writer) omitTrimming() []nos.Omission {
	if w.untrimmed == "" {
		return nil
	}
	return []nos.Omission{{What: "packet trimming (" + strings.Join(w.plan.Intent.Trims(), ", ") + ")", Why: w.untrimmed}}
}

// withoutTrimming is the plan without trimming: what is not written of it the writer says itself.
func withoutTrimming(p nos.Plan) nos.Plan {
	p.Intent.Trimming, p.Intent.Classes = buffer.Trimming{}, append([]buffer.Class(nil), p.Intent.Classes...)
	for i := range p.Intent.Classes {
		p.Intent.Classes[i].Trim = false
	}
	return p
}

// trimming reads SWITCH_TRIMMING.
func (r *reading) trimming() {
	for _, e := range r.db.Table(trimmings).All() {
		object := trimmings + "|" + e.Key
		if e.Key != allPorts {
			r.FindAt("value-refused", e.At, object, "the name is %s: want %s", fielderr.Quote(e.Key), allPorts)
			continue
		}
		t := unnamed.New(&r.sw.Trimming)
		t.At, t.Object = e.At, object
		t.Size, t.Class = r.within(e, object, "size", most32), r.within(e, object, "tc_value", 255)
		t.DSCP, t.FromClass = r.withinOr(e, object, "dscp_value", 63, "from-tc")
		t.Queue, t.Dynamic = r.withinOr(e, object, "queue_index", 255, "dynamic")
		for _, name := range []string{"size", "dscp_value", "queue_index", "tc_value"} {
			if e.Field(name) == nil && (name != "tc_value" || t.FromClass) {
				t.Lacks = append(t.Lacks, name)
			}
		}
	}
}

// within reads a number that the model bounds (sonic-trimming.yang).
func (r *reading) within(e *configdb.Entry, object, name string, most int64) audit.Number {
	n := r.number(e, object, name)
	if n.Given && (n.Value < 0 || n.Value > most) {
		r.FindAt("value-refused", n.At, object, "%s is %d: want 0 to %d", name, n.Value, most)
		return audit.Number{}
	}
	return n
}

// withinOr is within for a field that may have a text in place of the number.
func (r *reading) withinOr(e *configdb.Entry, object, name string, most int64, text string) (audit.Number, bool) {
	if v, _ := e.Text(name); v == text {
		return audit.Number{}, true
	}
	return r.within(e, object, name, most), false
}
