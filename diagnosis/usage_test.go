package diagnosis_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/unit"
)

// granted is one lossless group of 100G with 10,000 bytes of headroom.
var granted = []diagnosis.Grant{{Port: "Ethernet0", Group: 3, Class: "storage", Rate: 100 * unit.Gbps,
	Headroom: 10_000}}

func given[T any](v T) unit.Optional[T] { return unit.Given(v) }

// Each state, from the counters that make it.
func TestStates(t *testing.T) {
	type g = diagnosis.GroupSample
	for name, test := range map[string]struct {
		sample g
		state  diagnosis.GroupUse
		finds  string
	}{
		"nothing known": {g{}, diagnosis.NotKnown, ""},
		"zero is known": {g{Headroom: given[unit.Bytes](0), PauseSent: given[int64](0)}, diagnosis.NeverUsed, ""},
		"in use":        {g{Shared: given[unit.Bytes](9)}, diagnosis.InUse, ""},
		"works": {g{Headroom: given[unit.Bytes](9000), PauseSent: given[int64](5), Drops: given[int64](0)},
			diagnosis.PausedWithoutLoss, ""},
		"loss not known": {g{PauseSent: given[int64](5)}, diagnosis.LossNotKnown, ""},
		"loss with pause": {g{PauseSent: given[int64](5), Drops: given[int64](2)}, "headroom",
			"Ethernet0 class 3: headroom (pause_sent 5 frames, drops 2 packets, headroom_granted 10000 bytes)"},
		"loss, pauses not known": {g{Drops: given[int64](2)}, "headroom", "headroom (drops 2 packets"},
		"loss without pause": {g{PauseSent: given[int64](0), Drops: given[int64](2)}, "class-map",
			"class-map (pause_sent 0 frames, drops 2"},
		"storms of the watchdog": {g{Storms: given[int64](2)}, "storm", "storm (storms_detected 2 storms)"},
		"more than granted": {g{Headroom: given[unit.Bytes](10_001)}, "overrun",
			"overrun (headroom_watermark 10001 bytes"},
		"just as granted": {g{Headroom: given[unit.Bytes](10_000)}, diagnosis.InUse, ""},
	} {
		t.Run(name, func(t *testing.T) {
			test.sample.Port, test.sample.Group = "Ethernet0", 3
			a, err := diagnosis.Assess(granted, unit.Optional[unit.Bytes]{}, nil,
				diagnosis.Sample{Groups: []diagnosis.GroupSample{test.sample}})
			require.NoError(t, err)
			require.Equal(t, test.state, a.Uses[0].State)
			require.Equal(t, test.finds != "", len(a.Findings) == 1, "%v", a.Findings)
			if test.finds != "" {
				require.Contains(t, a.Findings[0].String(), test.finds)
			}
			require.Contains(t, strings.Join(a.NotChecked, "\n"), "pauses at low use were not looked for: the time between")
		})
	}
}

// between makes two samples a second apart, that differ by what is given.
func between(group diagnosis.GroupSample, port diagnosis.PortSample) (before, after diagnosis.Sample) {
	zero := diagnosis.GroupSample{Port: "Ethernet0", Group: 3, Drops: given[int64](0), PauseSent: given[int64](0),
		PauseReceived: given[int64](0), Paused: given[unit.Time](0)}
	group.Port, group.Group, port.Port = "Ethernet0", 3, "Ethernet0"
	return diagnosis.Sample{At: given(unit.Second), Groups: []diagnosis.GroupSample{zero}, Ports: []diagnosis.PortSample{{
			Port: "Ethernet0", BytesIn: given[unit.Bytes](0), BytesOut: given[unit.Bytes](0), PauseSent: given[int64](0)}}},
		diagnosis.Sample{At: given(2 * unit.Second), Groups: []diagnosis.GroupSample{group},
			Ports: []diagnosis.PortSample{port}}
}

// With two samples storms and pauses at low use are found too.
func TestOverTime(t *testing.T) {
	const line = 12_500_000_000 // bytes of 100G in a second
	type g = diagnosis.GroupSample
	type p = diagnosis.PortSample
	for name, test := range map[string]struct {
		group g
		port  p
		code  finding.Code
		none  bool
	}{
		"storm":  {g{Paused: given(9 * unit.Second / 10), PauseReceived: given[int64](9)}, p{}, "storm", false},
		"nearly": {g{Paused: given(8 * unit.Second / 10), PauseReceived: given[int64](9)}, p{}, "", true},
		"footroom": {g{PauseSent: given[int64](9), PauseReceived: given[int64](0)},
			p{BytesIn: given[unit.Bytes](line / 10), BytesOut: given[unit.Bytes](line / 10)}, "footroom", false},
		"a busy egress": {g{PauseSent: given[int64](9), PauseReceived: given[int64](0)},
			p{BytesIn: given[unit.Bytes](line / 10), BytesOut: given[unit.Bytes](line)}, "", true},
		"a paused egress": {g{PauseSent: given[int64](9), PauseReceived: given[int64](1)},
			p{BytesIn: given[unit.Bytes](line / 10), BytesOut: given[unit.Bytes](line / 10)}, "", true},
		"an egress that is not known": {g{PauseSent: given[int64](9), PauseReceived: given[int64](0)},
			p{BytesIn: given[unit.Bytes](line / 10)}, "", true},
		"pauses of a port with one group": {g{Drops: given[int64](1)}, p{PauseSent: given[int64](4)}, "headroom",
			false},
	} {
		t.Run(name, func(t *testing.T) {
			before, after := between(test.group, test.port)
			a, err := diagnosis.Assess(granted, unit.Optional[unit.Bytes]{}, &before, after)
			require.NoError(t, err)
			if test.none {
				require.Empty(t, a.Findings)
				return
			}
			require.Len(t, a.Findings, 1)
			require.Equal(t, test.code, a.Findings[0].Code)
			require.Equal(t, string(test.code), string(a.Uses[0].State))
		})
	}
}

func TestAssessRefuses(t *testing.T) {
	before, after := between(diagnosis.GroupSample{Drops: given[int64](5)}, diagnosis.PortSample{})
	_, err := diagnosis.Assess(granted, unit.Optional[unit.Bytes]{}, &after, before)
	require.ErrorContains(t, err, "after.at: 1s (want later than 2s)")
	require.ErrorContains(t, err, "after.Ethernet0.3.drops: 0 (want 5, the earlier value, to")
	_, err = diagnosis.Assess([]diagnosis.Grant{{Group: 9}}, unit.Optional[unit.Bytes]{}, nil, before)
	require.ErrorContains(t, err, "grants[0].group: 9 (want 0 to 7)")
	require.ErrorContains(t, err, "grants[0].rate")
	_, err = diagnosis.Limits{Paused: -1}.Assess(granted, unit.Optional[unit.Bytes]{}, nil, before)
	require.ErrorContains(t, err, "limits.paused")
}

// The shared headroom pool has a finding of its own.
func TestHeadroomPool(t *testing.T) {
	a, err := diagnosis.Assess(granted, given[unit.Bytes](1000), nil,
		diagnosis.Sample{HeadroomPool: given[unit.Bytes](1001)})
	require.NoError(t, err)
	require.Equal(t, "the headroom pool: overrun (headroom_pool_watermark 1001 bytes, headroom_pool_granted 1000 bytes)",
		strings.SplitAfter(a.Findings[0].String(), ")")[0])
	a, err = diagnosis.Assess(granted, given[unit.Bytes](1000), nil, diagnosis.Sample{})
	require.NoError(t, err)
	require.Contains(t, a.NotChecked, "the use of the shared headroom pool is not known: no watermark")
}

// A group that has paused its neighbour, has used half of its headroom, and has lost nothing.
func ExampleAssess() {
	sample := diagnosis.Sample{Groups: []diagnosis.GroupSample{{Port: "Ethernet0", Group: 3,
		Headroom: unit.Given[unit.Bytes](5_000), PauseSent: unit.Given[int64](812), Drops: unit.Given[int64](0)}}}
	a, err := diagnosis.Assess(granted, unit.Optional[unit.Bytes]{}, nil, sample)
	if err != nil {
		fmt.Println(err)
	}
	u := a.Uses[0]
	fmt.Printf("%s group %d: %s, headroom %v of %v (%v)\n", u.Port, u.Group, u.State, u.Headroom, u.Grant.Headroom,
		u.Share)
	// Output:
	// Ethernet0 group 3: pause without loss, headroom 5000B of 10000B (50%)
}
