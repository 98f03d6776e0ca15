package scenario_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/unit"
)

// An all-to-all of htsim runs in turns: no more than two connections of a node at one time.
func TestFlowListRuns(t *testing.T) {
	data, err := os.ReadFile("../../../internal/foreign/testdata/alltoall.cm")
	require.NoError(t, err)
	list := &scenario.FlowList{Name: "a.cm", Data: data}
	text := star(8, "flows: [{list: other, frame: 1048B, header: 48B, class: rdma, sender: {ack: {every: 1}}}]\n")
	s, err := scenario.ReadContext(context.Background(), "f.yaml", []byte(text), os.ReadFile, list)
	require.NoError(t, err)
	require.Equal(t, []string{"12 flows of a.cm, a connection matrix of htsim"}, s.Lists)
	res, err := s.Run(context.Background(), scenario.Options{})
	require.NoError(t, err)
	require.Equal(t, 12, res.Completions[0].Arrived)
	require.Greater(t, res.Flows[2].Start, res.Flows[0].Last)

	// Without a given list the file is read beside the scenario.
	_, err = scenario.Read("f.yaml", []byte(text), func(name string) ([]byte, error) {
		require.Equal(t, "other", name)
		return data, nil
	})
	require.NoError(t, err)
}

// A list that does not fit the topology or its entry is refused.
func TestFlowListRefuses(t *testing.T) {
	hpcc := "1\n1 2 5 100 5000 0.001"
	for _, c := range []struct{ entry, list, want string }{
		{"{list: l, frame: 64B}", "1\n1 3 3 100 5 0", "line 2: node 1 to node 3: want nodes 0 to 2"},
		{"{list: l, frame: 64B, first: 2}", hpcc, "line 2: node 1 to node 2: want nodes 2 to 4"},
		{"{list: l, frame: 64B, class: rdma}", hpcc, "want no class: the list has the priority group"},
		{"{list: l, frame: 64B, from: h1}", hpcc, "from: unknown key"},
		{"{list: l}", hpcc, "frame: missing"},
		{"{list: l, frame: 64B}", "2\n1 2", "l:2: the file ends in flow 1 of 2"},
		{"{list: l, frame: 64B}", "Nodes 4\nConnections 0\n", "4 nodes: want at most the 3 hosts"},
	} {
		_, err := scenario.Read("f.yaml", []byte(star(3, "flows: ["+c.entry+"]\n")), func(string) ([]byte, error) {
			return []byte(c.list), nil
		})
		require.ErrorContains(t, err, c.want)
	}
	s, err := scenario.Read("f.yaml", []byte(star(3, "flows: [{list: l, frame: 1048B, first: 1}]\n")),
		func(string) ([]byte, error) { return []byte(hpcc), nil })
	require.NoError(t, err)
	f := s.Network.Flows[0]
	require.Equal(t, []int{0, 1, 5, 5, 40}, []int{f.From, f.To, f.Priority, f.PCP, f.DSCP})
	require.Equal(t, unit.Millisecond, f.Start)
}
