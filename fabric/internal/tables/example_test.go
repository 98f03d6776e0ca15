package tables_test

import (
	"fmt"
	"log"
	"net/netip"
	"strings"

	"github.com/cellwarden/cellwarden/fabric/internal/tables"
)

// A leaf has a route to one network by its uplinks 0 and 1, and a default route by port 1. A destination is what one
// route of every switch has: the addresses of the default route are those without the network.
func Example() {
	uplinks := map[string][]int32{"Ethernet0": {0}, "Ethernet4": {1}}
	s := tables.New(1)
	err := s.Read(0, "leaf1.json", strings.NewReader(`{
  "ROUTE_TABLE:10.0.1.0/24": {"nexthop": "10.9.0.0,10.9.0.2", "ifname": "Ethernet0,Ethernet4"},
  "ROUTE_TABLE:0.0.0.0/0": {"nexthop": "10.9.0.2", "ifname": "Ethernet4"}
}`), tables.Names{
		Ports:   func(_ int, name string) []int32 { return uplinks[name] },
		Outside: func(string) bool { return false },
		Wanted:  func(netip.Prefix) bool { return true },
	})
	if err == nil {
		err = s.Finish(nil)
	}
	if err != nil {
		log.Fatal(err)
	}
	up := func(int32) bool { return true }
	for d := range s.Destinations() {
		ports, _ := s.Hops(0, d, up)
		fmt.Println(s.Prefix(d), ports, s.Source(0, d, up))
	}
	// Output:
	// 0.0.0.0/0 [1] leaf1.json:3
	// 10.0.1.0/24 [0 1] leaf1.json:2
}
