package assessed_test

import (
	"fmt"
	"os"

	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/internal/assessed"
	"github.com/cellwarden/cellwarden/internal/exposition"
)

// A switch whose counters are not known has the headroom of its plan, and no other number.
func Example() {
	m := assessed.New()
	group := diagnosis.Grant{Port: "Ethernet0", Group: 3, Class: "storage", Headroom: 1000}
	m.Set("leaf1", diagnosis.Assessment{Uses: []diagnosis.Use{{Grant: group}}})
	fmt.Println(exposition.Write(os.Stdout, m.Families()[:5]...))
	// Output:
	// # HELP cellwarden_headroom_granted_bytes Headroom that the plan gives a lossless group.
	// # TYPE cellwarden_headroom_granted_bytes gauge
	// cellwarden_headroom_granted_bytes{class="storage",group="3",port="Ethernet0",target="leaf1"} 1000
	// <nil>
}
