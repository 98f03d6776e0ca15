package scenario_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/unit"
)

// star is a scenario of so many hosts on one switch, with these collectives. There are no headers, no gaps and no delay
// of interfaces, so that times are easy to compute.
func star(hosts int, entries string) string {
	return fmt.Sprintf(`name: star
until: 10ms
classes: [{name: rdma, priority: 3, lossless: true}]
topology: {kind: chain, switches: 1, hosts: %d, rate: 100G, delay: 1us, interface: 0ns}
host: {pfc: [rdma]}
switch: {cell: 208B, pool: 8MiB, pfc: [rdma], groups: {rdma: {alpha: 1, headroom: 64KiB, xon_offset: 2KiB}}}
%s`, hosts, entries)
}

// flowsOf lists the flows of a scenario: "h1-h2 1000 after 3 4".
func flowsOf(s *scenario.Scenario) (out []string) {
	for i := range s.Network.Flows {
		f := &s.Network.Flows[i]
		text := fmt.Sprintf("%s %d", s.FlowName(i), f.Size)
		if len(f.After) > 0 {
			text += " after " + strings.Trim(fmt.Sprint(f.After), "[]")
		}
		out = append(out, text)
	}
	return out
}

// A collective is its messages, each of which waits for the one that brings its data.
func TestCollectives(t *testing.T) {
	for text, want := range map[string]string{
		`{name: a, kind: all-to-all, hosts: all, size: 30B, frame: 1048B}`: `a h1-h2 10
a h2-h3 10
a h3-h1 10
a h1-h3 10
a h2-h1 10
a h3-h2 10`,
		`{name: a, kind: all-to-all, hosts: all, size: 31B, frame: 1048B, at_once: 1, repeat: 2}`: `a h1-h2 10
a h2-h3 11
a h3-h1 10 after 1
a h1-h3 11
a h2-h1 10
a h3-h2 10`,
		`{name: r, kind: ring-all-gather, hosts: [h3, h1, h2], size: 31B, frame: 1048B}`: `r h3-h1 10
r h1-h2 10
r h2-h3 11
r h3-h1 11 after 2
r h1-h2 10 after 0
r h2-h3 10 after 1`,
		`{name: r, kind: ring-all-reduce, hosts: [h1, h2], size: 10B, frame: 1048B, repeat: 2}`: `r h1-h2 5
r h2-h1 5
r h1-h2 5 after 1
r h2-h1 5 after 0
r h1-h2 5 after 1 3
r h2-h1 5 after 0 2
r h1-h2 5 after 5
r h2-h1 5 after 4`,
		`{name: i, kind: incast, hosts: all, to: h2, messages: [7B, 9B], request: 5B, frame: 1048B}`: `i requests h2-h1 5
i requests h2-h3 5
i h1-h2 7 after 0
i h3-h2 7 after 1
i requests h2-h1 5 after 2 3
i requests h2-h3 5 after 2 3
i h1-h2 9 after 4
i h3-h2 9 after 5`,
	} {
		got := flowsOf(read(t, star(3, "collectives: ["+text+"]\n")))
		if strings.Contains(text, "at_once: 1") {
			require.Len(t, got, 12)
			require.Equal(t, []string{"a h1-h2 10 after 2 4", "a h2-h3 11 after 0 5", "a h3-h1 10 after 1 3"}, got[6:9])
			require.Equal(t, []string{"a h1-h3 11 after 8", "a h2-h1 10 after 6", "a h3-h2 10 after 7"}, got[9:])
			require.Equal(t, []string{"a h1-h3 11 after 2", "a h2-h1 10 after 0", "a h3-h2 10 after 1"}, got[3:6])
			continue
		}
		require.Equal(t, want, strings.Join(got, "\n"), text)
	}
}

// An entry waits for entries further up: for what arrives at its own hosts, or for all.
func TestAfterEntries(t *testing.T) {
	got := flowsOf(read(t, star(4, `flows:
- {name: a, from: [h1, h2], to: h3, frame: 1048B, size: 1KiB}
- {name: b, from: h4, to: h2, frame: 1048B, size: 1KiB}
- {name: c, from: h3, to: [h1, h2], frame: 1048B, size: 1KiB, after: a, delay: 5us}
- {name: d, from: h1, to: h4, frame: 1048B, size: 1KiB, after: c, after_all: [a, b]}
collectives:
- {name: r, kind: ring-reduce-scatter, hosts: [h2, h1], size: 2KiB, frame: 1048B, after: [b, c]}
`)))
	require.Equal(t, []string{"a h1-h3 1024", "a h2-h3 1024", "b h4-h2 1024", "c h3-h1 1024 after 0 1",
		"c h3-h2 1024 after 0 1", "d h1-h4 1024 after 3 0 1 2", "r h2-h1 1024 after 2 4", "r h1-h2 1024 after 3"}, got)
}

// A ring without other traffic takes its steps one after the other: 2(n-1) times the time of a part on its path.
func TestRingTakesItsSteps(t *testing.T) {
	s := read(t, star(4, `wire: {gap: 20B}
collectives: [{name: r, kind: ring-all-reduce, hosts: all, class: rdma, size: 40000B, frame: 1000B}]
`))
	res, err := s.Run(context.Background(), scenario.Options{})
	require.NoError(t, err)
	part := 11*1020*80*unit.Picosecond + 2*unit.Microsecond // 10 frames, stored and forwarded once
	require.Equal(t, 6*part, res.Summary.LastDelivery)
}

// The expansion does not depend on how the network is run.
func TestCollectivesAreDeterministic(t *testing.T) {
	s := read(t, strings.Replace(star(8, `collectives:
- {name: g, kind: ring-all-gather, hosts: all, class: rdma, size: 1MiB, frame: 1048B, header: 48B}
- {name: a, kind: all-to-all, hosts: all, class: rdma, size: 1MiB, frame: 1048B, header: 48B, at_once: 2, after: g}
- {name: i, kind: incast, hosts: all, to: h3, class: rdma, messages: [10KiB, 1MiB], frame: 1048B, header: 48B}
`), "kind: chain, switches: 1, hosts: 8", "kind: leaf-spine, leaves: 4, spines: 2, hosts: 2", 1))
	var want fabric.Summary
	for workers := range 3 {
		sim, err := fabric.New(s.Network)
		require.NoError(t, err)
		if sim.SetWorkers(workers); workers == 2 {
			sim.Observe(func(*fabric.Event) {})
		}
		sim.Run(unit.Second)
		require.NoError(t, sim.Check())
		for i := range s.Network.Flows {
			require.True(t, sim.Arrived(i), s.FlowName(i))
		}
		if workers == 0 {
			want = sim.Summary()
		}
		require.Equal(t, want, sim.Summary())
	}
	require.Zero(t, want.Drops)
	require.Positive(t, want.PauseSent)
}

func TestCollectivesRefuse(t *testing.T) {
	for text, want := range map[string]string{
		"{kind: gossip, hosts: all, frame: 64B}":                                  "want all-to-all, incast, ring-all",
		"{kind: all-to-all, hosts: all, frame: 64B}":                              "size: missing",
		"{kind: all-to-all, hosts: [h1], size: 1KiB, frame: 64B}":                 "1 hosts: want 2 or more",
		"{kind: all-to-all, hosts: [h1, h1], size: 1KiB, frame: 64B}":             "a host that the list does not have yet",
		"{kind: ring-all-gather, hosts: all, size: 2B, frame: 64B}":               `"2B": want 3B or more`,
		"{kind: ring-all-gather, hosts: all, size: 1KiB, frame: 64B, at_once: 1}": "at_once: unknown key",
		"{kind: ring-all-gather, hosts: all, size: 1KiB, frame: 64B, repeat: 200000}": "1200000 flows: want " +
			"at most 200000 in all",
		"{kind: incast, hosts: [h1], to: h1, messages: [1B], frame: 64B}":             "0 hosts: want 2 or more",
		"{kind: incast, hosts: all, to: h1, messages: [0B], frame: 64B}":              "more than 0B",
		"{kind: incast, hosts: all, to: h1, messages: [1B], request: 0B, frame: 64B}": "more than 0B",
		"{kind: all-to-all, hosts: all, size: 1KiB, frame: 64B, after: nothing}":      "the name of an entry of flows or col",
		"{kind: all-to-all, hosts: all, size: 1KiB, frame: 64B, after: f}":            "none of its flows arrives at h1",
		"{name: f, kind: all-to-all, hosts: all, size: 1KiB, frame: 64B}":             "a name that no other entry has",
	} {
		_, err := scenario.Read("c.yaml", []byte(star(3, "flows: [{name: f, from: h1, to: h3, frame: 64B, size: 1B}]\n"+
			"collectives: ["+text+"]\n")), os.ReadFile)
		require.ErrorContains(t, err, want, text)
	}
}
