package exposition_test

import (
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/exposition"
)

// What is written is what Prometheus's own reader reads and its own writer writes again: values with marks that mean
// something, a histogram, and a number without labels, which is there before its first use.
func TestPrometheusReadsWhatIsWritten(t *testing.T) {
	strange := &exposition.Family{Name: "b_bytes", Help: "Two\nlines, and a \\.", Kind: exposition.Gauge,
		Labels: []string{"target", "port"}}
	strange.Set(-1.5, "leaf \"1\"\n", `a\b`)
	strange.Add(2.5, "leaf \"1\"\n", `a\b`)
	strange.Set(1e21, "z", "")
	strange.Set(7, "gone", "1")
	strange.Forget("gone")
	times := &exposition.Family{Name: "a_seconds", Help: "Times.", Kind: exposition.Histogram, Labels: []string{"route"},
		Bounds: []float64{.001, 1, 30}}
	for _, v := range []float64{.001, .5, .5, 100} {
		times.Observe(v, "GET /")
	}
	families := []*exposition.Family{strange, times,
		{Name: "c_total", Help: "None so far.", Kind: exposition.Counter},
		{Name: "d_total", Help: "Without a row.", Kind: exposition.Counter, Labels: []string{"x"}}}
	var b strings.Builder
	require.NoError(t, exposition.Write(&b, families...))

	parser := expfmt.NewTextParser(model.UTF8Validation)
	read, err := parser.TextToMetricFamilies(strings.NewReader(b.String()))
	require.NoError(t, err)
	require.Len(t, read, 3)
	var again strings.Builder
	for _, name := range []string{"a_seconds", "b_bytes", "c_total"} {
		_, err := expfmt.MetricFamilyToText(&again, read[name])
		require.NoError(t, err)
	}
	require.Equal(t, again.String(), b.String())
	h := read["a_seconds"].GetMetric()[0].GetHistogram()
	require.Equal(t, []any{uint64(4), 101.001, uint64(1), uint64(3)}, []any{h.GetSampleCount(), h.GetSampleSum(),
		h.GetBucket()[0].GetCumulativeCount(), h.GetBucket()[2].GetCumulativeCount()})
	require.Equal(t, 1.0, read["b_bytes"].GetMetric()[0].GetGauge().GetValue())
}
