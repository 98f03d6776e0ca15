package internal_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/internal/observed"
)

// What lldpd hears: a switch that has PFC for priorities 3 and 4.
func Example_observed() {
	seen, err := observed.Neighbours([]byte(`{"lldp": {"interface": {"eth0": {
		"chassis": {"leaf1": {"id": {"type": "mac", "value": "02:00:00:00:00:01"}}},
		"port": {"id": {"type": "ifname", "value": "Ethernet7"}, "ttl": "120"},
		"unknown-tlvs": {"unknown-tlv": {"oui": "00,80,C2", "subtype": "11", "len": "2", "value": "08,18"}}}}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range seen {
		ad := dcbx.Read(&s.PDU)
		fmt.Println(s.Interface, "hears", s.PDU.SystemName(), s.Name.PortName(), "with PFC for", ad.PFC.Enabled)
	}
	// Output:
	// eth0 hears leaf1 Ethernet7 with PFC for 3,4
}
