package page_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/report/page"
)

// risky is a page with the risk of a pool.
func risky(t *testing.T, r *page.Risk) string {
	t.Helper()
	p := example(t, "arista-7060cx-32s.yaml")
	p.Risk = r
	return written(t, p)
}

// The risk has a section of its own: the verdict, the tables, and a picture with a text alternative and its numbers.
func TestRiskOverTheRatio(t *testing.T) {
	r := &page.Risk{Verdict: "overflow at 0.5% of all moments", Lines: []string{"ratio up to 2"}, Target: 1e-6,
		Tables: []page.Table{{Title: "Pools", Columns: []string{"slice"}, Rows: [][]string{{"0"}}}},
		Points: []page.RiskPoint{{Ratio: 1}, {Ratio: 2, Value: 1e-7, Fits: true}, {Ratio: 4, Value: 0.02, Fits: true}},
		Plan:   page.RiskPoint{Ratio: 3.456, Value: 0.005, Fits: true}}
	part := section(t, risky(t, r), "risk")
	for _, want := range []string{"overflow at 0.5% of all moments", "ratio up to 2", "<h3>Pools</h3>",
		"Risk of an overflow over the ratio: 0 with ratio 1, 0.5% with the plan&#39;s 3.46, 2% with 4.",
		"<title>ratio 1: 0; the plan does not fit</title>", "<title>ratio 2: 1.00e-07</title>",
		"<title>the plan, ratio 3.46: 0.5%</title>", "want 1.00e-06"} {
		require.Contains(t, part, want)
	}
	r.Paused = true
	part = section(t, risky(t, r), "risk")
	require.Contains(t, part, "How long the groups may be paused, over the ratio")
	require.NotContains(t, part, "accepted:")
}

// Without a pool there is a verdict, and no picture.
func TestRiskOfDedicatedHeadroom(t *testing.T) {
	part := section(t, risky(t, &page.Risk{Verdict: "NO RISK OF THIS KIND"}), "risk")
	require.Contains(t, part, "NO RISK OF THIS KIND")
	require.NotContains(t, part, "<svg")
	require.False(t, strings.Contains(written(t, example(t, "leaf-400g.yaml")), `<section id="risk"`), "not asked")
}

// Every probability is drawn: 0, 1, and a plan with a ratio below 1.
func TestRiskAtTheEnds(t *testing.T) {
	for _, x := range []float64{0, 1e-300, 1e-12, 1e-6, 1} {
		part := section(t, risky(t, &page.Risk{Points: []page.RiskPoint{{Ratio: 1, Value: x, Fits: true}},
			Plan: page.RiskPoint{Ratio: 0.2, Value: x, Fits: true}, Target: 1e-6}), "risk")
		require.NotContains(t, part, "NaN")
		require.NotContains(t, part, "Inf")
	}
}

func TestProbabilityAsText(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 1: "100%", 0.0064: "0.64%", 0.001: "0.1%", 1e-6: "1.00e-06"} {
		require.Equal(t, want, report.Probability(x))
	}
}
