// Package exposition makes metrics for Prometheus at each request: what switches have used of their plans, and the text
// of any metrics. It imports the types and the writer of Prometheus' format. The client library with its registry would
// make the start of every command slower; backend/gnmi/metrics is a collector for that library.
package exposition

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/cellwarden/cellwarden/diagnosis"
)

// Family is a family of metrics without series.
func Family(kind dto.MetricType, name, help string) *dto.MetricFamily {
	return &dto.MetricFamily{Name: &name, Help: &help, Type: &kind}
}

// Add adds a series to a family, with the values of these labels.
func Add(f *dto.MetricFamily, m *dto.Metric, labels, values []string) {
	for i, v := range values {
		m.Label = append(m.Label, &dto.LabelPair{Name: &labels[i], Value: &v})
	}
	f.Metric = append(f.Metric, m)
}

// Write writes the families that have series in the text format of Prometheus. The series of a family are ordered by
// the values of their labels, as Prometheus' client library orders them.
func Write(w io.Writer, families ...*dto.MetricFamily) error {
	for _, f := range families {
		if len(f.Metric) == 0 {
			continue
		}
		slices.SortFunc(f.Metric, func(a, b *dto.Metric) int {
			return slices.CompareFunc(a.Label, b.Label, func(x, y *dto.LabelPair) int {
				return cmp.Compare(x.GetValue(), y.GetValue())
			})
		})
		if _, err := expfmt.MetricFamilyToText(w, f); err != nil {
			return fmt.Errorf("writing metrics: %w", err)
		}
	}
	return nil
}

// WriteAssessed writes the metrics of the last assessments, by switch, for the textfile collector of Prometheus' node
// exporter.
func WriteAssessed(w io.Writer, last map[string]diagnosis.Assessment) error {
	var families []*dto.MetricFamily
	for _, g := range Assessed(last) {
		f := Family(dto.MetricType_GAUGE, g.Name, g.Help)
		for _, s := range g.Series {
			Add(f, &dto.Metric{Gauge: &dto.Gauge{Value: &s.Value}}, g.Labels, s.Labels)
		}
		families = append(families, f)
	}
	return Write(w, families...)
}
