package topology_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// A measured delay is refused, or it is counted whole and survives writing and reading.
func FuzzMeasuredDelay(f *testing.F) {
	f.Add("round_trip", "3.05us", "40ns", "ptp4l on leaf1", "2026-05-12")
	f.Add("one_way", "1.525us", "0ns", "tester", "2024-02-29")
	f.Add("one_way", "9223372.036854775807s", "5000000s", "\x00", "2026-02-30")
	f.Add("round_trip", "-1ns", "-1ns", "", "0000-00-00")
	f.Fuzz(func(t *testing.T, kind, value, uncertainty, source, date string) {
		measured, err := json.Marshal(map[string]string{kind: value, "uncertainty": uncertainty, "source": source,
			"date": date})
		require.NoError(t, err)
		in, err := topology.Parse("fuzz.yaml", fmt.Appendf(nil, `{"chip": "tomahawk3",
			"headroom": {"method": "ieee802.1qbb"}, "classes": [{"name": "rdma", "priorities": [3], "lossless": true}],
			"ports": [{"name": "Ethernet1", "speed": "400G", "measured_delay": %s}]}`, measured), noFiles)
		if err != nil {
			require.ErrorIs(t, err, buffer.ErrInvalid)
			return
		}
		m := in.Ports[0].Measured
		require.NoError(t, m.Validate())
		require.LessOrEqual(t, m.Longest(), 2*thresholds.MaxDelay)
		require.Equal(t, unit.Given(m.OneWay()), in.Ports[0].Delay)
		written, err := topology.Write(in)
		require.NoError(t, err)
		again, err := topology.Parse("again.yaml", written.Topology, noFiles)
		require.NoError(t, err, "%s", written.Topology)
		require.Equal(t, in.Ports, again.Ports)
	})
}
