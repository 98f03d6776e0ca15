package metrics_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/gnmi/metrics"
)

var (
	metricName = regexp.MustCompile(`\bcellwarden_[a-z_]+`)
	changeOf   = regexp.MustCompile(`\b(?:i?rate|increase|i?delta|deriv)\((cellwarden_[a-z_]+)`)
	described  = regexp.MustCompile(`fqName: "([^"]+)"`)
)

// contrib reads a file of the folder contrib.
func contrib(t *testing.T, parts ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"..", "..", "..", "contrib"}, parts...)...))
	require.NoError(t, err)
	return string(text)
}

// Every metric that the alerts and the dashboard name is one of the collector, and each of the collector is in both.
// Metrics of an interval are gauges, whose rate means nothing; rates are of counters alone.
func TestContribNamesTheMetrics(t *testing.T) {
	descriptions := make(chan *prometheus.Desc, 100)
	metrics.New().Describe(descriptions)
	close(descriptions)
	var known []string
	for d := range descriptions {
		known = append(known, described.FindStringSubmatch(d.String())[1])
	}
	slices.Sort(known)
	require.Greater(t, len(known), 10)
	for _, text := range []string{contrib(t, "prometheus", "cellwarden.rules.yml"), contrib(t, "grafana", "cellwarden.json")} {
		var named []string
		for _, name := range metricName.FindAllString(text, -1) {
			named = append(named, strings.TrimSuffix(name, "_bucket"))
		}
		slices.Sort(named)
		require.Equal(t, known, slices.Compact(named))
		for _, m := range changeOf.FindAllStringSubmatch(text, -1) {
			require.True(t, strings.HasSuffix(m[1], "_total") || strings.HasSuffix(m[1], "_bucket"), m[0])
		}
	}
}

// The dashboard is one that Grafana imports: its panels have different ids and do not overlap, every query has a legend
// and asks the Prometheus that the user chooses.
func TestContribDashboard(t *testing.T) {
	type source struct{ Type, UID string }
	var d struct {
		UID        string
		Templating struct{ List []struct{ Name, Type string } }
		Panels     []struct {
			ID          int
			Type, Title string
			Datasource  source
			GridPos     struct{ H, W, X, Y int }
			Targets     []struct {
				Expr, LegendFormat, RefID string
				Datasource                source
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(contrib(t, "grafana", "cellwarden.json")), &d))
	require.Equal(t, "cellwarden", d.UID)
	variables := map[string]bool{}
	for _, v := range d.Templating.List {
		variables[v.Name] = true
	}
	ids, taken := map[int]bool{}, map[[2]int]string{}
	used := regexp.MustCompile(`\$\{?([a-z]+)`)
	for _, p := range d.Panels {
		require.False(t, ids[p.ID], p.Title)
		ids[p.ID] = true
		require.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, p.Title)
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				require.Empty(t, taken[[2]int{x, y}], p.Title)
				taken[[2]int{x, y}] = p.Title
			}
		}
		require.Equal(t, p.Type == "row", len(p.Targets) == 0, p.Title)
		for _, q := range p.Targets {
			require.Equal(t, source{"prometheus", "${datasource}"}, q.Datasource, p.Title)
			require.NotEmpty(t, q.LegendFormat, p.Title)
			for _, v := range used.FindAllStringSubmatch(q.Expr, -1) {
				require.True(t, variables[v[1]], q.Expr)
			}
		}
	}
	require.True(t, variables["datasource"])
}

// promtool takes the rules, and its tests of them pass: each alert fires on what it is for, and no other time.
func TestContribRules(t *testing.T) {
	tool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("install promtool (Debian's package prometheus has it)")
	}
	dir := filepath.Join("..", "..", "..", "contrib", "prometheus")
	for _, args := range [][]string{{"check", "rules", "cellwarden.rules.yml"}, {"test", "rules", "cellwarden.test.yml"}} {
		c := exec.CommandContext(t.Context(), tool, args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Contains(t, string(out), "SUCCESS")
	}
	tests := contrib(t, "prometheus", "cellwarden.test.yml")
	for _, m := range regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(contrib(t, "prometheus",
		"cellwarden.rules.yml"), -1) {
		require.Regexp(t, `alertname: `+m[1]+`\s+exp_alerts:`, tests, "no test has the alert fire")
	}
}
