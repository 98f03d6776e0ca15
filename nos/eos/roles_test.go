package eos_test

import (
	_ "embed" // for the configurations of testdata
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/auditcode"
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

// TestRoles reads good configurations: nothing is found, and all statements about QoS are understood.
func TestRoles(t *testing.T) {
	for name, text := range map[string]string{"leaf": leaf, "spine": spine, "back end": backend, "storage": storage} {
		r := readertest.Run(t, eos.System.Read, text, "100m")
		require.Empty(t, r.Findings, name)
		require.Zero(t, r.What().Statements.Unread, name)
		require.Empty(t, r.What().TooLittle, name)
	}
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

// TestMistakesOfRoles makes one mistake at a time in the configurations of all roles.
func TestMistakesOfRoles(t *testing.T) {
	const unread = finding.Code("statement-unread")
	const ecn = "      random-detect ecn minimum-threshold 2000 kbytes maximum-threshold 10000 kbytes max-mark-probability 100\n"
	readertest.Found(t, eos.System.Read, []readertest.Mistake{
		readertest.WrongIn("a DSCP that is none", spine, []string{"qos map dscp 26", "qos map dscp 99"}, auditcode.NumberFormat, "dscp 99",
			`dscp is "99": want numbers from 0 to 63`),
		readertest.WrongIn("a traffic class that is none", spine, []string{"dscp 48 to traffic-class 6", "dscp 48 to traffic-class 9"},
			auditcode.NumberFormat, "traffic-class 9", `traffic-class is "9": want a whole number, 0 to 7`),
		readertest.WrongIn("a misspelt threshold", spine, []string{"maximum-threshold", "maximum-treshold"}, unread, "treshold",
			"maximum-treshold 1600 segments"),
		readertest.WrongIn("thresholds upside down", spine, []string{"minimum-threshold 160", "minimum-threshold 16000"},
			"wred-min-over-max", "random-detect ecn min", "green_min_threshold 16000 is above green_max_threshold 1600"),
		readertest.WrongIn("a probability above 100", spine, []string{"max-mark-probability 20", "max-mark-probability 200"},
			auditcode.NumberFormat, "max-mark-probability", `max-mark-probability is "200": want a whole number, 0 to 100`),
		readertest.WrongIn("PFC off at all ports", spine, []string{"qos rewrite dscp\n", "priority-flow-control all off\n"}, "no-drop-no-pfc",
			"priority-flow-control all off", "PFC is off: Ethernet1/1,Ethernet2/1,Ethernet3/1 (3 ports)"),
		readertest.WrongIn("PFC off at a port", spine, []string{"   no switchport\n", "   no priority-flow-control\n"}, "no-drop-no-pfc",
			"no priority-flow-control", "the port has classes without drops, and PFC is off: Ethernet1/1"),
		readertest.WrongIn("PFC off at a port channel", spine, []string{"   mtu 9214\n", "   mtu 9214\n   no priority-flow-control\n"},
			"no-drop-no-pfc", "no priority-flow-control", "PFC is off: Ethernet2/1,Ethernet3/1 (2 ports)"),
		readertest.WrongIn("a profile of a port channel is missing", spine, []string{"service-profile FABRIC", "service-profile FABRlC"},
			"name-missing", "FABRlC", `it names "FABRlC", and there is no qos profile`),
		readertest.WrongIn("DSCP into another class", spine, []string{"dscp 26 to traffic-class 3", "dscp 26 to traffic-class 4"},
			auditcode.ClassNotNoDrop, "qos map dscp 26", "dscp 26 is in traffic class 4, which drops; by default it is in traffic "+
				"class 3, which is without drops"),
		readertest.WrongIn("the tag is trusted", spine, []string{"qos trust dscp", "qos trust cos"}, auditcode.ClassNotNoDrop, "qos trust cos",
			"the DSCPs that qos map puts into traffic class 3, which is without drops, are not read: Ethernet1/1"),
		readertest.WrongIn("nothing is trusted", spine, []string{"qos trust dscp", "no qos trust"}, auditcode.ClassNotNoDrop, "no qos trust",
			"no qos trust: the DSCPs that qos map puts into traffic class 3"),
		readertest.WrongIn("a queue with two classes", spine, []string{"traffic-class 4 5 to tx-queue 4", "traffic-class 4 5 to tx-queue 3"},
			auditcode.ClassNotNoDrop, "   priority-flow-control on", "traffic class 3, without drops, and traffic class 4 share "+
				"queue 3: a pause stops both: Ethernet1/1"),
		readertest.WrongIn("memory of another group", backend, []string{"priority-group 3 reserved", "priority-group 4 reserved",
			"priority-group 3 threshold", "priority-group 4 threshold"}, auditcode.ClassNotNoDrop, "priority-group 4 reserved",
			"priority-group 4 has memory here, and drops; the groups without drops have none"),
		readertest.WrongIn("ECN in another queue", backend, []string{ecn, "", "   uc-tx-queue 6\n", "   uc-tx-queue 6\n" + ecn},
			"ecn-other-queue", "random-detect", "ECN marks queue 6, whose class drops, and no queue of a class without drops (3)"),
		readertest.WrongIn("ECN above the chip", backend, []string{"maximum-threshold 10000 kbytes", "maximum-threshold 1000 mbytes"},
			"wred-max-over-pool", "random-detect", "the upper threshold 1000000000 is larger than the memory of tomahawk5"),
		readertest.WrongIn("drops in place of ECN", backend, []string{"random-detect ecn minimum", "random-detect drop minimum",
			"max-mark-probability", "drop-probability"}, "wred-no-drop", "random-detect",
			"queue 3 is of a class without drops, and random detection without ECN drops its packets"),
		readertest.WrongIn("a policy is missing", backend, []string{"input GPU-IN", "input GPU-LN"}, "name-missing", "input GPU-LN",
			`it names "GPU-LN", and there is no policy-map`),
		readertest.WrongIn("a class is missing", backend, []string{"   class ROCE\n", "   class R0CE\n"}, "name-missing", "class R0CE",
			`it names "R0CE", and there is no class-map`),
		readertest.WrongIn("a traffic class that a policy sets", backend, []string{"set traffic-class 3", "set traffic-class 30"},
			auditcode.NumberFormat, "set traffic-class 30", `traffic-class is "30"`),
		readertest.WrongIn("no headroom", backend, []string{"headroom bytes 469280", "headroom bytes 0"}, auditcode.NoDropNoHeadroom,
			"ingress headroom", "ingress headroom is 0, and group 3 is without drops"),
		readertest.WrongIn("a word too many", backend, []string{"threshold 1/2", "threshold 1/2 fast"}, unread, "threshold 1/2 fast",
			"priority-group 3 threshold 1/2 fast"),
		readertest.WrongIn("shares above 100", storage, []string{"bandwidth percent 60", "bandwidth percent 60\n   tx-queue 6\n" +
			"      bandwidth percent 50"}, auditcode.BandwidthSum, "interface Ethernet1/1", "is 110 together"),
		readertest.WrongIn("PAUSE beside PFC", storage, []string{"no flowcontrol receive", "flowcontrol receive on"}, auditcode.PFCWithPause,
			"   priority-flow-control on", "priority-flow-control and flowcontrol are both on"),
		readertest.WrongIn("a priority that is none", storage, []string{"priority 4 no-drop", "priority 8 no-drop"}, auditcode.NumberFormat,
			"priority 8", `priority is "8": want a whole number, 0 to 7`),
		readertest.WrongIn("a misspelt no-drop", storage, []string{"priority 4 no-drop", "priority 4 nodrop"}, unread, "nodrop", "nodrop"),
	})
}

// TestWithoutIndentation reads texts that were pasted without their indentation as those with it.
func TestWithoutIndentation(t *testing.T) {
	for name, text := range map[string]string{"leaf": leaf, "spine": spine, "back end": backend, "storage": storage} {
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
