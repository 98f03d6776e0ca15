package linkcheck_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/dcbx/linkcheck"
	"github.com/cellwarden/cellwarden/ets"
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
	e := linkcheck.FromIntent("leaf:Ethernet1", &in, 0)
	require.Equal(
		t,
		linkcheck.End{
			Name:          "leaf:Ethernet1",
			PFC:           unit.Given(pfc.Of(3, 4, 5)),
			Credits:       unit.Given(pfc.Of()),
			Trust:         pg.TrustDSCP,
			DSCP:          in.DSCP,
			MaxFrame:      unit.Given[unit.Bytes](9216),
			LosslessFrame: unit.Given[unit.Bytes](9216),
			Frames:        [8]unit.Bytes{3: 4096, 4: 4096, 5: 9216},
			Rate:          unit.Given(100 * unit.Gbps),
			Cable:         unit.Given(3 * unit.Metre),
			Shares: unit.Given(
				linkcheck.Shares{
					Of:     pfc.Of(0, 1, 3, 4, 5),
					Group:  [8]uint8{0, 1, 2, 3, 4, 5, 6, 7},
					Weight: [8]int64{3: 3, 4: 3, 5: 1},
					Strict: [8]bool{true, true},
				},
			),
		},
		e,
	)
	e = linkcheck.FromIntent("leaf:Ethernet2", &in, 1)
	require.Equal(t, unit.Given(pfc.Of(3, 4)), e.PFC)
	require.Equal(t, unit.Given[unit.Bytes](1518), e.LosslessFrame)
	require.False(t, e.Cable.IsGiven(), "a measured delay says no length")
	e = linkcheck.FromIntent("leaf:Ethernet3", &in, 2)
	require.Equal(t, unit.Given(pfc.Of()), e.PFC)
	require.False(t, e.LosslessFrame.IsGiven())
	in.DSCP, in.Trust, in.Classes[2].Strict = pg.DSCPMap{}, pg.TrustPCP, false
	e = linkcheck.FromIntent("leaf:Ethernet3", &in, 2)
	require.Equal(t, pg.TrustPCP, e.Trust)
	require.False(t, e.Shares.IsGiven(), "without weights, the device has its own schedule")
}

// A topology with groups says them as a port advertises them: classes of priorities, with a bandwidth or strict.
func TestGroupsOfAnIntent(t *testing.T) {
	in := buffer.Intent{
		ETS: []ets.Group{{Number: 0, Selection: dcbx.Enhanced, Bandwidth: 40},
			{Number: 1, Selection: dcbx.Enhanced, Bandwidth: 60}, {Number: 15}},
		Classes: []buffer.Class{
			{Name: "san", Priorities: []int{3, 4}, Lossless: true, ETS: unit.Given(1)},
			{Name: "lan", Priorities: []int{0, 1}, ETS: unit.Given(0)},
			{Name: "ipc", Priorities: []int{7}, ETS: unit.Given(15)},
		}, Ports: []buffer.Port{{Name: "Ethernet1", Rate: 100 * unit.Gbps, MTU: 9216}}}
	a := linkcheck.FromIntent("leaf:Ethernet1", &in, 0)
	shares, given := a.Shares.Get()
	require.True(t, given)
	require.True(t, shares.Grouped)
	require.Equal(t, [8]uint8{0, 0, 0, 1, 1, 0, 0, 7}, shares.Group)
	require.Equal(t, pfc.Of(0, 1, 3, 4, 7), shares.Of)

	compare := func(in *buffer.Intent) linkcheck.Result {
		b := linkcheck.FromIntent("spine:Ethernet9", in, 0)
		return linkcheck.Compare(&a, &b)
	}
	same := compare(&in)
	require.Empty(t, same.Findings)
	other := in
	other.ETS = slices.Clone(in.ETS)
	other.ETS[0].Bandwidth, other.ETS[1].Bandwidth = 50, 50
	found := compare(&other).Findings
	require.Len(t, found, 1)
	require.EqualValues(t, "ets-bandwidth", found[0].Code)
	other.Classes = slices.Clone(in.Classes)
	other.Classes[2].ETS = unit.Given(0)
	found = compare(&other).Findings
	require.EqualValues(t, "ets-groups", found[0].Code)
	require.Contains(t, found[0].Message, "leaf:Ethernet1 has the groups 0,1 | 3,4 | 7, spine:Ethernet9 has 0,1,7 | 3,4")
}
