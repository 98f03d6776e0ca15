package internal_test

import (
	"fmt"
	"os"

	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/internal/exposition"
	"github.com/cellwarden/cellwarden/unit"
)

// The metrics of one switch. Its group has not said how many pauses it sent, so there is no series of them.
func Example_exposition() {
	use := diagnosis.Use{Grant: diagnosis.Grant{Port: "Ethernet0", Group: 3, Class: "storage", Headroom: 44_512},
		GroupSample: diagnosis.GroupSample{Port: "Ethernet0", Group: 3, Headroom: unit.Given[unit.Bytes](416)}}
	gauges := exposition.Assessed(map[string]diagnosis.Assessment{"leaf1": {Uses: []diagnosis.Use{use}}})
	for _, g := range gauges[1:] {
		fmt.Println(g.Name, len(g.Series))
	}
	err := exposition.Write(os.Stdout, exposition.Assessed(nil)[1:]...)
	fmt.Println(err)
	// Output:
	// cellwarden_group_dropped_packets 0
	// cellwarden_headroom_granted_bytes 1
	// cellwarden_headroom_watermark_bytes 1
	// cellwarden_pause_received_frames 0
	// cellwarden_pause_sent_frames 0
	// <nil>
}
