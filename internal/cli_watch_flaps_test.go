package internal_test

import (
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/internal/cli/watch"
)

// answered is an answer with one value in JSON.
func answered(text string) *gpb.GetResponse {
	return &gpb.GetResponse{Notification: []*gpb.Notification{{Update: []*gpb.Update{{
		Val: &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte(text)}}}}}}}
}

// OpenConfig counts a port's changes as carrier-transitions, a number or a text; a port without the leaf is not
// counted.
func TestWatchCarrierTransitions(t *testing.T) {
	l := &watch.Listener{Flaps: map[string]int64{}}
	l.Hear(answered(`{"openconfig-interfaces:interfaces": {"interface": [
		{"name": "Ethernet1", "state": {"counters": {"carrier-transitions": "7"}}},
		{"name": "Ethernet2", "state": {"counters": {"carrier-transitions": 0}}},
		{"name": "Ethernet3", "state": {"counters": {"in-octets": "9"}}},
		{"name": "Ethernet4", "state": {"counters": {"carrier-transitions": "-1"}}}]}}`))
	require.Equal(t, map[string]int64{"Ethernet1": 7, "Ethernet2": 0}, l.Flaps)
	for _, text := range []string{"", "[]", `{"interfaces": 3}`, `{"interfaces": {"interface": [7]}}`} {
		l.Hear(answered(text))
	}
	require.Len(t, l.Flaps, 2)
}

// SONiC writes flap_count once a port has changed for the first time: without it a port that is there has none.
func TestWatchFlapCount(t *testing.T) {
	l := &watch.Listener{Flaps: map[string]int64{}}
	l.HearPortTable(answered(`{"Ethernet0": {"flap_count": "3"}, "Ethernet4": {"oper_status": "up"},
		"Ethernet8": {"flap_count": "x"}}`),
		[]diagnosis.Grant{{Port: "Ethernet0"}, {Port: "Ethernet4"}, {Port: "Ethernet8"}, {Port: "Ethernet12"}})
	require.Equal(t, map[string]int64{"Ethernet0": 3, "Ethernet4": 0}, l.Flaps)
}
