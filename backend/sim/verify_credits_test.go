package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Of credits verify proves that each has its cell, under the condition that the
// neighbour counts them. A layout with fewer cells is not lossless.
func TestVerifyCountsCredits(t *testing.T) {
	chip, err := asic.Load("tomahawk4")
	require.NoError(t, err)
	in := buffer.Intent{Chip: chip, Sizing: thresholds.IEEE{}, Classes: []buffer.Class{
		{Name: "rdma", Priorities: []int{3}, Credits: true, MTU: 4096}},
		Ports: []buffer.Port{{Name: "Ethernet1", Rate: 400 * unit.Gbps, Cable: unit.Kilometre, MTU: 9216}}}
	plan, err := buffer.New(in)
	require.NoError(t, err)
	layout := plan.Layout()
	v, err := sim.Verify(t.Context(), in, layout, sim.VerifyOptions{})
	require.NoError(t, err)
	require.Equal(t, sim.LosslessIf, v.Verdict)
	require.Equal(t, []string{"the neighbours send class rdma by credits (CBFC), as many as are planned: " +
		"this is counted, not simulated"}, v.Conditions)
	require.Len(t, v.Credits, 1)
	require.True(t, v.Credits[0].Backed)
	for i := range layout {
		if layout[i].Kind == buffer.GroupReserved {
			layout[i].Value--
		}
	}
	v, err = sim.Verify(t.Context(), in, layout, sim.VerifyOptions{})
	require.NoError(t, err)
	require.Equal(t, sim.NotLossless, v.Verdict)
	require.Equal(t, []string{"Ethernet1"}, v.NotVerified)
	require.False(t, v.Credits[0].Backed)
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
	require.Equal(t, sim.LosslessIf, v.Verdict)
}
