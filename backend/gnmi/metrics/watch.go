package metrics

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/internal/exposition"
)

// watched collects the metrics of assessments: of the last one of each switch.
type watched struct {
	mu   sync.Mutex
	last map[string]diagnosis.Assessment
}

// Describe sends the descriptions of the metrics.
func (w *watched) Describe(to chan<- *prometheus.Desc) {
	for _, g := range exposition.Assessed(nil) {
		to <- prometheus.NewDesc(g.Name, g.Help, g.Labels, nil)
	}
}

// Collect sends the present values.
func (w *watched) Collect(to chan<- prometheus.Metric) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, g := range exposition.Assessed(w.last) {
		desc := prometheus.NewDesc(g.Name, g.Help, g.Labels, nil)
		for _, s := range g.Series {
			to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, s.Value, s.Labels...)
		}
	}
}

// set takes the assessment of a switch, in place of the one before; nil: there is none.
func (w *watched) set(target string, a *diagnosis.Assessment) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if delete(w.last, target); a != nil {
		w.last[target] = *a
	}
}

// Assessed sets the metrics of an assessment of a switch, in place of those of the one before.
func (c *Collector) Assessed(target string, a diagnosis.Assessment) { c.watch.set(target, &a) }
