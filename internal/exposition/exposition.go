// Package exposition makes metrics for Prometheus at each request: what switches have used of their plans, and the text
// of any metrics. It imports the types and the writer of Prometheus' format. The client library with its registry would
// make the start of every command slower; backend/gnmi/metrics is a collector for that library.
package exposition

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/unit"
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
