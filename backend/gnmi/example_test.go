package gnmi_test

import (
	"context"
	"fmt"
	"net"

	"google.golang.org/grpc"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
)

// A plan is brought to a switch. The switch is a simulated ASIC that speaks
// gNMI on this machine; a real one differs in its address and in TLS.
func Example() {
	asic, err := sim.New(chip(20000))
	if err != nil {
		fmt.Println(err)
		return
	}
	addr, stop, err := listen(asic)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer stop()

	client, err := gnmi.Dial(addr, gnmi.Options{Cell: 208, Address: "leaf1", Insecure: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	plan, err := buffer.New(intent("Ethernet1/1", "Ethernet1/2"))
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := backend.Converge(context.Background(), client, plan.Layout(), backend.Options{})
	fmt.Println(report.Device, report.State, err)
	for _, gap := range report.Gaps {
		fmt.Printf("not sent: %d registers %v\n", gap.Count, gap.Kind)
	}
	// Output:
	// gNMI target leaf1 applied <nil>
	// not sent: 1 registers shared pool
	// not sent: 4 registers group lossless
	// not sent: 4 registers group headroom
	// not sent: 4 registers group xon offset
}

// listen serves an ASIC on a free port of this machine.
func listen(asic *sim.ASIC) (addr string, stop func(), err error) {
	served, err := server.New(asic, asic.Chip().Cell, server.Options{})
	if err != nil {
		return "", nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	grpcServer := grpc.NewServer()
	served.Register(grpcServer)
	go func() { _ = grpcServer.Serve(l) }() // it ends when stopped
	return l.Addr().String(), grpcServer.Stop, nil
}
