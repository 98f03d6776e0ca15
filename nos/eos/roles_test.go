package eos_test

import (
	_ "embed" // for the configurations of testdata
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/readertest"
	"github.com/cellwarden/cellwarden/nos/eos"
)

// The configurations are our own, one of each role. Their grammar is that of Arista's "EOS User Guide", chapter "Quality
// of Service", and of what github.com/aristanetworks/avd writes (templates of eos_cli_config_gen).
var (
	//go:embed testdata/spine1.cfg
	spine string
	//go:embed testdata/backend1.cfg
	backend string
	//go:embed testdata/storage1.cfg
	storage string
)

// roles are the configurations by their names.
var roles = map[string]string{"leaf": leaf, "spine": spine, "backend": backend, "storage": storage}

// TestRoles reads what good configurations say.
func TestRoles(t *testing.T) {
	r := readertest.Run(t, eos.System.Read, spine, "")
	require.Len(t, r.Switch.Ports, 3, "a port channel with members is no port")
	for _, p := range r.Switch.Ports {
		require.EqualValues(t, 1<<3, p.PFC, "%s: a member has what its port channel has", p.Name)
		require.Equal(t, 3, p.Codes[26], "%s: a map of DSCPs says which packets are in the class", p.Name)
		require.EqualValues(t, 70, p.Service[3].Percent.Value, p.Name)
		require.True(t, p.Service[3].NoDrop && p.Service[3].Marks && p.Service[6].Strict, p.Name)
	}
	r = readertest.Run(t, eos.System.Read, storage, "")
	require.EqualValues(t, 1<<4, r.Switch.Ports[0].PFC)
	require.Empty(t, r.Switch.Ports[0].Codes, "it trusts the tag")
}

// TestMistakesOfRoles finds nothing in the configurations of all roles, and one mistake at a time by its code and line.
func TestMistakesOfRoles(t *testing.T) {
	const unread = finding.Code("statement-unread")
	const ecn = "      random-detect ecn minimum-threshold 2000 kbytes maximum-threshold 10000 kbytes max-mark-probability 100\n"
	plant := readertest.Plant
	readertest.Roles(t, eos.System.Read, roles, []readertest.Planted{
		plant("leaf", unread, "nodrop", "priority 3 no-drop", "priority 3 nodrop").Says("nodrop"),
		plant("spine", "number-format", "dscp 99",
			"qos map dscp 26", "qos map dscp 99").Says(`dscp is "99": want numbers from 0 to 63`),
		plant("spine", "number-format", "traffic-class 9",
			"dscp 48 to traffic-class 6", "dscp 48 to traffic-class 9").
			Says(`traffic-class is "9": want a whole number, 0 to 7`),
		plant("spine", unread, "treshold",
			"maximum-threshold", "maximum-treshold").Says("maximum-treshold 1600 segments"),
		plant("spine", "wred-min-over-max", "random-detect ecn min",
			"minimum-threshold 160", "minimum-threshold 16000").
			Says("green_min_threshold 16000 is above green_max_threshold 1600"),
		plant("spine", "number-format", "max-mark-probability",
			"max-mark-probability 20", "max-mark-probability 200").
			Says(`max-mark-probability is "200": want a whole number, 0 to 100`),
		plant("spine", "no-drop-no-pfc", "priority-flow-control all off",
			"qos rewrite dscp\n", "priority-flow-control all off\n").
			Says("PFC is off: Ethernet1/1,Ethernet2/1,Ethernet3/1 (3 ports)"),
		plant("spine", "no-drop-no-pfc", "no priority-flow-control",
			"   no switchport\n", "   no priority-flow-control\n").
			Says("the port has classes without drops, and PFC is off: Ethernet1/1"),
		plant("spine", "no-drop-no-pfc", "no priority-flow-control",
			"   mtu 9214\n", "   mtu 9214\n   no priority-flow-control\n").
			Says("PFC is off: Ethernet2/1,Ethernet3/1 (2 ports)"),
		plant("spine", "name-missing", "FABRlC",
			"service-profile FABRIC", "service-profile FABRlC").Says(`it names "FABRlC", and there is no qos profile`),
		plant("spine", "pfc-class-drops", "qos map dscp 26",
			"dscp 26 to traffic-class 3", "dscp 26 to traffic-class 4").
			Says("dscp 26 is in traffic class 4, which drops; by default it is in traffic " + "class 3, which is without drops"),
		plant("spine", "pfc-class-drops", "qos trust cos",
			"qos trust dscp", "qos trust cos").
			Says("the DSCPs that qos map puts into traffic class 3, which is without drops, are not read: Ethernet1/1"),
		plant("spine", "pfc-class-drops", "no qos trust",
			"qos trust dscp", "no qos trust").Says("no qos trust: the DSCPs that qos map puts into traffic class 3"),
		plant("spine", "pfc-class-drops", "   priority-flow-control on",
			"traffic-class 4 5 to tx-queue 4", "traffic-class 4 5 to tx-queue 3").
			Says("traffic class 3, without drops, and traffic class 4 share " + "queue 3: a pause stops both: Ethernet1/1"),
		plant("backend", "pfc-class-drops", "priority-group 4 reserved",
			"priority-group 3 reserved", "priority-group 4 reserved", "priority-group 3 threshold", "priority-group 4 threshold").
			Says("priority-group 4 has memory here, and drops; the groups without drops have none"),
		plant("backend", "ecn-other-queue", "random-detect",
			ecn, "", "   uc-tx-queue 6\n", "   uc-tx-queue 6\n"+ecn).
			Says("ECN marks queue 6, whose class drops, and no queue of a class without drops (3)"),
		plant("backend", "wred-max-over-pool", "random-detect",
			"maximum-threshold 10000 kbytes", "maximum-threshold 1000 mbytes").
			Says("the upper threshold 1000000000 is larger than the memory of tomahawk5"),
		plant("backend", "wred-no-drop", "random-detect",
			"random-detect ecn minimum", "random-detect drop minimum", "max-mark-probability", "drop-probability").
			Says("queue 3 is of a class without drops, and random detection without ECN drops its packets"),
		plant("backend", "name-missing", "input GPU-LN",
			"input GPU-IN", "input GPU-LN").Says(`it names "GPU-LN", and there is no policy-map`),
		plant("backend", "name-missing", "class R0CE",
			"   class ROCE\n", "   class R0CE\n").Says(`it names "R0CE", and there is no class-map`),
		plant("backend", "number-format", "set traffic-class 30",
			"set traffic-class 3", "set traffic-class 30").Says(`traffic-class is "30"`),
		plant("backend", "no-drop-no-headroom", "ingress headroom",
			"headroom bytes 469280", "headroom bytes 0").Says("ingress headroom is 0, and group 3 is without drops"),
		plant("backend", unread, "threshold 1/2 fast",
			"threshold 1/2", "threshold 1/2 fast").Says("priority-group 3 threshold 1/2 fast"),
		plant("storage", "bandwidth-sum", "interface Ethernet1/1",
			"bandwidth percent 60", "bandwidth percent 60\n   tx-queue 6\n"+"      bandwidth percent 50").
			Says("is 110 together"),
		plant("storage", "pfc-with-pause", "   priority-flow-control on",
			"no flowcontrol receive", "flowcontrol receive on").Says("priority-flow-control and flowcontrol are both on"),
		plant("storage", "number-format", "priority 8",
			"priority 4 no-drop", "priority 8 no-drop").Says(`priority is "8": want a whole number, 0 to 7`),
		plant("storage", unread, "nodrop", "priority 4 no-drop", "priority 4 nodrop").Says("nodrop"),
	})
}

// TestWithoutIndentation reads texts that were pasted without their indentation as those with it.
func TestWithoutIndentation(t *testing.T) {
	for name, text := range roles {
		flat, err := eos.System.Read("f", []byte(readertest.Flat(text)), audit.Chip{})
		require.NoError(t, err)
		whole, err := eos.System.Read("f", []byte(text), audit.Chip{})
		require.NoError(t, err)
		require.Zero(t, flat.Statements.Unread, name)
		require.Equal(t, whole.Switch, flat.Switch, name)
	}
}

// TestPortChannelsAlone reads a text that has port channels and no member of them: they are the ports.
func TestPortChannelsAlone(t *testing.T) {
	r := readertest.Run(t, eos.System.Read, "interface Port-Channel5\n   service-profile A\nqos profile A\n"+
		"   priority-flow-control on\n   priority-flow-control priority 3 no-drop\n", "")
	require.Empty(t, r.Findings)
	require.Len(t, r.Switch.Ports, 1)
	require.Equal(t, "Port-Channel5", r.Switch.Ports[0].Name)
	require.EqualValues(t, 1<<3, r.Switch.Ports[0].PFC)
}

// TestFragments does not call a name certain that the switch may have already.
func TestFragments(t *testing.T) {
	for text, certain := range map[string]bool{"": false, "hostname leaf1\n": true} {
		r := readertest.Run(t, eos.System.Read, text+strings.Repeat("interface Et1-2\n   service-profile A\n", 3), "")
		require.Len(t, r.Findings, 1)
		require.Equal(t, certain, r.Findings[0].Certain)
		require.Contains(t, r.Findings[0].Message, "; it is named 3 times")
		require.Len(t, r.Switch.Ports, 2)
	}
}
