package pfc_test

import (
	"encoding/hex"
	"fmt"

	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

var port = pfc.Address{0x02, 0x00, 0x00, 0x00, 0x00, 0x08}

// Stop priority 3 for the longest time that one frame can request.
func Example() {
	xoff := pfc.Stop(port, pfc.Of(3), pfc.MaxQuanta)
	fmt.Print(hex.Dump(xoff.AppendTo(nil, pfc.WithFCS)))
	fmt.Println("at 40G for", pfc.Duration(pfc.MaxQuanta, 40*unit.Gbps))
	// Output:
	// 00000000  01 80 c2 00 00 01 02 00  00 00 00 08 88 08 01 01  |................|
	// 00000010  00 08 00 00 00 00 00 00  ff ff 00 00 00 00 00 00  |................|
	// 00000020  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|
	// 00000030  00 00 00 00 00 00 00 00  00 00 00 00 bd f0 96 ed  |................|
	// at 40G for 838.848us
}

// The port stops, receives the pause again, and resumes when the pause expires.
func ExampleReceiver() {
	r, _ := pfc.NewReceiver(pfc.Config{Rate: 40 * unit.Gbps, Enabled: pfc.Of(3)})
	xoff := pfc.Stop(port, pfc.Of(3, 5), pfc.MaxQuanta)
	stop, _ := r.Receive(0, xoff)
	fmt.Println("stop", stop, "as 5 has no PFC")

	stop, start := r.Receive(400*unit.Microsecond, xoff)
	fmt.Println("stop", stop, "start", start)

	at, _ := r.NextExpiry()
	fmt.Println("at", at, "start", r.Expire(at))
	// Output:
	// stop 3 as 5 has no PFC
	// stop none start none
	// at 1.238848ms start 3
}

// The buffer of a port for priority 3 fills, stays full, and drains.
func ExampleSender() {
	s, _ := pfc.NewSender(pfc.SenderConfig{Source: port, Rate: 100 * unit.Gbps})
	f, _ := s.Set(0, pfc.Of(3))
	fmt.Println("XOFF", f.Enabled, f.Quanta[3])
	at, _ := s.NextRefresh()
	f, _ = s.Refresh(at)
	fmt.Println("again at", at, f.Enabled, f.Quanta[3])
	f, _ = s.Set(200*unit.Microsecond, 0)
	fmt.Println("XON", f.Enabled, f.Quanta[3])
	// Output:
	// XOFF 3 65535
	// again at 167.7696us 3 65535
	// XON 3 0
}
