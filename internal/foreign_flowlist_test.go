package internal_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/foreign"
	"github.com/cellwarden/cellwarden/unit"
)

// The flow.txt of HPCC's repository: its first line says 2, and the program reads two flows.
func TestForeignHPCC(t *testing.T) {
	data, err := os.ReadFile("foreign/testdata/flow.txt")
	require.NoError(t, err)
	l, err := foreign.Read("flow.txt", data)
	require.NoError(t, err)
	require.Equal(t, &foreign.List{Format: foreign.HPCC, Unread: 2, Flows: []foreign.Flow{
		{Line: 2, From: 2, To: 1, Priority: 3, Size: 200_000_000, Start: 2 * unit.Second},
		{Line: 3, From: 3, To: 1, Priority: 3, Size: 200_000_000, Start: 2 * unit.Second}}}, l)

	l, err = foreign.Read("flow.txt", []byte("1 \n0 1 3 100 1 2.000000045\n"))
	require.NoError(t, err)
	require.Equal(t, 2*unit.Second+45*unit.Nanosecond, l.Flows[0].Start)
	require.Zero(t, l.Unread)
	// Words may stand on any lines.
	l, err = foreign.Read("flow.txt", []byte("2 0 1\n3 100 7\n0.5 1 0 4 100 8 .5"))
	require.ErrorContains(t, err, `flow.txt:3: start ".5": want seconds`)
	require.Nil(t, l)
}

// An all-to-all of htsim in which two connections of a node run at one time: each that is done starts the next one.
func TestForeignHtsim(t *testing.T) {
	data, err := os.ReadFile("foreign/testdata/alltoall.cm")
	require.NoError(t, err)
	l, err := foreign.Read("a.cm", data)
	require.NoError(t, err)
	require.Equal(t, 8, l.Nodes)
	require.Len(t, l.Flows, 12)
	require.Equal(t, foreign.Flow{Line: 4, From: 3, To: 6, Priority: -1, Size: 1_000_000}, l.Flows[0])
	require.Equal(t, []int{0, 1}, l.Flows[2].After)
	require.True(t, l.Flows[2].InTurn)
	require.True(t, l.Flows[2].Acknowledged)

	l, err = foreign.Read("b.cm", []byte("# comment\nNodes 3\nConnections 3\nTriggers 1\n0->1 id 1 start 5.000 size 7 "+
		"recv_done_trigger 9\n1->2 id 2 start 0 size 8 recv_done_trigger 9\n\n2->0 id 3 trigger 9 size 0\n"+
		"trigger id 9 barrier count 2\n"))
	require.NoError(t, err)
	require.Equal(t, []foreign.Flow{{Line: 5, From: 0, To: 1, Priority: -1, Size: 7, Start: 5},
		{Line: 6, From: 1, To: 2, Priority: -1, Size: 8}, {Line: 8, From: 2, Priority: -1, After: []int{0, 1}}}, l.Flows)
}

// What a list must not say is refused with its line; nothing is left out or guessed.
func TestForeignReadRefuses(t *testing.T) {
	head := "Nodes 4\nConnections 1\nTriggers 0\n"
	two := "Nodes 4\nConnections 2\nTriggers 1\n0->1 id 1 start 0 size 5 send_done_trigger 1\n1->2 id 2 trigger 1 size 5"
	for text, want := range map[string]string{
		"":                                  "f:1: no Nodes",
		"3\n0 1 3 100 5 0":                  "f:2: the file ends in flow 2 of 3",
		"99999999":                          `f:1: number of flows "99999999": want a whole number from 0 to 200000`,
		"1\n0 0 3 100 5 0":                  "f:2: node 0 sends to itself",
		"1\n0 1 8 100 5 0":                  `f:2: priority group "8"`,
		"1\n0 1 3 100 0 0":                  `f:2: size "0": want a whole number from 1`,
		"1\n0 1 3 100 5 1e-3":               `f:2: start "1e-3": want seconds`,
		"1\n0 1 3 100 5 0.0000000000001":    "with at most 12 places",
		"1\n0 -1 3 100 5 0":                 `f:2: destination "-1"`,
		"what\n":                            `f:1: "what": want Nodes`,
		head + "0->1 start 0 size 5 prio 7": `f:4: "prio": want id, start`,
		head + "0->1 start 0":               "f:4: no size",
		head + "0->1 size 5":                "f:4: want start or trigger",
		head + "0->4 start 0 size 5":        "f:4: 0->4: want nodes 0 to 3",
		head + "0->1 start 0.5 size 5":      `f:4: start "0.5": want a whole number of picoseconds`,
		head + "failure switch_type TOR":    "f:4: failure: want none",
		"Nodes 4\nNodes 5\n":                "f:2: Nodes: want one line",
		"Nodes 4\nConnections 2\n0->1 start 0 size 5": "Connections 2, and 1 lines",
		two:                                      "Triggers 1, and 0 lines",
		two + "\ntrigger id 2 oneshot":           "f:4: the trigger has no definition",
		two + "\ntrigger id 1":                   "f:6: want trigger id NUMBER and oneshot",
		two + "\ntrigger id 1 barrier count 2":   "f:6: a barrier of count 2 and 1 connections",
		two + "\ntrigger id 1 oneshot multishot": "f:6: multishot beside oneshot",
		strings.Replace(two, "5 send", "0 send", 1) + "\ntrigger id 1 oneshot":         "f:4: a connection without end",
		strings.Replace(two, " send_done_trigger 1", "", 1) + "\ntrigger id 1 oneshot": "f:6: no connection activates",
		strings.Replace(two, "id 2 trigger", "trigger", 1) + "\ntrigger id 1 oneshot":  "f:5: no id",
	} {
		_, err := foreign.Read("f", []byte(text))
		require.ErrorContains(t, err, want, text)
	}
	_, err := foreign.Read("f", make([]byte, foreign.MaxBytes+1))
	require.ErrorContains(t, err, "want at most 33554432")
	_, err = foreign.Read("f", []byte("Nodes 2\n"+strings.Repeat("x\n", 50)))
	require.ErrorContains(t, err, "f: and 30 more")
}

// FuzzForeignRead reads any text: it is refused, or it is a list whose flows can be used.
func FuzzForeignRead(f *testing.F) {
	for _, name := range []string{"flow.txt", "allreduce.cm", "alltoall.cm"} {
		data, err := os.ReadFile("foreign/testdata/" + name)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := foreign.Read("f", data)
		if err != nil {
			require.Less(t, len(err.Error()), 10_000)
			return
		}
		require.LessOrEqual(t, len(l.Flows), foreign.MaxFlows)
		for i, x := range l.Flows {
			require.NotEqual(t, x.From, x.To)
			require.GreaterOrEqual(t, x.Size, unit.Bytes(0))
			require.GreaterOrEqual(t, x.Start, unit.Time(0))
			require.NotContains(t, x.After, -1)
			for _, a := range x.After {
				require.Less(t, a, len(l.Flows), i)
				require.Positive(t, l.Flows[a].Size)
			}
		}
	})
}
