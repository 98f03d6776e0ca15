package sonic

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/internal/rendering"
	"github.com/cellwarden/cellwarden/pg"
)

// egressLossless is the profile that SONiC's templates give lossless queues. Of the 599 templates that were rendered
// (sonic-buildimage 086b03bd), most Broadcom ones give it a static threshold as large as its pool, the NVIDIA ones an
// alpha of 2^7, so that packets are not dropped at a lossless queue. The numbers are the switch's: a plan has none of
// them.
const egressLossless = "egress_lossless_profile"

// egressLossy are the profiles of the other queues, in the order in which they
// are looked for: NVIDIA's templates have the first, all have the second.
var egressLossy = []string{"q_lossy_profile", "egress_lossy_profile"}

// queues writes the marking and the schedule of a port's queues and, as far as the switch's own profiles are known,
// their minima. Queue n serves priority n, as in SONiC's own templates.
func (w *writer) queues(p *nos.Port) {
	lossless := p.Lossless()
	for n, q := range p.Queues {
		now := w.current("QUEUE", p.Name, n)
		if q = w.stated(n, q); q.Marks() {
			w.bind("QUEUE", p.Name, n, Entry{"wred_profile": w.marking(q, now["wred_profile"])})
		}
		if name := w.schedule(q, now["scheduler"]); name != "" {
			w.bind("QUEUE", p.Name, n, Entry{"scheduler": name})
		}
		buffered := w.current("BUFFER_QUEUE", p.Name, n)["profile"]
		if name, done := w.trimProfile(n, q, buffered); done {
			if name != "" {
				w.bind("BUFFER_QUEUE", p.Name, n, Entry{"profile": name})
			}
			continue
		}
		if w.asStated(n, q, buffered) {
			continue
		}
		if name := w.egress(q, slices.Contains(lossless, n), buffered); name != "" {
			w.bind("BUFFER_QUEUE", p.Name, n, Entry{"profile": name})
		}
	}
}

// stated returns a queue with the bytes of the topology in place of those of whole cells, where these are what the chip
// makes of them: the switch rounds by itself.
func (w *writer) stated(n int, q nos.Queue) nos.Queue {
	class, chip := w.plan.Class(n), &w.plan.Intent.Chip
	if class == nil {
		return q
	}
	if chip.MarkingGranted(class.ECN.KMin) == q.KMin && chip.MarkingGranted(class.ECN.KMax) == q.KMax {
		q.KMin, q.KMax = class.ECN.KMin, class.ECN.KMax
	}
	if chip.ReservedGranted(class.QueueReserved) == q.Reserved {
		q.Reserved = class.QueueReserved
	}
	return q
}

// asStated tells whether the profile that the operator gave a queue has the minimum of the plan, in the pool that the
// topology has for it: a lossy queue may be in the pool of the lossless ones.
func (w *writer) asStated(n int, q nos.Queue, now string) bool {
	class, profile := w.plan.Class(n), w.now["BUFFER_PROFILE"][now]
	return class != nil && !class.Lossless && class.Egress.Pool != "" && profile != nil && !isOwn(now) &&
		profile["pool"] == class.Egress.Pool && profile["size"] == number(q.Reserved)
}

// egress is the name of a queue's profile; empty: the queue keeps its profile. A lossless queue gets the switch's
// lossless profile. A queue with a minimum gets one that differs from the switch's in its size alone.
func (w *writer) egress(q nos.Queue, lossless bool, now string) string {
	names := egressLossy
	if lossless {
		names = []string{egressLossless}
	}
	model := ""
	for _, name := range slices.Backward(names) {
		if w.now["BUFFER_PROFILE"][name] != nil {
			model = name
		}
	}
	switch {
	case w.now["DEVICE_METADATA"]["localhost"]["switch_type"] == "voq":
		w.minima = "BUFFER_QUEUE has other keys on a chassis with virtual output queues; they are not written"
		return ""
	case model == "" && w.now == nil:
		w.minima = "BUFFER_QUEUE needs a profile with an egress pool and threshold, which a plan does not have; they come " +
			"from the switch's configuration, which is unknown (cellwarden render --current)"
		return ""
	case model == "":
		w.minima = fmt.Sprintf("BUFFER_QUEUE needs a profile with an egress pool and threshold; neither the plan nor the "+
			"switch has one: no profile %v", names)
		return ""
	case q.Reserved == 0 && (isOwn(now) || lossless && (now == "" || slices.Contains(egressLossy, now))):
		return model // a profile that the operator has chosen stays
	case q.Reserved == 0:
		return ""
	}
	fields := Entry{"size": number(q.Reserved)}
	for _, name := range []string{"pool", "dynamic_th", "static_th", discardAction} {
		if v, there := w.now["BUFFER_PROFILE"][model][name]; there {
			fields[name] = v
		}
	}
	sort := "LOSSY_"
	if lossless {
		sort = "LOSSLESS_"
	}
	return w.reuse("BUFFER_PROFILE", ownQueue+sort+contentName(fields), fields, now)
}

// marking returns the name of the profile that marks as the queue does, first of all the one that the queue has now.
// All colours of packets are marked alike, unless the profile that the queue has marks green packets as the plan does:
// what it does with the other colours, and whether it drops packets without ECN, is not the plan's.
func (w *writer) marking(q nos.Queue, now string) string {
	percent, exact := rendering.WholePercent(q.PMax)
	w.rounded = w.rounded || !exact
	fields := Entry{"ecn": "ecn_all"}
	if green := (Entry{"ecn": "ecn_all", "green_min_threshold": number(q.KMin), "green_max_threshold": number(q.KMax),
		"green_drop_probability": strconv.FormatInt(percent, 10)}); !isOwn(now) && w.now["WRED_PROFILE"][now].holds(green) {
		return w.reuse("WRED_PROFILE", now, green, now)
	}
	for _, colour := range []string{"green", "yellow", "red"} {
		maps.Copy(fields, Entry{"wred_" + colour + "_enable": "true", colour + "_min_threshold": number(q.KMin),
			colour + "_max_threshold": number(q.KMax), colour + "_drop_probability": strconv.FormatInt(percent, 10)})
	}
	// a name has at most 32 characters (sonic-wred-profile.yang)
	own := fmt.Sprintf("%s%d_%d_%d", ownMarking, q.KMin, q.KMax, percent)
	return w.reuse("WRED_PROFILE", own, fields, now)
}

// bind gives a queue a profile, in an entry of its own.
func (w *writer) bind(table, port string, n int, fields Entry) {
	w.db.Set(table, port+"|"+strconv.Itoa(n), fields)
}

// current is the switch's entry that covers a queue.
func (w *writer) current(table, port string, n int) Entry {
	if w.keys[table] == nil {
		w.keys[table] = w.now[table].byPort()
	}
	for _, key := range w.keys[table][port] {
		if s, _ := scopeOf(key); s.which>>n&1 == 1 {
			return w.now[table][key]
		}
	}
	return nil
}

// regroup merges entries of single queues into the entries that the switch has. Where one of its entries covers several
// queues that are all to have the same content, its key is kept. overlaps reports what still overlaps then.
func (w *writer) regroup(table string) {
	want := w.db[table]
	for _, key := range slices.Sorted(maps.Keys(w.now[table])) {
		s, ok := scopeOf(key)
		if !ok || len(s.ports) != 1 || want[key] != nil {
			continue
		}
		first, all := Entry(nil), true
		for n := range mostQueues {
			if s.which>>n&1 == 0 {
				continue
			}
			one := want[s.ports[0]+"|"+strconv.Itoa(n)]
			all = all && one != nil && (first == nil || maps.Equal(first, one))
			first = one
		}
		if !all || first == nil {
			continue
		}
		for n := range mostQueues {
			if s.which>>n&1 == 1 {
				delete(want, s.ports[0]+"|"+strconv.Itoa(n))
			}
		}
		want[key] = first
	}
}

// codePoints returns the name of the map from DSCPs to traffic classes of a port;
// empty: the plan has none for it. A traffic class is a priority here.
//
// A DSCP that the plan does not name keeps the class that the port's current map gives
// it, unless the plan names the DSCPs of that class: then these are all of them.
func (w *writer) codePoints(p *nos.Port) string {
	if p.DSCP == (pg.DSCPMap{}) {
		return ""
	}
	fields := Entry{}
	now := w.now["PORT_QOS_MAP"][p.Name]["dscp_to_tc_map"]
	for dscp, class := range w.now["DSCP_TO_TC_MAP"][now] {
		if n, err := strconv.Atoi(class); err != nil || n < 0 || n >= len(p.DSCP) || p.DSCP[n] == 0 {
			fields[dscp] = class
		}
	}
	for n, points := range p.DSCP {
		for _, dscp := range points.List() {
			fields[strconv.Itoa(dscp)] = strconv.Itoa(n)
		}
	}
	var content strings.Builder
	for _, dscp := range slices.Sorted(maps.Keys(fields)) {
		fmt.Fprintf(&content, "%s %s\n", dscp, fields[dscp])
	}
	sum := sha256.Sum256([]byte(content.String()))
	return w.reuse("DSCP_TO_TC_MAP", fmt.Sprintf("%s%x", ownDSCP, sum[:6]), fields, now)
}

// schedule returns the name of the scheduler of a queue; empty: the queue keeps its scheduler. SONiC's strict queues
// send before those with weights, the higher first. (sonic-scheduler.yang; SAI, SAI_SCHEDULING_TYPE_STRICT and _DWRR.)
func (w *writer) schedule(q nos.Queue, now string) string {
	switch {
	case q.Weight == buffer.Strict:
		return w.reuse("SCHEDULER", ownScheduler+"STRICT", Entry{"type": "STRICT"}, now)
	case q.Weight > 0:
		weight := strconv.Itoa(q.Weight)
		return w.reuse("SCHEDULER", ownScheduler+"DWRR_"+weight, Entry{"type": "DWRR", "weight": weight}, now)
	}
	return ""
}
