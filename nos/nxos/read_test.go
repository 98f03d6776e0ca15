package nxos_test

import (
	_ "embed" // for the configuration of testdata
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/readertest"
	"github.com/cellwarden/cellwarden/nos/nxos"
)

// leaf is a configuration of our own, in the form that Cisco's guide shows.
//
//go:embed testdata/leaf1.cfg
var leaf string

// It reads it, and says where packets go and how the queues of a port are served.
func ExampleSystem_read() {
	data := []byte(leaf)
	reading, err := nxos.System.Read("leaf1.cfg", data, audit.Chip{})
	if err != nil {
		panic(err)
	}
	port := reading.Switch.Ports[0]
	fmt.Println(port.Name, "DSCP 26 to queue", port.Codes[26])
	for n, s := range port.Service {
		switch {
		case s == nil:
		case s.Strict:
			fmt.Println("queue", n, "strict, level", s.Level.Value)
		default:
			fmt.Println("queue", n, s.Percent.Value, "percent, marks from", s.Min.Bytes(), "on")
		}
	}
	// Output:
	// Ethernet1/1 DSCP 26 to queue 3
	// queue 0 30 percent, marks from 0B on
	// queue 3 50 percent, marks from 153600B on
	// queue 4 20 percent, marks from 0B on
	// queue 7 strict, level 1
}

// TestNothingIsWrong reads a good configuration: all statements about QoS are understood.
func TestNothingIsWrong(t *testing.T) {
	r := readertest.Run(t, nxos.System.Read, leaf, "100m")
	require.Empty(t, r.Findings)
	require.Zero(t, r.What().Statements.Unread)
	require.Equal(t, 3, len(r.Switch.Ports))
	require.Equal(t, "leaf1", r.Switch.Hostname)
	require.Contains(t, r.Unknown,
		"PFC is auto at 1 ports, the first is Ethernet1/3: DCBX decides, so that their groups are "+
			"not known")
	require.Contains(t, r.Unknown, "6 statements about something else are not read")
}

// TestMistakes makes one mistake at a time.
func TestMistakes(t *testing.T) {
	const pauses = "    pause buffer-size 101920 pause-threshold 46800 resume-threshold 34320\n"
	readertest.Mistakes(t, nxos.System.Read, leaf, []readertest.Mistake{
		readertest.Wrong("a policy is missing", "name-missing",
			`it names "ROCE", and there is no policy-map type network-qos of this name`,
			"network-qos LOSSLESS\n  service", "network-qos ROCE\n  service"),
		readertest.Wrong("a class is missing", "name-missing",
			`it names "RDMB", and there is no class-map type qos of this name`,
			"  class RDMA", "  class RDMB"),
		readertest.Wrong("PFC and no class without drops", "pfc-no-class",
			"PFC is on, and no class that the port has is without drops: "+
				"Ethernet1/1-2 (2 ports)", "    pause pfc-cos 3\n", "", "    pause pfc-cos 4\n", ""),
		readertest.Wrong("classes without drops and no PFC", "no-drop-no-pfc",
			"the port has classes without drops, and PFC is off: "+
				"Ethernet1/1", "  priority-flow-control mode on\n  priority", "  priority-flow-control mode off\n  priority"),
		readertest.Wrong("resume above pause", "pause-thresholds",
			"resume-threshold 46801 is above pause-threshold 46800",
			"resume-threshold 34320", "resume-threshold 46801"),
		readertest.Wrong("pause above the buffer", "pause-thresholds",
			"pause-threshold 101921 is above buffer-size 101920",
			"pause-threshold 46800", "pause-threshold 101921"),
		readertest.Wrong("one of three sizes", "pause-thresholds",
			"buffer-size without pause-threshold and resume-threshold",
			" pause-threshold 46800 resume-threshold 34320", ""),
		readertest.Wrong("a buffer beside bandwidth", "pause-thresholds",
			"pause buffer-size beside bandwidth or priority",
			pauses, pauses+"    bandwidth percent 10\n"),
		readertest.Wrong("no headroom", "no-drop-no-headroom",
			"pause-threshold 101920 is the whole buffer-size",
			"pause-threshold 46800", "pause-threshold 101920"),
		readertest.Wrong("headroom below light", "headroom-below-flight",
			"100G over 1km: headroom 55120 is less than the 122500 bytes in "+
				"flight: Ethernet1/1-2 (2 ports)"),
		readertest.Wrong("the switch's own headroom on a long cable", "no-drop-no-headroom",
			"the cable is 1km, and the headroom that the "+
				"switch gives by itself is for cables up to 100m", pauses, ""),
		readertest.Wrong("bandwidths above 100", "bandwidth-sum",
			"bandwidth remaining percent of all classes is 101 together",
			"remaining percent 50", "remaining percent 51"),
		readertest.Wrong("a buffer of a class that drops", "pfc-class-drops",
			"the class has a pause buffer, and no network-qos class of "+
				"qos-group 4 has pause", "    pause pfc-cos 4\n", ""),
		readertest.Wrong("no packet is in the class", "pfc-class-drops",
			"no policy of type qos sets qos-group 3: no packet is in the class",
			"    set qos-group 3", "    set qos-group 2"),
		readertest.Wrong("another priority is paused", "pfc-class-drops",
			"packets with cos 4 are in qos-group 4, which is paused by cos 5",
			"pause pfc-cos 4", "pause pfc-cos 5"),
		readertest.Wrong("one priority for two classes", "pfc-class-drops",
			"pfc-cos 3 is of c-8q-nq3 too: a pause for one class stops both",
			"pause pfc-cos 4", "pause pfc-cos 3"),
		readertest.Wrong("PFC with flow control", "pfc-with-pause",
			"priority-flow-control and flowcontrol are both on",
			"  speed 100000\n", "  speed 100000\n  flowcontrol receive on\n"),
		readertest.Wrong("marking upside down", "wred-min-over-max",
			"green_min_threshold 4096000 is above green_max_threshold 3072000",
			"minimum-threshold 150 ", "minimum-threshold 4000 "),
		readertest.Wrong("a number that is none", "number-format",
			`pfc-cos is "8": want a whole number, 0 to 7`,
			"pause pfc-cos 3", "pause pfc-cos 8"),
		readertest.Wrong("a statement that is not known", "statement-unread",
			"not understood: policy-map type network-qos LOSSLESS class type network-qos c-8q-nq3 colour 3",
			"    pause pfc-cos 3\n", "    pause pfc-cos 3\n    colour 3\n"),
	})
}

// TestTypedIn reads a class that stands beside its policy map, as in a text that is typed in.
func TestTypedIn(t *testing.T) {
	r := readertest.Run(t, nxos.System.Read, leaf, "", "\n  class RDMA\n    set", "\nclass RDMA\n    set",
		"\n  class STORAGE\n    set", "\nclass STORAGE\n    set")
	require.Empty(t, r.Findings)
	require.Zero(t, r.What().Statements.Unread)
}

// TestOverCommitment adds up what the groups have, where the chip is known.
func TestOverCommitment(t *testing.T) {
	chip := audit.Catalogued("trident2", "--chip trident2")
	text := readertest.Replace(t, leaf, "buffer-size 101920", "buffer-size 8000000",
		"buffer-size 101920", "buffer-size 8000000")
	reading, err := nxos.System.Read("leaf1.cfg", []byte(text), chip)
	require.NoError(t, err)
	found := audit.Run(audit.Source{File: "leaf1.cfg", Reading: reading, Chip: chip}).Findings
	require.Len(t, found, 1)
	require.EqualValues(t, "over-commitment", found[0].Code)
	require.Contains(t, found[0].Message,
		"4 groups have 32000000 bytes of their own together, more than the memory of "+
			"trident2 12766208")
}

// TestRefuses refuses what says nothing of QoS.
func TestRefuses(t *testing.T) {
	_, err := nxos.System.Read("leaf1.cfg", []byte("hostname leaf1\ninterface Ethernet1/1\n  speed 100000\n"),
		audit.Chip{})
	require.EqualError(t, err,
		"leaf1.cfg: no running configuration of NX-OS that says anything of QoS: want class-map, "+
			"policy-map, system qos, interfaces with priority-flow-control")
}

// FuzzRead reads any bytes.
func FuzzRead(f *testing.F) { readertest.Fuzz(f, nxos.System.Read, leaf) }
