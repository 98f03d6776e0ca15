package main

import (
	"log"
	"net"
	"os"

	"google.golang.org/grpc"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
)

// leaf is the intent that the controller starts with: a topology file.
const leaf = `
chip: tomahawk
headroom: {method: ieee802.1qbb}
classes: [{name: rdma, priorities: [3], lossless: true, reserved: 1248B, alpha: 1/8, ecn: {kmin: 250000B, kmax: 1048576B, pmax: 5%}}]
ports: [{range: "Ethernet1/1-2", speed: 100G, cable: 5m, mtu: 9216B}]
`

// serve starts a simulated switch, which runs until the program ends, and returns its address.
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

// stateDirectory makes a directory for journals and locks in place of the user's.
func stateDirectory() (dir string) {
	dir, err := os.MkdirTemp("", "controller")
	check(err)
	check(os.Setenv("XDG_STATE_HOME", dir))
	return dir
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
