package topology_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// A time of one way beyond what a link has is refused as it stands, although twice of it is beyond all times.
func TestMeasuredOneWayBeyondAllTimes(t *testing.T) {
	_, err := topology.Parse("leaf.yaml", []byte(`chip: tomahawk3
headroom: {method: ieee802.1qbb}
classes: [{name: rdma, priorities: [3], lossless: true}]
ports:
  - name: Ethernet1
    speed: 400G
    measured_delay: {one_way: 5000000s, uncertainty: 9000000s, source: ptp4l, date: 2026-05-12}
`), nil)
	require.EqualError(t, err, `invalid input:
leaf.yaml:7: ports[0].measured_delay.one_way: "5000000s": want at most 10ms one way
leaf.yaml:7: ports[0].measured_delay.uncertainty: "9000000s": want at most 10ms one way`)
	_, err = topology.Parse("leaf.yaml", []byte(`chip: tomahawk3
headroom: {method: ieee802.1qbb}
classes: [{name: rdma, priorities: [3], lossless: true}]
ports:
  - name: Ethernet1
    speed: 400G
    measured_delay: {round_trip: 21ms, uncertainty: 0ns, source: ptp4l, date: 2026-05-12}
`), nil)
	require.ErrorContains(t, err, "ports[0].measured_delay.round_trip: 21ms: want more than 0ps, at most 20ms")
	require.NotContains(t, err.Error(), "ports[0].delay")
}

// A measured delay survives writing and reading, as a topology and as the JSON of an intent. One way is half of the
// round trip, and so is its uncertainty.
func TestMeasuredDelaySurvives(t *testing.T) {
	in, err := topology.Parse("leaf.yaml", []byte(`chip: tomahawk3
headroom: {method: ieee802.1qbb}
classes: [{name: rdma, priorities: [3], lossless: true}]
ports:
  - name: Ethernet1
    speed: 400G
    cable: 300m
    measured_delay: {one_way: 1.525us, uncertainty: 20ns, source: ptp4l on leaf1, date: 2026-05-12}
`), nil)
	require.NoError(t, err)
	p := &in.Ports[0]
	require.Equal(t, thresholds.Measurement{RoundTrip: 3050 * unit.Nanosecond, Uncertainty: 40 * unit.Nanosecond,
		Source: "ptp4l on leaf1", Date: "2026-05-12"}, p.Measured)
	require.Equal(t, unit.Given(1545*unit.Nanosecond), p.Delay)
	written, err := topology.Write(in)
	require.NoError(t, err)
	text := written.Topology
	require.Contains(t, string(text), "round_trip: 3.05us")
	again, err := topology.Parse("again.yaml", text, nil)
	require.NoError(t, err)
	require.Equal(t, in.Ports, again.Ports)
}
