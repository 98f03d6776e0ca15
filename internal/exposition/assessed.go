package exposition

import (
	"strconv"

	dto "github.com/prometheus/client_model/go"

	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/unit"
)

// Assessed are the metrics of the last assessments, by switch. A number that is not known has no series, which is not
// zero.
func Assessed(last map[string]diagnosis.Assessment) []*Family {
	group := []string{"class", "group", "port", "target"}
	gauge := func(name, help string, labels ...string) *Family {
		return New(dto.MetricType_GAUGE, name, help, labels...)
	}
	findings := gauge("cellwarden_findings", "Findings of the last assessment, by their kind.", "kind", "target")
	drops := gauge("cellwarden_group_dropped_packets",
		"Packets that a lossless group has dropped in the last interval, or since its counter was cleared.", group...)
	granted := gauge("cellwarden_headroom_granted_bytes", "Headroom that the plan gives a lossless group.", group...)
	used := gauge("cellwarden_headroom_watermark_bytes",
		"The most headroom that a group has held since its watermark was cleared.", group...)
	received := gauge("cellwarden_pause_received_frames",
		"PFC frames of the group's priority received in the last interval, or since the counter was cleared.", group...)
	sent := gauge("cellwarden_pause_sent_frames",
		"PFC frames of the group's priority sent in the last interval, or since the counter was cleared.", group...)
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
			of := []string{u.Grant.Class, strconv.Itoa(u.Group), u.Port, target}
			known(drops, u.Drops, of...)
			known(granted, unit.Given(u.Grant.Headroom), of...)
			known(used, u.Headroom, of...)
			known(received, u.PauseReceived, of...)
			known(sent, u.PauseSent, of...)
		}
	}
	return []*Family{findings, drops, granted, used, received, sent}
}

// known adds a value to a metric, if it is known.
func known[N unit.Bytes | int64](g *Family, value unit.Optional[N], labels ...string) {
	if v, is := value.Get(); is {
		g.Add(float64(v), labels...)
	}
}
