package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/report"
)

// state gives the test a state directory of its own, and returns where journals go and a topology of two ports.
func state(t *testing.T) (journals, leaf string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	leaf = filepath.Join(dir, "leaf.yaml")
	require.NoError(t, os.WriteFile(leaf, []byte(twoPorts), 0o600))
	return filepath.Join(dir, "state", "cellwarden", "journals"), leaf
}

// namesIn are the names in a directory; none if it is not there.
func namesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if !errors.Is(err, os.ErrNotExist) {
		require.NoError(t, err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, filepath.Join(dir, e.Name()))
	}
	return out
}

// Every push that sends something leaves a journal in the user's own directory,
// and says where before it sends; one that finds nothing to change leaves none.
func TestJournalByDefault(t *testing.T) {
	journals, leaf := state(t)
	address := serve(t, "--chip", "tomahawk")
	apply := []string{"apply", leaf, "--target", address, "--insecure"}
	code, _, bad := cellwarden(t, append(apply, "--dry-run")...)
	require.Zero(t, code, bad)
	require.Empty(t, namesIn(t, journals))

	code, out, bad := cellwarden(t, apply...)
	require.Zero(t, code, bad)
	made := namesIn(t, journals)
	require.Len(t, made, 1)
	require.Equal(t, "journal: "+made[0]+"\n", bad)
	require.NotContains(t, out, journals, "what is printed is the same every time")
	require.Regexp(t, `^127\.0\.0\.1_\d+-\d{8}T\d{6}Z-\d+\.jsonl$`, filepath.Base(made[0]))
	for path, want := range map[string]os.FileMode{made[0]: 0o600, journals: 0o700, filepath.Dir(journals): 0o700} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, want, info.Mode().Perm(), path)
	}
	data, err := os.ReadFile(made[0])
	require.NoError(t, err)
	s, err := push.Journals().Read(data)
	require.NoError(t, err)
	require.False(t, s.Open())
	require.Equal(t, "end, applied", s.LastLine())

	for _, want := range []string{": unchanged", `"state": "unchanged"`} {
		code, out, bad = cellwarden(t, append(apply, map[bool][]string{true: {"-o", "json"}}[want[0] == '"']...)...)
		require.Zero(t, code, bad)
		require.Contains(t, out, want)
		require.NotContains(t, out, `"journal"`)
		require.Empty(t, bad)
	}
	require.Len(t, namesIn(t, journals), 1)

	hold(t, address, nil)
	code, out, bad = cellwarden(t, append(apply, "-o", "json")...)
	require.Zero(t, code, bad)
	require.Empty(t, bad, "JSON has it as a field of its own")
	var doc report.ApplyDocument
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	require.Contains(t, namesIn(t, journals), doc.Journal)
	require.Len(t, namesIn(t, journals), 2, "each push has its own")
}

func TestJournalWhereItIsWanted(t *testing.T) {
	journals, leaf := state(t)
	address := serve(t, "--chip", "tomahawk")
	own := t.TempDir()
	for where, want := range map[string]string{"off": "", "none": "", own: own,
		filepath.Join(own, "push.jsonl"): filepath.Join(own, "push.jsonl")} {
		hold(t, address, nil)
		code, _, bad := cellwarden(t, "apply", leaf, "--target", address, "--insecure", "--journal", where)
		require.Zero(t, code, bad)
		require.Equal(t, want == "", bad == "")
		require.Contains(t, bad, want)
	}
	require.Len(t, namesIn(t, own), 2)
	require.Empty(t, namesIn(t, journals))
}

// Where nothing can be written down, nothing is sent: that is bad usage, which is told with what to do.
func TestJournalWithoutAPlace(t *testing.T) {
	journals, leaf := state(t)
	address := serve(t, "--chip", "tomahawk")
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for name, test := range map[string]struct {
		xdg, home, flag string
		want            string
	}{
		"below a file":             {file, "", "", file + " is no directory"},
		"no home":                  {"", "", "", "$HOME is not defined"},
		"a relative one is none":   {"state", "", "", "$HOME is not defined"},
		"home below a file":        {"", file, "", file + " is no directory"},
		"in what is not there":     {"", "", filepath.Join(file+"s", "push.jsonl"), "no such file or directory"},
		"a file in place of a dir": {"", "", filepath.Join(file, "push.jsonl"), "not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_STATE_HOME", test.xdg)
			t.Setenv("HOME", test.home)
			args := []string{"apply", leaf, "--target", address, "--insecure"}
			if test.flag != "" {
				args = append(args, "--journal", test.flag)
			}
			code, out, bad := cellwarden(t, args...)
			require.Equal(t, cli.ExitUsage, code, bad)
			require.Empty(t, out)
			require.Contains(t, bad, "nothing was sent, because the journal cannot be written: ")
			require.Contains(t, bad, test.want)
			require.Contains(t, bad, "want --journal with a new file in a writable directory, or --journal off")
			require.Empty(t, held(t, address))
		})
	}
	t.Setenv("XDG_STATE_HOME", "")
	home := t.TempDir()
	t.Setenv("HOME", home)
	code, _, bad := cellwarden(t, "apply", leaf, "--target", address, "--insecure")
	require.Zero(t, code, bad)
	require.Contains(t, bad, filepath.Join(home, ".local", "state", "cellwarden", "journals"))
	require.Empty(t, namesIn(t, journals))
}

// A push that was undone says with which command it is finished, and that command does it.
func TestJournalTellsHowToGoOn(t *testing.T) {
	journals, leaf := state(t)
	w := watch(t)
	_, out, _ := cellwarden(t, "apply", leaf, "--dry-run", "--profile", "openconfig")
	leafPath := regexp.MustCompile(`/qos/queue-management-profiles/\S+/min-threshold`).FindString(out)
	w.run(func(n int, made bool) error {
		if n == 1 && made { // another client writes at the same time
			set(t, w.address, leafPath, 2080)
		}
		return nil
	})
	code, out, bad := cellwarden(t, "apply", leaf, "--target", w.address, "--insecure", "--rollback-after", "0", "-o",
		"json")
	require.Equal(t, cli.ExitPartial, code, bad)
	made := namesIn(t, journals)
	require.Len(t, made, 1)
	require.Contains(t, bad, "\ncellwarden resume "+made[0]+
		" reads the switch and finishes the push; with --undo it restores the previous values")
	var doc report.ApplyDocument
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	require.Equal(t, made[0], doc.Journal)
	require.NotContains(t, doc.Error, made[0])

	w.run(nil)
	code, out, _ = cellwarden(t, "resume", made[0], "--insecure")
	require.Equal(t, cli.ExitPartial, code, "what others wrote is left")
	require.Contains(t, out, "Values that this push did not write were left: 4.")
	code, out, bad = cellwarden(t, "resume", made[0], "--insecure", "--overwrite")
	require.Zero(t, code, bad)
	require.Contains(t, out, ": applied")
	require.Contains(t, out, "commit-confirmed is off", "as in the push")
}

// Of many switches, each to which something is sent has a journal of its own;
// the directory can be the same for every push.
func TestJournalsOfManySwitches(t *testing.T) {
	journals, leaf := state(t)
	f, list := leaves{}, filepath.Join(t.TempDir(), "switches.txt")
	f.add(t, "leaf1:9339")
	f.add(t, "leaf2:9339")
	require.NoError(t, os.WriteFile(list, []byte("leaf1:9339\nleaf2:9339\n"), 0o600))
	apply := []string{"apply", leaf, "--targets", list, "--insecure"}
	code, out, bad := f.verb(t, apply...)
	require.Zero(t, code, bad)
	require.Contains(t, out, "\n2 journals in "+journals+"\n")
	require.Len(t, namesIn(t, journals), 2)
	require.Contains(t, namesIn(t, journals)[1], "leaf2_9339-")
	require.NotContains(t, bad, journals, "a line of progress each, and no more")

	code, out, bad = f.verb(t, apply...)
	require.Zero(t, code, bad)
	require.NotContains(t, out, "journal")
	require.Len(t, namesIn(t, journals), 2, "nothing was to be changed")

	require.NoError(t, os.WriteFile(leaf, []byte(strings.Replace(twoPorts, "416B", "832B", 1)), 0o600))
	code, out, bad = f.verb(t, append(apply, "-o", "json", "--journal", journals)...)
	require.Zero(t, code, bad)
	require.Len(t, namesIn(t, journals), 4)
	var doc report.ApplyManyDocument
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	require.Contains(t, doc.Targets[1].Report.Journal, filepath.Join(journals, "leaf2_9339-"))

	code, _, bad = cellwarden(t, append(apply, "--journal", leaf)...)
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, bad, "leaf.yaml is no directory: accepted with --targets: a directory, or off")
}

// Undoing one of many is told in its line of progress.
func TestJournalOfOneOfManyThatWasUndone(t *testing.T) {
	journals, leaf := state(t)
	w, list := watch(t), filepath.Join(t.TempDir(), "switches.txt")
	_, out, _ := cellwarden(t, "apply", leaf, "--dry-run", "--profile", "openconfig")
	leafPath := regexp.MustCompile(`/qos/queue-management-profiles/\S+/min-threshold`).FindString(out)
	w.run(func(n int, made bool) error {
		if n == 1 && made {
			set(t, w.address, leafPath, 2080)
		}
		return nil
	})
	require.NoError(t, os.WriteFile(list, []byte(w.address+"\n"), 0o600))
	code, out, bad := cellwarden(t, "apply", leaf, "--targets", list, "--insecure", "--rollback-after", "0")
	require.Equal(t, cli.ExitPartial, code, bad)
	require.Regexp(t, `^1 of 1: \S+: partial: read back differs from .*; cellwarden resume `+journals+
		`/\S+ reads the switch`, bad)
	require.NotContains(t, out, "reads the switch")
}
