package metrics_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/metrics"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/exposition"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

func TestCollector(t *testing.T) {
	c := metrics.New()
	require.NoError(t, prometheus.NewPedanticRegistry().Register(c))
	c.Pushed("leaf1", &backend.Report{State: backend.Applied}, nil, time.Second)
	c.Pushed("leaf1", &backend.Report{State: backend.Refused}, fmt.Errorf("%w: %w", backend.ErrRefused, buffer.ErrNoFit),
		time.Second)
	c.Pushed("leaf2", &backend.Report{State: backend.Refused}, backend.ErrRefused, time.Second)
	c.Compared("leaf1", 3)
	plan, err := buffer.New(buffer.Intent{
		Chip: buffer.Chip{Name: "small", Cell: 208, Slices: []buffer.Slice{{Cells: 2000}, {Cells: 1000}},
			Groups: pg.PerPort},
		Sizing:  thresholds.IEEE{},
		Classes: []buffer.Class{{Name: "rest", Priorities: []int{0}, Reserved: unit.Given[unit.Bytes](416)}},
		Ports:   []buffer.Port{{Name: "Ethernet1", Rate: 100 * unit.Gbps, Cable: unit.Metre, MTU: 9216}},
	})
	require.NoError(t, err)
	c.Planned("leaf1", plan)
	require.NoError(t, testutil.CollectAndCompare(c, strings.NewReader(`
# HELP cellwarden_drift_registers Registers that were not as planned when the switch was last compared.
# TYPE cellwarden_drift_registers gauge
cellwarden_drift_registers{target="leaf1"} 3
# HELP cellwarden_free_cells Cells of a slice of the chip that the plan gives to no port: the shared part, and what no pool uses.
# TYPE cellwarden_free_cells gauge
cellwarden_free_cells{slice="0",target="leaf1"} 1998
cellwarden_free_cells{slice="1",target="leaf1"} 998
# HELP cellwarden_pushes_total Pushes, by the state in which they left the switch.
# TYPE cellwarden_pushes_total counter
cellwarden_pushes_total{state="applied",target="leaf1"} 1
cellwarden_pushes_total{state="refused",target="leaf1"} 1
cellwarden_pushes_total{state="refused",target="leaf2"} 1
# HELP cellwarden_refusals_total Pushes that the switch refused, by whether it had no cells for them.
# TYPE cellwarden_refusals_total counter
cellwarden_refusals_total{no_cells="false",target="leaf2"} 1
cellwarden_refusals_total{no_cells="true",target="leaf1"} 1
`), "cellwarden_pushes_total", "cellwarden_refusals_total", "cellwarden_drift_registers", "cellwarden_free_cells"))
	c.Forget("leaf1")
	require.Equal(t, 1, testutil.CollectAndCount(c, "cellwarden_pushes_total"))
	require.Zero(t, testutil.CollectAndCount(c, "cellwarden_free_cells"))
}

// Who imports less builds less: the core has the standard library alone, the client no Prometheus. The command has no
// library that a test needs alone: the API's description is a file that a test makes. It has not the client of
// Prometheus, whose start takes as long as a fifth of the command's.
func TestDependencies(t *testing.T) {
	effort.SkipShort(t, "it lists what the package imports")
	const module = "github.com/cellwarden/cellwarden/"
	for pkg, foreign := range map[string][]string{
		"buffer": {"."}, "asic": {"."}, "backend": {"."}, "nos/sonic": {"."}, "backend/sim": {"."},
		"backend/gnmi": {"prometheus"}, "cmd/cellwarden": {"huma", "client_golang"},
	} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f",
			"{{if not .Standard}}{{.ImportPath}}{{end}}", module+pkg).Output()
		require.NoError(t, err)
		for dep := range strings.FieldsSeq(string(out)) {
			if strings.HasPrefix(dep, module) {
				continue
			}
			for _, f := range foreign {
				require.NotContains(t, dep, f, "%s builds it", pkg)
			}
		}
	}
}

// An assessment sets what is known of each group, and the number of findings of each kind.
func TestAssessed(t *testing.T) {
	c := metrics.New()
	grants := []diagnosis.Grant{{Port: "Ethernet0", Group: 3, Class: "storage", Rate: unit.Gbps, Headroom: 1000}}
	var last diagnosis.Assessment
	assess := func(g diagnosis.GroupSample) {
		g.Port, g.Group = "Ethernet0", 3
		a, err := diagnosis.Assess(grants, unit.Optional[unit.Bytes]{}, nil,
			diagnosis.Sample{Groups: []diagnosis.GroupSample{g}})
		require.NoError(t, err)
		c.Assessed("leaf1", a)
		last = a
	}
	assess(diagnosis.GroupSample{Headroom: unit.Given[unit.Bytes](400), Drops: unit.Given[int64](2),
		PauseSent: unit.Given[int64](7)})
	text := func() string {
		registry, file := prometheus.NewPedanticRegistry(), filepath.Join(t.TempDir(), "watch.prom")
		registry.MustRegister(c)
		require.NoError(t, prometheus.WriteToTextfile(file, registry))
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return string(text)
	}
	// What the command writes without Prometheus' client is what the client writes of the collector.
	var b strings.Builder
	require.NoError(t, exposition.Write(&b, exposition.Assessed(map[string]diagnosis.Assessment{"leaf1": last})...))
	require.Equal(t, text(), b.String())
	for _, line := range []string{`cellwarden_findings{kind="headroom",target="leaf1"} 1`,
		`cellwarden_findings{kind="storm",target="leaf1"} 0`,
		`cellwarden_headroom_watermark_bytes{class="storage",group="3",port="Ethernet0",target="leaf1"} 400`,
		`cellwarden_headroom_granted_bytes{class="storage",group="3",port="Ethernet0",target="leaf1"} 1000`} {
		require.Contains(t, b.String(), line+"\n")
	}
	require.NotContains(t, b.String(), "cellwarden_pause_received_frames{", "what is not known has no series")
	assess(diagnosis.GroupSample{})
	require.Zero(t, testutil.CollectAndCount(c, "cellwarden_headroom_watermark_bytes"), "the earlier value is gone")
	c.Forget("leaf1")
	require.Zero(t, testutil.CollectAndCount(c, "cellwarden_findings"))
}
