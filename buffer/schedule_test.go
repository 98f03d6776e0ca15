package buffer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/unit"
)

// grouped is an intent with two classes, in a group with a bandwidth and in group 15.
func grouped() buffer.Intent {
	in := dedicated(2, 5*unit.Metre)
	in.ETS = []ets.Group{{Number: 0, Selection: dcbx.Enhanced, Bandwidth: 100}, {Number: dcbx.StrictGroup}}
	in.Classes[0].ETS, in.Classes[1].ETS = unit.Given(0), unit.Given(15)
	return in
}

// A port has the registers of its groups, and weights for a device with one level. A port without a class of a group
// has the group and none of its queues.
func TestGroupsAreRegisters(t *testing.T) {
	in := grouped()
	in.Ports[1].Classes = buffer.Classes(0)
	plan, err := buffer.New(in)
	require.NoError(t, err)
	var got []string
	for _, s := range plan.Layout() {
		switch s.Kind {
		case buffer.QueueWeight, buffer.QueueClass, buffer.QueueShare, buffer.ClassBandwidth, buffer.ClassIdleSlope:
			got = append(got, s.String())
		}
	}
	one, two := in.Ports[0].Name, in.Ports[1].Name
	for _, want := range []string{one + " queue 3 weight 50", one + " queue 3 traffic class 0",
		one + " queue 3 share 1", one + " queue 0 weight strict",
		one + " queue 0 traffic class 7", one + " queue 0 share strict",
		one + " traffic class 0 bandwidth 100%", one + " traffic class 7 bandwidth strict",
		two + " traffic class 7 bandwidth strict", two + " queue 3 weight 50"} {
		require.Contains(t, got, want)
	}
	require.NotContains(t, got, two+" queue 0 traffic class 7")
	require.Len(t, plan.Schedules, 2)
	require.Equal(t, []string{two}, plan.Schedules[1].Ports)
	require.Equal(t, "50G", plan.Schedules[0].Least(ets.Share{Part: 1, Whole: 2}).String())

	in.ETS[1] = ets.Group{Number: 5, Selection: dcbx.CreditBased, IdleSlope: 30 * unit.Gbps}
	in.Classes[1].ETS, in.Classes[1].Weight = unit.Given(5), 7
	plan, err = buffer.New(in)
	require.NoError(t, err)
	value := func(k buffer.Kind, i int) int64 {
		return plan.Layout().Value(buffer.Register{Kind: k, Port: one, Index: i})
	}
	require.EqualValues(t, 30e6, value(buffer.ClassIdleSlope, 5))
	require.Zero(t, value(buffer.ClassBandwidth, 5))
	require.EqualValues(t, 7, value(buffer.QueueShare, 0))
	require.EqualValues(t, buffer.Strict, value(buffer.QueueWeight, 0), "one level has no shaper")
}

// Groups that the standards do not have, classes in none of them, and ports slower than their idle slopes are refused.
func TestGroupsThatAreRefused(t *testing.T) {
	for want, change := range map[string]func(*buffer.Intent){
		"ets.groups: bandwidths of 99% in sum: want 100% in sum for the groups with ETS (802.1Q, D.2.8)": func(
			in *buffer.Intent) {
			in.ETS[0].Bandwidth = 99
		},
		"classes[0].ets_group: 3: want the number of a group": func(in *buffer.Intent) {
			in.Classes[0].ETS = unit.Given(3)
		},
		"classes[0].ets_group: none: want the number of a group, because there are groups": func(
			in *buffer.Intent) {
			in.Classes[0].ETS = unit.Optional[int]{}
		},
		"classes[1].ets_group: 15: want none: there are no groups": func(in *buffer.Intent) {
			in.ETS, in.Classes[0].ETS = nil, unit.Optional[int]{}
		},
		"ports[0].speed: 100G: want at least the 101G of all idle slopes": func(in *buffer.Intent) {
			in.ETS[1] = ets.Group{Number: 6, Selection: dcbx.CreditBased, IdleSlope: 101 * unit.Gbps}
			in.Classes[1].ETS = unit.Given(6)
		},
	} {
		in := grouped()
		change(&in)
		require.ErrorContains(t, in.Validate(), want)
	}
	in := grouped()
	in.Classes[0].Weight = 3
	require.NoError(t, in.Validate(), "weights are compared within a group")
	in.Classes[1].ETS = unit.Given(0)
	require.ErrorContains(t, in.Validate(),
		"classes[1].weight: none: want a weight or strict for every class of group 0, or for none")
}
