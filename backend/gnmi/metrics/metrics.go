// Package metrics counts pushes to switches, drift, the cells that a plan leaves free, and
// what switches have used of their plans, for Prometheus. It is a package of its own, so
// that only a program that imports it builds the client library of Prometheus.
//
// A [Collector] receives every push, comparison, plan and assessment. A scrape sends nothing to a
// switch. Register it as any collector:
//
//	c := metrics.New()
//	registry.MustRegister(c)
//	begin := time.Now()
//	report, err := backend.Converge(ctx, device, layout, backend.Options{})
//	c.Pushed("leaf1", report, err, time.Since(begin))
package metrics

import (
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/internal/exposition"
)

// Collector has metrics by switch. It is safe for concurrent use. The metrics of a switch
// stay until Forget, because Prometheus expects a series to continue.
type Collector struct {
	pushes   *prometheus.CounterVec
	refusals *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	drift    *prometheus.GaugeVec
	free     *prometheus.GaugeVec
	watch    *watched
}

var _ prometheus.Collector = (*Collector)(nil)

// New returns a collector without counts.
func New() *Collector {
	return &Collector{
		pushes: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "cellwarden_pushes_total",
			Help: "Pushes, by the state in which they left the switch."}, []string{"target", "state"}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "cellwarden_refusals_total",
			Help: "Pushes that the switch refused, by whether it had no cells for them."}, []string{"target", "no_cells"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "cellwarden_push_duration_seconds",
			Help:    "How long a push took, reading back included.",
			Buckets: prometheus.ExponentialBuckets(0.05, 2, 10)}, []string{"target"}),
		drift: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "cellwarden_drift_registers",
			Help: "Registers that were not as planned when the switch was last compared."}, []string{"target"}),
		free: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "cellwarden_free_cells",
			Help: "Cells of a slice of the chip that the plan gives to no port: the shared part, and what no pool uses."},
			[]string{"target", "slice"}),
		watch: &watched{last: map[string]diagnosis.Assessment{}},
	}
}

// all lists the metrics.
func (c *Collector) all() []prometheus.Collector {
	return []prometheus.Collector{c.pushes, c.refusals, c.seconds, c.drift, c.free, c.watch}
}

// Describe sends the descriptions of the metrics, as a prometheus.Collector does.
func (c *Collector) Describe(to chan<- *prometheus.Desc) {
	for _, m := range c.all() {
		m.Describe(to)
	}
}

// Collect sends the present values, as a prometheus.Collector does.
func (c *Collector) Collect(to chan<- prometheus.Metric) {
	for _, m := range c.all() {
		m.Collect(to)
	}
}

// Pushed counts a push: the results of [backend.Converge], and how long it took.
func (c *Collector) Pushed(target string, r *backend.Report, err error, took time.Duration) {
	c.pushes.WithLabelValues(target, string(r.State)).Inc()
	c.seconds.WithLabelValues(target).Observe(took.Seconds())
	if errors.Is(err, backend.ErrRefused) {
		c.refusals.WithLabelValues(target, strconv.FormatBool(errors.Is(err, buffer.ErrNoFit))).Inc()
	}
}

// Compared sets the number of registers that differ from the plan.
func (c *Collector) Compared(target string, differences int) {
	c.drift.WithLabelValues(target).Set(float64(differences))
}

// Planned sets the cells that a plan leaves free, by slice.
func (c *Collector) Planned(target string, p *buffer.Plan) {
	for _, s := range p.Slices {
		c.free.WithLabelValues(target, strconv.Itoa(s.Index)).Set(float64(s.Shared + s.Unused))
	}
}

// Forget deletes the metrics of a switch that is no longer managed.
func (c *Collector) Forget(target string) {
	of := prometheus.Labels{"target": target}
	c.pushes.DeletePartialMatch(of)
	c.refusals.DeletePartialMatch(of)
	c.seconds.DeletePartialMatch(of)
	c.drift.DeletePartialMatch(of)
	c.free.DeletePartialMatch(of)
	c.watch.set(target, nil)
}

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
