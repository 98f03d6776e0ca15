package push_test

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"

	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/topology"
)

// plan is a plan for two ports of a Tomahawk.
func plan(cable string) (nos.Plan, error) {
	in, err := topology.Parse("leaf.yaml", []byte(`
chip: tomahawk
headroom: {method: ieee802.1qbb}
classes: [{name: rdma, priorities: [3], lossless: true, reserved: 1248B, ecn: {kmin: 250000B, kmax: 1048576B, pmax: 5%}}]
ports: [{range: "Ethernet1/1-2", speed: 100G, cable: `+cable+`, mtu: 9216B}]
`), os.ReadFile)
	if err != nil {
		return nos.Plan{}, err
	}
	p, err := buffer.New(in)
	if err != nil {
		return nos.Plan{}, err
	}
	return nos.Plan{Intent: in, Layout: p.Layout()}, p.Err()
}

// serve serves a simulated Tomahawk on a free port of this machine.
func serve(p nos.Plan, how ...grpc.ServerOption) (address string, stop func(), err error) {
	device, err := sim.New(p.Intent.Chip)
	if err != nil {
		return "", nil, err
	}
	service, err := server.New(device, p.Intent.Chip.Cell, server.Options{Models: []*gpb.ModelData{server.Simulated(),
		server.SimulatedChip(p.Intent.Chip)}})
	if err != nil {
		return "", nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	s := grpc.NewServer(how...)
	service.Register(s)
	go func() { _ = s.Serve(listener) }()
	return listener.Addr().String(), s.Stop, nil
}

// A plan comes to a switch in one call, with a lock and a journal. The same call again finds nothing to change.
func Example() {
	dir, err := os.MkdirTemp("", "state")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	_ = os.Setenv("XDG_STATE_HOME", dir) // of the lock and the journal
	p, err := plan("5m")
	if err != nil {
		log.Fatal(err)
	}
	address, stop, err := serve(p)
	if err != nil {
		log.Fatal(err)
	}
	defer stop()
	opt := push.Options{Connection: gnmi.Options{Insecure: true}}
	for range 2 {
		result, err := push.Apply(context.Background(), push.Target{Address: address}, p, opt)
		if err != nil {
			log.Fatal(err)
		}
		d := result.Document(err)
		fmt.Println(d.State, len(d.Changes), "changes, lossless by this push:", d.Lossless)
	}
	// Output:
	// applied 10 changes, lossless by this push: false
	// unchanged 0 changes, lossless by this push: false
}
