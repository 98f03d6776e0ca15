package nxos_test

import (
	_ "embed" // for the configurations of testdata
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

// TestRoles reads good configurations: nothing is found, and all statements about QoS are understood.
func TestRoles(t *testing.T) {
	for name, text := range map[string]string{"leaf": leaf, "spine": spine, "back end": backend, "storage": storage} {
		r := readertest.Run(t, nxos.System.Read, text, "100m")
		require.Empty(t, r.Findings, name)
		require.Zero(t, r.What().Statements.Unread, name)
		require.Empty(t, r.What().TooLittle, name)
	}
	r := readertest.Run(t, nxos.System.Read, spine, "")
	require.Len(t, r.Switch.Ports, 3, "a port channel with members is no port")
	for _, p := range r.Switch.Ports {
		require.EqualValues(t, 1<<3|1<<4, p.PFC, "%s: a member has what its port channel has", p.Name)
		require.Equal(t, 3, p.Codes[26], p.Name)
	}
}

// mistake is a mistake in a configuration of a role: what is replaced, and the code, the line (by a text that is in it)
// and a part of the message of its finding.
type mistake struct {
	name, text string
	edits      []string
	code       finding.Code
	line       string
	message    string
}

// lineOf returns the number of the first line that has a text.
func lineOf(t *testing.T, text, part string) int {
	t.Helper()
	n := slices.IndexFunc(strings.Split(text, "\n"), func(line string) bool { return strings.Contains(line, part) })
	require.GreaterOrEqual(t, n, 0, part)
	return n + 1
}

// requireFound makes each mistake, and requires its finding by code, line and message.
func requireFound(t *testing.T, read readertest.Reader, mistakes []mistake) {
	t.Helper()
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			line := lineOf(t, readertest.Replace(t, m.text, m.edits...), m.line)
			r := readertest.Run(t, read, m.text, "100m", m.edits...)
			require.True(t, slices.ContainsFunc(r.Findings, func(f finding.Finding) bool {
				return f.Code == m.code && f.Line == line && strings.Contains(f.Message, m.message)
			}), "want %s in line %d, have %v", m.code, line, r.Findings)
		})
	}
}

// TestMistakesOfRoles makes one mistake at a time in the configurations of all roles.
func TestMistakesOfRoles(t *testing.T) {
	const unread = finding.Code("statement-unread")
	requireFound(t, nxos.System.Read, []mistake{
		{"a DSCP that is none", spine, []string{"match dscp 24,26", "match dscp 24,99"}, audit.NumberFormat, "dscp 24,99",
			`dscp is "99": want numbers from 0 to 63, or names such as af31`},
		{"a name that is none", spine, []string{"match dscp af41", "match dscp foo"}, audit.NumberFormat, "dscp foo",
			`dscp is "foo"`},
		{"a misspelt threshold", spine, []string{"maximum-threshold", "maximum-treshold"}, unread, "treshold",
			"maximum-treshold 2000 kbytes"},
		{"a misspelt ECN", storage, []string{"congestion-control tail-drop", "congestion-control random-detect ecnn"},
			unread, "ecnn", "congestion-control random-detect ecnn"},
		{"PFC is auto everywhere", storage, []string{"  priority-flow-control mode on\n", "",
			"  priority-flow-control mode on\n", ""}, audit.ClassNotNoDrop, "pause pfc-cos 4",
			"no port has priority-flow-control mode on: at 2 ports it is auto"},
		{"a port without a classifying policy", spine, []string{"  service-policy type qos input CLASSIFY\n  no shut",
			"  no shut"}, audit.ClassNotNoDrop, "interface Ethernet1/1",
			"no policy of type qos puts packets of the port into qos-group 3, which is without drops: Ethernet1/1"},
		{"a policy that no port has", backend, []string{"  service-policy type qos input GPU-IN\n", "",
			"  service-policy type qos input GPU-IN\n", ""}, audit.ClassNotNoDrop, "class type network-qos c-8q-nq3",
			"policy-map type qos GPU-IN sets qos-group 3, and neither a port nor the system has the policy"},
		{"a buffer of a class that drops", backend, []string{"queuing c-in-q3", "queuing c-in-q4"}, audit.ClassNotNoDrop,
			"pause buffer-size", "no network-qos class of qos-group 4 has pause"},
		{"it sends no pauses", backend, []string{"  priority-flow-control send on\n", "  priority-flow-control send off\n"},
			audit.ClassNotNoDrop, "priority-flow-control send off", "it obeys pauses and sends none"},
		{"no memory for PFC", storage, []string{"buffer-reservation 20", "buffer-reservation 0"}, audit.NoDropNoHeadroom,
			"buffer-reservation", "buffer-reservation is 0"},
		{"a reservation that is none", storage, []string{"buffer-reservation 20", "buffer-reservation 200"},
			audit.NumberFormat, "buffer-reservation", `buffer-reservation is "200": want a whole number, 0 to 100`},
		{"early detection without ECN", backend, []string{" weight 0 ecn", " weight 0"}, "wred-no-drop", "random-detect",
			"queue 3 is of a class without drops, and random detection without ECN drops its packets: Ethernet1/1-2"},
		{"ECN in another queue", backend, []string{"    bandwidth remaining percent 90\n    random-detect minimum-threshold " +
			"150 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn\n",
			"    bandwidth remaining percent 90\n", "    bandwidth remaining percent 10\n",
			"    bandwidth remaining percent 10\n    random-detect minimum-threshold 150 kbytes maximum-threshold 3000 " +
				"kbytes drop-probability 7 weight 0 ecn\n"}, "ecn-other-queue", "random-detect",
			"ECN marks queue 0, whose class drops, and no queue of a class without drops (3)"},
		{"a class with short frames", backend, []string{"    mtu 9216\n    pause", "    mtu 4200\n    pause"},
			"mtu-over-class", "mtu 4200", "the longest frame of the class has 4200B, and the MTU of the port is 9216B"},
		{"a probability above 100", spine, []string{"drop-probability 10", "drop-probability 200"}, audit.NumberFormat,
			"drop-probability", `drop-probability is "200"`},
		{"thresholds upside down", spine, []string{"minimum-threshold 200", "minimum-threshold 20000"},
			"wred-min-over-max", "random-detect", "green_min_threshold 20480000 is above"},
		{"shares above 100", spine, []string{"percent 60", "percent 70"}, audit.BandwidthSum, "policy-map type queuing",
			"bandwidth remaining percent of all classes is 110 together"},
		{"PFC off at a port channel", spine, []string{"  priority-flow-control mode on\n",
			"  priority-flow-control mode off\n"}, "no-drop-no-pfc", "priority-flow-control mode off",
			"the port has classes without drops, and PFC is off: Ethernet1/2-3 (2 ports)"},
		{"PFC off by the switch", backend, []string{"hostname", "priority-flow-control override-interface mode off\nhostname"},
			"no-drop-no-pfc", "override-interface", "PFC is off: Ethernet1/1-2 (2 ports)"},
		{"a policy of a port is missing", backend, []string{"type qos input GPU-IN", "type qos input GPU-LN"},
			"name-missing", "GPU-LN", `it names "GPU-LN"`},
		{"a speed that is none", spine, []string{"speed 400000", "speed fast"}, audit.NumberFormat, "speed fast",
			`speed is "fast"`},
		{"a misspelt mode of PFC", spine, []string{"mode on send-tlv", "mode onn"}, unread, "mode onn", "mode onn"},
	})
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
	require.Equal(t, lineOf(t, text, "random-detect"), found[0].Line)
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

// flattened is a text without its indentation, as it is pasted.
func flattened(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimLeft(line, " "))
	}
	return b.String()
}

// TestWithoutIndentation reads texts that were pasted without their indentation as those with it.
func TestWithoutIndentation(t *testing.T) {
	for _, text := range []string{leaf, spine, backend, storage} {
		flat, err := nxos.System.Read("f", []byte(flattened(text)), audit.Chip{})
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
	r := readertest.Run(t, nxos.System.Read, backend, "100m", "interface Ethernet1/2", "interface eth1/2-4, eth1/8")
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
