package qos_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/unit"
)

// Whatever the profile, every number of the plan has its fate, and what is to be held is what is sent.
func TestSayOmitsNothing(t *testing.T) {
	in := weighed("et-0/0/0", "et-0/0/1")
	in.Classes[0].ECN.PMax = 50
	in.Classes[0].QueueReserved = 416
	plan := planned(t, in)
	for _, p := range registry.Profiles() {
		s, err := qos.CheckCompatibility(plan, cell, p)
		require.NoError(t, err, p.Name)
		require.Len(t, s.Registers, len(plan), p.Name)
		require.Equal(t, len(plan), s.Count(qos.Sent)+s.Count(qos.Rounded)+s.Count(qos.Inexpressible))
		require.Len(t, s.Layout, s.Count(qos.Sent)+s.Count(qos.Rounded), p.Name)
		for i, n := range s.Registers {
			require.Equal(t, plan[i], n.Setting)
			require.Equal(t, n.Outcome != qos.Inexpressible, n.Path != "", "%v", n)
			require.Equal(t, n.Outcome == qos.Sent, n.Why == "", "%v", n)
			require.Equal(t, n.Outcome == qos.Rounded, n.Wanted != n.Value, "%v", n)
			require.Equal(t, p.Rule(n.Kind).Where, n.Where)
		}
		require.False(t, s.Lossless(), "%s: nobody carries headroom", p.Name)
		again, err := qos.CheckCompatibility(s.Layout, cell, p)
		require.NoError(t, err)
		require.Equal(t, s.Layout, again.Layout, "%s: what is rounded stays", p.Name)
	}
}

// What is critical is critical for lossless groups only.
func TestCritical(t *testing.T) {
	s, err := qos.CheckCompatibility(planned(t, intent("a")), cell, load(t, "arista"))
	require.NoError(t, err)
	for _, n := range s.Registers {
		lossless := n.Port == "a" && (n.Index == 3 || n.Index == 4)
		group := n.Kind == buffer.GroupLossless || n.Kind == buffer.GroupHeadroom || n.Kind == buffer.GroupReserved ||
			n.Kind == buffer.GroupAlpha
		require.Equal(t, lossless && group, n.Critical, "%v", n)
	}
	lossy := intent("a")
	lossy.Classes = lossy.Classes[1:]
	s, err = qos.CheckCompatibility(planned(t, lossy), cell, load(t, "arista"))
	require.NoError(t, err)
	require.True(t, s.Lossless(), "there is nothing to lose")
}

// Cisco: multiples of 6,144 bytes, kmin and kmax apart. Asked for 80,000 and
// 80,000 the answer is said, not a hundred times as much.
func TestThresholdsApart(t *testing.T) {
	in := intent("a")
	in.Classes[0].ECN.KMin, in.Classes[0].ECN.KMax = 80000, 80000
	s, err := qos.CheckCompatibility(planned(t, in), cell, load(t, "cisco"))
	require.NoError(t, err)
	got := map[string][3]string{}
	for _, n := range s.Registers {
		if n.Outcome == qos.Rounded && n.Index == 3 {
			got[n.Kind.String()] = [3]string{n.Wanted, n.Value, n.Why}
		}
	}
	require.Equal(t, map[string][3]string{
		"queue ecn kmin": {"79872", "79872", ""},
		"queue ecn kmax": {"79872", "86016", "kmin and kmax must differ, by 6144 bytes at least"},
	}, map[string][3]string{"queue ecn kmin": {"79872", "79872", ""}, "queue ecn kmax": got["queue ecn kmax"]})

	in.Classes[0].ECN.KMin, in.Classes[0].ECN.KMax = 100*unit.KiB, 400*unit.KiB
	s, err = qos.CheckCompatibility(planned(t, in), cell, load(t, "cisco"))
	require.NoError(t, err)
	for _, n := range s.Registers {
		if n.Kind == buffer.QueueECNMin {
			require.Equal(t, "102336 104448 the leaf holds multiples of 6144 bytes; rounded up", n.Wanted+" "+n.Value+" "+n.Why)
		}
	}
}

// Which switches need what besides is said.
func TestNeeds(t *testing.T) {
	ids := func(name string, in buffer.Intent) (out []nos.QuirkID) {
		s, err := qos.CheckCompatibility(planned(t, in), cell, load(t, name))
		require.NoError(t, err)
		for _, q := range s.Prerequisites() {
			out = append(out, q.ID)
		}
		return out
	}
	require.Equal(t, []nos.QuirkID{nos.SchedulerNeeded}, ids("cisco", intent("a")))
	require.Empty(t, ids("cisco", weighed("a")))
	require.Equal(t, []nos.QuirkID{nos.AllocationNeeded}, ids("srlinux", intent("a")))
	require.Equal(t, []nos.QuirkID{nos.QueueNames}, ids("arista", weighed("a")))
	require.Empty(t, ids("openconfig", weighed("a")))
}

// Without its DSCPs in the right priority a class is not lossless; without its weight it is.
func TestCriticalQueuing(t *testing.T) {
	s, err := qos.CheckCompatibility(planned(t, weighed("a")), cell, load(t, "sonic"))
	require.NoError(t, err)
	for _, n := range s.Registers {
		switch n.Kind {
		case buffer.PriorityDSCP:
			require.Equal(t, n.Index == 3, n.Critical, "%v", n)
		case buffer.QueueWeight:
			require.False(t, n.Critical, "%v", n)
		}
	}
	said, err := qos.CheckCompatibility(planned(t, weighed("a")), cell, load(t, "openconfig"))
	require.NoError(t, err)
	words := map[string][2]string{}
	for _, n := range said.Registers {
		words[n.Register.String()] = [2]string{n.Path, n.Value + " " + n.Unit}
	}
	weight, dscp := words["a queue 3 weight"], words["a priority 3 dscp"]
	require.Regexp(t, `^/qos/scheduler-policies/scheduler-policy\[name=cellwarden-sched-\w{12}\]/schedulers/scheduler\[sequence=1\]/inputs/input\[id=3\]/config/weight$`, weight[0])
	require.Equal(t, "60 weight", weight[1])
	require.Regexp(t, `^/qos/classifiers/classifier\[name=cellwarden-dscp4-\w{12}\]/terms/term\[id=3\]/conditions/ipv4/config/dscp-set$`, dscp[0])
	require.Equal(t, "24,26 dscp", dscp[1])
	require.Equal(t, "/qos/interfaces/interface[interface-id=a]/output/scheduler-policy/config/name",
		said.BindingPath(buffer.Register{Kind: buffer.QueueWeight, Port: "a", Index: 3}))
	require.Equal(t, "/qos/interfaces/interface[interface-id=a]/input/classifiers/classifier[type=IPV4]/config/name",
		said.BindingPath(buffer.Register{Kind: buffer.PriorityDSCP, Port: "a", Index: 3}))
	require.Equal(t, "/qos/interfaces/interface[interface-id=a]/output/config/buffer-allocation-profile",
		said.BindingPath(buffer.Register{Kind: buffer.QueueReserved, Port: "a", Index: 3}))
}
