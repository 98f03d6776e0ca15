package metrics

import (
	"fmt"
	"io"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"github.com/cellwarden/cellwarden/diagnosis"
)

// watchMetrics are those of assessments. A number that is not known has no series, which is not zero.
type watchMetrics struct {
	granted, used, drops, sent, received, findings *prometheus.GaugeVec
}

func newWatchMetrics() watchMetrics {
	group := []string{"target", "port", "group", "class"}
	gauge := func(name, help string, labels []string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	}
	return watchMetrics{
		granted: gauge("cellwarden_headroom_granted_bytes", "Headroom that the plan gives a lossless group.", group),
		used: gauge("cellwarden_headroom_watermark_bytes",
			"The most headroom that a group has held since its watermark was cleared.", group),
		drops: gauge("cellwarden_group_dropped_packets",
			"Packets that a lossless group has dropped in the last interval, or since its counter was cleared.", group),
		sent: gauge("cellwarden_pause_sent_frames",
			"PFC frames of the group's priority sent in the last interval, or since the counter was cleared.", group),
		received: gauge("cellwarden_pause_received_frames",
			"PFC frames of the group's priority received in the last interval, or since the counter was cleared.", group),
		findings: gauge("cellwarden_findings", "Findings of the last assessment, by their kind.", []string{"target", "kind"}),
	}
}

func (w watchMetrics) vectors() []*prometheus.GaugeVec {
	return []*prometheus.GaugeVec{w.granted, w.used, w.drops, w.sent, w.received, w.findings}
}

func (w watchMetrics) all() (out []prometheus.Collector) {
	for _, v := range w.vectors() {
		out = append(out, v)
	}
	return out
}

func (w watchMetrics) forget(of prometheus.Labels) {
	for _, v := range w.vectors() {
		v.DeletePartialMatch(of)
	}
}

// Assessed sets the metrics of an assessment of a switch, in place of those of the one before.
func (c *Collector) Assessed(target string, a diagnosis.Assessment) {
	w := c.watch
	w.forget(prometheus.Labels{"target": target})
	for _, u := range a.Uses {
		labels := []string{target, u.Port, strconv.Itoa(u.Group), u.Class}
		w.granted.WithLabelValues(labels...).Set(float64(u.Grant.Headroom))
		if v, known := u.Headroom.Get(); known {
			w.used.WithLabelValues(labels...).Set(float64(v))
		}
		if v, known := u.Drops.Get(); known {
			w.drops.WithLabelValues(labels...).Set(float64(v))
		}
		if v, known := u.PauseSent.Get(); known {
			w.sent.WithLabelValues(labels...).Set(float64(v))
		}
		if v, known := u.PauseReceived.Get(); known {
			w.received.WithLabelValues(labels...).Set(float64(v))
		}
	}
	for _, m := range diagnosis.Codes().All() {
		w.findings.WithLabelValues(target, string(m.Code)).Set(0)
	}
	for _, f := range a.Findings {
		w.findings.WithLabelValues(target, string(f.Code)).Inc()
	}
}

// Write writes the metrics in the text format of Prometheus, for the textfile collector of its node exporter.
func (c *Collector) Write(to io.Writer) error {
	registry := prometheus.NewRegistry()
	if err := registry.Register(c); err != nil {
		return err
	}
	families, err := registry.Gather()
	if err != nil {
		return err
	}
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(to, f); err != nil {
			return fmt.Errorf("writing metrics: %w", err)
		}
	}
	return nil
}
