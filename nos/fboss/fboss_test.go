package fboss_test

import (
	_ "embed" // for the configuration of testdata
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/readertest"
	"github.com/cellwarden/cellwarden/nos/fboss"
)

// agent is a configuration of our own, in the form of those in github.com/facebook/fboss.
//
//go:embed testdata/agent.conf
var agent string

// Example reads it, and says what it means.
func Example() {
	say := func(data []byte) error {
		reading, err := fboss.System.Read("agent.conf", data, audit.Chip{})
		if err != nil {
			return err
		}
		result := audit.Run(audit.Source{File: "agent.conf", Reading: reading})
		what := result.What()
		fmt.Println(what.System, what.Chip, *what.Pools[0].Size, *what.Pools[0].XOFF)
		for _, g := range what.Lossless {
			fmt.Println(g.Ports, g.Priorities, *g.XOFF, *g.Cells)
		}
		return nil
	}
	if err := say([]byte(agent)); err != nil {
		panic(err)
	}
	// Output:
	// FBOSS tomahawk5 144653508 18653760
	// eth1/1/1,eth1/2/1,eth1/3/1 [2] 373380 1470
}

// TestNothingIsWrong reads a good configuration: with cables its cells are counted, and all statements about buffers
// are understood.
func TestNothingIsWrong(t *testing.T) {
	r := readertest.Run(t, fboss.System.Read, agent, "")
	require.Empty(t, r.Findings)
	require.Nil(t, r.Bill)
	require.Contains(t, strings.Join(r.Unknown, "\n"), "the speed or the cable of eth1/1/1 is not known")
	r = readertest.Run(t, fboss.System.Read, agent, "100m")
	require.Empty(t, r.Findings)
	require.NotNil(t, r.Bill)
	require.True(t, r.Bill.Plan.Fits)
	require.Zero(t, r.What().Statements.Unread)
	require.Positive(t, r.What().Statements.Read)
	require.Positive(t, r.What().Statements.Other)
}

// TestMistakes makes one mistake at a time.
func TestMistakes(t *testing.T) {
	readertest.Mistakes(t, fboss.System.Read, agent, []readertest.Mistake{
		readertest.Wrong("a group's pool is missing", "name-missing",
			`it names "other", and there is no entry of bufferPoolConfigs of this name`,
			`"bufferPoolName": "global"`, `"bufferPoolName": "other"`),
		readertest.Wrong("a port's groups are missing", "name-missing",
			`there is no entry of portPgConfigs of this name`,
			`"portPgConfigName": "roce"`, `"portPgConfigName": "rdma"`),
		readertest.Wrong("a queue config is missing", "name-missing",
			`there is no entry of portQueueConfigs of this name`,
			`"portQueueConfigName": "roce"`, `"portQueueConfigName": "rdma"`),
		readertest.Wrong("a policy is missing", "name-missing",
			`there is no entry of qosPolicies of this name`,
			`"defaultQosPolicy": "roce"`, `"defaultQosPolicy": "rdma"`),
		readertest.Wrong("PFC with PAUSE", "pfc-with-pause",
			"the agent refuses the port",
			`"pause": {"tx": false`, `"pause": {"tx": true`),
		readertest.Wrong("PFC without headroom", "pfc-no-class",
			"PFC is on, and no class that the port has is without drops: eth1/1/1,"+
				"eth1/2/1,eth1/3/1 (3 ports)",
			`"headroomLimitBytes": 373380`, `"headroomLimitBytes": 0`),
		readertest.Wrong("headroom without PFC", "no-drop-no-pfc",
			"the port has classes without drops, and PFC is off: eth1/1/1",
			"\"tx\": true,\n          \"rx\": true", `"tx": false, "rx": false`),
		readertest.Wrong("headroom above the pool's", "profile-xoff-over-pool-xoff",
			"xoff 373380 is larger than the pool of all groups",
			`"headroomBytes": 9326880`, `"headroomBytes": 100000`),
		readertest.Wrong("a pool without headroom", "no-drop-no-headroom",
			"headroomLimitBytes is 373380, and headroomBytes of global is 0",
			`"headroomBytes": 9326880`, `"headroomBytes": 0`),
		readertest.Wrong("two ways to resume", "pause-thresholds",
			"resumeBytes and resumeOffsetBytes are both set",
			`"resumeOffsetBytes": 3556`, `"resumeOffsetBytes": 3556, "resumeBytes": 1`),
		readertest.Wrong("a number that is none", "number-format",
			`sharedBytes is "-1": want a whole number, 0 to 2147483647`,
			`"sharedBytes": 59999880`, `"sharedBytes": -1`),
		readertest.Wrong("a factor that is none", "number-format",
			`scalingFactor is "13"`,
			`"scalingFactor": 8`, `"scalingFactor": 13`),
		readertest.Wrong("a key given twice", "duplicate-key",
			"given twice in one object",
			`"sharedBytes": 59999880`, `"sharedBytes": 1, "sharedBytes": 59999880`),
		readertest.Wrong("a member that is not known", "statement-unread",
			"not understood: sw portPgConfigs roce color 3",
			`"minLimitBytes": 8890`, `"color": 3, "minLimitBytes": 8890`),
		readertest.Wrong("the pool is larger than the chip", "pool-over-chip",
			"is larger than the memory of tomahawk5",
			`"sharedBytes": 59999880`, `"sharedBytes": 90000000`),
		readertest.Wrong("marking above the pool", "wred-max-over-pool",
			"is larger than global",
			`"maximumLength": 1500000`, `"maximumLength": 200000000`),
		readertest.Wrong("the lower threshold is above the upper", "wred-min-over-max",
			"green_min_threshold 150000 is above",
			`"maximumLength": 1500000`, `"maximumLength": 1500`),
		readertest.Wrong("a class leads to a lossy queue", "tc-lossless-lossy",
			"queue 2 has PFC, and group 0 has not",
			`"trafficClassToQueueId": {"0": 0`, `"trafficClassToQueueId": {"0": 2`),
		readertest.Wrong("a lossless queue drops early", "pfc-class-drops",
			"queue 2 is of priority 2, which has PFC, and drops early",
			`"behavior": 1`, `"behavior": 0`),
		readertest.Wrong("a behavior twice", "duplicate-key", "two aqms have the same behavior",
			`"aqms": [`, `"aqms": [{"behavior": 1, "detection": {"linear": {"minimumLength": 1, "maximumLength": 2}}}, `),
		readertest.Wrong("a priority leads to no group", "pfc-class-drops",
			"group 2 has headroom, and pfcPriorityToPgId leads no priority to it; priority 2 leads to group 5, which is not "+
				"there: eth1/1/1,eth1/2/1,eth1/3/1 (3 ports)",
			`"pfcPriorityToPgId": {"2": 2}`, `"pfcPriorityToPgId": {"2": 5}`),
		readertest.Wrong("no class leads to a group", "pfc-class-drops",
			"group 2 has headroom, and trafficClassToPgId leads no traffic class to it",
			`"trafficClassToPgId": {"0": 0, "2": 2}`, `"trafficClassToPgId": {"0": 0, "2": 0}`),
		readertest.Wrong("no DSCP has the class", "pfc-class-drops",
			"group 2 has headroom, and no DSCP has a traffic class of the group",
			`"fromDscpToTrafficClass": [26]`, `"fromDscpToTrafficClass": []`, "24, 25, 27", "24, 25, 26, 27"),
		readertest.Wrong("the class leads to another queue", "tc-lossless-lossy",
			"traffic class 2 has group 2, which has headroom, and queue 0, which is of no priority of the group",
			`"trafficClassToQueueId": {"0": 0, "2": 2}`, `"trafficClassToQueueId": {"0": 0, "2": 0}`),
		readertest.Wrong("the priority has no queue", "pfc-class-drops",
			"priority 2 has PFC, and pfcPriorityToQueueId gives it no queue",
			`"pfcPriorityToQueueId": {"2": 2}`, `"pfcPriorityToQueueId": {"3": 2}`),
		readertest.Wrong("a group that there is not", "number-format",
			`"2" to "8": want a number from 0 to 63 and one from 0 to 7`,
			`"trafficClassToPgId": {"0": 0, "2": 2}`, `"trafficClassToPgId": {"0": 0, "2": 8}`),
		readertest.Wrong("sent and not received", "pfc-one-way",
			"PFC is sent and not received: the port sends on when the other end pauses it: eth1/1/1",
			`"rx": true`, `"rx": false`),
		readertest.Wrong("received and not sent", "pfc-one-way",
			"PFC is received and not sent", "\"tx\": true,\n          \"rx\": true", `"tx": false, "rx": true`),
		readertest.Wrong("resumes below nothing", "pause-thresholds",
			"resumeOffsetBytes 50000000 is not below 40008810, what its scalingFactor gives it of an empty pool and its minimum",
			`"resumeOffsetBytes": 3556`, `"resumeOffsetBytes": 50000000`),
		readertest.Wrong("resumes above a static limit", "pause-thresholds",
			"resumeBytes 20000 is not below 18890, the group's static limit and its minimum",
			`"resumeOffsetBytes": 3556`, `"resumeBytes": 20000, "staticLimitBytes": 10000`),
		readertest.Wrong("a factor of SRAM that is none", "number-format", `scalingFactor is "13"`,
			`"minLimitBytes": 8890`, `"minLimitBytes": 8890, "sramScalingFactor": 13`),
		readertest.Wrong("thresholds of SRAM", "pause-thresholds",
			"minSramXoffThresholdBytes 9 is above maxSramXoffThresholdBytes 8",
			`"minLimitBytes": 8890`, `"minLimitBytes": 8890, "minSramXoffThresholdBytes": 9, "maxSramXoffThresholdBytes": 8`),
		readertest.Wrong("no policy", "pfc-class-drops",
			"there is no defaultQosPolicy, and no policy of the port",
			`, "defaultQosPolicy": "roce"`, ""),
		readertest.Wrong("a watchdog without groups", "name-missing", "a PFC watchdog needs a portPgConfigName",
			`"portPgConfigName": "roce",`, ""),
		readertest.Wrong("a scheduling that is none", "number-format",
			`scheduling is "7": want WEIGHTED_ROUND_ROBIN`, `"scheduling": 2`, `"scheduling": 7`),
		readertest.Wrong("a rule without DSCPs", "number-format", "a rule without DSCPs: the agent refuses it",
			`"rules": []`, `"rules": [{"queueId": 2, "dscp": []}]`, `"dscpMaps": [`, `"dscpMaps": [], "x": [`),
		readertest.Wrong("headroom below light", "headroom-below-flight",
			"400G over 1km: headroom 100000 is less than the 490000 bytes in flight: eth1/1/1,eth1/2/1,eth1/3/1 (3 "+
				"ports)",
			`"headroomLimitBytes": 373380`, `"headroomLimitBytes": 100000`),
	})
}

// TestPoolsAreOfAllBuffers multiplies the bytes of a pool with the memory buffers of the chip, as the agent does.
func TestPoolsAreOfAllBuffers(t *testing.T) {
	pool := readertest.Run(t, fboss.System.Read, agent, "").Switch.Pools[0]
	require.EqualValues(t, 2*(59999880+9326880+2999994), pool.Size.Value)
	require.EqualValues(t, 2*9326880, pool.XOFF.Value)
	other := readertest.Run(t, fboss.System.Read, agent, "", `"asicType": 13`, `"asicType": 99`)
	require.EqualValues(t, 59999880+9326880+2999994, other.Switch.Pools[0].Size.Value)
	require.Contains(t, other.Source.Chip.How, `asicType "99" is not in the tables`)
	require.Contains(t, strings.Join(other.Unknown, "\n"), "the bytes of pools are those of one buffer")
}

// TestLargeTexts reads an agent.conf with a whole other file in a text, and line breaks in it, as the agent does.
func TestLargeTexts(t *testing.T) {
	yaml := "---\ndevice:\n  0:\n" + strings.Repeat("    TM_THD_CONFIG: {SKIP_BUFFER_RESERVATION: 1}\n", 4000)
	r := readertest.Run(t, fboss.System.Read, agent, "", `"multi_switch": "true"`,
		`"multi_switch": "true", "yamlConfig": "`+yaml+`"`)
	require.Empty(t, r.Findings)
	require.Len(t, r.Switch.Ports, 3)
	require.Equal(t, 4+4000+strings.Count(agent[:strings.Index(agent, `"logicalID": 9`)], "\n"), r.Switch.Ports[0].At.Line)
}

// TestOlderAgents reads the rules of a policy, which give DSCPs a class where there are no dscpMaps, and a
// configuration that says nothing of QoS.
func TestOlderAgents(t *testing.T) {
	var rest []string
	for n := range 64 {
		if n != 26 {
			rest = append(rest, fmt.Sprint(n))
		}
	}
	r := readertest.Run(t, fboss.System.Read, agent, "100m", `"rules": []`,
		`"rules": [{"queueId": 2, "dscp": [26]}, {"queueId": 0,
"dscp": [`+strings.Join(rest, ",")+`]}]`, `"dscpMaps": [`, `"dscpMaps": [], "expMaps": [`, `"expMaps": [],`, "")
	require.Empty(t, r.Findings)
	r = readertest.Run(t, fboss.System.Read, `{"ports": [{"logicalID": 1, "state": 2, "speed": 10000}]}`, "")
	require.Empty(t, r.Findings)
	require.Empty(t, r.What().TooLittle)
	require.Equal(t, "port 1", r.Switch.Ports[0].Name)
}

// TestRefuses refuses what is no configuration of an agent, with what is accepted.
func TestRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"": "agent.conf: empty: want an object of JSON",
		"{\n\"sw\": {": "agent.conf:2: the document ends before its last bracket: want an object of " +
			"JSON",
		"[]":           "agent.conf:1: no object of JSON: want an object",
		`{"PORT": {}}`: "agent.conf: no configuration of FBOSS' agent: want an object with ports and ",
		"{}\n{}": "agent.conf:2: no JSON: invalid character '{' after top-level value: want an object " +
			"of JSON",
		"hostname leaf1\n":        "agent.conf:1: no JSON: invalid character 'h' looking for beginning of value",
		`{"sw": "\u0000` + "\x00": "agent.conf: not text: want a configuration in UTF-8",
	} {
		_, err := fboss.System.Read("agent.conf", []byte(text), audit.Chip{})
		require.ErrorContains(t, err, want, text)
	}
}

// FuzzRead reads any bytes.
func FuzzRead(f *testing.F) {
	readertest.Fuzz(f, fboss.System.Read, agent,
		`{"ports": [{"pfc": {"tx": true, "portPgConfigName": "a"}}], "portPgConfigs": {"a": [{"id": 7}]}}`)
}
