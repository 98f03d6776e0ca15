package fabric

import (
	"testing"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/internal/effort"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Each fault is made in a network, and is diagnosed from the counters of one switch alone.
func TestDiagnosis(t *testing.T) {
	effort.Alone(t)
	for name, c := range map[string]struct {
		spoil func(l *lab)
		node  int
		want  map[string]finding.Code // by port, class 3 but of the class map
	}{
		"all is well": {func(l *lab) { l.Flows[0].Rate = 20 * unit.Gbps }, 1, nil},
		"congestion":  {func(l *lab) { l.Links[2].Rate = 10 * unit.Gbps }, 1, nil},
		"too little headroom": {func(l *lab) {
			l.Links[2].Rate = 10 * unit.Gbps
			l.Switches[1].MMU.Groups[3].Headroom = 4
		}, 1, map[string]finding.Code{"Ethernet1": "headroom"}},
		"too little footroom": {func(l *lab) {
			// A burst beyond the egress, then nothing to send while XON is on its way
			// over 20 km: resuming at an empty queue comes 200 us too late.
			l.Links[1].Delay, l.Links[2].Rate = 100*unit.Microsecond, 20*unit.Gbps
			l.Switches[1].MMU.Groups[3].Headroom = 8000
			l.Switches[1].MMU.Groups[3].XON = thresholds.XON{Offset: 400}
			l.Switches[1].MMU.Groups[3].Limit = thresholds.Static(400)
		}, 1, map[string]finding.Code{"Ethernet1": "footroom"}},
		"wrong class map": {func(l *lab) {
			l.Links[2].Rate = 10 * unit.Gbps
			l.Switches[1].Ports[0].Map = &[64]uint8{3: 1}
		}, 1, map[string]finding.Code{"Ethernet1": "class-map"}},
		"storm": {func(l *lab) {
			l.Failures = []Failure{{Kind: Storm, Host: 1, Priorities: pfc.Of(3)}}
		}, 1, map[string]finding.Code{"Ethernet2": "storm"}},
		"congestion of the next switch": {func(l *lab) {
			l.Links[2].Rate, l.Flows[0].Rate = 10*unit.Gbps, 11*unit.Gbps
			l.Switches[0].MMU.Groups[3].Limit = thresholds.Static(40_000)
		}, 0, map[string]finding.Code{"Ethernet2": "victim"}},
		"passed on": {func(l *lab) { l.Links[2].Rate = 10 * unit.Gbps }, 0,
			map[string]finding.Code{"Ethernet2": "spreading"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := one2()
			l.flow(0, 1, 3)
			c.spoil(l)
			s := l.sim(t)
			m := NewMeter(s)
			s.Observe(m.Observe)
			s.Run(unit.Millisecond)
			before := m.Read(c.node)
			s.Run(4 * unit.Millisecond)
			found, err := diagnosis.Diagnose(before, m.Read(c.node))
			require.NoError(t, err)
			kinds := map[string]finding.Code{}
			for _, f := range found {
				t.Log(f)
				kinds[f.Port] = f.Code
			}
			if c.want == nil {
				require.Empty(t, kinds)
				return
			}
			require.Equal(t, c.want, kinds)
		})
	}
}

// The meter and the ports count the same bytes.
func TestMeterAgrees(t *testing.T) {
	l := one2()
	l.flow(0, 1, 3)
	l.flow(1, 0, 5)
	s := l.sim(t)
	m := NewMeter(s)
	s.Observe(m.Observe)
	s.Run(unit.Millisecond)
	for node := range 2 {
		for j, p := range m.Read(node).Ports {
			var in, out unit.Bytes
			for _, c := range p.Classes {
				in, out = in+c.BytesIn, out+c.BytesOut
			}
			count := s.Counters(AtSwitch(node, j))
			require.EqualValues(t, count.BytesIn, in)
			require.EqualValues(t, count.BytesOut, out)
		}
	}
}

// A frame that is lost for another reason than missing memory is not counted as a
// drop of the port, so the diagnosis does not report too little headroom.
func TestMeterCountsTheMemorysDropsAlone(t *testing.T) {
	for name, c := range map[string]struct {
		spoil  func(l *lab)
		reason string
		counts bool
	}{
		"headroom": {func(l *lab) {
			l.Links[2].Rate = 10 * unit.Gbps
			l.Switches[1].MMU.Groups[3].Headroom = 4
		}, "headroom full", true},
		"egress": {func(l *lab) { // an egress pool that is smaller than the ingress lets in
			l.Links[2].Rate = 10 * unit.Gbps
			sw := &l.Switches[1]
			sw.MMU.EgressPools = []mmu.Pool{{Shared: 405}}
			for i := range sw.Ports {
				for q := range Priorities {
					sw.Ports[i].Cells[q] = len(sw.MMU.Queues)
					sw.MMU.Queues = append(sw.MMU.Queues, mmu.Queue{Limit: thresholds.Unlimited()})
				}
			}
		}, "egress pool full", false},
		"watchdog": {func(l *lab) {
			l.Failures = []Failure{{Kind: Storm, Host: 1, Priorities: pfc.Of(3)}}
			l.Switches[1].Ports[1].Watchdog = Watchdog{Detection: 100 * unit.Millisecond,
				Restoration: 100 * unit.Millisecond, Action: WatchdogDrop}
		}, "watchdog", false},
		"ttl": {func(l *lab) {
			l.Links[2].Rate = 10 * unit.Gbps
			short := l.Flows[0]
			short.TTL, short.Size = 1, 100_000
			l.Flows = append(l.Flows, short)
		}, "ttl ran out", false},
		"link down": {func(l *lab) {
			l.Links[2].Rate = 10 * unit.Gbps
			l.Failures = []Failure{{Kind: LinkDown, Link: 1, At: 200 * unit.Microsecond, Until: 300 * unit.Microsecond}}
		}, "link down", false},
		"no route": {func(l *lab) {
			l.Links[2].Rate = 10 * unit.Gbps
			l.Failures = []Failure{
				{Kind: Misroute, Host: 1, At: 200 * unit.Microsecond, Until: 300 * unit.Microsecond,
					Detours: []Detour{{Switch: 1}}}}
		}, "no route", false},
	} {
		t.Run(name, func(t *testing.T) {
			l := one2()
			l.flow(0, 1, 3).Rate = 20 * unit.Gbps
			c.spoil(l)
			s := l.sim(t)
			m := NewMeter(s)
			s.Observe(m.Observe)
			before := [2]diagnosis.Snapshot{m.Read(0), m.Read(1)}
			s.Run(2 * unit.Millisecond)
			if c.reason == "watchdog" {
				s.Run(101 * unit.Millisecond)
			}
			require.Positive(t, s.Summary().ByReason[c.reason])
			headroom := false
			for node := range before {
				found, err := diagnosis.Diagnose(before[node], m.Read(node))
				require.NoError(t, err)
				for _, f := range found {
					headroom = headroom || f.Code == "headroom"
				}
			}
			require.Equal(t, c.counts, headroom)
		})
	}
}
