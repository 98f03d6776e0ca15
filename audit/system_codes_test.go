package audit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/nos/registry"
)

// ofSystems has a configuration for each code that only other systems than SONiC have.
var ofSystems = map[finding.Code]string{
	"statement-unread": "system qos\n  colour 3\n",
	"name-missing":     "system qos\n  service-policy type network-qos none\n",
	"pfc-no-class":     "interface Ethernet1\n   priority-flow-control on\n",
	"pfc-with-pause": "system qos\ninterface Ethernet1/1\n  priority-flow-control mode on\n  flowcontrol receive on\n" +
		"  service-policy type qos input default-in\n",
	"no-drop-no-pfc": "interface Ethernet1\n   priority-flow-control priority 3 no-drop\n",
	"no-drop-over-limit": "set class-of-service forwarding-classes class a no-loss\n" +
		"set class-of-service forwarding-classes class b no-loss\nset class-of-service forwarding-classes class c no-loss\n" +
		"set class-of-service forwarding-classes class d no-loss\nset class-of-service forwarding-classes class e no-loss\n" +
		"set class-of-service forwarding-classes class f no-loss\nset class-of-service forwarding-classes class g no-loss\n",
	"no-drop-no-headroom": "policy-map type queuing A\n  class type queuing c-in-q3\n    pause buffer-size 10 " +
		"pause-threshold 10 resume-threshold 10\n",
	"pause-thresholds": "policy-map type queuing A\n  class type queuing c-in-q3\n    pause buffer-size 10 " +
		"pause-threshold 20 resume-threshold 10\n",
	"pfc-class-drops": "set class-of-service congestion-notification-profile a input ieee-802.1 code-point 001 pfc\n" +
		"set class-of-service interfaces et-0/0/0 congestion-notification-profile a\n",
	"partition-sum": "set class-of-service shared-buffer ingress buffer-partition lossy percent 20\n",
	"wred-no-drop": "policy-map type network-qos A\n  class type network-qos c-8q-nq3\n    pause pfc-cos 3\n" +
		"policy-map type queuing B\n  class type queuing c-out-8q-q3\n    random-detect minimum-threshold 1 kbytes " +
		"maximum-threshold 2 kbytes drop-probability 1 weight 0\nsystem qos\n  service-policy type network-qos A\n" +
		"  service-policy type queuing output B\ninterface Ethernet1/1\n  priority-flow-control mode on\n",
	"ecn-other-queue": "policy-map type network-qos A\n  class type network-qos c-8q-nq3\n    pause pfc-cos 3\n" +
		"policy-map type queuing B\n  class type queuing c-out-8q-q4\n    random-detect minimum-threshold 1 kbytes " +
		"maximum-threshold 2 kbytes drop-probability 1 weight 0 ecn\nsystem qos\n  service-policy type network-qos A\n" +
		"  service-policy type queuing output B\ninterface Ethernet1/1\n  priority-flow-control mode on\n",
	"mtu-over-class": "set class-of-service congestion-notification-profile a input ieee-802.1 code-point 011 pfc mru 2000\n" +
		"set class-of-service interfaces et-0/0/0 congestion-notification-profile a\nset interfaces et-0/0/0 mtu 9216\n",
	"pfc-one-way": `{"ports": [{"logicalID": 1, "name": "eth1/1/1", "pfc": {"tx": true, "rx": false, "portPgConfigName": "a"}}],
"bufferPoolConfigs": {"p": {"sharedBytes": 9}}, "portPgConfigs": {"a": [{"id": 2, "headroomLimitBytes": 5,
"bufferPoolName": "p"}]}}`,
	"bandwidth-sum": "qos profile A\n   tx-queue 1\n      bandwidth percent 60\n   tx-queue 2\n" +
		"      bandwidth percent 60\n",
}

// TestEverySystemCodeFires reads the configurations as what their texts say that they are: each code is found in its
// own.
func TestEverySystemCodeFires(t *testing.T) {
	for code, text := range ofSystems {
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
}
