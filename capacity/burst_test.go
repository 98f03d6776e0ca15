package capacity_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// burstLeaf has one slice, so that the simulated switch stores where the closed form does.
const burstLeaf = `chip: trident3
headroom: {method: ieee802.1qbb, delays: larger}
classes:
  - {name: rdma, priorities: [3], lossless: true, mtu: 4096B, alpha: %s, ecn: {kmin: 100000B, kmax: 400000B, pmax: 100%%}}
ports:
  - {range: Ethernet1-32, speed: 100G, cable: 1m}
`

// The closed form says when the simulated switch sends its first pause frame, to within the frames with which the limit
// is passed and the time that they take to arrive.
func TestBurstsAreThoseOfTheSimulator(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates several incasts")
	}
	for _, alpha := range []string{"1", "1/8"} {
		text := fmt.Sprintf(burstLeaf, alpha)
		in, err := topology.Parse("leaf.yaml", []byte(text), os.ReadFile)
		require.NoError(t, err)
		bursts, err := capacity.Bursts(
			in,
			[]capacity.Entry{{Text: "Ethernet1-32", Count: 32}},
			[]int{1, 2, 4, 16, 31},
			0,
		)
		require.NoError(t, err)
		require.Len(t, bursts, 5)
		require.Equal(t, capacity.Never, bursts[0].XOFF, "one sender overloads nothing")
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "leaf.yaml"), []byte(text), 0o666))
		for _, b := range bursts[1:] {
			got := firstPause(t, dir, b.Senders, 4*b.XOFF)
			slack := b.XOFF/50 + 3*unit.Microsecond
			require.InDelta(
				t,
				int64(b.XOFF),
				int64(got),
				float64(slack),
				"alpha %s, %d senders: %v by the closed form, %v "+
					"simulated",
				alpha,
				b.Senders,
				b.XOFF,
				got,
			)
			t.Logf("alpha %s, %d senders: %v by the closed form, %v simulated", alpha, b.Senders, b.XOFF, got)
		}
	}
}

// firstPause simulates an incast on the planned switch and returns when it first pauses a sender.
func firstPause(t *testing.T, dir string, senders int, until unit.Time) unit.Time {
	t.Helper()
	text := fmt.Sprintf(`name: burst
until: %v
classes:
  - {name: rdma, priority: 3, lossless: true}
topology: {kind: incast, senders: %d, rate: 100G, cable: 1m}
host: {pfc: [rdma]}
switch: {plan: leaf.yaml}
flows:
  - {name: incast, from: all, to: receiver, class: rdma, frame: 4096B}
expect:
  ports:
    - {at: s1, to: h1, first_pause: ">0ps"}
`, until, senders)
	s, err := scenario.Read(filepath.Join(dir, "burst.yaml"), []byte(text), os.ReadFile)
	require.NoError(t, err)
	r, err := s.Run(context.Background(), scenario.Options{})
	require.NoError(t, err)
	first := capacity.Never
	for _, p := range r.Ports {
		if p.FirstPause > 0 {
			first = min(first, p.FirstPause)
		}
	}
	return first
}
