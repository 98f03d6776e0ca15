package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/unit"
)

// This file has a test for each statement on ETS in the text on RoCEv2 and QoS (Chinese notes on RoCEv2, section ETS
// and section DCB) that the project began with. Each test states it in our words, and says where the text is not exact.

// lan, san and ipc are the groups of the text: PG0, PG1 and PG15.
var (
	lan = ets.Group{Number: 0, Name: "lan", Selection: dcbx.Enhanced, Bandwidth: 40}
	san = ets.Group{Number: 1, Name: "san", Selection: dcbx.Enhanced, Bandwidth: 60}
	ipc = ets.Group{Number: dcbx.StrictGroup, Name: "ipc"}
)

// busy is a load that fills a link.
func busy(queues ...int) (in [8]offered) {
	for _, q := range queues {
		in[q] = offered{1500, rate}
	}
	return in
}

// shares returns the part of each queue in what a port sends.
func shares(t *testing.T, groups []ets.Group, queues []ets.Queue, in [8]offered) (out [8]float64) {
	t.Helper()
	out = sent(t, scheduled(t, groups, queues), in, 2*unit.Millisecond)
	sum := 0.0
	for _, b := range out {
		sum += b
	}
	for q := range out {
		out[q] /= sum
	}
	return out
}

// The text: ETS gives each kind of traffic a minimum of the bandwidth, and keeps the burst of one kind from the others.
func TestTextETSGuaranteesAMinimum(t *testing.T) {
	queues := []ets.Queue{{Priority: 0, Group: 0}, {Priority: 3, Group: 1}}
	in := busy(0)
	in[3] = offered{1500, 50 * unit.Gbps} // less than its 60 %
	got := shares(t, []ets.Group{lan, san}, queues, in)
	require.InDelta(t, 0.5, got[3], 0.005, "the burst of queue 0 takes nothing of it")
}

// The text: a kind of traffic uses more than its part only while the others do not use theirs.
func TestTextUnusedBandwidthIsLent(t *testing.T) {
	queues := []ets.Queue{{Priority: 0, Group: 0}, {Priority: 3, Group: 1}}
	got := shares(t, []ets.Group{lan, san}, queues, busy(0))
	require.InDelta(t, 1, got[0], 0.001)
	got = shares(t, []ets.Group{lan, san}, queues, busy(0, 3))
	require.InEpsilon(t, 0.4, got[0], 0.01)
}

// The text: there are two levels. The port serves priority groups first, and
// then the queues of a group. Queues of one group get the same service.
func TestTextTwoLevels(t *testing.T) {
	queues := []ets.Queue{{Priority: 0, Group: 0}, {Priority: 3, Group: 1}, {Priority: 4, Group: 1}}
	got := shares(t, []ets.Group{lan, san}, queues, busy(0, 3, 4))
	require.InEpsilon(t, 0.4, got[0], 0.01, "two queues of the other group get no more than one")
	require.InEpsilon(t, 0.3, got[3], 0.01)
	require.InEpsilon(t, 0.3, got[4], 0.01)

	got = shares(t, []ets.Group{lan, san}, queues, busy(0, 3))
	require.InEpsilon(t, 0.6, got[3], 0.01, "what a queue leaves is its group's first")
}

// The text: the operator chooses which queues are in which group.
func TestTextQueuesAreAssigned(t *testing.T) {
	queues := []ets.Queue{{Priority: 0, Group: 0}, {Priority: 3, Group: 0}, {Priority: 4, Group: 1}}
	got := shares(t, []ets.Group{lan, san}, queues, busy(0, 3, 4))
	require.InEpsilon(t, 0.2, got[3], 0.01)
	require.InEpsilon(t, 0.6, got[4], 0.01)
}

// The text: by default there are PG0 for LAN, PG1 for SAN and PG15 for IPC traffic. Defaults are the vendor's; here a
// topology states its groups. Group 15 has no limit and sends first.
func TestTextDefaultGroups(t *testing.T) {
	queues := []ets.Queue{{Priority: 0, Group: 0}, {Priority: 3, Group: 1}, {Priority: 6, Group: 15}}
	in := busy(0, 3)
	in[6] = offered{1500, 50 * unit.Gbps}
	got := shares(t, []ets.Group{lan, san, ipc}, queues, in)
	require.InDelta(t, 0.5, got[6], 0.005)
	require.InEpsilon(t, 0.2, got[0], 0.01, "the percentages are parts of what group 15 leaves")
	require.InEpsilon(t, 0.3, got[3], 0.01)
	require.InDelta(t, 1, shares(t, []ets.Group{lan, san, ipc}, queues, busy(0, 3, 6))[6], 0.001,
		"without a limit, group 15 can take the whole link")
}

// The text names WRR, SP and CBS as the three algorithms of 802.1Qaz. The standard's are strict, credit-based, ETS and
// vendor; WRR is one way to implement ETS.
func TestTextNamesThreeAlgorithms(t *testing.T) {
	for number, name := range map[dcbx.Selection]string{0: "strict", 1: "credit-based", 2: "ets", 255: "vendor"} {
		require.Equal(t, name, number.String())
	}
	_, err := ets.ParseSelection("wrr")
	require.Error(t, err)
}

// The text: WRR serves queues in turn. The weight of a queue is how often it sends, no queue starves, an empty queue is
// skipped, and each has at least its part. A weight of packets is a part of the bandwidth only if all frames have one
// length, so ETS here counts bytes (DWRR).
func TestTextWeightedRoundRobin(t *testing.T) {
	packets := fabric.Scheduler{Overhead: overhead}
	packets.Queues[0], packets.Queues[3] = fabric.Selection{Weight: 1}, fabric.Selection{Weight: 3}
	part := func(s fabric.Scheduler, in [8]offered) float64 {
		got := sent(t, s, in, unit.Millisecond)
		return got[3] / (got[0] + got[3])
	}
	require.InEpsilon(t, 0.75, part(packets, busy(0, 3)), 0.01)
	require.InDelta(t, 1, part(packets, busy(3)), 0.001, "the empty queue is skipped")
	in := busy(0, 3)
	in[0].frame = 4480 // 4500 bytes on the wire, and 1520 of queue 3
	require.InEpsilon(t, 3*1520./(3*1520+4500), part(packets, in), 0.01, "packets and not bytes")
	bytes := packets
	bytes.Queues[0], bytes.Queues[3] = fabric.Selection{Algorithm: fabric.DWRR, Weight: 1},
		fabric.Selection{Algorithm: fabric.DWRR, Weight: 3}
	require.InEpsilon(t, 0.75, part(bytes, in), 0.01)
}

// The text: SP takes packets of the higher queue first, and of a lower one only if the higher is empty.
func TestTextStrictPriority(t *testing.T) {
	queues := []ets.Queue{{Priority: 5, Group: 15, Strict: true}, {Priority: 6, Group: 15, Strict: true}}
	groups := []ets.Group{{Number: 0, Selection: dcbx.Enhanced, Bandwidth: 100}, ipc}
	got := shares(t, groups, queues, busy(5, 6))
	require.InDelta(t, 1, got[6], 0.001)
	require.InDelta(t, 1, shares(t, groups, queues, busy(5))[5], 0.001)
}

// The text: the credit-based shaper puts tokens into a bucket at the rate idleSlope while the queue has packets, takes
// them out for what it sends, and sends while their number is not negative. In the text the number becomes 0 when the
// queue is empty; by 802.1Qav that is so for a positive credit alone, and a debt stays, which fabric's TestCredit
// tests.
func TestTextCreditBasedShaper(t *testing.T) {
	groups := []ets.Group{{Number: 0, Selection: dcbx.Enhanced, Bandwidth: 100},
		{Number: 5, Selection: dcbx.CreditBased, IdleSlope: 30 * unit.Gbps}}
	queues := []ets.Queue{{Priority: 0, Group: 0}, {Priority: 5, Group: 5}}
	got := shares(t, groups, queues, busy(0, 5))
	require.InEpsilon(t, 0.3, got[5], 0.01)
	require.InEpsilon(t, 0.7, got[0], 0.01, "the rate that it may not use is not lost")
	in := busy(5)
	alone := sent(t, scheduled(t, groups, queues), in, 2*unit.Millisecond)
	require.InEpsilon(t, 30e9/8*2e-3, alone[5], 0.01, "nothing else waits, and it keeps to its rate")
}

// The text: DCB is PFC and ETS together. A queue that is paused gives its part to the others, also to those of its
// group, and gathers nothing meanwhile. fabric's TestPauseGathersNothing has the pause; here the queue has no load.
func TestTextPausedGroupLendsItsPart(t *testing.T) {
	queues := []ets.Queue{{Priority: 0, Group: 0}, {Priority: 3, Group: 1}, {Priority: 4, Group: 1}}
	got := shares(t, []ets.Group{lan, san}, queues, busy(0, 4))
	require.InEpsilon(t, 0.6, got[4], 0.01)
}
