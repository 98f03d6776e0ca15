package registry_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/nos/registry"
)

// Example reads a configuration of which the system is not said.
func Example() {
	say := func(data []byte) error {
		system, err := registry.Of(data)
		if err != nil {
			return err // of no system that has a reader, or of more than one
		}
		reading, err := system.Read("leaf1.cfg", data, audit.Chip{})
		if err != nil {
			return err
		}
		fmt.Println(system.Name, reading.System, reading.Statements.Read)
		return nil
	}
	if err := say([]byte(`{"ports": [], "portPgConfigs": {}}`)); err != nil {
		panic(err)
	}
	// Output: fboss FBOSS 1
}

// TestOf tells systems apart by what one alone has.
func TestOf(t *testing.T) {
	for text, want := range map[string]string{
		`{"BUFFER_POOL": {}}`:                                                 "sonic",
		`{"sw": {"ports": [{"logicalID": 1}]}}`:                               "fboss",
		`{"configuration": {"class-of-service": {}}}`:                         "junos",
		`{"openconfig-qos:qos": {}}`:                                          "eos",
		"class-map type qos match-all RDMA\n  match dscp 26\n":                "nxos",
		"! device: leaf1\ninterface Ethernet1\n   priority-flow-control on\n": "eos",
		"class-of-service {\n    shared-buffer {\n    }\n}\n":                 "junos",
		"set class-of-service shared-buffer ingress percent 100\n":            "junos",
	} {
		got, err := registry.Of([]byte(text))
		require.NoError(t, err, text)
		require.Equal(t, want, got.Name, text)
	}
	_, err := registry.Of([]byte("hello world\n"))
	require.ErrorIs(t, err, registry.ErrUnknown)
	_, err = registry.Of([]byte("system qos\npriority-flow-control on\n"))
	require.ErrorContains(t, err, "1 lines are of eos and 1 of nxos: want a configuration of one system")
	require.False(t, errors.Is(err, registry.ErrUnknown))
	_, err = registry.Reader("ios")
	require.EqualError(t, err, `system "ios": want eos, junos, sonic, nxos, fboss`)
}

// wrong has for each code of these systems a configuration in which it is found.
var wrong = map[finding.Code]string{
	"statement-unread": "system qos\n  colour 3\n",
	"name-missing":     "system qos\n  service-policy type network-qos none\n",
	"pfc-no-class":     "interface Ethernet1\n   priority-flow-control on\n",
	audit.PFCWithPause: "system qos\ninterface Ethernet1/1\n  priority-flow-control mode on\n  flowcontrol receive on\n" +
		"  service-policy type qos input default-in\n",
	"no-drop-no-pfc": "interface Ethernet1\n   priority-flow-control priority 3 no-drop\n",
	"no-drop-over-limit": "set class-of-service forwarding-classes class a no-loss\n" +
		"set class-of-service forwarding-classes class b no-loss\nset class-of-service forwarding-classes class c no-loss\n" +
		"set class-of-service forwarding-classes class d no-loss\nset class-of-service forwarding-classes class e no-loss\n" +
		"set class-of-service forwarding-classes class f no-loss\nset class-of-service forwarding-classes class g no-loss\n",
	audit.NoDropNoHeadroom: "policy-map type queuing A\n  class type queuing c-in-q3\n    pause buffer-size 10 " +
		"pause-threshold 10 resume-threshold 10\n",
	audit.PauseThresholds: "policy-map type queuing A\n  class type queuing c-in-q3\n    pause buffer-size 10 " +
		"pause-threshold 20 resume-threshold 10\n",
	audit.ClassNotNoDrop: "set class-of-service congestion-notification-profile a input ieee-802.1 code-point 001 pfc\n" +
		"set class-of-service interfaces et-0/0/0 congestion-notification-profile a\n",
	"partition-sum": "set class-of-service shared-buffer ingress buffer-partition lossy percent 20\n",
	audit.BandwidthSum: "qos profile A\n   tx-queue 1\n      bandwidth percent 60\n   tx-queue 2\n" +
		"      bandwidth percent 60\n",
}

// TestEverySystemCodeFires compares the registry with the configurations: every code is found in one.
func TestEverySystemCodeFires(t *testing.T) {
	for _, code := range audit.SystemCodes() {
		text, there := wrong[code]
		require.True(t, there, code)
		system, err := registry.Of([]byte(text))
		require.NoError(t, err, code)
		reading, err := system.Read("f", []byte(text), audit.Chip{})
		require.NoError(t, err, code)
		var found []finding.Code
		for _, f := range audit.Run(audit.Source{File: "f", Reading: reading}).Findings {
			found = append(found, f.Code)
		}
		require.Contains(t, found, code)
	}
	require.Len(t, wrong, len(audit.SystemCodes()))
}
