package metrics_test

import (
	"context"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/metrics"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
)

// A push to a simulated ASIC is counted, and the registry is scraped.
func Example() {
	ctx, start := context.Background(), time.Now()
	chip := buffer.Chip{Name: "small", Cell: 208, Slices: []buffer.Slice{{Cells: 1000}}, Groups: 8}
	device, err := sim.New(chip)
	if err != nil {
		fmt.Println(err)
		return
	}
	group := buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet1/1", Index: 3}
	layout := buffer.NewLayout([]buffer.Setting{{Register: group, Value: 6}})

	c := metrics.New()
	registry := prometheus.NewRegistry()
	registry.MustRegister(c)
	report, err := backend.Converge(ctx, device, layout, backend.Options{})
	c.Pushed("leaf1", report, err, time.Since(start))
	c.Compared("leaf1", 0)

	families, err := registry.Gather()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range families {
		fmt.Println(f.GetName())
	}
	fmt.Println("the push ended in state:", report.State)
	// Output:
	// cellwarden_drift_registers
	// cellwarden_push_duration_seconds
	// cellwarden_pushes_total
	// the push ended in state: applied
}
