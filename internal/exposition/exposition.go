// Package exposition makes metrics for Prometheus at each request: what switches have used of their plans, and the text
// of any metrics. It imports the types and the writer of Prometheus' format. The client library with its registry would
// make the start of every command slower; backend/gnmi/metrics is a collector for that library.
package exposition

import (
	"fmt"
	"io"
	"slices"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

// Family is a family of metrics: gauges, counters or histograms.
type Family struct {
	Kind       dto.MetricType
	Name, Help string
	Labels     []string // sorted
	Series     []Series
}

// Series is a value of a family, with the values of its labels.
type Series struct {
	Labels    []string
	Value     float64
	Histogram *dto.Histogram // in place of the value
}

// New returns a family without series. Its labels are sorted.
func New(kind dto.MetricType, name, help string, labels ...string) *Family {
	return &Family{kind, name, help, labels, nil}
}

// Add adds a value, with those of its labels.
func (f *Family) Add(value float64, labels ...string) {
	f.Series = append(f.Series, Series{Labels: labels, Value: value})
}

// Write writes the families that have series in the text format of Prometheus. The series of a family are ordered by
// the values of their labels, as Prometheus' client library orders them.
func Write(w io.Writer, families ...*Family) error {
	for _, f := range families {
		if len(f.Series) == 0 {
			continue
		}
		slices.SortFunc(f.Series, func(a, b Series) int { return slices.Compare(a.Labels, b.Labels) })
		out := &dto.MetricFamily{Name: &f.Name, Help: &f.Help, Type: &f.Kind}
		for _, s := range f.Series {
			m := &dto.Metric{Histogram: s.Histogram}
			switch f.Kind {
			case dto.MetricType_GAUGE:
				m.Gauge = &dto.Gauge{Value: &s.Value}
			case dto.MetricType_COUNTER:
				m.Counter = &dto.Counter{Value: &s.Value}
			}
			for i := range s.Labels {
				m.Label = append(m.Label, &dto.LabelPair{Name: &f.Labels[i], Value: &s.Labels[i]})
			}
			out.Metric = append(out.Metric, m)
		}
		if _, err := expfmt.MetricFamilyToText(w, out); err != nil {
			return fmt.Errorf("writing metrics: %w", err)
		}
	}
	return nil
}
