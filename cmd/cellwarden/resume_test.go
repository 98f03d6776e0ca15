package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/report"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/effort"
)

// journalAfter pushes two ports and returns a journal that was cut off after so many lines.
func journalAfter(t *testing.T, w *watched, lines int, flags ...string) string {
	t.Helper()
	_, leaf := state(t)
	file := filepath.Join(t.TempDir(), "push.jsonl")
	code, _, bad := cellwarden(t, append([]string{"apply", leaf, "--target", w.address, "--insecure", "--journal", file},
		flags...)...)
	require.Zero(t, code, bad)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(strings.SplitAfter(string(data), "\n")[:lines], "")), 0o600))
	return file
}

// nine is what the switch has when these pushes begin: all three phases are needed.
var nine = buffer.NewLayout([]buffer.Setting{{Register: buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet1/1",
	Index: 3}, Value: 9}})

// A push is finished and undone as it was sent: phase by phase or at once, with a commit to be confirmed or without.
func TestResumeAsItWasSent(t *testing.T) {
	effort.SkipFew(t, "it resumes many pushes")
	for name, test := range map[string]struct {
		push, resume []string
		sets         int
		within       string
	}{
		"at once":                        {nil, nil, 4, "2m0s"}, // one that is confirmed, and two for the proof
		"in phases":                      {[]string{"--phases"}, nil, 8, "2m0s"},
		"in phases, for the profile":     {[]string{"--profile", "arista"}, nil, 4, "2m0s"}, // ECN alone is one phase
		"at once, then in phases":        {nil, []string{"--phases"}, 8, "2m0s"},
		"without a commit":               {[]string{"--rollback-after", "0"}, nil, 1, "0s"},
		"in phases, without a commit":    {[]string{"--rollback-after", "0", "--phases"}, nil, 3, "0s"},
		"without, then with a commit":    {[]string{"--rollback-after", "0"}, []string{"--rollback-after", "9s"}, 4, "0s"},
		"with a commit, then without":    {nil, []string{"--rollback-after", "0"}, 1, "2m0s"},
		"another time for it to be made": {[]string{"--rollback-after", "90s"}, nil, 4, "1m30s"},
	} {
		t.Run(name, func(t *testing.T) {
			w := watch(t)
			hold(t, w.address, nine)
			file := journalAfter(t, w, 1, test.push...) // nothing is known to be sent
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			s, err := push.Journals().Read(data)
			require.NoError(t, err)
			require.Equal(t, test.within, s.Start.Within)
			after := held(t, w.address)
			for _, way := range []struct {
				flags []string
				from  buffer.Layout
				to    buffer.Layout
			}{{nil, nine, after}, {[]string{"--undo"}, after, nine}} {
				require.NoError(t, os.WriteFile(file, data, 0o600))
				w.reset(t, way.from)
				code, out, bad := cellwarden(t, append(append([]string{"resume", file, "--insecure"}, test.resume...),
					way.flags...)...)
				require.Zero(t, code, bad)
				require.Equal(t, way.to, held(t, w.address), out)
				require.Equal(t, test.sets, w.counted(), out)
			}
		})
	}
}

// What is left may be held back by how far it reaches into traffic. What goes by OpenConfig today reaches into nothing.
func TestResumeNotSoFar(t *testing.T) {
	w := watch(t)
	hold(t, w.address, nine)
	file := journalAfter(t, w, 1)
	w.reset(t, nine)
	code, out, bad := cellwarden(t, "resume", file, "--insecure", "--allow-disruption", "none")
	require.Zero(t, code, bad)
	require.Contains(t, out, ": applied")
}

// waiting returns the journal of a push that ended while its commit waited to be confirmed.
func waiting(t *testing.T, w *watched) string {
	t.Helper()
	hold(t, w.address, nine)
	w.reset(t, nine)
	_, leaf := state(t)
	file := filepath.Join(t.TempDir(), "push.jsonl")
	w.run(func(n int, made bool) error {
		if n >= 4 && !made { // the confirmation never arrives, nor what follows it
			return status.Error(codes.Unavailable, "nobody is there")
		}
		return nil
	})
	code, _, _ := cellwarden(t, "apply", leaf, "--target", w.address, "--insecure", "--retries", "0", "--journal", file,
		"--set-timeout", "1s")
	require.NotZero(t, code)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	lines := strings.SplitAfter(string(data), "\n")
	confirm := 0
	for i, l := range lines {
		if strings.Contains(l, `"kind":"confirm"`) {
			confirm = i
			break
		}
	}
	require.NotZero(t, confirm)
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(lines[:confirm+1], "")), 0o600))
	w.run(nil)
	return file
}

// A resumption that has the switch undo a commit, and whose Set the switch refuses then, has changed the switch: it
// ends in part, and names what is left.
func TestResumeThatOnlyCancels(t *testing.T) {
	effort.SkipFew(t, "it resumes many pushes")
	w := watch(t)
	file := waiting(t, w)
	before := w.counted()
	w.run(func(n int, made bool) error {
		if n > before+1 && !made { // after the cancellation
			return status.Error(codes.FailedPrecondition, "the configuration is locked by user admin")
		}
		return nil
	})
	code, out, bad := cellwarden(t, "resume", file, "--insecure", "--retries", "0")
	require.Equal(t, cli.ExitPartial, code, bad)
	require.Contains(t, out, "a commit of this push was cancelled. Nothing else was changed:")
	require.Contains(t, out, "Left to be changed: present values, and those to come")
	require.Contains(t, bad, "locked by user admin")
	w.run(nil)
	code, out, bad = cellwarden(t, "resume", file, "--insecure")
	require.Zero(t, code, bad)
	require.Contains(t, out, ": applied")
}

// A commit that the dead push left waiting is the switch's to undo; a dry run
// says so, and resuming does not wait for it.
func TestResumeOfACommitThatWaits(t *testing.T) {
	w := watch(t)
	file := waiting(t, w)
	code, out, bad := cellwarden(t, "resume", file, "--insecure", "--dry-run")
	require.Zero(t, code, bad)
	require.Contains(t, out, "a commit of this push may still wait for confirmation: the switch undoes it when its time is up")
	code, out, bad = cellwarden(t, "resume", file, "--insecure")
	require.Zero(t, code, bad)
	require.Contains(t, out, "last line: confirm")
	require.NotContains(t, out, "may still wait")
}

func TestResumeLists(t *testing.T) {
	journals, _ := state(t)
	code, out, bad := cellwarden(t, "resume")
	require.Zero(t, code, bad)
	require.Equal(t, "no unfinished push in "+journals+"\n", out)
	code, out, bad = cellwarden(t, "resume", "-o", "json")
	require.Zero(t, code, bad)
	require.Contains(t, out, `"unfinished": []`)

	require.NoError(t, os.MkdirAll(journals, 0o700))
	at := func(hour, fields string) string {
		return journalLine(`"time":"2026-11-20T` + hour + `:00:00Z",` + fields)
	}
	start := func(hour, target string) string {
		return at(hour, `"kind":"start","who":"ann","target":"`+target+`","profile":"openconfig","cell_bytes":208`)
	}
	for name, text := range map[string]string{
		"ended.jsonl":   start("01", "leaf1") + at("01", `"kind":"end","state":"applied"`),
		"undone.jsonl":  start("01", "leaf2") + at("01", `"kind":"end","state":"rolled back"`),
		"begun.jsonl":   start("02", "leaf3"),
		"sending.jsonl": start("09", "leaf4") + at("09", `"kind":"send","phase":2`),
		"sent.jsonl":    start("04", "leaf5") + at("09", `"kind":"sent","phase":1`) + `{"schema"`,
		"confirm.jsonl": start("05", "leaf6") + at("09", `"kind":"confirm"`),
		"cancel.jsonl":  start("06", "leaf7") + at("09", `"kind":"cancel"`),
		"unknown.jsonl": start("07", "leaf8") + at("09", `"kind":"end","state":"unknown"`),
		"partial.jsonl": start("08", "leaf9") + at("09", `"kind":"end","state":"partial"`),
		"led.jsonl": start("01", "leaf2") + at("01", `"kind":"resume","undo":true`) +
			at("01", `"kind":"end","state":"applied"`),
		"again.jsonl": start("10", "leaf2") + at("11", `"kind":"resume"`) + at("11", `"kind":"end","state":"refused"`),
		"asked.jsonl": start("03", "leaf2") + at("11", `"kind":"resume"`) +
			at("11", `"kind":"end","state":"unchanged","error":"it does not answer"`),
		"same.jsonl":   start("03", "leaf2") + at("11", `"kind":"resume"`) + at("11", `"kind":"end","state":"unchanged"`),
		"resume.jsonl": start("01", "leaf1") + at("01", `"kind":"end","state":"unknown"`) + at("11", `"kind":"resume"`),
		"words.jsonl": strings.ReplaceAll(start("00", "leaf1"), "}",
			`,"changes":[{"at":[["qos"],["x"]],"to":1,"may_stop":"none"}]}`),
		"notes.txt": "no journal",
	} {
		if name == "words.jsonl" {
			text = strings.ReplaceAll(text+at("00", `"kind":"sent","phase":-2`), "journal/v1", "journal-native/v1")
		}
		require.NoError(t, os.WriteFile(filepath.Join(journals, name), []byte(text), 0o600))
	}
	code, out, bad = cellwarden(t, "resume")
	require.Zero(t, code, bad)
	require.Equal(t, `Unfinished pushes
BEGUN                 TARGET  BY   STATE                                      JOURNAL
2026-11-20 10:00:00Z  leaf2   ann  end, refused                               DIR/again.jsonl
2026-11-20 09:00:00Z  leaf4   ann  phase 2 was being sent                     DIR/sending.jsonl
2026-11-20 08:00:00Z  leaf9   ann  end, partial                               DIR/partial.jsonl
2026-11-20 07:00:00Z  leaf8   ann  end, unknown                               DIR/unknown.jsonl
2026-11-20 06:00:00Z  leaf7   ann  it was being undone                        DIR/cancel.jsonl
2026-11-20 05:00:00Z  leaf6   ann  it was being confirmed                     DIR/confirm.jsonl
2026-11-20 04:00:00Z  leaf5   ann  phase 1 was sent                           DIR/sent.jsonl
2026-11-20 03:00:00Z  leaf2   ann  end, unchanged; a later push followed      DIR/asked.jsonl
2026-11-20 02:00:00Z  leaf3   ann  nothing was sent                           DIR/begun.jsonl
2026-11-20 01:00:00Z  leaf1   ann  it was being resumed                       DIR/resume.jsonl
2026-11-20 00:00:00Z  leaf1   ann  phase 2 was undone; a later push followed  DIR/words.jsonl

cellwarden resume JOURNAL finishes a push; with --undo it restores the previous values. To drop a push that no longer matters, remove its file
`, regexp.MustCompile(`(?m) +$`).ReplaceAllString(strings.ReplaceAll(out, journals, "DIR"), ""))

	ahead := strings.ReplaceAll(start("12", "leaf9")+at("12", `"kind":"send","phase":1`), "2026-11-20", "2999-11-20")
	future := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(future, "ahead.jsonl"), []byte(ahead), 0o600))
	code, out, bad = cellwarden(t, "resume", future)
	require.Zero(t, code, bad)
	require.Contains(t, out, "2999-11-20")
	require.NotContains(t, out, "a later push followed", "the clock was set back: that is not known")

	other := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(other, "torn.jsonl"), []byte(`{"other"`), 0o600))
	code, out, bad = cellwarden(t, "resume", other, "-o", "json")
	require.Zero(t, code, bad)
	var doc report.JournalsDocument
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	require.Len(t, doc.Unfinished, 1)
	require.Equal(t, "no line starts a push: want a journal", doc.Unfinished[0].State)
	require.NotEmpty(t, doc.Unfinished[0].Begun)

	code, _, bad = cellwarden(t, "resume", "--undo")
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, bad, "--undo and --dry-run need one push (want it with a journal")
	t.Setenv("XDG_STATE_HOME", filepath.Join(other, "torn.jsonl"))
	code, _, bad = cellwarden(t, "resume")
	require.Equal(t, cli.ExitFailure, code)
	require.Contains(t, bad, "not a directory")
}

// locked is a journal that another process has: the file is written anew by what writes journals.
func locked(t *testing.T, file string) journal.File {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.Remove(file))
	f, err := journal.Create(file, "", time.Now())
	require.NoError(t, err)
	_, err = f.Write(data)
	require.NoError(t, err)
	return f
}

// A push that is under way is not resumed: that would take its commit away.
func TestResumeOfAPushThatIsUnderWay(t *testing.T) {
	w := watch(t)
	hold(t, w.address, nine)
	file := journalAfter(t, w, 2) // start, send: with a commit that may wait
	w.reset(t, nine)
	f := locked(t, file)
	code, out, bad := cellwarden(t, "resume", file, "--insecure")
	require.Equal(t, cli.ExitUsage, code)
	require.Empty(t, out)
	require.Contains(t, bad, "nothing was sent: "+file+": the push is under way: another process has the journal open")
	require.Zero(t, w.counted(), "not even a cancel")
	_, out, _ = cellwarden(t, "resume", filepath.Dir(file))
	require.Contains(t, out, "under way")
	require.NoError(t, f.Close())
	_, out, _ = cellwarden(t, "resume", filepath.Dir(file))
	require.Contains(t, out, "phase 1 was being sent")

	data, err := os.ReadFile(file)
	require.NoError(t, err)
	s, err := push.Journals().Read(data)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, append(data,
		strings.Replace(journalLine(`"kind":"resume"`), "/v1", "/v2", 1)...), 0o600))
	s.File = file
	require.ErrorContains(t, s.Resume(t.Context(), nil, journal.Options{}), "another process continued this push")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	longAgo(t, file)
	code, _, bad = cellwarden(t, "resume", file, "--insecure")
	require.Zero(t, code, bad)
	_, out, _ = cellwarden(t, "resume", filepath.Dir(file))
	require.Contains(t, out, "no unfinished push")
}
