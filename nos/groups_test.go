package nos_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/junos"
	"github.com/cellwarden/cellwarden/unit"
)

// groupedIntent is scheduled with groups: one that is shaped, and two with a bandwidth, of which one has two queues.
func groupedIntent(ports ...string) buffer.Intent {
	in := scheduled(ports...)
	in.ETS = []ets.Group{{Number: 0, Selection: dcbx.Enhanced, Bandwidth: 30},
		{Number: 1, Selection: dcbx.Enhanced, Bandwidth: 70},
		{Number: 6, Selection: dcbx.CreditBased, IdleSlope: 10 * unit.Gbps}}
	for i, n := range []int{1, 0, 6} {
		in.Classes[i].ETS = unit.Given(n)
	}
	return in
}

// Junos has both levels: sets of forwarding classes with a guaranteed rate, and percentages of the queues in them. The
// document names only what it has.
func TestJunosGroups(t *testing.T) {
	in := groupedIntent("et-0/0/0", "et-0/0/1", "et-0/0/2")
	in.ETS[2] = ets.Group{Number: 6}
	in.Classes[0].Weight = 2
	in.Classes = append(in.Classes, buffer.Class{Name: "fifth", Priorities: []int{7}, Weight: 1, ETS: unit.Given(1)})
	r := junos.System.Render(planned(t, in))
	service := document(t, r.Files[0].Content).(map[string]any)["junos-qfx-conf-root:configuration"].(map[string]any)
	service = service["junos-qfx-conf-class-of-service:class-of-service"].(map[string]any)
	text := func(key string) string { return string(nos.Compact(service[key])) }
	require.JSONEq(t, `[
		{"name": "cellwarden-class-0", "class": [{"name": "best-effort"}, {"name": "cellwarden-1"},
			{"name": "cellwarden-2"}, {"name": "cellwarden-5"}]},
		{"name": "cellwarden-class-1", "class": [{"name": "fcoe"}, {"name": "no-loss"},
			{"name": "network-control"}]},
		{"name": "cellwarden-class-6", "class": [{"name": "cellwarden-6"}]}]`, text("forwarding-class-sets"))
	require.JSONEq(t, `[
		{"name": "cellwarden-30-of-0-25-1-25-2-25-5-25", "scheduler-map": "cellwarden-0-25-1-25-2-25-5-25",
			"guaranteed-rate": {"percent": 30}},
		{"name": "cellwarden-70-of-3-40-4-40-7-20", "scheduler-map": "cellwarden-3-40-4-40-7-20",
			"guaranteed-rate": {"percent": 70}},
		{"name": "cellwarden-0-of-6-0", "scheduler-map": "cellwarden-6-0"}]`, text("traffic-control-profiles"))
	require.JSONEq(t, `[
		{"name": "cellwarden-25-percent", "priority": "low", "transmit-rate": {"percent": 25}},
		{"name": "cellwarden-40-percent", "priority": "low", "transmit-rate": {"percent": 40}},
		{"name": "cellwarden-20-percent", "priority": "low", "transmit-rate": {"percent": 20}},
		{"name": "cellwarden-strict", "priority": "strict-high"}]`, text("schedulers"))
	require.Contains(t, text("interfaces"), `"output-traffic-control-profile":{"profile-name":"cellwarden-0-of-6-0"}`)
	require.NotContains(t, text("congestion-notification-profile"), "guaranteed-rate")
	require.Empty(t, r.Shares[0].Losses)
	for _, turn := range r.Shares[0].Turns {
		require.Zero(t, turn.Rounded.Off())
	}

	require.Equal(t, ets.LostShaper, junos.System.Render(planned(t, groupedIntent("a", "b",
		"c"))).Shares[0].Losses[0].Code)
}
