package page_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shared is a switch whose ports have groups of queues, and credits with shared ones.
const shared = `chip: tomahawk4
headroom: {method: ieee802.1qbb}
ets: {priority_groups: [{number: 0, name: lan, bandwidth: 40%}, {number: 1, name: san, bandwidth: 60%}, {number: 15}]}
classes:
  - {name: rdma, priorities: [3, 4], lossless: cbfc, channels: {3: 0, 4: 0, 8: 31}, ets_group: 1, mtu: 4096B}
  - {name: rpc, priorities: [5], lossless: cbfc, reserved: 2540B, alpha: 2, ets_group: 1, mtu: 4096B}
  - {name: rest, priorities: [0, 1], ets_group: 0}
  - {name: control, priorities: [7], ets_group: 15}
ports:
  - {range: Ethernet1-8, speed: 400G, cable: 5m, shared_credits: 254000B}
  - {range: Ethernet9-12, speed: 100G, cable: 2km}
`

// The page shows the credits of each channel and the groups of queues, as pictures and as tables, and the memory has
// the cells behind credits apart from minima.
func TestPageOfCreditsAndGroups(t *testing.T) {
	html := written(t, planned(t, "shared.yaml", shared))
	credits := section(t, html, "credits")
	for _, want := range []string{"Ethernet1-8: 4,206 credits a port, 1,000 of them shared",
		"Ethernet1-8, channel 31, class rdma: 1,598 credits", "Ethernet1-8: 1,000 shared credits", "3-4",
		"2^1", "676"} {
		require.Contains(t, credits, want)
	}
	groups := section(t, html, "ets")
	for _, want := range []string{"Ethernet1-8 at 400G: group 1, san 60%", "15", "strict", "Groups and queues"} {
		require.Contains(t, groups, want)
	}
	memory := section(t, html, "memory")
	require.Contains(t, memory, "credits rdma")
	require.Contains(t, memory, "shared credits")
	require.NotContains(t, memory, "minima of ports and queues")
	plain := written(t, planned(t, "mixed.yaml", mixed))
	require.False(t, strings.Contains(plain, `id="credits"`) || strings.Contains(plain, `id="ets"`))
}
