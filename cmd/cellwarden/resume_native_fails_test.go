package main

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/sonicfake"
)

// Failures end with the exit codes of a push, and the journal stays open.
func TestResumeOfNativeValuesThatFails(t *testing.T) {
	effort.SkipFew(t, "it resumes many pushes")
	for name, test := range map[string]struct {
		fault func(*sonicfake.Arrived) error
		code  int
		says  string
		held  int // which of the states; -1: none
		open  bool
	}{
		"refused": {func(*sonicfake.Arrived) error { return status.Error(codes.Unknown, "no") }, cli.ExitFailure,
			"holds the values from before the resumption", 1, true},
		"led back": {onceBroken(true), cli.ExitRolledBack, "holds the values from before the resumption", 1, true},
		"in part": {onceBroken(false), cli.ExitPartial,
			"neither the values from before the push nor the values from before " +
				"the resumption", -1, true},
		"not allowed": {nil, cli.ExitUsage, "", 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := guard(t)
			file, lines, states := nativePushed(t, g)
			require.NoError(t, os.WriteFile(file, []byte(strings.Join(lines[:3], "")), 0o600))
			g.Load(states[1])
			g.run(test.fault)
			args := []string{"resume", file, "--insecure", "--retries", "0"}
			if test.fault == nil {
				args = append(args, "--undo", "--allow-disruption", "queue")
			} else if test.code != cli.ExitFailure {
				args = append(args, "--undo")
			}
			code, out, bad := cellwarden(t, args...)
			require.Equal(t, test.code, code, bad+out)
			require.Contains(t, out, test.says)
			if test.held >= 0 {
				require.Equal(t, states[test.held], g.Config())
			}
			_, open := push.Journals().Unfinished(file)
			require.Equal(t, test.open, open)
			g.run(nil)
			code, _, bad = cellwarden(t, "resume", file, "--insecure", "--undo")
			require.Zero(t, code, bad)
			require.Equal(t, states[0], g.Config())
		})
	}
}

// onceBroken makes half of the first Set, and may take those that follow.
func onceBroken(after bool) func(*sonicfake.Arrived) error {
	first := true
	return func(a *sonicfake.Arrived) error {
		if first {
			first = false
			a.Half()
			return status.Error(codes.Unknown, "killed")
		}
		if after {
			return a.Make()
		}
		return status.Error(codes.Unknown, "read-only")
	}
}

// Nobody resumes a push that is under way, and a journal that no push wrote is refused.
func TestResumeOfNativeValuesRefuses(t *testing.T) {
	effort.SkipFew(t, "it resumes many pushes")
	g := guard(t)
	file, lines, _ := nativePushed(t, g)
	sets := g.Sets()
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(lines[:2], "")), 0o600))
	f := locked(t, file)
	code, _, bad := cellwarden(t, "resume", file, "--insecure")
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, bad, "the push is under way")
	u, open := push.Journals().Unfinished(file)
	require.True(t, open)
	require.Equal(t, "under way", u.State)
	require.NoError(t, f.Close())
	code, _, bad = cellwarden(t, "resume", file, "--insecure", "--allow-disruption", "some")
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, bad, `--allow-disruption: "some" (want none`)

	for old, replaced := range map[string][2]string{
		`"origin":"sonic-db"`:          {`"origin":""`, "want a path beneath /qos, or of origin sonic-db"},
		`["CABLE_LENGTH"]`:             {`["USERS"]`, "want a table of CONFIG_DB that a plan writes"},
		`"may_stop":"port"`:            {`"may_stop":"all"`, `may_stop: "all": want [none`},
		`["localhost"]`:                {`["localhost","x"]`, "want a name, or a name, a key and its value"},
		`"to":"40m"`:                   {`"to":"5m"`, "before and planned are the same"},
		`"to":"3,4"`:                   {`"to":null`, "want a value of JSON"},
		`"to":"3,4","phase":1`:         {`"to":{"a":{}},"phase":1`, "want a table's entries"},
		`["Ethernet4"]`:                {`["Ethernet0"]`, "want each path once"},
		"cellwarden.journal-native/v2": {"cellwarden.journal/v2", "schema"},
		`"profile":"sonic"`:            {`"profile":"dell"`, "no such profile"},
		`"changes":[`:                  {`"others":[`, "no changes: want 1 or more"},
		`"at":[["CONFIG_DB"],["`:       {`"at":[["CONFIG_DB"],["x"],["`, "want a table of CONFIG_DB that a plan writes"},
	} {
		text := strings.Join(lines[:1], "")
		require.Contains(t, text, old)
		n := -1
		if old == "cellwarden.journal-native/v2" {
			text, n = strings.Join(lines[:2], ""), 1
		}
		require.NoError(t, os.WriteFile(file, resealed(strings.Replace(text, old, replaced[0], n)), 0o600))
		code, _, bad := cellwarden(t, "resume", file, "--insecure")
		require.Equal(t, cli.ExitUsage, code, old)
		require.Contains(t, bad, replaced[1], old)
	}
	require.Equal(t, sets, g.Sets(), "nothing was sent")
}

// failing is a journal's file of which so many lines can be written.
type failing struct{ lines int } // negative: how often it has failed

var errDiskFull = errors.New("no space left on device")

func (f *failing) Write(b []byte) (int, error) {
	if f.lines--; f.lines < 0 {
		return 0, errDiskFull
	}
	return len(b), nil
}

func (f *failing) Sync() error { return nil }

func (f *failing) Close() error { return nil }

func (f *failing) Name() string { return "push.jsonl" }

// On a full disk nothing more is sent, and what was sent is undone. Nothing is
// written behind a line that may be half there.
func TestNativeJournalOnAFullDisk(t *testing.T) {
	effort.SkipFew(t, "it fills the disk at each line of a journal")
	for _, test := range []struct {
		lines int
		fails bool // the switch fails in its second Set, too
		want  backend.State
	}{
		{0, false, backend.Unchanged}, {1, false, backend.Unchanged}, {2, false, backend.RolledBack},
		{3, false, backend.RolledBack}, {4, false, backend.RolledBack}, {5, false, backend.Applied},
		{6, false, backend.Applied},
		{5, true, backend.RolledBack}, {6, true, backend.RolledBack}, {7, true, backend.RolledBack},
	} {
		g := guard(t)
		file, _, states := nativePushed(t, g)
		before := states[0]
		g.Load(before)
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		s, err := push.Journals().Read(data)
		require.NoError(t, err)
		client, err := gnmi.Dial(g.address, gnmi.Options{Cell: 208, Insecure: true})
		require.NoError(t, err)
		defer client.Close()
		rest := &native.Resumption{Client: client}
		require.NoError(t, rest.Look(t.Context(), s, journal.Options{DryRun: true}))
		sets := g.Sets()
		g.run(func(a *sonicfake.Arrived) error {
			if test.fails && a.N == sets+2 {
				return errors.New("no")
			}
			return a.Make()
		})
		to := &failing{test.lines}
		w := journal.New(journal.About{}, func() (journal.File, error) { return to, nil })
		err = rest.Run(t.Context(), w)
		err = w.End(rest.State(), err)
		require.Equal(t, test.want, rest.State(), test)
		require.Equal(t, test.lines < 5 || test.fails && test.lines < 7, errors.Is(err, errDiskFull), "%v: %v", test, err)
		var uncreated *journal.CreateError
		require.Equal(t, test.lines < 1, errors.As(err, &uncreated), test)
		require.GreaterOrEqual(t, to.lines, -1, "%v: it is not written to again", test)
		if test.want == backend.Applied {
			before = states[2]
		}
		require.Equal(t, before, g.Config())
	}
}
