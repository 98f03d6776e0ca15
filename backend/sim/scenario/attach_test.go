package scenario_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// twice is two switches of the same plan, one without, and queues of a class that the file has marked.
const twice = `name: twice
until: 100us
classes:
  - {name: rdma, priority: 3, lossless: true}
  - {name: lossy, priority: 1}
topology:
  hosts: [h1-3]
  switches: [s1, s2, plain]
  links:
    - {from: h1, to: s1, rate: 100G, cable: 10m}
    - {from: h2, to: s1, rate: 100G, cable: 10m}
    - {from: s1, to: s2, rate: 100G, cable: 10m}
    - {from: s2, to: plain, rate: 100G, cable: 10m}
    - {from: plain, to: h3, rate: 100G, cable: 10m}
host: {pfc: [rdma]}
switches:
  - {name: s1, plan: ../../../examples/arista-7060cx-32s.yaml, plan_ports: {s2: Ethernet1/9}, pfc: [lossy],
     ecn: {lossy: {kmin: 1000B, kmax: 10KiB, pmax: 5%}}}
  - {name: s2, plan: ../../../examples/arista-7060cx-32s.yaml}
  - {name: plain, cell: 208B, pool: 256KiB}
flows:
  - {name: in, from: [h1, h2], to: h3, class: rdma, frame: 1024B}
`

func TestAttach(t *testing.T) {
	s := read(t, twice)
	asic, err := s.Attach("s1")
	require.NoError(t, err)
	running, ok := asic.Traffic()
	require.True(t, ok)
	require.Equal(t, []string{"Ethernet1/1", "Ethernet1/2", "Ethernet1/9"}, running.Ports)
	require.Equal(t, []pfc.Priorities{26, 26, 26}, running.PFC, "3 and 4 of the plan, 1 of the file")
	l, err := asic.Observe(t.Context())
	require.NoError(t, err)
	at := func(k buffer.Kind, index int) int64 {
		return l.Value(buffer.Register{Kind: k, Port: "Ethernet1/9", Index: index})
	}
	require.EqualValues(t, 1, at(buffer.GroupLossless, 3), "the plan's")
	require.EqualValues(t, []int64{4, 49, 500}, []int64{at(buffer.QueueECNMin, 1), at(buffer.QueueECNMax, 1),
		at(buffer.QueueECNPMax, 1)}, "the file's, in cells of 208 bytes")

	running.Sim.Advance(20 * unit.Microsecond)
	require.NoError(t, running.Sim.Check())
	queue, ok := asic.Queue("Ethernet1/9", 3)
	require.True(t, ok)
	require.Positive(t, queue.Tally.Passed)

	again, err := s.Attach("s2")
	require.NoError(t, err)
	fresh, _ := again.Traffic()
	require.Zero(t, fresh.Sim.Now(), "another network")
	l, err = again.Observe(t.Context())
	require.NoError(t, err)
	require.Zero(t, at(buffer.QueueECNMax, 1), "nobody asked for that at s2")
	res, err := s.Run(t.Context(), scenario.Options{})
	require.NoError(t, err)
	require.Positive(t, res.Summary.Delivered)
}

func TestAttachRefuses(t *testing.T) {
	one := strings.Replace(twice, "{name: s2, plan: ../../../examples/arista-7060cx-32s.yaml}",
		"{name: s2, cell: 208B, pool: 256KiB}", 1)
	for _, c := range []struct{ text, name, want string }{
		{twice, "", "several switches have a plan: want one of s1, s2"},
		{twice, "plain", "switch plain has no plan: want one of s1, s2"},
		{one, "s3", `switch "s3": want one of s1`},
		{small, "", "small: no switch has the key plan: want a scenario with a planned switch"},
		{small, "s1", "small: no switch has the key plan: want a scenario with a planned switch"},
	} {
		_, err := read(t, c.text).Attach(c.name)
		require.ErrorIs(t, err, buffer.ErrInvalid)
		require.ErrorContains(t, err, c.want)
	}
	asic, err := read(t, one).Attach("")
	require.NoError(t, err, "there is only one")
	require.Equal(t, "simulated tomahawk", asic.Name())
}
