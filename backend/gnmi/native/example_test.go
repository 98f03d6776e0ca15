package native_test

import (
	"context"
	"fmt"
	"log"
	"net"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"

	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/sonicfake"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// A plan of one port goes to a SONiC switch, which tells its release by itself.
// Its pool is not the plan's: that waits for a reload.
func Example() {
	intent := buffer.Intent{
		Chip: buffer.Chip{Name: "tomahawk", Cell: 208, Slices: []buffer.Slice{{Cells: 80660}}, MinAlpha: -8, MaxAlpha: 7,
			Groups: pg.PerPort},
		Pool:   buffer.Pool{Size: 12 * unit.MiB, SharedHeadroom: 4 * unit.MiB},
		Sizing: thresholds.IEEE{},
		Classes: []buffer.Class{{Name: "rdma", Priorities: []int{3, 4}, Lossless: true,
			Reserved: unit.Given[unit.Bytes](1248), XONOffset: unit.Given[unit.Bytes](3536)}},
		Ports: []buffer.Port{{Name: "Ethernet0", Rate: 100 * unit.Gbps, Cable: 40 * unit.Metre, MTU: 9216}},
	}
	plan, err := buffer.New(intent)
	if err != nil {
		log.Fatal(err)
	}
	s := sonicfake.New(sonicfake.DB{
		"DEVICE_METADATA": {"localhost": {"hwsku": "Force10-S6100"}},
		"PORT":            {"Ethernet0": {"speed": "100000"}},
		"BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "12582912",
			"xoff": "2097152"}},
		"BUFFER_PROFILE": {"ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"}},
	})
	s.ASIC, s.Version = "th", "SONiC.20251110.17"
	client, stop := connect(s)
	defer stop()

	ctx := context.Background()
	push, err := native.Look(ctx, client, &native.SONiC{Plan: nos.Plan{Intent: intent, Layout: plan.Layout()}})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range push.Report.Changes {
		fmt.Printf("%s, may stop: %v\n", c.Path, c.Reach)
	}
	if err := push.Run(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(push.Report.State)
	for _, w := range push.Report.Rendering.Waiting {
		fmt.Printf("waits: %s %s to %s: %s\n", w.Path, w.From, w.To, w.Why)
	}
	// Output:
	// /CONFIG_DB/localhost/BUFFER_PROFILE/pg_lossless_100000_40m_profile, may stop: none
	// /CONFIG_DB/localhost/TC_TO_PRIORITY_GROUP_MAP, may stop: none
	// /CONFIG_DB/localhost/CABLE_LENGTH, may stop: none
	// /CONFIG_DB/localhost/BUFFER_PG, may stop: port
	// /CONFIG_DB/localhost/PORT_QOS_MAP, may stop: port
	// applied
	// waits: /CONFIG_DB/localhost/BUFFER_POOL/ingress_lossless_pool/xoff "2097152" to "4194304": the updater accepts no change of a pool
}

// connect serves a switch on loopback.
func connect(s *sonicfake.Switch) (client *gnmi.Client, stop func()) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	gpb.RegisterGNMIServer(server, s)
	go func() { _ = server.Serve(listener) }()
	if client, err = gnmi.Dial(listener.Addr().String(), gnmi.Options{Cell: 208, Insecure: true}); err != nil {
		log.Fatal(err)
	}
	return client, func() { _ = client.Close(); server.Stop() }
}
