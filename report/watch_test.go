package report_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// A number that is not known is null, and zero is zero. The verdict is unknown if nothing is known.
func TestWatchDocument(t *testing.T) {
	grants := []diagnosis.Grant{{Port: "Ethernet0", Group: 3, Class: "storage", Rate: unit.Gbps, Headroom: 1000}}
	document := func(interval unit.Optional[unit.Time], g diagnosis.GroupSample) report.WatchDocument {
		g.Port, g.Group = "Ethernet0", 3
		a, err := diagnosis.Assess(grants, unit.Given[unit.Bytes](5000), nil,
			diagnosis.Sample{Groups: []diagnosis.GroupSample{g}})
		require.NoError(t, err)
		return report.Watch("leaf1", interval, a)
	}
	text, err := json.Marshal(document(unit.Given(unit.Second), diagnosis.GroupSample{Drops: unit.Given[int64](0)}))
	require.NoError(t, err)
	require.JSONEq(t, `{"schema":"cellwarden.watch/v1","verdict":"no-finding","source":"leaf1","interval_us":1000000,
		"groups":[{"port":"Ethernet0","group":3,"class":"storage","state":"unknown","headroom_granted_bytes":1000,
			"headroom_watermark_bytes":null,"headroom_used_bp":null,"shared_watermark_bytes":null,"watermark_bytes":null,
			"dropped_packets":0,"pause_sent_frames":null,"pause_received_frames":null,"storms_detected":null}],
		"headroom_pool":{"granted_bytes":5000,"watermark_bytes":null},"findings":[],"not_checked":[
			"1 of 1 groups: the headroom in use is not known: no headroom watermark",
			"1 of 1 groups: pauses were not looked for: no counter of sent PFC frames of the priority",
			"1 of 1 groups: storms were not looked for: no counter of the PFC watchdog, and no time for which the priority was paused between two readings",
			"pauses at low use were not looked for: the time between two readings is not known",
			"the use of the shared headroom pool is not known: no watermark"]}`, string(text))
	none := unit.Optional[unit.Time]{}
	require.Equal(t, "unknown", document(none, diagnosis.GroupSample{}).Verdict)
	found := document(none, diagnosis.GroupSample{Drops: unit.Given[int64](1), PauseSent: unit.Given[int64](2)})
	require.Equal(t, "findings", found.Verdict)
	evidence, err := json.Marshal(found.Findings[0].Evidence)
	require.NoError(t, err)
	require.JSONEq(t, `[{"name":"pause_sent","value":2,"unit":"frames"},{"name":"drops","value":1,"unit":"packets"},
		{"name":"headroom_granted","value":1000,"unit":"bytes"}]`, string(evidence))
}
