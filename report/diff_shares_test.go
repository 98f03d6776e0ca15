package report_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Two plans are compared by the credits of their channels and by the groups of their queues.
func TestDiffOfChannelsAndGroups(t *testing.T) {
	chip, err := asic.Load("tomahawk4")
	require.NoError(t, err)
	file := func(change func(*buffer.Intent)) *report.PlanFile {
		in := buffer.Intent{Chip: chip, Sizing: thresholds.IEEE{}, Classes: []buffer.Class{
			{Name: "rdma", Priorities: []int{3}, Credits: true, MTU: 4096, ETS: unit.Given(1)},
			{Name: "rest", Priorities: []int{0, 1}, ETS: unit.Given(0)}},
			ETS: []ets.Group{{Number: 0, Selection: dcbx.Enhanced, Bandwidth: 40},
				{Number: 1, Selection: dcbx.Enhanced, Bandwidth: 60}},
			Ports: []buffer.Port{{Name: "Ethernet1", Rate: 100 * unit.Gbps, Cable: unit.Metre, MTU: 9216}}}
		change(&in)
		plan, err := buffer.New(in)
		require.NoError(t, err)
		document := report.Plan(plan)
		f, err := document.File()
		require.NoError(t, err)
		return f
	}
	same := file(func(*buffer.Intent) {})
	unknown := report.UnknownSteps("")
	require.True(t, new(report.Diff(same, same, unknown)).Alike)

	d := report.Diff(same, file(func(in *buffer.Intent) {
		in.Classes[0].Channels = []cbfc.Assignment{{Traffic: 3, Channel: 3}, {Traffic: 9, Channel: 3}}
		in.Classes[0].Reserved = unit.Given[unit.Bytes](2540)
		in.Classes[0].Alpha, in.Ports[0].SharedCredits = new(thresholds.Alpha(1)), 254
		in.ETS[0].Bandwidth, in.ETS[1].Bandwidth = 30, 70
	}), unknown)
	require.False(t, d.Alike)
	got := map[string][2]string{}
	for _, c := range d.Channels {
		require.Equal(t, "changed", c.State)
		require.Equal(t, 3, c.Channel)
		got[c.Value] = [2]string{c.From, c.To}
	}
	require.Equal(t, [2]string{"3", "3,9"}, got["traffic_classes"])
	require.Equal(t, [2]string{"none", "dynamic 2^1"}, got["shared_limit"])
	require.Equal(t, [2]string{"0", "1"}, got["port_shared_credits"])
	require.Equal(t, "10", got["reserved_credits"][1])
	require.Contains(t, d.Shares, report.ShareChange{Ports: "Ethernet1", Speed: "100G", Item: "group 0", State: "changed",
		Value: "bandwidth_percent", From: "40", To: "30"})
	require.Contains(t, d.Shares, report.ShareChange{Ports: "Ethernet1", Speed: "100G", Item: "queue 3", State: "changed",
		Value: "share", From: "60%", To: "70%"})
	for _, o := range d.Other {
		require.NotRegexp(t, "^(channels|ets)", o.Path)
	}

	d = report.Diff(same, file(func(in *buffer.Intent) {
		in.Classes[0].Channels = []cbfc.Assignment{{Traffic: 3, Channel: 12}}
		in.ETS = nil
		in.Classes[0].ETS, in.Classes[1].ETS = unit.Optional[int]{}, unit.Optional[int]{}
	}), unknown)
	states := map[int]string{}
	for _, c := range d.Channels {
		states[c.Channel] = c.State
	}
	require.Equal(t, map[int]string{3: "gone", 12: "new"}, states)
	require.NotEmpty(t, d.Shares)
	for _, c := range d.Shares {
		require.Equal(t, "gone", c.State)
	}
}
