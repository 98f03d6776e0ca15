package nos_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// many is a switch with so many ports, and an intent for all of them.
func many(ports int) (sonic.Database, buffer.Intent) {
	db := shipped()
	in := intent("Ethernet0", "Ethernet4", "Ethernet8")
	in.Chip.Slices[0].Cells *= 200
	in.Classes[0].QueueReserved = 508
	first := in.Ports[0]
	in.Ports = nil
	for i := range ports {
		first.Name = fmt.Sprintf("Ethernet%d", 4*i)
		in.Ports = append(in.Ports, first)
		for _, name := range []string{"PORT", "PORT_QOS_MAP"} {
			db[name][first.Name] = maps.Clone(db[name]["Ethernet0"])
		}
		for _, key := range []string{"0-2", "3-4", "5-6"} {
			db["BUFFER_QUEUE"][first.Name+"|"+key] = maps.Clone(db["BUFFER_QUEUE"]["Ethernet0|"+key])
		}
		for n := range 8 {
			db["QUEUE"][fmt.Sprintf("%s|%d", first.Name, n)] = sonic.Entry{"scheduler": "scheduler.0"}
		}
	}
	return db, in
}

// BenchmarkSONiC compares a plan with a switch.
func BenchmarkSONiC(b *testing.B) {
	for _, ports := range []int{64, 512} {
		b.Run(fmt.Sprint(ports), func(b *testing.B) {
			db, in := many(ports)
			plan := planned(b, in)
			o := sonic.Options{ASIC: "th", Release: "202511", Current: db}
			b.ReportAllocs()
			for b.Loop() {
				o.Render(plan)
			}
		})
	}
}
