package fboss_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/audit/fboss"
	"github.com/cellwarden/cellwarden/unit"
)

// Example reads a configuration of our own, in the form of github.com/facebook/fboss, and says what it means.
func Example() {
	say := func(data []byte) error {
		reading, err := fboss.Read("agent.conf", data, audit.Chip{})
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
	data, err := os.ReadFile("testdata/agent.conf")
	if err == nil {
		err = say(data)
	}
	if err != nil {
		panic(err)
	}
	// Output:
	// FBOSS tomahawk5 144653508 18653760
	// eth1/1/1,eth1/2/1,eth1/3/1 [2] 373380 1470
}

// read reads a configuration after replacing texts of it.
func read(t *testing.T, edits ...string) *audit.Reading {
	t.Helper()
	data, err := os.ReadFile("testdata/agent.conf")
	require.NoError(t, err)
	for i := 0; i < len(edits); i += 2 {
		require.True(t, bytes.Contains(data, []byte(edits[i])), edits[i])
		data = bytes.Replace(data, []byte(edits[i]), []byte(edits[i+1]), 1)
	}
	reading, err := fboss.Read("agent.conf", data, audit.Chip{})
	require.NoError(t, err)
	return reading
}

// run audits at a length of all cables.
func run(r *audit.Reading, cable unit.Length) *audit.Result {
	s := audit.Source{File: "agent.conf", Reading: r}
	if cable > 0 {
		s.Cable = unit.Given(cable)
	}
	return audit.Run(s)
}

// TestNothingIsWrong reads a good configuration: with cables its cells are counted, and all statements about buffers are
// understood.
func TestNothingIsWrong(t *testing.T) {
	r := run(read(t), 0)
	require.Empty(t, r.Findings)
	require.Nil(t, r.Bill)
	require.Contains(t, strings.Join(r.Unknown, "\n"), "the speed or the cable of eth1/1/1 is not known")
	r = run(read(t), 100*unit.Metre)
	require.Empty(t, r.Findings)
	require.NotNil(t, r.Bill)
	require.True(t, r.Bill.Plan.Fits)
	require.Zero(t, r.What().Statements.Unread)
	require.Positive(t, r.What().Statements.Read)
	require.Positive(t, r.What().Statements.Other)
}

// TestMistakes makes one mistake at a time.
func TestMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		code    audit.Code
		message string
		edits   []string
	}{
		"a group's pool is missing": {audit.NameMissing,
			`it names "other", and there is no entry of bufferPoolConfigs of this name`,
			[]string{`"bufferPoolName": "global"`, `"bufferPoolName": "other"`}},
		"a port's groups are missing": {audit.NameMissing, `there is no entry of portPgConfigs of this name`,
			[]string{`"portPgConfigName": "roce"`, `"portPgConfigName": "rdma"`}},
		"a queue config is missing": {audit.NameMissing, `there is no entry of portQueueConfigs of this name`,
			[]string{`"portQueueConfigName": "roce"`, `"portQueueConfigName": "rdma"`}},
		"a policy is missing": {audit.NameMissing, `there is no entry of qosPolicies of this name`,
			[]string{`"defaultQosPolicy": "roce"`, `"defaultQosPolicy": "rdma"`}},
		"PFC with PAUSE": {audit.PFCWithPause, "the agent refuses the port",
			[]string{`"pause": {"tx": false`, `"pause": {"tx": true`}},
		"PFC without headroom": {audit.PFCNoClass, "PFC is on, and no class that the port has is without drops: eth1/1/1," +
			"eth1/2/1,eth1/3/1 (3 ports)", []string{`"headroomLimitBytes": 373380`, `"headroomLimitBytes": 0`}},
		"headroom without PFC": {audit.NoDropNoPFC, "the port has classes without drops, and PFC is off: eth1/1/1",
			[]string{`"tx": true`, `"tx": false`}},
		"headroom above the pool's": {audit.ProfileXOFFOverPool, "xoff 373380 is larger than the pool of all groups",
			[]string{`"headroomBytes": 9326880`, `"headroomBytes": 100000`}},
		"a pool without headroom": {audit.NoDropNoHeadroom, "headroomLimitBytes is 373380, and headroomBytes of global is 0",
			[]string{`"headroomBytes": 9326880`, `"headroomBytes": 0`}},
		"two ways to resume": {audit.PauseThresholds, "resumeBytes and resumeOffsetBytes are both set",
			[]string{`"resumeOffsetBytes": 3556`, `"resumeOffsetBytes": 3556, "resumeBytes": 1`}},
		"a number that is none": {audit.NumberFormat, `sharedBytes is "-1": accepted is a whole number, 0 to 2147483647`,
			[]string{`"sharedBytes": 59999880`, `"sharedBytes": -1`}},
		"a factor that is none": {audit.NumberFormat, `scalingFactor is "13"`,
			[]string{`"scalingFactor": 8`, `"scalingFactor": 13`}},
		"a key given twice": {audit.DuplicateKey, "given twice in one object",
			[]string{`"sharedBytes": 59999880`, `"sharedBytes": 1, "sharedBytes": 59999880`}},
		"a member that is not known": {audit.StatementUnread, `not understood: "sw portPgConfigs roce color 3"`,
			[]string{`"minLimitBytes": 8890`, `"color": 3, "minLimitBytes": 8890`}},
		"the pool is larger than the chip": {audit.PoolOverChip, "is larger than the memory of tomahawk5",
			[]string{`"sharedBytes": 59999880`, `"sharedBytes": 90000000`}},
		"marking above the pool": {audit.WREDMaxOverPool, "is larger than global",
			[]string{`"maximumLength": 1500000`, `"maximumLength": 200000000`}},
		"the lower threshold is above the upper": {audit.WREDMinOverMax, "green_min_threshold 150000 is above",
			[]string{`"maximumLength": 1500000`, `"maximumLength": 1500`}},
		"a class leads to a lossy queue": {audit.TCMixed, "queue 2 has PFC, and group 0 has not",
			[]string{`"trafficClassToQueueId": {"0": 0`, `"trafficClassToQueueId": {"0": 2`}},
		"headroom below light": {audit.HeadroomBelowFlight,
			"400G over 1km: headroom 100000 is less than the 490000 bytes in flight: eth1/1/1,eth1/2/1,eth1/3/1 (3 ports)",
			[]string{`"headroomLimitBytes": 373380`, `"headroomLimitBytes": 100000`}},
	} {
		t.Run(name, func(t *testing.T) {
			var messages []string
			for _, f := range run(read(t, c.edits...), unit.Kilometre).Findings {
				if f.Code == c.code {
					messages = append(messages, f.Message)
					require.True(t, f.Line > 0, "a line")
				}
			}
			require.NotEmpty(t, messages, c.code)
			require.Contains(t, strings.Join(messages, "\n"), c.message)
		})
	}
}

// TestPoolsAreOfAllBuffers multiplies the bytes of a pool with the memory buffers of the chip, as the agent does.
func TestPoolsAreOfAllBuffers(t *testing.T) {
	pool := read(t).Switch.Pools[0]
	require.EqualValues(t, 2*(59999880+9326880+2999994), pool.Size.Value)
	require.EqualValues(t, 2*9326880, pool.XOFF.Value)
	reading := read(t, `"asicType": 13`, `"asicType": 99`)
	require.EqualValues(t, 59999880+9326880+2999994, reading.Switch.Pools[0].Size.Value)
	require.Contains(t, reading.Chip.How, `asicType "99" is not in the tables`)
	require.Contains(t, strings.Join(reading.Unknown, "\n"), "the bytes of pools are those of one buffer")
}

// TestRefuses refuses what is no configuration of an agent, with what is accepted.
func TestRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "agent.conf:1: the document ends before its last bracket: accepted: an object of JSON",
		"{\n\"sw\": {":            "agent.conf:2: the document ends before its last bracket: accepted: an object of JSON",
		"[]":                      "agent.conf:1: no object of JSON: accepted: an object",
		`{"PORT": {}}`:            "agent.conf: no configuration of FBOSS' agent: accepted: an object with ports and ",
		"{}\n{}":                  "agent.conf:2: text after the last bracket: accepted: one object of JSON",
		"hostname leaf1\n":        "agent.conf:1: no JSON: invalid character 'h' looking for beginning of value",
		`{"sw": "\u0000` + "\x00": "agent.conf: not text: accepted: a configuration in UTF-8",
	} {
		_, err := fboss.Read("agent.conf", []byte(text), audit.Chip{})
		require.ErrorContains(t, err, want, text)
	}
}

// FuzzRead reads any bytes: the reader ends, and what it has read can be audited.
func FuzzRead(f *testing.F) {
	data, err := os.ReadFile("testdata/agent.conf")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"ports": [{"pfc": {"tx": true, "portPgConfigName": "a"}}], "portPgConfigs": {"a": [{"id": 7}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := fboss.Read("f", data, audit.Chip{})
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		result := audit.Run(audit.Source{File: "f", Reading: r, Cable: unit.Given(100 * unit.Metre)})
		_ = result.What()
		for _, n := range result.Findings {
			require.NotContains(t, n.Message, "\n")
		}
	})
}
