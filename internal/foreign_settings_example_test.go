package internal_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/internal/foreign"
)

const incast = `name: incast
until: 1ms
classes: [{name: rdma, priority: 3, lossless: true}]
topology: {kind: incast, senders: 3, rate: 100G, cable: 100m, interface: 0ns}
host: {pfc: [rdma]}
switch:
  cell: 256B
  pool: 1MiB
  pfc: [rdma]
  ecn: {rdma: {kmin: 100000B, kmax: 400000B, pmax: 20%}}
  groups: {rdma: {reserved: 4KiB, alpha: 1/8, headroom: 96KiB, xon_offset: 3KiB}}
flows: [{from: all, to: receiver, class: rdma, frame: 1048B, header: 48B}]
`

// Some arguments of htsim for an incast. Comments behind them say what it cannot express.
func Example_foreignWriteSettings() {
	s, err := scenario.Read("incast.yaml", []byte(incast), os.ReadFile)
	if err != nil {
		fmt.Println(err)
		return
	}
	var out strings.Builder
	if err := foreign.WriteSettings(&out, "htsim", s.Name, &s.Network); err != nil {
		fmt.Println(err)
	}
	for _, argument := range strings.Split(strings.Split(out.String(), "\n")[1], " -")[5:] {
		fmt.Println("-" + argument)
	}
	// Output:
	// -queue_type lossless_input
	// -q 1094
	// -pfc_thresholds 84 87
}
