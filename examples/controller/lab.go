package main

import (
	"context"
	"log"
	"net"

	"google.golang.org/grpc"

	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
)

// leaf is the topology of each switch.
const leaf = `
chip: tomahawk
headroom: {method: ieee802.1qbb}
classes: [{name: rdma, priorities: [3], lossless: true, reserved: 1248B, alpha: 1/8, ecn: {kmin: 250000B, kmax: 1048576B, pmax: 5%}}]
ports: [{range: "Ethernet1/1-2", speed: 100G, cable: 5m, mtu: 9216B}]
`

// serve starts a simulated switch, which runs until the program ends, and returns its
// address.
func serve(chip buffer.Chip) string {
	asic, err := sim.New(chip)
	check(err)
	service, err := server.New(asic, chip.Cell, server.Options{})
	check(err)
	s := grpc.NewServer()
	service.Register(s)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	go func() { _ = s.Serve(listener) }()
	return listener.Addr().String()
}

// dial connects to a switch.
func (c controller) dial(address string) *gnmi.Client {
	client, err := gnmi.Dial(address, gnmi.Options{Cell: c.chip.Cell, Insecure: true, Phased: true})
	check(err)
	return client
}

// alter changes a register of a switch, as another controller would.
func (c controller) alter(ctx context.Context, address string) {
	r := buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet1/1", Index: 3}
	check(c.dial(address).Apply(ctx, []buffer.Step{{Register: r, From: c.layout.Value(r), To: 9}}))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
