package nxos_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/nxos"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
	"github.com/stretchr/testify/require"
)

// one is the intent of a port with a class without drops that has a minimum of 225 cells.
func one(n int) buffer.Intent {
	return buffer.Intent{
		Chip:   buffer.Chip{Name: "small", Cell: 208, Groups: 8, Slices: []buffer.Slice{{Cells: cells.Count(n)}}},
		Sizing: thresholds.IEEE{},
		Classes: []buffer.Class{{Name: "rdma", Priorities: []int{3}, Lossless: true, Reserved: unit.Given[unit.Bytes](46800),
			XONOffset: unit.Given[unit.Bytes](12480)}},
		DSCP:  pg.DSCPMap{3: pg.Points(26)},
		Ports: []buffer.Port{{Name: "Ethernet1/1", Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 9216}},
	}
}

// render plans an intent and renders it.
func render(in buffer.Intent) (*nos.Rendering, error) {
	plan, err := buffer.New(in)
	if err == nil {
		err = plan.Err()
	}
	if err != nil {
		return nil, err
	}
	return nxos.System.Render(nos.Plan{Intent: in, Layout: plan.Layout()}), nil
}

// A port over 300 m: the buffer has the minimum of the group, at which it is paused, and the headroom above it.
func ExampleSystem_render() {
	r, err := render(one(20000))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s", r.Files[0].Content)
	// Output:
	// class-map type qos match-any cellwarden-priority-3
	//   match dscp 26
	// policy-map type qos cellwarden-classify
	//   class cellwarden-priority-3
	//     set qos-group 3
	// policy-map type network-qos cellwarden
	//   class type network-qos c-8q-nq-default
	//     mtu 9216
	//   class type network-qos c-8q-nq3
	//     mtu 9216
	//     pause pfc-cos 3
	// policy-map type queuing cellwarden-in
	//   class type queuing c-in-q3
	//     pause buffer-size 319696 pause-threshold 46800 resume-threshold 34320
	// system qos
	//   service-policy type network-qos cellwarden
	// interface Ethernet1/1
	//   priority-flow-control mode on
	//   service-policy type qos input cellwarden-classify
	//   service-policy type queuing input cellwarden-in
}

// must renders an intent that fits.
func must(t *testing.T, in buffer.Intent) *nos.Rendering {
	t.Helper()
	r, err := render(in)
	require.NoError(t, err)
	return r
}

// undone are what a switch may not take of a rendering.
func undone(r *nos.Rendering) string { return fmt.Sprint(r.Undone) }

// NX-OS shares no headroom: a plan with a shared pool of it is planned again with the buffers that are reserved, and is
// said not to fit where these do not.
func TestSharedHeadroomIsReserved(t *testing.T) {
	in := one(20000)
	in.Pool.SharedHeadroomRatio = 4
	in.Ports = nil
	for n := range 12 {
		in.Ports = append(in.Ports, buffer.Port{Name: fmt.Sprintf("Ethernet1/%d", n+1), Rate: 100 * unit.Gbps,
			Cable: 650 * unit.Metre, MTU: 9216})
	}
	r := must(t, in)
	require.False(t, r.Lossless())
	require.Contains(t, undone(r), "no headroom is shared: planned in this way, the ports do not fit: "+
		"ingress buffer allocation failed for interface Ethernet1/10")
	in.Chip.Slices[0].Cells = 40000
	require.True(t, must(t, in).Lossless(), "with more memory they fit")

	in = one(2300)
	in.Classes[0].StaticLimit = 200 * unit.KiB
	r = must(t, in)
	require.Contains(t, string(r.Files[0].Content), "pause-threshold 251472 ", "the static limit is reserved as well")
	require.Contains(t, undone(r), "the ports do not fit")
}

// A class that is paused before it has a frame is paused always. That is said, and the rendering is not lossless.
func TestThresholdBelowAFrame(t *testing.T) {
	in := one(20000)
	in.Classes[0].Reserved = unit.Given[unit.Bytes](0)
	r := must(t, in)
	require.Contains(t, string(r.Files[0].Content), "pause-threshold 0 resume-threshold 0", "an explicit zero is zero")
	require.False(t, r.Lossless())
	require.Contains(t, fmt.Sprint(r.Omitted), "priority 3 of Ethernet1/1 (0B, a frame has 9216B)")
	in.Classes[0].Reserved = unit.Given[unit.Bytes](9360)
	r = must(t, in)
	require.True(t, r.Lossless())
	require.Contains(t, fmt.Sprint(r.Omitted), "the group resumes when it is empty", "its XON offset is 12480")
}

// Which classes are without drops is said of all ports together. At a port with some of them, it is not known how large
// the buffers of the others are.
func TestPortsWithOtherClasses(t *testing.T) {
	in := one(20000)
	storage := in.Classes[0]
	storage.Name, storage.Priorities = "storage", []int{4}
	in.Classes = append(in.Classes, storage)
	in.DSCP[4] = pg.Points(34)
	second := in.Ports[0]
	second.Name, second.Classes = "Ethernet1/2", 0b10
	in.Ports = append(in.Ports, second)
	r := must(t, in)
	require.False(t, r.Lossless())
	require.Contains(t, undone(r), "the plan has only some of them at Ethernet1/2: the switch gives the others a buffer "+
		"there, whose size is not published")
	require.Contains(t, string(r.Files[0].Content), "cellwarden-in-2\n", "it has an input policy of its own")
	in.Ports[1].Classes = 0
	require.True(t, must(t, in).Lossless())
	in.Classes[0].Priorities, in.DSCP[0], in.DSCP[3] = []int{0}, in.DSCP[3], 0
	require.Contains(t, undone(must(t, in)), "priority 0 is the default class")
}

// Whole percents are said to be rounded before anything is written, and ports with names of another system are named.
func TestWhatIsRounded(t *testing.T) {
	in := one(20000)
	in.Classes[0].Weight = 2
	in.Classes = append(in.Classes, buffer.Class{Name: "rest", Priorities: []int{1}, Weight: 1})
	in.Classes[0].ECN.KMin, in.Classes[0].ECN.KMax, in.Classes[0].ECN.PMax = 2080, 4160, 150
	in.Ports[0].Name = "Ethernet0"
	r := must(t, in)
	text := string(r.Files[0].Content)
	require.Contains(t, text, "c-out-8q-q3\n    bandwidth remaining percent 67\n")
	require.Contains(t, text, "c-out-8q-q-default\n    bandwidth remaining percent 0\n")
	notes := strings.Join(r.Notes, "\n")
	require.Contains(t, notes, "drop-probability of queue 3 is 2 for 1.5%")
	require.Contains(t, notes, "bandwidth remaining percent of queue 1 is 33 for 33.33%, off by 1% of the share")
	require.Contains(t, notes, "are in queue 0, which has 0 percent of the bandwidth")
	require.Contains(t, notes, "these ports of the plan have other names: Ethernet0")
	in.Classes[0].Weight, in.Classes[0].Strict = 0, true
	in.Classes[1].Weight, in.Classes[1].Strict = 0, true
	text = string(must(t, in).Files[0].Content)
	require.Contains(t, text, "c-out-8q-q3\n    priority level 1\n")
	require.Contains(t, text, "c-out-8q-q1\n    priority level 2\n")
	require.Contains(t, text, "c-out-8q-q-default\n    bandwidth remaining percent 100\n",
		"the default queue has what the strict ones leave")
}

// qosGroup is the qos-group of a tagged packet: that of the first class of the policy that matches it; 0: none does.
func qosGroup(t *testing.T, text string, pcp, dscp int) int {
	t.Helper()
	matches := map[string]bool{}
	name, group := "", -1
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "class-map type qos match-any "):
			name = words[4]
		case words[0] == "match":
			value := map[string]int{"cos": pcp, "dscp": dscp}[words[1]]
			matches[name] = slices.Contains(strings.Split(words[2], ","), strconv.Itoa(value))
		case words[0] == "class":
			name = words[len(words)-1]
		case strings.HasPrefix(line, "    set qos-group ") && matches[name]:
			var err error
			group, err = strconv.Atoi(words[2])
			require.NoError(t, err)
			return group
		}
	}
	return 0
}

// The first class of a policy that matches decides. A tagged RoCE packet has the PCP of another priority, often, and is
// lossless by its DSCP.
func TestADSCPComesBeforeATag(t *testing.T) {
	in := one(20000)
	in.Classes = append(in.Classes, buffer.Class{Name: "rest", Priorities: []int{1, 6}, Strict: true})
	in.Classes[0].Strict = true
	text := string(must(t, in).Files[0].Content)
	for _, pcp := range []int{0, 1, 3, 6} {
		require.Equal(t, 3, qosGroup(t, text, pcp, 26), "PCP %d", pcp)
	}
	require.Equal(t, 6, qosGroup(t, text, 6, 0), "a priority without a DSCP has that of the tag")
}

// The mtu of a class is at least 1500: a class of shorter frames has another, and is said to.
func TestFramesBelowTheLeastMTU(t *testing.T) {
	in := one(20000)
	require.NotContains(t, strings.Join(must(t, in).Notes, "\n"), "is written for priority")
	in.Classes[0].MTU = 1024
	r := must(t, in)
	require.Contains(t, string(r.Files[0].Content), "c-8q-nq3\n    mtu 1500\n")
	require.Contains(t, strings.Join(r.Notes, "\n"),
		"mtu 1500 is written for priority 3, whose frames have 1024B in the plan: mtu is 1500 to 9216")
}

// RoCEv2 on routed ports has no tag: a lossless class without a DSCP drops it, unless the topology says that ports
// trust the tag.
func TestALosslessClassWithoutDSCP(t *testing.T) {
	in := one(20000)
	in.DSCP = pg.DSCPMap{}
	r := must(t, in)
	require.False(t, r.Lossless())
	require.Contains(t, fmt.Sprint(r.Omitted), "dscp of lossless priorities 3")
	in.Trust = pg.TrustPCP
	r = must(t, in)
	require.True(t, r.Lossless())
	require.Contains(t, strings.Join(r.Notes, "\n"), "untagged packets, such as RoCEv2 on routed ports, are in")
}
