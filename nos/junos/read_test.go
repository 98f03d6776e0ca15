package junos_test

import (
	_ "embed" // for the configuration of testdata
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/readertest"
	"github.com/cellwarden/cellwarden/nos/junos"
)

// leaf is a configuration of our own, in the form that Juniper's guide shows.
//
//go:embed testdata/leaf1.conf
var leaf string

// It reads the same cable as braces, as a command and as JSON.
func ExampleSystem_read() {
	for _, text := range []string{
		"class-of-service { congestion-notification-profile { c { input { cable-length 40; } } } " +
			"interfaces { et-0/0/1 { congestion-notification-profile c; } } }",
		"set class-of-service congestion-notification-profile c input cable-length 40\n" +
			"set class-of-service interfaces et-0/0/1 congestion-notification-profile c\n",
		`{"configuration": {"class-of-service": {
			"congestion-notification-profile": [{"name": "c", "input": {"cable-length": 40}}],
			"interfaces": {"interface": [{"name": "et-0/0/1", "congestion-notification-profile": "c"}]}}}}`,
	} {
		data := []byte(text)
		reading, err := junos.System.Read("leaf1.conf", data, audit.Chip{})
		if err != nil {
			panic(err)
		}
		fmt.Println(reading.Switch.Ports[0].Name, reading.Switch.Ports[0].Cable)
	}
	// Output:
	// et-0/0/1 40m
	// et-0/0/1 40m
	// et-0/0/1 40m
}

// TestNothingIsWrong reads a good configuration: all statements about the class of service are understood.
func TestNothingIsWrong(t *testing.T) {
	r := readertest.Run(t, junos.System.Read, leaf, "")
	require.Empty(t, r.Findings)
	require.Zero(t, r.What().Statements.Unread)
	require.Equal(t, "leaf1", r.Switch.Hostname)
}

// TestMistakes makes one mistake at a time.
func TestMistakes(t *testing.T) {
	var more strings.Builder
	for n := range 6 {
		fmt.Fprintf(&more, "        class MORE%d queue-num %d no-loss;\n", n, n+5)
	}
	readertest.Mistakes(t, junos.System.Read, leaf, []readertest.Mistake{
		readertest.Wrong("partitions above 100", "partition-sum",
			"the partitions are 101 % together",
			"percent 66", "percent 67"),
		readertest.Wrong("partitions below 100", "partition-sum",
			"the partitions are 99 % together", "percent 66", "percent 65"),
		readertest.Wrong("a partition is not given", "partition-sum",
			"2 of 3 partitions are given, 76 % together",
			"            buffer-partition lossless-headroom {\n                percent 24;\n            }\n", ""),
		readertest.Wrong("no headroom", "no-drop-no-headroom",
			"the partition lossless-headroom is 0 %",
			"percent 24", "percent 0"),
		readertest.Wrong("a partition that is none", "name-missing",
			`there is no partition "multicast": want lossless, `+
				"lossless-headroom, lossy", "buffer-partition lossy {", "buffer-partition multicast {"),
		readertest.Wrong("a class that drops", "pfc-class-drops",
			"code point 011010 has PFC, and its class is NO-LOSS, which drops: et-0/0/0-1 (2 ports)",
			"queue-num 4 no-loss", "queue-num 4"),
		readertest.Wrong("PFC and no class", "pfc-no-class",
			"PFC is on, and no class that the port has is without drops",
			"queue-num 4 no-loss", "queue-num 4"),
		readertest.Wrong("no priority", "pfc-class-drops",
			"its class NO-LOSS has no pfc-priority", " pfc-priority 3", ""),
		readertest.Wrong("another queue stops", "pfc-class-drops",
			"priority 3 is of queue 4, and a pause frame for it stops "+
				"other queues", "flow-control-queue 4", "flow-control-queue 5"),
		readertest.Wrong("two kinds of classes in a queue", "pfc-class-drops",
			"queue 4 has CNP too", "queue-num 3", "queue-num 4"),
		readertest.Wrong("no profile at a port", "no-drop-no-pfc",
			"packets with code point 011010 are in NO-LOSS, which is "+
				"without drops", "            congestion-notification-profile cnp;\n", ""),
		readertest.Wrong("a profile is missing", "name-missing",
			`it names "dcqcn", and there is no congestion-notification-profile of this name`,
			"congestion-notification-profile cnp;", "congestion-notification-profile dcqcn;"),
		readertest.Wrong("a classifier is missing", "name-missing",
			`it names "other", and there is no classifier dscp`,
			"dscp mydscp;", "dscp other;"),
		readertest.Wrong("a class is missing", "name-missing",
			`it names "LOSS", and there is no forwarding class`,
			"forwarding-class CNP {", "forwarding-class LOSS {"),
		readertest.Wrong("a scheduler is missing", "name-missing",
			`it names "s-other", and there is no scheduler of`,
			"scheduler s-cnp", "scheduler s-other"),
		readertest.Wrong("a drop profile is missing", "name-missing",
			`it names "dp2", and there is no drop profile`,
			"drop-profile dp1", "drop-profile dp2"),
		readertest.Wrong("a drop profile without ECN", "pfc-class-drops",
			"NO-LOSS is without drops, and its scheduler "+
				`"s-no-loss" has a drop profile`, "            explicit-congestion-notification;\n", ""),
		readertest.Wrong("rates above 100", "bandwidth-sum",
			"transmit-rate of all classes is 110 % together",
			"transmit-rate percent 10", "transmit-rate percent 30"),
		readertest.Wrong("too many classes", "no-drop-over-limit",
			"more than 6 classes are without drops",
			"        class CNP queue-num 3;\n", more.String()),
		readertest.Wrong("a number that is none", "number-format",
			`cable-length is "far": want a whole number`,
			"cable-length 40", "cable-length far"),
		readertest.Wrong("a statement that is not known", "statement-unread",
			"not understood: class-of-service shared-buffer ingress colour 3", "            percent 100;\n",
			"            colour 3;\n"),
	})
}

// TestForms reads set commands as it reads braces. What is deactivated is not there.
func TestForms(t *testing.T) {
	commands := `set class-of-service forwarding-classes class NO-LOSS queue-num 4
set class-of-service forwarding-classes class NO-LOSS no-loss
set class-of-service congestion-notification-profile cnp input ieee-802.1 code-point 100 pfc
set class-of-service congestion-notification-profile cnp input cable-length 300
set class-of-service classifiers ieee-802.1 c forwarding-class NO-LOSS loss-priority low code-points 100
set class-of-service interfaces xe-0/0/1 congestion-notification-profile cnp
set class-of-service interfaces xe-0/0/1 unit 0 classifiers ieee-802.1 c
set interfaces xe-0/0/1 speed 100g
`
	r := readertest.Run(t, junos.System.Read, commands, "")
	require.Empty(t, r.Findings)
	require.EqualValues(t, 1<<4, r.Switch.Ports[0].PFC)
	require.Equal(t, "300m", r.Switch.Ports[0].Cable.String())
	r = readertest.Run(t, junos.System.Read, commands+"deactivate class-of-service forwarding-classes class NO-LOSS "+
		"no-loss\n", "")
	require.EqualValues(t, "pfc-class-drops", r.Findings[0].Code)
	r = readertest.Run(t, junos.System.Read, strings.Replace(leaf, "            buffer-partition multicast",
		"            inactive: buffer-partition multicast", 1), "")
	require.Equal(t, []finding.Code{"partition-sum"}, []finding.Code{r.Findings[0].Code})
	require.False(t, r.Findings[0].Certain)
}

// TestRefuses refuses what says nothing of the class of service.
func TestRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"system {\n    host-name a;\n}\n":  "leaf1.conf: no class of service of Junos: want a configuration with",
		"class-of-service {\n":             "leaf1.conf:2: the text ends before its last bracket",
		"set class-of-service a\nshow b\n": `leaf1.conf:2: a command "show": want set, deactivate, activate`,
		"LEAF1:\nset class-of-service a\n": "leaf1.conf:1: no command: want set, deactivate or activate",
		`{"configuration": {}}`:            "leaf1.conf: no class of service of Junos",
	} {
		_, err := junos.System.Read("leaf1.conf", []byte(text), audit.Chip{})
		require.ErrorContains(t, err, want)
	}
}

// FuzzRead reads any bytes.
func FuzzRead(f *testing.F) {
	readertest.Fuzz(f, junos.System.Read, leaf, grouped, "set class-of-service interfaces xe-0/0/1 unit 0\n",
		`{"configuration": {"class-of-service": {"interfaces": {"interface": [{"name": "et-0/0/1"}]}}}}`)
}
