package fabric

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Each mistake is made in a network and read from one switch's counters alone.
func TestDiagnosis(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(l *lab)
		node  int
		want  map[string]diagnosis.Kind // by port, class 3 but of the class map
	}{
		"all is well": {func(l *lab) { l.Flows[0].Rate = 20 * unit.Gbps }, 1, nil},
		"congestion":  {func(l *lab) { l.Links[2].Rate = 10 * unit.Gbps }, 1, nil},
		"too little headroom": {func(l *lab) {
			l.Links[2].Rate = 10 * unit.Gbps
			l.Switches[1].MMU.Groups[3].Headroom = 4
		}, 1, map[string]diagnosis.Kind{"Ethernet1": diagnosis.Headroom}},
		"too little footroom": {func(l *lab) {
			// A burst beyond the egress, then nothing to send while XON is on its way
			// over 20 km: resuming at an empty queue comes 200 us too late.
			l.Links[1].Delay, l.Links[2].Rate = 100*unit.Microsecond, 20*unit.Gbps
			l.Switches[1].MMU.Groups[3].Headroom = 8000
			l.Switches[1].MMU.Groups[3].XON = thresholds.XON{Offset: 400}
			l.Switches[1].MMU.Groups[3].Limit = thresholds.Static(400)
		}, 1, map[string]diagnosis.Kind{"Ethernet1": diagnosis.Footroom}},
		"wrong class map": {func(l *lab) {
			l.Links[2].Rate = 10 * unit.Gbps
			l.Switches[1].Ports[0].Map = &[64]uint8{3: 1}
		}, 1, map[string]diagnosis.Kind{"Ethernet1": diagnosis.ClassMap}},
		"storm": {func(l *lab) {
			l.Failures = []Failure{{Kind: Storm, Host: 1, Priorities: pfc.Of(3)}}
		}, 1, map[string]diagnosis.Kind{"Ethernet2": diagnosis.Storm}},
		"congestion of the next switch": {func(l *lab) {
			l.Links[2].Rate, l.Flows[0].Rate = 10*unit.Gbps, 11*unit.Gbps
			l.Switches[0].MMU.Groups[3].Limit = thresholds.Static(40_000)
		}, 0, map[string]diagnosis.Kind{"Ethernet2": diagnosis.Victim}},
		"passed on": {func(l *lab) { l.Links[2].Rate = 10 * unit.Gbps }, 0, map[string]diagnosis.Kind{"Ethernet2": diagnosis.Spreading}},
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
			kinds := map[string]diagnosis.Kind{}
			for _, f := range found {
				t.Log(f)
				kinds[f.Port] = f.Kind
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
