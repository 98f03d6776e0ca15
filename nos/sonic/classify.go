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
	"github.com/cellwarden/cellwarden/pg"
)

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

// schedule returns the name of the scheduler of a queue; empty: the queue keeps its
// scheduler. SONiC's strict queues send before those with weights, the higher first.
// (sonic-scheduler.yang; SAI, SAI_SCHEDULING_TYPE_STRICT and _DWRR.)
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
