package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// Groups of queues (ETS) have no leaf in OpenConfig: a push carries them as the weights of a scheduler policy. These
// tests follow that policy through apply, drift, undo and resume.

// grouped is the example with groups on two ports.
var grouped = []string{filepath.Join("..", "..", "examples", "ets-groups.yaml"), "--set",
	"ports[0].range=Ethernet0-4/4", "--insecure", "--target"}

// weights is how the queues of the example are served on one level: 40% of group 0 in four parts, 60% of group 1 in
// parts of two and one, and group 15 strict.
var weights = [8]int64{10, 10, 10, 40, 20, 10, buffer.Strict, buffer.Strict}

// requireWeights requires that the switch itself has these weights on both ports, not what it answers over gNMI.
func requireWeights(t *testing.T, w *watched, want [8]int64) {
	t.Helper()
	have, err := w.asic.Observe(context.Background())
	require.NoError(t, err)
	for _, port := range []string{"Ethernet0", "Ethernet4"} {
		var got [8]int64
		for n := range got {
			got[n] = have.Value(buffer.Register{Kind: buffer.QueueWeight, Port: port, Index: n})
		}
		require.Equal(t, want, got, port)
	}
}

// weightOfQueue3 is the leaf of the weight of queue 3 in the scheduler policy of the example, which the dry run names.
func weightOfQueue3(t *testing.T) string {
	t.Helper()
	code, out, bad := cellwarden(t, "apply", grouped[0], grouped[1], grouped[2], "--dry-run", "--profile", "openconfig")
	require.Zero(t, code, bad)
	policies := regexp.MustCompile(`cellwarden-sched-\w+`).FindAllString(out, -1)
	slices.Sort(policies)
	policies = slices.Compact(policies)
	require.Len(t, policies, 1, "both ports have the same groups, and share a policy")
	return "/qos/scheduler-policies/scheduler-policy[name=" + policies[0] +
		"]/schedulers/scheduler[sequence=1]/inputs/input[id=3]/config/weight"
}

// A push of groups is read back equal; a weight that another client changes is found on each port of the policy, put
// right by apply, and left by undo, which names it.
func TestGroupsOverOpenConfig(t *testing.T) {
	effort.SkipFew(t, "it pushes to many switches")
	w := watch(t)
	file := filepath.Join(t.TempDir(), "push.jsonl")
	at := append(slices.Clone(grouped), w.address)
	with := func(verb ...string) (int, string, string) { return cellwarden(t, append(verb, at...)...) }
	requireWeights(t, w, [8]int64{})

	code, out, bad := with("apply", "--journal", file)
	require.Zero(t, code, bad)
	require.Contains(t, out, ": applied")
	require.Contains(t, out, "24 registers changed, read back and found equal")
	require.Regexp(t, `queue traffic class +1 +- +OpenConfig has no leaf for the group of a queue`, out,
		"the groups themselves are not claimed")
	requireWeights(t, w, weights)
	code, out, bad = with("drift")
	require.Zero(t, code, bad)
	require.Contains(t, out, ": 0 differences")
	code, out, bad = with("apply")
	require.Zero(t, code, bad)
	require.Contains(t, out, ": unchanged")

	leaf, changed := weightOfQueue3(t), weights
	changed[3] = 41
	set(t, w.address, leaf, 41)
	requireWeights(t, w, changed)
	code, out, bad = with("drift")
	require.Equal(t, cli.ExitDrift, code, bad)
	require.Contains(t, out, ": 2 differences")
	require.Regexp(t, `Ethernet4 queue 3 weight +41 +40 +/qos/interfaces/interface\[interface-id=Ethernet4\]/output/`, out)

	code, out, _ = cellwarden(t, "resume", file, "--undo", "--insecure")
	require.Equal(t, cli.ExitPartial, code, "the weight of queue 3 is not this push's")
	require.Contains(t, out, "Values that this push did not write were left: 2")
	require.Regexp(t, `queue weight +41 +0 +none +2 +Ethernet0,Ethernet4`, out)
	requireWeights(t, w, [8]int64{3: 41})

	code, out, bad = with("apply")
	require.Zero(t, code, bad)
	require.Regexp(t, `queue weight +41 +40 +none +2`, out)
	requireWeights(t, w, weights)
	code, _, bad = cellwarden(t, "resume", file, "--undo", "--overwrite", "--insecure")
	require.Zero(t, code, bad)
	requireWeights(t, w, [8]int64{})
	require.Empty(t, held(t, w.address), "nothing of the plan is left")
}

// Each kind of switch that has weights over OpenConfig gets those of the groups, and they are read back equal.
func TestGroupsOfEachProfile(t *testing.T) {
	effort.SkipFew(t, "it pushes to a switch of each profile")
	for _, name := range []string{"arista", "srlinux", "juniper", "cisco"} {
		t.Run(name, func(t *testing.T) {
			w := watch(t)
			at := append(slices.Clone(grouped), w.address, "--profile", name)
			code, out, bad := cellwarden(t, append([]string{"apply", "--allow-disruption", "port"}, at...)...)
			require.Zero(t, code, bad)
			require.Contains(t, out, "read back and found equal")
			require.Regexp(t, `Ethernet0,Ethernet4 +3 +rdma +40 +40% +40% +0%`, out)
			requireWeights(t, w, weights)
			code, out, bad = cellwarden(t, append([]string{"drift"}, at...)...)
			require.Zero(t, code, bad)
			require.Contains(t, out, ": 0 differences")
		})
	}
}

// Undo of a push of groups over other groups restores the weights that the switch had.
func TestUndoOfGroups(t *testing.T) {
	w := watch(t)
	file := filepath.Join(t.TempDir(), "push.jsonl")
	at := append(slices.Clone(grouped), w.address)
	code, _, bad := cellwarden(t, append([]string{"apply"}, at...)...)
	require.Zero(t, code, bad)
	before := held(t, w.address)
	other := []string{"apply", "--journal", file, "--set", "ets.priority_groups[0].bandwidth=80%",
		"--set", "ets.priority_groups[1].bandwidth=20%"}
	code, out, bad := cellwarden(t, append(other, at...)...)
	require.Zero(t, code, bad)
	require.Regexp(t, `Ethernet0,Ethernet4 +3 +rdma +\d+ +13.33% +13.33% +0%`, out)
	require.NotEqual(t, before, held(t, w.address))
	code, out, bad = cellwarden(t, "resume", file, "--undo", "--insecure")
	require.Zero(t, code, bad, out)
	require.Equal(t, before, held(t, w.address))
	requireWeights(t, w, weights)
}

// A push of groups that ends in the middle is finished, or undone, from its journal: after each of its lines.
func TestResumeOfGroups(t *testing.T) {
	effort.SkipFew(t, "it resumes many pushes")
	w := watch(t)
	file := filepath.Join(t.TempDir(), "push.jsonl")
	at, before := append(slices.Clone(grouped), w.address), held(t, w.address)
	code, _, bad := cellwarden(t, append([]string{"apply", "--journal", file}, at...)...)
	require.Zero(t, code, bad)
	after := held(t, w.address)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	lines := slices.Collect(strings.Lines(string(data)))
	require.Greater(t, len(lines), 2, "start, what is sent, end")
	for n := 1; n < len(lines); n++ {
		for _, way := range []struct {
			flags      []string
			from, want buffer.Layout
		}{{nil, before, after}, {nil, after, after}, {[]string{"--undo"}, after, before},
			{[]string{"--undo"}, before, before}} {
			require.NoError(t, os.WriteFile(file, []byte(strings.Join(lines[:n], "")), 0o600))
			longAgo(t, file)
			w.reset(t, way.from)
			code, out, bad := cellwarden(t, append([]string{"resume", file, "--insecure"}, way.flags...)...)
			require.Zero(t, code, bad, out)
			require.Equal(t, way.want, held(t, w.address), "%d lines, %v: %s", n, way.flags, out)
		}
	}
}

// A switch that says yes and stores a rounded weight is found out: the push does not claim the planned share. With
// commit-confirmed the switch is led back as a whole; without it, the stored weight stays and is named.
func TestGroupsOnASwitchThatRoundsWeights(t *testing.T) {
	for name, test := range map[string]struct {
		flags []string
		code  int
		left  [8]int64
		say   []string
	}{
		"with commit-confirmed": {nil, cli.ExitRolledBack, [8]int64{}, []string{": rolled back",
			`Differences: present and planned values`, `queue weight +42 +40 +none +2 +Ethernet0,Ethernet4`}},
		"without": {[]string{"--rollback-after", "0"}, cli.ExitPartial, [8]int64{3: 42}, []string{": partial",
			"the device stores other values than it is sent", `queue weight +42 +0 +none +2 +Ethernet0,Ethernet4`}},
	} {
		t.Run(name, func(t *testing.T) {
			w := watch(t)
			w.alter = func(set *gpb.SetRequest) {
				for _, u := range slices.Concat(set.GetReplace(), set.GetUpdate()) {
					if v, is := u.GetVal().GetValue().(*gpb.TypedValue_JsonIetfVal); is {
						v.JsonIetfVal = bytes.ReplaceAll(v.JsonIetfVal, []byte(`"weight":"40"`), []byte(`"weight":"42"`))
					}
				}
			}
			at := append(append(slices.Clone(grouped), w.address), test.flags...)
			code, out, bad := cellwarden(t, append([]string{"apply"}, at...)...)
			require.Equal(t, test.code, code, out)
			require.Contains(t, bad, "read back differs from what was written: 2 registers, first Ethernet0 queue 3 weight "+
				"42 -> 40")
			for _, text := range test.say {
				require.Regexp(t, text, out)
			}
			require.NotContains(t, out, "found equal")
			requireWeights(t, w, test.left)
		})
	}
}
