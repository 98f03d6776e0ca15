// Package assessed has the metrics of assessments: of the headroom, the loss and the pauses of each lossless group of
// switches. A number that is not known has no row, which is not zero.
package assessed

import (
	"strconv"

	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/internal/exposition"
	"github.com/cellwarden/cellwarden/unit"
)

// Metrics are those of the last assessment of each switch.
type Metrics struct {
	granted, used, drops, sent, received, findings *exposition.Family
}

// New returns metrics without numbers.
func New() Metrics {
	gauge := func(name, help string, labels ...string) *exposition.Family {
		if len(labels) == 0 {
			labels = []string{"target", "port", "group", "class"}
		}
		return &exposition.Family{Name: "cellwarden_" + name, Help: help, Kind: exposition.Gauge, Labels: labels}
	}
	return Metrics{
		granted: gauge("headroom_granted_bytes", "Headroom that the plan gives a lossless group."),
		used: gauge("headroom_watermark_bytes",
			"The most headroom that a group has held since its watermark was cleared."),
		drops: gauge("group_dropped_packets",
			"Packets that a lossless group has dropped in the last interval, or since its counter was cleared."),
		sent: gauge("pause_sent_frames",
			"PFC frames of the group's priority sent in the last interval, or since the counter was cleared."),
		received: gauge("pause_received_frames",
			"PFC frames of the group's priority received in the last interval, or since the counter was cleared."),
		findings: gauge("findings", "Findings of the last assessment, by their kind.", "target", "kind"),
	}
}

// Families lists the metrics.
func (m Metrics) Families() []*exposition.Family {
	return []*exposition.Family{m.granted, m.used, m.drops, m.sent, m.received, m.findings}
}

// Set sets the metrics of an assessment of a switch, in place of those of the one before.
func (m Metrics) Set(target string, a diagnosis.Assessment) {
	m.Forget(target)
	for _, u := range a.Uses {
		labels := []string{target, u.Port, strconv.Itoa(u.Group), u.Class}
		m.granted.Set(float64(u.Grant.Headroom), labels...)
		known(m.used, u.Headroom, labels)
		known(m.drops, u.Drops, labels)
		known(m.sent, u.PauseSent, labels)
		known(m.received, u.PauseReceived, labels)
	}
	for _, code := range diagnosis.Codes().All() {
		m.findings.Set(0, target, string(code.Code))
	}
	for _, f := range a.Findings {
		m.findings.Add(1, target, string(f.Code))
	}
}

// known sets a number that is known.
func known[T ~int64](f *exposition.Family, v unit.Optional[T], labels []string) {
	if n, is := v.Get(); is {
		f.Set(float64(n), labels...)
	}
}

// Forget deletes the metrics of a switch.
func (m Metrics) Forget(target string) {
	for _, f := range m.Families() {
		f.Forget(target)
	}
}
