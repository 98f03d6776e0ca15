package sim_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Of credits verify proves that each has its cell, reserved and shared, and that the channels have the traffic classes
// of the plan, under the condition that the neighbour counts them. A layout with fewer cells or another map is not
// lossless.
func TestVerifyCountsCredits(t *testing.T) {
	chip, err := asic.Load("tomahawk4")
	require.NoError(t, err)
	in := buffer.Intent{Chip: chip, Sizing: thresholds.IEEE{}, Classes: []buffer.Class{
		{Name: "rdma", Priorities: []int{3}, Credits: true, MTU: 4096, Alpha: new(thresholds.Alpha),
			Channels: []cbfc.Assignment{{Traffic: 3, Channel: 12}, {Traffic: 9, Channel: 31}}}},
		Ports: []buffer.Port{{Name: "Ethernet1", Rate: 400 * unit.Gbps, Cable: unit.Kilometre, MTU: 9216,
			SharedCredits: 25400}}}
	plan, err := buffer.New(in)
	require.NoError(t, err)
	verify := func(l buffer.Layout) *report.Verification {
		v, err := sim.Verify(t.Context(), in, l, sim.VerifyOptions{})
		require.NoError(t, err)
		return v
	}
	v := verify(plan.Layout())
	require.Equal(t, report.LosslessIf, v.Verdict)
	require.Equal(t, []string{"the neighbours send class rdma by credits (CBFC), as many as are planned: " +
		"this is counted, not simulated"}, v.Conditions)
	require.Len(t, v.Credits, 2)
	require.Equal(t, []int{12, 31}, []int{v.Credits[0].Channel, v.Credits[1].Channel})
	require.Equal(t, []cells.Count{100, 100, v.Credits[0].Credits + 50},
		[]cells.Count{v.Credits[0].Shared, v.Credits[0].Backing, v.Credits[0].Alone})
	for _, k := range []buffer.Kind{buffer.ChannelReserved, buffer.PortCredits, buffer.ChannelTraffic} {
		less := slices.Clone(plan.Layout())
		at := slices.IndexFunc(less, func(s buffer.Setting) bool { return s.Kind == k })
		less[at].Value--
		v := verify(less)
		require.Equal(t, report.NotLossless, v.Verdict, k)
		require.Equal(t, []string{"Ethernet1"}, v.NotVerified, k)
		require.Equal(t, k == buffer.ChannelTraffic, v.Credits[0].Backed, k)
		require.Equal(t, k != buffer.ChannelTraffic, v.Credits[0].Mapped, k)
	}
}

// On a switch with both, pauses are simulated and credits are counted.
func TestVerifyOfPausesAndCredits(t *testing.T) {
	chip, err := asic.Load("tomahawk4")
	require.NoError(t, err)
	in := buffer.Intent{Chip: chip, Sizing: thresholds.IEEE{}, Classes: []buffer.Class{
		{Name: "rdma", Priorities: []int{3}, Lossless: true, MTU: 4096}},
		Ports: []buffer.Port{{Name: "Ethernet1", Rate: 100 * unit.Gbps, Cable: 5 * unit.Metre, MTU: 9216},
			{Name: "Ethernet2", Rate: 400 * unit.Gbps, Cable: unit.Kilometre, MTU: 9216, Credits: true}}}
	plan, err := buffer.New(in)
	require.NoError(t, err)
	v, err := sim.Verify(t.Context(), in, plan.Layout(), sim.VerifyOptions{})
	require.NoError(t, err)
	require.Len(t, v.Groups, 1)
	require.Equal(t, "Ethernet1", v.Groups[0].Port)
	require.Len(t, v.Credits, 1)
	require.Equal(t, "Ethernet2", v.Credits[0].Port)
	require.Equal(t, report.LosslessIf, v.Verdict)
}
