package linkcheck_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/dcbx/linkcheck"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// A switch has PFC for two priorities, the server for one.
func Example() {
	a := linkcheck.End{Name: "leaf1 Ethernet1", PFC: unit.Given(pfc.Of(3, 4))}
	b := linkcheck.End{Name: "server1 eth0", PFC: unit.Given(pfc.Of(3))}
	r := linkcheck.Compare(&a, &b)
	for _, f := range r.Findings {
		fmt.Println(f.Severity+":", f.Message)
		fmt.Println("repair:", f.Repair)
	}
	// Output:
	// error: leaf1 Ethernet1 has PFC for 3,4, server1 eth0 has PFC for 3
	// repair: enable PFC for 4 at server1 eth0, or disable it at leaf1 Ethernet1
}
