package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/gnmi/push"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/dial"
	"github.com/cellwarden/cellwarden/internal/effort"
)

const twoPorts = `
chip: tomahawk
headroom: {method: ieee802.1qbb}
classes: [{name: rdma, priorities: [3, 4], lossless: true, reserved: 1248B, alpha: 1/8, ecn: {kmin: 250000B, kmax: 1048576B, pmax: 5%}}, {name: rest, priorities: [0], reserved: 416B}]
ports: [{range: "Ethernet1/1-2", speed: 100G, cable: 5m, mtu: 9216B}]
`

// pushed applies two ports in phases with a journal, and returns the lines.
func pushed(t *testing.T, address string) []string {
	t.Helper()
	file, leaf := filepath.Join(t.TempDir(), "push.jsonl"), filepath.Join(t.TempDir(), "leaf.yaml")
	require.NoError(t, os.WriteFile(leaf, []byte(twoPorts), 0o600))
	t.Setenv(dial.PasswordVariable, "xyzzy")
	t.Setenv(dial.UsernameVariable, "operator")
	code, _, bad := cellwarden(t, "apply", leaf, "--target", address, "--insecure", "--phases", "--journal", file)
	require.Zero(t, code, bad)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NotContains(t, string(data), "xyzzy")
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	code, _, bad = cellwarden(t, "apply", leaf, "--target", address, "--insecure", "--journal", file)
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, bad, "--journal: "+file+" exists already", "a journal is not overwritten")
	return slices.Collect(strings.Lines(string(data)))
}

// hold makes a switch hold a layout.
func hold(t *testing.T, address string, want buffer.Layout) {
	t.Helper()
	chip, err := asic.Load("tomahawk")
	require.NoError(t, err)
	client, err := gnmi.Dial(address, gnmi.Options{Cell: chip.Cell, Insecure: true})
	require.NoError(t, err)
	defer client.Close()
	now, err := client.Observe(t.Context())
	require.NoError(t, err)
	require.NoError(t, client.Apply(t.Context(), buffer.Diff(now, want)))
}

func held(t *testing.T, address string) buffer.Layout {
	t.Helper()
	chip, err := asic.Load("tomahawk")
	require.NoError(t, err)
	client, err := gnmi.Dial(address, gnmi.Options{Cell: chip.Cell, Insecure: true})
	require.NoError(t, err)
	defer client.Close()
	now, err := client.Observe(t.Context())
	require.NoError(t, err)
	return now
}

// A pusher that is killed between any two steps, or within a line of its journal, is finished or undone from the
// journal: whatever the switch holds by then, it ends with the plan or with what it held before.
func TestResumeAfterAKillAnywhere(t *testing.T) {
	effort.SkipShort(t, "it resumes from each line of a journal")
	address := serve(t, "--chip", "tomahawk")
	other := buffer.Setting{Register: buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet2/1", Index: 1}, Value: 7}
	start := buffer.Setting{Register: buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet1/1", Index: 3}, Value: 9}
	before := buffer.NewLayout([]buffer.Setting{start, other})
	hold(t, address, before)
	lines := pushed(t, address)
	require.Len(t, lines, 1+2*3+2, "start, three phases sent, confirm, end")
	after := held(t, address)

	steps := buffer.Phases(buffer.Diff(before, after))
	require.Len(t, steps, 3)
	states := []buffer.Layout{before}
	for _, phase := range steps {
		states = append(states, states[len(states)-1].With(phase))
	}
	for n := 1; n <= len(lines); n++ {
		done := min(n/2, 3) // phases that may have been made: the last sent, or not
		for i, state := range states[max(0, done-1) : done+1] {
			for _, torn := range []string{"", `{"schema":"cellwarden.journ`}[:2-i] {
				file := filepath.Join(t.TempDir(), "push.jsonl")
				require.NoError(t, os.WriteFile(file, []byte(strings.Join(lines[:n], "")+torn), 0o600))
				longAgo(t, file)
				name := fmt.Sprintf("%d lines, torn %q", n, torn)
				hold(t, address, state)
				code, out, bad := cellwarden(t, "resume", file, "--insecure", "-o", "json")
				require.Zero(t, code, "%s: %s", name, bad)
				require.Equal(t, after, held(t, address), name)
				require.Contains(t, out, `"state": `)

				code, _, bad = cellwarden(t, "resume", file, "--insecure", "--undo")
				require.Zero(t, code, "%s: %s", name, bad)
				require.Equal(t, before, held(t, address), name)
				data, err := os.ReadFile(file)
				require.NoError(t, err)
				_, err = push.Journals().Read(data)
				require.NoError(t, err, "the journal goes on, and can be read")
			}
		}
	}
}

func TestResumeRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) string {
		file := filepath.Join(dir, "x.jsonl")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	for text, want := range map[string]string{
		"{}\n": `line 1: schema "": want cellwarden.journal/v2, cellwarden.journal-native/v2, ` +
			`cellwarden.journal/v1, cellwarden.journal-native/v1`,
		"no JSON\n":                   "line 1: invalid character",
		journalLine(`"kind":"sent"`):  `line 1: kind "sent": want start`,
		journalLine(`"kind":"start"`): `no such profile: ""`,
		journalLine(`"kind":"start","want":[{"register":"size","port":"a"}]`):                                                `want: register "size" of "a", 0: want`,
		journalLine(`"kind":"start","before":[{"register":"group alpha","port":"a"},{"register":"group alpha","port":"a"}]`): `before: register "group alpha" of "a", 0: want`,
	} {
		code, _, bad := cellwarden(t, "resume", write(text))
		require.Equal(t, cli.ExitUsage, code, text)
		require.Contains(t, bad, want, text)
	}
	for _, text := range []string{"", `{"schema":"cellwarden.jour`} {
		code, out, bad := cellwarden(t, "resume", write(text))
		require.Zero(t, code, bad)
		require.Contains(t, out, "x.jsonl: the push was killed before the first line of its journal was written: nothing "+
			"was sent")
	}
	code, _, bad := cellwarden(t, "resume", filepath.Join(dir, "nothing"))
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, bad, "no such file")
}

func journalLine(fields string) string {
	return `{"schema":"cellwarden.journal/v1",` + fields + "}\n"
}

// nativeLine is a line of a journal of a push of native values.
func nativeLine(fields string) string {
	return strings.Replace(journalLine(fields), "journal/v1", "journal-native/v1", 1)
}

func FuzzJournal(f *testing.F) {
	const sonic = `"changes":[{"path":"","origin":"sonic-db","at":[["CONFIG_DB"],["localhost"],["PORT_QOS_MAP"],["Ethernet0"],["pfc_enable"]],"to":"3,4","may_stop":"port"},` +
		`{"path":"","origin":"sonic-db","at":[["CONFIG_DB"],["localhost"],["BUFFER_PROFILE"],["old"]],"from":{"size":"0"},"phase":1,"may_stop":"none"}]`
	f.Add([]byte(nativeLine(`"kind":"start","target":"x","profile":"sonic","cell_bytes":208,`+sonic) +
		nativeLine(`"kind":"send","phase":-1,`+sonic) + nativeLine(`"kind":"sent","phase":-1,"error":"no"`)))
	f.Add([]byte(nativeLine(`"kind":"start","changes":[{"at":[["qos"],["interfaces"],["interface","interface-id","ethernet-1/1"],["pfc"],["pfc-enable"]],"to":true,"may_stop":"none"}]`) + journalLine(`"kind":"sent"`)))
	f.Add([]byte(nativeLine(`"kind":"start"`)))
	f.Add([]byte(journalLine(`"kind":"start","target":"x","profile":"openconfig","cell_bytes":208,"want":[{"register":"group reserved","port":"a","index":3,"value":6}]`)))
	f.Add([]byte(journalLine(`"kind":"start"`) + journalLine(`"kind":"send","phase":1`) + "{"))
	f.Add([]byte("{}\n{}"))
	f.Add(bytes.Repeat([]byte("\n"), 3))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := push.Journals().Read(data)
		if err != nil {
			return
		}
		require.Equal(t, strings.Contains(s.Start.Schema, "native"), len(s.Values) > 0)
		if len(s.Values) > 0 {
			require.NoError(t, native.CheckValues(s.Values))
		}
	})
}
