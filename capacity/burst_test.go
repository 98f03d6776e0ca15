package capacity_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/internal/effort"
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
	effort.SkipShort(t, "simulates several incasts")
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

// Marking and a full headroom come when the simulated switch marks and drops its first frame. The senders do not listen
// to PFC, and a step as marking curve marks every frame above it.
//
// What the closed form leaves out is known: the first frame arrives after its own time on the wire, the cable of 1 m,
// and the interface of 100G, which has 100,864 bit times each way. The tolerance is what a fluid does not have. A
// queue is compared in whole frames, one of them is being sent and waits no longer, and the frames of all senders
// arrive at once: three frames of a queue that grows by n-1 frames in a frame time, and one frame time. A group is
// compared in whole frames twice, with its limit and with its headroom, and may be a frame ahead of the others: three
// frames of a group, each of which takes n/(n-1) frame times.
func TestMarksAndFullHeadroomAreThoseOfTheSimulator(t *testing.T) {
	effort.SkipShort(t, "simulates several incasts")
	const frame = 8 * (4096 + 20) * unit.Second / unit.Time(100*unit.Gbps)
	const path = frame + 5*unit.Nanosecond + 100_864*unit.Second/unit.Time(100*unit.Gbps)
	for _, kmin := range []int{100_000, 400_000} {
		text := strings.Replace(fmt.Sprintf(burstLeaf, "1/8"), "kmin: 100000B, kmax: 400000B",
			fmt.Sprintf("kmin: %dB, kmax: %dB", kmin, kmin), 1)
		in, err := topology.Parse("leaf.yaml", []byte(text), os.ReadFile)
		require.NoError(t, err)
		bursts, err := capacity.Bursts(in, []capacity.Entry{{Text: "Ethernet1-32", Count: 32}}, []int{2, 8, 31}, 0)
		require.NoError(t, err)
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "leaf.yaml"), []byte(text), 0o666))
		for _, b := range bursts {
			require.Equal(t, b.MarksSome, b.MarksAll, "a step")
			first := firstEvents(t, dir, b.Senders, b.Full+b.Full/10)
			n := unit.Time(b.Senders)
			for _, c := range []struct {
				event       string
				want, slack unit.Time
			}{
				{"marked", b.MarksAll, frame + 3*frame/(n-1)},
				{"dropped", b.Full, 3 * frame * n / (n - 1)},
			} {
				got, seen := first[c.event]
				require.True(t, seen, "%s with %d senders", c.event, n)
				t.Logf("%d senders, %s: %v and %v by the closed form, %v simulated", n, c.event, c.want, path, got)
				require.InDelta(t, int64(c.want+path), int64(got), float64(c.slack), "%s with %d senders", c.event, n)
			}
		}
	}
}

// An incast is over all ports of a switch. Those of 31 senders that have ports in a slice store there, and reach its
// limit together; the receiver sends nothing.
func TestBurstsAreOverAllSlices(t *testing.T) {
	data, err := os.ReadFile("../examples/arista-7060cx-32s.yaml")
	require.NoError(t, err)
	in, err := topology.Parse("../examples/arista-7060cx-32s.yaml", data, os.ReadFile)
	require.NoError(t, err)
	all := capacity.Entry{Text: "all", Count: 32}
	require.Equal(t, 31, all.Senders(&in))
	require.Equal(t, 16, capacity.Entry{Count: 16}.Senders(&in), "a port of another entry can receive")
	bursts, err := capacity.Bursts(in, []capacity.Entry{all}, []int{2, 16, 31, 32, 0}, 0)
	require.NoError(t, err)
	require.Len(t, bursts, 3, "32 have no receiver, and all is 31")
	two, half, most := bursts[0], bursts[1], bursts[2]
	require.Equal(t, []int{2, 16, 31}, []int{two.Senders, half.Senders, most.Senders})
	require.Equal(t, []int{2, 16, 16}, []int{two.InSlice, half.InSlice, most.InSlice})
	require.Equal(t, half.Pause, most.Pause, "16 groups share the slice with either")
	require.Less(t, most.XOFF, half.XOFF, "but the egress port sends less of each")
	require.Less(t, most.MarksAll, half.MarksAll)
	require.Zero(t, two.Short, "the pool of a slice holds 3 groups")
	require.Positive(t, half.Short)
	require.Equal(t, half.Short, most.Short)
}

// firstEvents simulates an incast whose senders do not listen to PFC, and returns when each kind of event came first.
func firstEvents(t *testing.T, dir string, senders int, until unit.Time) map[string]unit.Time {
	t.Helper()
	text := fmt.Sprintf(`name: burst
until: %v
classes:
  - {name: rdma, priority: 3, lossless: true}
topology: {kind: incast, senders: %d, rate: 100G, cable: 1m}
switch: {plan: leaf.yaml}
flows:
  - {name: incast, from: all, to: receiver, class: rdma, frame: 4096B, ect: true}
`, until, senders)
	s, err := scenario.Read(filepath.Join(dir, "burst.yaml"), []byte(text), os.ReadFile)
	require.NoError(t, err)
	var trace bytes.Buffer
	_, err = s.Run(context.Background(), scenario.Options{Trace: &trace})
	require.NoError(t, err)
	out := map[string]unit.Time{}
	for line := range strings.Lines(trace.String()) {
		fields := strings.SplitN(line, ",", 3)
		at, err := strconv.ParseInt(fields[0], 10, 64)
		if _, seen := out[fields[1]]; err == nil && !seen {
			out[fields[1]] = unit.Time(at)
		}
	}
	return out
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
  - {name: incast, from: all, to: receiver, class: rdma, frame: 4096B, ect: true}
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
