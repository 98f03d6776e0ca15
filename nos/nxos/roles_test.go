package nxos_test

import (
	_ "embed" // for the configurations of testdata
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/readertest"
	"github.com/cellwarden/cellwarden/nos/nxos"
)

// The configurations are our own, one of each role. Their grammar is that of Cisco's "Nexus 9000 Series NX-OS Quality of
// Service Configuration Guide" (releases 7.x, 9.3 and 10.5) and, of the hardware profile, of the Nexus 3000's command
// reference.
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
	r := readertest.Run(t, nxos.System.Read, spine, "")
	require.Len(t, r.Switch.Ports, 3, "a port channel with members is no port")
	for _, p := range r.Switch.Ports {
		require.EqualValues(t, 1<<3|1<<4, p.PFC, "%s: a member has what its port channel has", p.Name)
		require.Equal(t, 3, p.Codes[26], p.Name)
	}
}

// TestMistakesOfRoles finds nothing in the configurations of all roles, and one mistake at a time by its code and line.
func TestMistakesOfRoles(t *testing.T) {
	const unread = finding.Code("statement-unread")
	plant := readertest.Plant
	readertest.Roles(t, nxos.System.Read, roles, []readertest.Planted{
		plant("leaf", unread, "pfc-koz", "pfc-cos 3", "pfc-koz 3").Says("pfc-koz"),
		plant("spine", "number-format", "dscp 24,99",
			"match dscp 24,26", "match dscp 24,99").
			Says(`dscp is "99": want numbers from 0 to 63, or names such as af31`),
		plant("spine", "number-format", "dscp foo", "match dscp af41", "match dscp foo").Says(`dscp is "foo"`),
		plant("spine", unread, "treshold", "maximum-threshold", "maximum-treshold").Says("maximum-treshold 2000 kbytes"),
		plant("storage", unread, "ecnn",
			"congestion-control tail-drop", "congestion-control random-detect ecnn").
			Says("congestion-control random-detect ecnn"),
		plant("storage", "pfc-class-drops", "pause pfc-cos 4",
			"  priority-flow-control mode on\n", "", "  priority-flow-control mode on\n", "").
			Says("no port has priority-flow-control mode on: at 2 ports it is auto"),
		plant("spine", "pfc-class-drops", "interface Ethernet1/1",
			"  service-policy type qos input CLASSIFY\n  no shut", "  no shut").
			Says("no policy of type qos puts packets of the port into qos-group 3, which is without drops: Ethernet1/1"),
		plant("backend", "pfc-class-drops", "class type network-qos c-8q-nq3",
			"  service-policy type qos input GPU-IN\n", "", "  service-policy type qos input GPU-IN\n", "").
			Says("policy-map type qos GPU-IN sets qos-group 3, and neither a port nor the system has the policy"),
		plant("backend", "pfc-class-drops", "pause buffer-size",
			"queuing c-in-q3", "queuing c-in-q4").Says("no network-qos class of qos-group 4 has pause"),
		plant("backend", "pfc-class-drops", "priority-flow-control send off",
			"  priority-flow-control send on\n", "  priority-flow-control send off\n").
			Says("it obeys pauses and sends none"),
		plant("storage", "no-drop-no-headroom", "buffer-reservation",
			"buffer-reservation 20", "buffer-reservation 0").Says("buffer-reservation is 0"),
		plant("storage", "number-format", "buffer-reservation",
			"buffer-reservation 20", "buffer-reservation 200").
			Says(`buffer-reservation is "200": want a whole number, 0 to 100`),
		plant("backend", "wred-no-drop", "random-detect",
			" weight 0 ecn", " weight 0").
			Says("queue 3 is of a class without drops, and random detection without ECN drops its packets: Ethernet1/1-2"),
		plant("backend", "ecn-other-queue", "random-detect",
			"    bandwidth remaining percent 90\n    random-detect minimum-threshold "+"150 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn\n", "    bandwidth remaining percent 90\n", "    bandwidth remaining percent 10\n", "    bandwidth remaining percent 10\n    random-detect minimum-threshold 150 kbytes maximum-threshold 3000 "+"kbytes drop-probability 7 weight 0 ecn\n").
			Says("ECN marks queue 0, whose class drops, and no queue of a class without drops (3)"),
		plant("backend", "mtu-over-class", "mtu 4200",
			"    mtu 9216\n    pause", "    mtu 4200\n    pause").
			Says("the longest frame of the class has 4200B, and the MTU of the port is 9216B"),
		plant("spine", "number-format", "drop-probability",
			"drop-probability 10", "drop-probability 200").Says(`drop-probability is "200"`),
		plant("spine", "wred-min-over-max", "random-detect",
			"minimum-threshold 200", "minimum-threshold 20000").Says("green_min_threshold 20480000 is above"),
		plant("spine", "bandwidth-sum", "policy-map type queuing",
			"percent 60", "percent 70").Says("bandwidth remaining percent of all classes is 110 together"),
		plant("spine", "no-drop-no-pfc", "priority-flow-control mode off",
			"  priority-flow-control mode on\n", "  priority-flow-control mode off\n").
			Says("the port has classes without drops, and PFC is off: Ethernet1/2-3 (2 ports)"),
		plant("backend", "no-drop-no-pfc", "override-interface",
			"hostname", "priority-flow-control override-interface mode off\nhostname").
			Says("PFC is off: Ethernet1/1-2 (2 ports)"),
		plant("backend", "name-missing", "GPU-LN",
			"type qos input GPU-IN", "type qos input GPU-LN").Says(`it names "GPU-LN"`),
		plant("spine", "number-format", "speed fast", "speed 400000", "speed fast").Says(`speed is "fast"`),
		plant("spine", unread, "mode onn", "mode on send-tlv", "mode onn").Says("mode onn"),
	})
}

// TestPFCOffAtOtherPorts reads a port with PFC off and no policy: other ports alone have the classes without drops.
// Where no port has a policy, the text does not say where their packets come from, and it is a finding.
func TestPFCOffAtOtherPorts(t *testing.T) {
	const other = "\ninterface Ethernet1/9\n  priority-flow-control mode off\n"
	r := readertest.Run(t, nxos.System.Read, backend+other, "")
	require.Empty(t, r.Findings)
	require.Len(t, r.Switch.Ports, 3)
	require.Empty(t, r.Switch.Ports[2].LosslessGroups())
	const policy = "  service-policy type qos input GPU-IN\n"
	for _, text := range []string{backend + other + policy, strings.ReplaceAll(backend, policy, "") + other} {
		require.True(t, slices.ContainsFunc(readertest.Run(t, nxos.System.Read, text, "").Findings, func(f finding.Finding) bool {
			return f.Code == "no-drop-no-pfc" && strings.Contains(f.Message, "PFC is off: Ethernet1/9")
		}))
	}
}

// TestECNAboveTheChip compares thresholds with the memory of a chip that is known.
func TestECNAboveTheChip(t *testing.T) {
	text := readertest.Replace(t, spine, "maximum-threshold 2000 kbytes", "maximum-threshold 300 mbytes")
	chip := audit.Catalogued("tomahawk", "--chip tomahawk")
	reading, err := nxos.System.Read("f", []byte(text), chip)
	require.NoError(t, err)
	found := audit.Run(audit.Source{File: "f", Reading: reading, Chip: chip}).Findings
	require.Len(t, found, 1)
	require.EqualValues(t, "wred-max-over-pool", found[0].Code)
	require.Equal(t, readertest.LineOf(t, text, "random-detect"), found[0].Line)
	require.Contains(t, found[0].Message, "the upper threshold 314572800 is larger than the memory of tomahawk 16777280")
}

// TestEnteredTwice merges a policy map and a class map that are entered twice: the shares are added up once.
func TestEnteredTwice(t *testing.T) {
	r := readertest.Run(t, nxos.System.Read, spine, "", "system qos\n", "policy-map type queuing TO-LEAF\n"+
		"  class type queuing c-out-8q-q3\n    bandwidth remaining percent 50\n"+
		"class-map type qos match-any RDMA\n  match dscp 28\nsystem qos\n")
	require.Empty(t, r.Findings)
	require.EqualValues(t, 50, r.Switch.Ports[0].Service[3].Percent.Value, "the second one counts")
	require.NotZero(t, r.Switch.Ports[0].Service[3].Min.Value, "and what it does not name stays")
	require.Equal(t, []int{3, 3}, []int{r.Switch.Ports[0].Codes[26], r.Switch.Ports[0].Codes[28]})
}

// TestWithoutIndentation reads texts that were pasted without their indentation as those with it.
func TestWithoutIndentation(t *testing.T) {
	for _, text := range []string{leaf, spine, backend, storage} {
		flat, err := nxos.System.Read("f", []byte(readertest.Flat(text)), audit.Chip{})
		require.NoError(t, err)
		whole, err := nxos.System.Read("f", []byte(text), audit.Chip{})
		require.NoError(t, err)
		require.Zero(t, flat.Statements.Unread)
		require.Equal(t, whole.Switch, flat.Switch)
	}
}

// TestNamesOfInterfaces reads the names of interfaces as people write them.
func TestNamesOfInterfaces(t *testing.T) {
	for _, name := range []string{"eth1/1", "e1/1", "Ethernet 1/1", "ethernet1/1"} {
		r := readertest.Run(t, nxos.System.Read, backend, "100m", "interface Ethernet1/1", "interface "+name)
		require.Empty(t, r.Findings, name)
		require.Equal(t, "Ethernet1/1", r.Switch.Ports[0].Name)
	}
	r := readertest.Run(t, nxos.System.Read, backend, "100m", "interface Ethernet1/2", "int eth1/2-4, eth1/8")
	require.Empty(t, r.Findings)
	require.Len(t, r.Switch.Ports, 5)
	require.EqualValues(t, 1<<3, r.Switch.Ports[4].PFC)
}

// TestFragments does not call a name certain that the switch may have already.
func TestFragments(t *testing.T) {
	r := readertest.Run(t, nxos.System.Read, "interface Ethernet1/1\n  service-policy type qos input A\n"+
		"interface Ethernet1/2\n  service-policy type qos input A\n", "")
	require.Len(t, r.Findings, 1)
	require.False(t, r.Findings[0].Certain)
	require.Contains(t, r.Findings[0].Message, "the switch may have it; it is named 2 times")
}

// TestSessions reads what was typed in at a terminal, with its prompts.
func TestSessions(t *testing.T) {
	var session strings.Builder
	session.WriteString("backend1# configure terminal\n")
	for line := range strings.Lines(backend) {
		session.WriteString("backend1(config-if)# " + line)
	}
	session.WriteString("backend1(config-if)# end\nbackend1#\n")
	typed, err := nxos.System.Read("f", []byte(session.String()), audit.Chip{})
	require.NoError(t, err)
	require.Zero(t, typed.Statements.Unread)
	require.Len(t, typed.Switch.Ports, 2)
	require.EqualValues(t, 1<<3, typed.Switch.Ports[1].PFC)
	require.Empty(t, typed.Findings)
}

// TestHostileTexts reads texts that name many ports in few statements, with many classes and policies: what is made of
// them stays within bounds.
func TestHostileTexts(t *testing.T) {
	var b strings.Builder
	b.WriteString("policy-map type network-qos N\n")
	for n := range 4000 {
		fmt.Fprintf(&b, "  class type network-qos c-nq-%d\n    pause pfc-cos 3\n", n)
	}
	for n := range 4000 {
		fmt.Fprintf(&b, "class-map type qos C%d\n  match dscp 0-63\npolicy-map type qos P%d\n  class C%d\n    set qos-group 3\n",
			n, n, n)
	}
	b.WriteString("system qos\n  service-policy type network-qos N\n")
	for n := range 4000 {
		fmt.Fprintf(&b, "interface eth%d/1-4096\n  priority-flow-control mode on\n  service-policy type qos input P%d\n", n%6, n)
	}
	reading, err := nxos.System.Read("f", []byte(b.String()), audit.Chip{})
	require.NoError(t, err)
	require.LessOrEqual(t, len(reading.Switch.Ports), 1<<14)
	require.Positive(t, reading.Statements.Unread, "the ports that are too many are said")
	r := audit.Run(audit.Source{File: "f", Reading: reading})
	require.LessOrEqual(t, len(r.Findings), audit.MaxFindings)
}
