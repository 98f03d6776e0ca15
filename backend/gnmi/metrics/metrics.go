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
	"io"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/internal/assessed"
	"github.com/cellwarden/cellwarden/internal/exposition"
)

// Collector has metrics by switch. It is safe for concurrent use. The metrics of a switch
// stay until Forget, because Prometheus expects a series to continue.
type Collector struct {
	pushes, refusals, seconds, drift, free *exposition.Family
	assessed                               assessed.Metrics
}

var _ prometheus.Collector = (*Collector)(nil)

// New returns a collector without counts.
func New() *Collector {
	family := func(kind exposition.Kind, name, help string, labels ...string) *exposition.Family {
		return &exposition.Family{Name: "cellwarden_" + name, Help: help, Kind: kind, Labels: labels}
	}
	c := &Collector{
		pushes: family(exposition.Counter, "pushes_total", "Pushes, by the state in which they left the switch.",
			"target", "state"),
		refusals: family(exposition.Counter, "refusals_total",
			"Pushes that the switch refused, by whether it had no cells for them.", "target", "no_cells"),
		seconds: family(exposition.Histogram, "push_duration_seconds",
			"How long a push took, reading back included.", "target"),
		drift: family(exposition.Gauge, "drift_registers",
			"Registers that were not as planned when the switch was last compared.", "target"),
		free: family(exposition.Gauge, "free_cells", "Cells of a slice of the chip that the plan gives to no port: the "+
			"shared part, and what no pool uses.", "target", "slice"),
		assessed: assessed.New(),
	}
	c.seconds.Bounds = prometheus.ExponentialBuckets(0.05, 2, 10)
	return c
}

// all lists the metrics.
func (c *Collector) all() []*exposition.Family {
	return append([]*exposition.Family{c.pushes, c.refusals, c.seconds, c.drift, c.free}, c.assessed.Families()...)
}

// desc describes a metric to Prometheus.
func desc(f *exposition.Family) *prometheus.Desc {
	return prometheus.NewDesc(f.Name, f.Help, f.Labels, nil)
}

// Describe sends the descriptions of the metrics, as a prometheus.Collector does.
func (c *Collector) Describe(to chan<- *prometheus.Desc) {
	for _, f := range c.all() {
		to <- desc(f)
	}
}

// Collect sends the present values, as a prometheus.Collector does.
func (c *Collector) Collect(to chan<- prometheus.Metric) {
	for _, f := range c.all() {
		for _, r := range f.Rows() {
			to <- metric(f, r)
		}
	}
}

// metric is a row as a metric of Prometheus.
func metric(f *exposition.Family, r exposition.Row) prometheus.Metric {
	switch f.Kind {
	case exposition.Histogram:
		buckets := map[float64]uint64{}
		for i, bound := range f.Bounds {
			buckets[bound] = r.Counts[i]
		}
		return prometheus.MustNewConstHistogram(desc(f), r.Count, r.Value, buckets, r.Labels...)
	case exposition.Counter:
		return prometheus.MustNewConstMetric(desc(f), prometheus.CounterValue, r.Value, r.Labels...)
	}
	return prometheus.MustNewConstMetric(desc(f), prometheus.GaugeValue, r.Value, r.Labels...)
}

// Pushed counts a push: the results of [backend.Converge], and how long it took.
func (c *Collector) Pushed(target string, r *backend.Report, err error, took time.Duration) {
	c.pushes.Add(1, target, string(r.State))
	c.seconds.Observe(took.Seconds(), target)
	if errors.Is(err, backend.ErrRefused) {
		c.refusals.Add(1, target, strconv.FormatBool(errors.Is(err, buffer.ErrNoFit)))
	}
}

// Compared sets the number of registers that differ from the plan.
func (c *Collector) Compared(target string, differences int) {
	c.drift.Set(float64(differences), target)
}

// Planned sets the cells that a plan leaves free, by slice.
func (c *Collector) Planned(target string, p *buffer.Plan) {
	for _, s := range p.Slices {
		c.free.Set(float64(s.Shared+s.Unused), target, strconv.Itoa(s.Index))
	}
}

// Assessed sets the metrics of an assessment of a switch, in place of those of the one before.
func (c *Collector) Assessed(target string, a diagnosis.Assessment) { c.assessed.Set(target, a) }

// Write writes the metrics in the text format of Prometheus, for the textfile collector of its node exporter.
func (c *Collector) Write(to io.Writer) error { return exposition.Write(to, c.all()...) }

// Forget deletes the metrics of a switch that is no longer managed.
func (c *Collector) Forget(target string) {
	for _, f := range c.all() {
		f.Forget(target)
	}
}
