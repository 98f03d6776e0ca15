package metrics_test

import (
	"context"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/metrics"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
)

// A push to a device is counted. The device is a simulated ASIC, which has all it needs for a layout of one register.
func Example() {
	ctx, registry := context.Background(), prometheus.NewRegistry()
	chip, err := asic.Load("tomahawk")
	if err != nil {
		fmt.Println(err)
		return
	}
	device, err := sim.New(chip)
	if err != nil {
		fmt.Println(err)
		return
	}
	reserved := buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet1/1", Index: 3}
	layout := buffer.NewLayout([]buffer.Setting{{Register: reserved, Value: 6}})

	c := metrics.New()
	registry.MustRegister(c)
	begin := time.Now()
	report, err := backend.Converge(ctx, device, layout, backend.Options{})
	c.Pushed("leaf1", report, err, time.Since(begin))
	families, err := registry.Gather()
	fmt.Println(report.State, err)
	for _, f := range families {
		fmt.Println(f.GetName(), len(f.GetMetric()))
	}
	// Output:
	// applied <nil>
	// cellwarden_push_duration_seconds 1
	// cellwarden_pushes_total 1
}
