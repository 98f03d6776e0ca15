package exposition

import (
	"strconv"

	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/unit"
)

// Gauge is a metric of assessments.
type Gauge struct {
	Name, Help string
	Labels     []string // sorted
	Series     []Series
}

// Series is a value of a Gauge, with the values of its labels.
type Series struct {
	Labels []string
	Value  float64
}

// Assessed are the metrics of the last assessments, by switch. A number that is not known has no series, which is not
// zero.
func Assessed(last map[string]diagnosis.Assessment) []*Gauge {
	group := []string{"class", "group", "port", "target"}
	findings := &Gauge{Name: "cellwarden_findings", Help: "Findings of the last assessment, by their kind.",
		Labels: []string{"kind", "target"}}
	drops := &Gauge{Name: "cellwarden_group_dropped_packets", Labels: group,
		Help: "Packets that a lossless group has dropped in the last interval, or since its counter was cleared."}
	granted := &Gauge{Name: "cellwarden_headroom_granted_bytes", Labels: group,
		Help: "Headroom that the plan gives a lossless group."}
	used := &Gauge{Name: "cellwarden_headroom_watermark_bytes", Labels: group,
		Help: "The most headroom that a group has held since its watermark was cleared."}
	received := &Gauge{Name: "cellwarden_pause_received_frames", Labels: group,
		Help: "PFC frames of the group's priority received in the last interval, or since the counter was cleared."}
	sent := &Gauge{Name: "cellwarden_pause_sent_frames", Labels: group,
		Help: "PFC frames of the group's priority sent in the last interval, or since the counter was cleared."}
	for target, a := range last {
		kinds := map[string]int64{}
		for _, m := range diagnosis.Codes().All() {
			kinds[string(m.Code)] = 0
		}
		for _, f := range a.Findings {
			kinds[string(f.Code)]++
		}
		for kind, n := range kinds {
			known(findings, unit.Given(n), kind, target)
		}
		for _, u := range a.Uses {
			of := []string{u.Class, strconv.Itoa(u.Group), u.Port, target}
			known(drops, u.Drops, of...)
			known(granted, unit.Given(u.Grant.Headroom), of...)
			known(used, u.Headroom, of...)
			known(received, u.PauseReceived, of...)
			known(sent, u.PauseSent, of...)
		}
	}
	return []*Gauge{findings, drops, granted, used, received, sent}
}

// known adds a value to a metric, if it is known.
func known[N unit.Bytes | int64](g *Gauge, value unit.Optional[N], labels ...string) {
	if v, is := value.Get(); is {
		g.Series = append(g.Series, Series{labels, float64(v)})
	}
}
