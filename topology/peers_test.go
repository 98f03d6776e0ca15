package topology_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

const withPeers = `chip: tomahawk
headroom: {method: ieee802.1qbb}
classes: [{name: rdma, priorities: [3], lossless: true}]
peers:
  - {name: slow-leaf, response_delay: 5us}
  - {name: ideal, response_delay: 0ns}
ports:
  - {name: e1, speed: 100G, cable: 5m, peer: slow-leaf}
  - {name: e2, speed: 100G, cable: 5m, response_delay: 3us, macsec: true}
  - {name: e3, speed: 100G, cable: 5m, peer: ideal}
  - {name: e4, speed: 100G, cable: 5m}
`

// The neighbour of a port may have a response time of its own, by value or by the
// name of its kind, and MACsec adds a microsecond each way. An explicit zero is one.
func TestPeersOfPorts(t *testing.T) {
	in, err := topology.Parse("leaf.yaml", []byte(withPeers), noFiles)
	require.NoError(t, err)
	require.Equal(t, unit.Given(5*unit.Microsecond), in.Ports[0].Response)
	require.Equal(t, unit.Given(3*unit.Microsecond), in.Ports[1].Response)
	require.True(t, in.Ports[1].MACsec)
	require.Equal(t, unit.Given(unit.Time(0)), in.Ports[2].Response)
	require.False(t, in.Ports[3].Response.IsGiven())

	plan, err := buffer.New(in)
	require.NoError(t, err)
	var paths []string
	wire := map[string]int64{}
	for i := range plan.Sizing.Kinds {
		k := &plan.Sizing.Kinds[i]
		paths = append(paths, k.Path())
		wire[k.Path()] = k.BitTimes
	}
	require.Equal(t, []string{"5m, peer 5us", "5m + MACsec, peer 3us", "5m, peer 0ps", "5m"}, paths)
	bare := wire["5m, peer 0ps"]
	require.EqualValues(t, 500_000, wire["5m, peer 5us"]-bare, "5 us at 100G")
	require.EqualValues(t, 300_000+2*100_000, wire["5m + MACsec, peer 3us"]-bare)
	require.EqualValues(t, 394*512, wire["5m"]-bare, "the value of the speed")
}

func TestPeersComplain(t *testing.T) {
	for edit, want := range map[[2]string]string{
		{"peer: ideal", "peer: idle"}: `leaf.yaml:10: ports[2].peer: "idle": want one of ` +
			"the peers of this file: slow-leaf, ideal",
		{"peer: ideal", "peer: ideal, response_delay: 1us"}: `"ideal": want peer or response_delay, not both`,
		{"name: ideal", "name: slow-leaf"}:                  `peers[1].name: "slow-leaf": want a name that no other kind`,
		{", response_delay: 0ns", ""}:                       "leaf.yaml:6: peers[1].response_delay: missing",
		{"response_delay: 0ns", "response_delay: 0"}:        `peers[1].response_delay: "0" is not a time`,
		{"response_delay: 3us", "response_delay: 1s"}:       "leaf.yaml:9: ports[1].response_delay: 1s: want 0ps to 10ms",
		{"macsec: true", "macsec: maybe"}:                   `ports[1].macsec: "maybe": want true or false`,
		{"{name: ideal, response_delay: 0ns}", "ideal"}:     "leaf.yaml:6: peers[1]",
	} {
		_, err := topology.Parse("leaf.yaml", []byte(strings.Replace(withPeers, edit[0], edit[1], 1)), noFiles)
		require.ErrorContains(t, err, want)
	}
}
