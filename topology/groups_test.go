package topology_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// withGroups is a topology with two classes in groups.
func withGroups(groups, rdma, other string) []byte {
	return []byte("chip: tomahawk\nheadroom: {method: ieee802.1qbb}\nets:\n" + groups +
		"classes:\n  - {name: rdma, priorities: [3], lossless: true" + rdma + "}\n" +
		"  - {name: other, priorities: [0, 1]" + other + "}\nports: [{name: Ethernet1, speed: 100G, cable: 10m}]\n")
}

// The groups of both standards are read, written, and read again as they were.
func TestGroupsOfBothStandards(t *testing.T) {
	for groups, want := range map[string][]ets.Group{
		`  traffic_classes:
    - {number: 0, tsa: ets, bandwidth: 100%}
    - {number: 5, name: "voice", tsa: credit-based, idle_slope: 10G}
`: {{Number: 0, Selection: dcbx.Enhanced, Bandwidth: 100},
			{Number: 5, Name: "voice", Selection: dcbx.CreditBased, IdleSlope: 10 * unit.Gbps}},
		`  traffic_classes: [{number: 0, tsa: 2, bandwidth: 100%}, {number: 5, tsa: 0}]
`: {{Number: 0, Selection: dcbx.Enhanced, Bandwidth: 100}, {Number: 5}},
	} {
		in, err := topology.Parse("leaf.yaml", withGroups(groups, ", ets_group: 0", ", ets_group: 5"), nil)
		require.NoError(t, err)
		require.Equal(t, want, in.ETS)
		w, err := topology.Write(in)
		require.NoError(t, err)
		require.Equal(t, in, reread(t, w))
	}
	in, err := topology.Parse("leaf.yaml", withGroups(`  priority_groups:
    - {number: 0, name: lan, bandwidth: 40%}
    - {number: 1, name: san, bandwidth: 60%}
    - {number: 15, name: ipc}
`, ", ets_group: 1", ", ets_group: 15"), nil)
	require.NoError(t, err)
	require.Equal(t, ets.Group{Number: 15, Name: "ipc"}, in.ETS[2])
	require.Equal(t, unit.Given(15), in.Classes[1].ETS)
	w, err := topology.Write(in)
	require.NoError(t, err)
	require.Contains(t, string(w.Topology), "priority_groups")
	require.Equal(t, in, reread(t, w))
}

// What is wrong with groups is said at its line, once, in the words of the file.
func TestGroupsThatAreRefused(t *testing.T) {
	const two = "  priority_groups: [{number: 0, bandwidth: 40%}, {number: 1, bandwidth: 60%}]\n"
	class := func(text string) string { return "  traffic_classes: [{" + text + "}]\n" }
	group := func(text string) string { return "  priority_groups: [{" + text + "}]\n" }
	for _, c := range []struct{ groups, rdma, other, want string }{
		{group("number: 0, bandwidth: 40%}, {number: 1, bandwidth: 50%"), ", ets_group: 0", ", ets_group: 1",
			"leaf.yaml:4: ets.priority_groups: bandwidths of 90% in sum: want 100% in sum for the groups " +
				"with ETS (802.1Q, D.2.8)"},
		{group("number: 0, bandwidth: 12.5%"), ", ets_group: 0", ", ets_group: 0",
			`leaf.yaml:4: ets.priority_groups[0].bandwidth: "12.5%": want whole percents, as the TLVs ` +
				"of ETS have them"},
		{group("number: 15, bandwidth: 0%"), ", ets_group: 15", ", ets_group: 15",
			`leaf.yaml:4: ets.priority_groups[0].bandwidth: "0%": want none: a group with this algorithm ` +
				"does not have it"},
		{class("number: 0, tsa: ets"), ", ets_group: 0", ", ets_group: 0",
			"leaf.yaml:4: ets.traffic_classes[0].bandwidth: missing"},
		{class("number: 0, tsa: vendor"), ", ets_group: 0", ", ets_group: 0",
			"leaf.yaml:4: ets.traffic_classes[0].tsa: vendor: want strict, credit-based, ets: what a vendor's " +
				"algorithm does is not known"},
		{class("number: 15, tsa: strict"), ", ets_group: 15", ", ets_group: 15",
			`leaf.yaml:4: ets.traffic_classes[0].number: "15": want a whole number from 0 to 7`},
		{class("number: 0, tsa: strict") + two, ", ets_group: 0", ", ets_group: 0",
			"leaf.yaml:5: ets.priority_groups: a list: want traffic_classes or priority_groups, not both"},
		{two, ", ets_group: 0", "",
			"leaf.yaml:7: classes[1].ets_group: none: want the number of a group, because there are groups"},
		{two, ", ets_group: 2", ", ets_group: 1",
			"leaf.yaml:6: classes[0].ets_group: 2: want the number of a group"},
		{"  {}\n", ", ets_group: 0", ", ets_group: 0",
			"leaf.yaml:4: ets: no groups: want traffic_classes or priority_groups"},
	} {
		_, err := topology.Parse("leaf.yaml", withGroups(c.groups, c.rdma, c.other), nil)
		require.ErrorContains(t, err, c.want)
		require.NotContains(t, err.Error(), "there are no groups", "it follows from the other complaint")
	}
}
