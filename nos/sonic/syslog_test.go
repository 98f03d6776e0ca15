package sonic_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/unit"
)

// SONiC logs one of two lines, by what the operator changed.
func ExampleProfileSyslog() {
	r := buffer.NewRefusal("Ethernet1/5", buffer.Shortfall{Reason: buffer.PortTooLarge, Group: 3, Needed: 4997,
		Available: 177, Short: 4820})
	fmt.Println(sonic.ProfileSyslog(r))
	fmt.Println(sonic.SpeedCableSyslog(r, 100*unit.Gbps, 2*unit.Kilometre))
	// Output:
	// Unable to update profile for port Ethernet1/5. Accumulative headroom size exceeds limit
	// Update speed (100000) and cable length (2km) for port Ethernet1/5 failed, accumulative headroom size exceeds the limit
}
