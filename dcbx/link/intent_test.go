package link_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/dcbx/link"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

// A topology says PFC, frames, speed, cable, DSCPs and weights of a port, by the classes that the port carries.
func TestFromIntent(t *testing.T) {
	in := buffer.Intent{DSCP: pg.DSCPMap{3: pg.Points(26)}, Classes: []buffer.Class{
		{Name: "rdma", Priorities: []int{3, 4}, Lossless: true, MTU: 4096, Weight: 3},
		{Name: "storage", Priorities: []int{5}, Lossless: true, Weight: 1},
		{Name: "rest", Priorities: []int{0, 1}, Strict: true},
	}, Ports: []buffer.Port{
		{Name: "Ethernet1", Rate: 100 * unit.Gbps, Cable: 3 * unit.Metre, MTU: 9216},
		{
			Name:    "Ethernet2",
			Rate:    100 * unit.Gbps,
			Delay:   unit.Given(unit.Nanosecond),
			MTU:     1518,
			Classes: buffer.Classes(0, 2),
		},
		{Name: "Ethernet3", Rate: 100 * unit.Gbps, MTU: 1518, Classes: buffer.Classes(2)},
	}}
	e := link.FromIntent("leaf:Ethernet1", &in, 0)
	require.Equal(
		t,
		link.End{
			Name:          "leaf:Ethernet1",
			PFC:           unit.Given(pfc.Of(3, 4, 5)),
			Trust:         pg.TrustDSCP,
			DSCP:          in.DSCP,
			MaxFrame:      unit.Given[unit.Bytes](9216),
			LosslessFrame: unit.Given[unit.Bytes](9216),
			Rate:          unit.Given(100 * unit.Gbps),
			Cable:         unit.Given(3 * unit.Metre),
			Shares: unit.Given(
				link.Shares{
					Of:     pfc.Of(0, 1, 3, 4, 5),
					Group:  [8]uint8{0, 1, 2, 3, 4, 5, 6, 7},
					Weight: [8]int64{3: 3, 4: 3, 5: 1},
					Strict: [8]bool{true, true},
				},
			),
		},
		e,
	)
	e = link.FromIntent("leaf:Ethernet2", &in, 1)
	require.Equal(t, unit.Given(pfc.Of(3, 4)), e.PFC)
	require.Equal(t, unit.Given[unit.Bytes](1518), e.LosslessFrame)
	require.False(t, e.Cable.IsGiven(), "a measured delay says no length")
	e = link.FromIntent("leaf:Ethernet3", &in, 2)
	require.Equal(t, unit.Given(pfc.Of()), e.PFC)
	require.False(t, e.LosslessFrame.IsGiven())
	in.DSCP, in.Trust, in.Classes[2].Strict = pg.DSCPMap{}, pg.TrustPCP, false
	e = link.FromIntent("leaf:Ethernet3", &in, 2)
	require.Equal(t, pg.TrustPCP, e.Trust)
	require.False(t, e.Shares.IsGiven(), "without weights, the device has its own schedule")
}
