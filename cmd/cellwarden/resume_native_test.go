package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	gnmipush "github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/report"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/sonicfake"
)

// sonicGuard is a SONiC switch whose fault can be changed while it serves. What is
// left over of an earlier plan makes a push one of two phases.
type sonicGuard struct {
	*sonicfake.Switch
	address string
	mu      sync.Mutex
	at      func(*sonicfake.Arrived) error
}

// leftOver gives a switch a profile of an earlier plan, whose deletion is the second Set of a push.
func leftOver(s *sonicfake.Switch) {
	db := s.Config()
	db["BUFFER_PROFILE"]["CW_LOSSY_7_alpha0"] = map[string]string{"pool": "ingress_lossless_pool", "size": "7",
		"dynamic_th": "0"}
	s.Load(db)
}

func guard(t *testing.T) *sonicGuard {
	t.Helper()
	g := &sonicGuard{}
	g.Switch, g.address = sonicSwitch(t)
	leftOver(g.Switch)
	g.Fault = func(a *sonicfake.Arrived) error {
		g.mu.Lock()
		at := g.at
		g.mu.Unlock()
		if at == nil {
			return a.Make()
		}
		return at(a)
	}
	return g
}

func (g *sonicGuard) run(at func(*sonicfake.Arrived) error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.at = at
}

// killedAt runs the command line as a process of its own, and kills it when so
// many Sets have arrived from now on, of which the last is made by a function.
func (g *sonicGuard) killedAt(t *testing.T, set int, made func(*sonicfake.Arrived), args ...string) {
	t.Helper()
	child := pusher(t, append(args, "--target", g.address, "--insecure", brief)...)
	child.Stderr = nil
	first := g.Sets()
	dead := make(chan struct{})
	var started sync.Mutex // until it is, there is nothing to kill
	g.run(func(a *sonicfake.Arrived) error {
		switch {
		case a.N == first+2 && set > 2: // it is made, and is said not to be
			return errors.Join(a.Make(), errors.New("no"))
		case a.N != first+set:
			return a.Make()
		}
		made(a)
		started.Lock()
		_ = child.Process.Kill()
		started.Unlock()
		<-dead
		return status.Error(codes.Unavailable, "nobody is there")
	})
	started.Lock()
	err := child.Start()
	started.Unlock()
	require.NoError(t, err)
	var ended *exec.ExitError
	require.ErrorAs(t, child.Wait(), &ended)
	close(dead)
	require.ErrorContains(t, ended, "signal: killed")
	g.run(nil)
}

func nothing(*sonicfake.Arrived)      {}
func half(a *sonicfake.Arrived)       { a.Half() }
func everything(a *sonicfake.Arrived) { _ = a.Make() }

// longAgo makes a journal one of a push whose Sets are over.
func longAgo(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	data = regexp.MustCompile(`"time":"\d+`).ReplaceAll(data, []byte(`"time":"2001`))
	require.NoError(t, os.WriteFile(file, sealed(data), 0o600))
}

// resealed is sealed of a text, without the checksum of the plan.
func resealed(text string) []byte {
	return sealed(regexp.MustCompile(`"plan_sha256":"[^"]*",`).ReplaceAll([]byte(text), nil))
}

// sealed gives lines of a journal that were changed the checksums of what they are now.
func sealed(data []byte) []byte {
	var out []byte
	sum := ""
	for line := range bytes.Lines(data) {
		text, _, _ := bytes.Cut(line, []byte(`,"sum":"`))
		if !bytes.HasSuffix(line, []byte("}\n")) || len(text) == len(line) {
			return append(out, line...) // it was cut off
		}
		text = append(bytes.Clone(text), '}')
		sum = fmt.Sprintf("%x", sha256.Sum256(append([]byte(sum), text...)))[:32]
		out = fmt.Appendf(out, `%s,"sum":"%s"}%s`, text[:len(text)-1], sum, "\n")
	}
	return out
}

// A push of native values that is killed with SIGKILL before, in or after any of its Sets is finished from its journal,
// and undone, and so is a resume that is killed.
func TestResumeOfNativeValuesAfterSIGKILL(t *testing.T) {
	effort.SkipShort(t, "it kills processes")
	g := guard(t)
	file := leaf(t, "40m")
	before := g.Config()
	push := []string{"apply", file, "--allow-disruption", "port"}
	code, out, bad := cellwarden(t, append(push, "--target", g.address, "--insecure", brief, "--journal", "off")...)
	require.Zero(t, code, bad+out)
	require.Equal(t, 2, g.Sets())
	after := g.Config()
	for _, set := range []int{1, 2} {
		for name, made := range map[string]func(*sonicfake.Arrived){"nothing": nothing, "half": half,
			"everything": everything} {
			t.Run(fmt.Sprintf("%s of Set %d", name, set), func(t *testing.T) {
				journals, _ := state(t)
				g.Load(before)
				g.killedAt(t, set, made, push...)
				open, err := gnmipush.Journals().List(journals)
				require.NoError(t, err)
				require.Len(t, open, 1)
				require.Equal(t, g.address, open[0].Target)
				require.Equal(t, fmt.Sprintf("phase %d was being sent", set), open[0].State)
				journal := open[0].Journal
				longAgo(t, journal)

				left := g.Config()
				code, out, bad := cellwarden(t, "resume", journal, "--insecure", brief, "--dry-run")
				require.Zero(t, code, bad)
				require.Contains(t, out, "Present values")
				require.Equal(t, left, g.Config(), "nothing was sent")

				if set == 1 { // the resume is killed, too
					g.killedAt(t, 1, made, "resume", journal)
					longAgo(t, journal)
				}
				code, out, bad = cellwarden(t, "resume", journal, "--insecure", brief)
				require.Zero(t, code, bad+out)
				require.Equal(t, after, g.Config(), out)
				open, err = gnmipush.Journals().List(journals)
				require.NoError(t, err)
				require.Empty(t, open)

				g.killedAt(t, set, made, "resume", journal, "--undo")
				longAgo(t, journal)
				code, out, bad = cellwarden(t, "resume", journal, "--insecure", brief, "--undo")
				require.Zero(t, code, bad+out)
				require.Equal(t, before, g.Config(), out)
				code, out, bad = cellwarden(t, "resume", journal, "--insecure", brief, "--undo", "-o", "json")
				require.Zero(t, code, bad)
				var doc report.ApplyDocument
				require.NoError(t, json.Unmarshal([]byte(out), &doc))
				require.Equal(t, "unchanged", doc.State)
				require.Equal(t, "before", doc.Native.Found[0].Holds)
				code, out, bad = cellwarden(t, "resume", journal, "--insecure", brief)
				require.Zero(t, code, bad+out)
				require.Equal(t, after, g.Config(), "and it can be done again")
			})
		}
	}
}

// One that is killed while it leads the switch back, after its second Set was refused, is finished or undone, too.
func TestResumeOfNativeValuesKilledWhileTheyAreRestored(t *testing.T) {
	effort.SkipShort(t, "it kills processes")
	for set, undone := range map[int]int{3: 2, 4: 1} { // back from the second phase, and from the first
		for _, flags := range [][]string{{}, {"--undo"}} {
			journals, _ := state(t)
			g := guard(t)
			states := []sonicfake.DB{g.Config()}
			g.killedAt(t, set, half, "apply", leaf(t, "40m"), "--allow-disruption", "port", "--sonic-release", "202511",
				"--retries", "0")
			require.NotEqual(t, states[0], g.Config())
			open, err := gnmipush.Journals().List(journals)
			require.NoError(t, err)
			require.Len(t, open, 1)
			require.Equal(t, fmt.Sprintf("phase %d was being undone", undone), open[0].State)
			longAgo(t, open[0].Journal)
			code, out, bad := cellwarden(t, append([]string{"resume", open[0].Journal, "--insecure", brief}, flags...)...)
			require.Zero(t, code, bad+out)
			if len(flags) > 0 {
				require.Equal(t, states[0], g.Config())
				continue
			}
			require.Equal(t, "3,4", g.Config()["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"])
			require.NotContains(t, g.Config()["BUFFER_PROFILE"], "CW_LOSSY_7_alpha0")
		}
	}
}

// nativePushed applies a plan of two phases, and returns the journal's file and
// lines, and what the switch held before, between and after.
func nativePushed(t *testing.T, g *sonicGuard) (file string, lines []string, states []sonicfake.DB) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "push.jsonl")
	g.run(func(a *sonicfake.Arrived) error {
		states = append(states, g.Config())
		return a.Make()
	})
	code, out, bad := cellwarden(t, "apply", leaf(t, "40m"), "--target", g.address, "--insecure", "--allow-disruption",
		"port", "--journal", file)
	require.Zero(t, code, bad+out)
	g.run(nil)
	longAgo(t, file)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return file, strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n"), append(states, g.Config())
}

// Killed between any two lines, or within one: whatever the switch holds by then,
// it ends with the plan or with what it held before.
func TestResumeOfNativeValuesAfterAKillAnywhere(t *testing.T) {
	effort.SkipShort(t, "it resumes from each line of a journal")
	g := guard(t)
	file, lines, states := nativePushed(t, g)
	require.Equal(t, []string{"start", "send", "sent", "send", "sent", "end"}, kinds(records(t, file)))
	for n := 1; n <= len(lines); n++ {
		done := min(n/2, 2)
		for _, state := range states[max(0, done-1) : done+1] {
			for _, torn := range []string{"", "{"} {
				for _, flags := range [][]string{{}, {"--undo"}} {
					require.NoError(t, os.WriteFile(file, []byte(strings.TrimRight(strings.Join(lines[:n], ""), "\n")+"\n"+torn),
						0o600))
					g.Load(state)
					code, out, bad := cellwarden(t, append([]string{"resume", file, "--insecure"}, flags...)...)
					require.Zero(t, code, bad+out)
					require.Equal(t, states[len(states)-1-2*len(flags)], g.Config(), "%d lines, torn %q %v", n, torn, flags)
				}
			}
		}
	}
}

// What others have changed meanwhile is theirs, but for the values that the push was about.
func TestResumeOfNativeValuesBesideOthers(t *testing.T) {
	g := guard(t)
	file, _, states := nativePushed(t, g)
	before, after := states[0], states[2]
	foreign := map[string]string{"profile": "egress_lossless_profile"}

	db := g.Config()
	db["PORT"]["Ethernet8"] = map[string]string{"speed": "100000"}
	db["BUFFER_PG"]["Ethernet8|0"] = foreign // in a table that the push has made
	db["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"] = "5"
	g.Load(db)
	code, out, bad := cellwarden(t, "resume", file, "--insecure", "--undo")
	require.Equal(t, cli.ExitPartial, code, "what others wrote over the push's value is left, and named: %s", bad)
	require.Contains(t, out, "all else was done. Values that this push did not write were left: 1.")
	require.Regexp(t, `Not written by this push, and left.*\n(.*\n)+.*/PORT_QOS_MAP/Ethernet0/pfc_enable +port +"5" +-\n`,
		out)
	require.Equal(t, "5", g.Config()["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"])
	_, open := gnmipush.Journals().Unfinished(file)
	require.True(t, open)
	g.Load(db)
	code, out, bad = cellwarden(t, "resume", file, "--insecure", "--undo", "--overwrite", "--dry-run")
	require.Zero(t, code, bad)
	require.Regexp(t, `/BUFFER_PG +planned\n`, out)
	require.Regexp(t, `/PORT_QOS_MAP/Ethernet0/pfc_enable +something else\n`, out)
	require.Regexp(t, `Remaining changes of (.*\n)+.*/PORT_QOS_MAP/Ethernet0/pfc_enable +port +"5" +-\n`, out)
	require.Contains(t, out, "/BUFFER_PG/Ethernet0|3-4", "not the whole table")
	code, out, bad = cellwarden(t, "resume", file, "--insecure", "--undo", "--overwrite")
	require.Zero(t, code, bad+out)
	now := g.Config()
	require.Equal(t, map[string]map[string]string{"Ethernet8|0": foreign}, map[string]map[string]string(now["BUFFER_PG"]),
		"theirs stays")
	delete(now, "BUFFER_PG")
	delete(now["PORT"], "Ethernet8")
	require.Equal(t, before, now)

	db = g.Config() // where the push has made no table, they have one by now
	code, out, bad = cellwarden(t, "resume", file, "--insecure")
	require.Zero(t, code, bad+out)
	now = g.Config()
	require.Equal(t, foreign, now["BUFFER_PG"]["Ethernet8|0"])
	delete(now["BUFFER_PG"], "Ethernet8|0")
	delete(now["PORT"], "Ethernet8")
	require.Equal(t, after, now)

	delete(db, "BUFFER_PG") // and a table that was there is gone
	delete(db, "CABLE_LENGTH")
	g.Load(db)
	code, _, bad = cellwarden(t, "resume", file, "--insecure", "--overwrite")
	require.Equal(t, cli.ExitFailure, code)
	require.Contains(t, bad, "its parent is not there", "a field of an entry that others took away is not made up")
	require.Equal(t, db, g.Config())
}

// A switch that may be at work on what it did not answer is waited for: else a push could be undone before it is made.
func TestResumeOfNativeValuesWaits(t *testing.T) {
	effort.SkipFew(t, "it resumes many pushes")
	g := guard(t)
	file, lines, states := nativePushed(t, g)
	now, err := json.Marshal(time.Now())
	require.NoError(t, err)
	late := regexp.MustCompile(`"time":"[^"]*"`).ReplaceAllString(strings.Join(lines[:2], ""), `"time":`+string(now))
	require.NoError(t, os.WriteFile(file, sealed([]byte(late)), 0o600))
	g.Load(states[0])
	code, out, bad := cellwarden(t, "resume", file, "--insecure", "--undo", "--dry-run")
	require.Zero(t, code, bad)
	require.Contains(t, out, "a Set of this push was not answered")
	var stdout bytes.Buffer
	stderr := &noticing{then: func() { g.Load(states[1]) }} // the Set is made while resume waits
	code = run(t.Context(), []string{"resume", file, "--insecure", "--undo"}, nil, &stdout, stderr)
	require.Zero(t, code, stderr.String()+stdout.String())
	require.Equal(t, 1, strings.Count(stderr.String(), "may still be working on a Set"))
	require.Equal(t, states[0], g.Config())
}

// noticing is a buffer that does something after the first write.
type noticing struct {
	text strings.Builder // not embedded: every write has to come here
	then func()
}

func (n *noticing) String() string { return n.text.String() }

func (n *noticing) Write(b []byte) (int, error) {
	written, err := n.text.Write(b)
	if n.then != nil {
		n.then()
		n.then = nil
	}
	return written, err
}

// A Set that took longer than its time is unanswered, and the advice names the flag. resume waits for as long as the
// push let a Set take, not for as long as a push does without the flag.
func TestResumeTakesTheTimeOfThePush(t *testing.T) {
	g := guard(t)
	file := filepath.Join(t.TempDir(), "push.jsonl")
	g.run(func(a *sonicfake.Arrived) error {
		<-a.Context.Done()
		return a.Context.Err()
	})
	code, out, bad := cellwarden(t, "apply", leaf(t, "40m"), "--target", g.address, "--insecure",
		"--allow-disruption", "port", "--retries", "0", "--set-timeout", "300ms", "--journal", file)
	require.Equal(t, cli.ExitPartial, code, bad+out)
	require.Contains(t, bad, ". A switch that takes longer for a Set needs a longer --set-timeout")
	require.NotContains(t, bad, "--timeout gives")
	require.Contains(t, bad, "did not answer the Set (DeadlineExceeded)")
	require.Contains(t, bad, "resume "+file)
	g.run(nil)
	lines := records(t, file)
	require.Equal(t, "300ms", lines[0].SetTimeout)
	began := time.Now()
	code, out, bad = cellwarden(t, "resume", file, "--insecure", "--allow-disruption", "port")
	require.Zero(t, code, bad+out)
	require.Contains(t, out, ": applied\n")
	require.Less(t, time.Since(began), time.Minute, "the default of a Set is five minutes")
}

// Whether a failed Set was made is said once: by the state, which was read back.
func TestFailedSetIsSaidOnce(t *testing.T) {
	g := guard(t)
	g.run(func(*sonicfake.Arrived) error { return errors.New("illegal") })
	code, out, bad := cellwarden(t, "apply", leaf(t, "40m"), "--target", g.address, "--insecure",
		"--allow-disruption", "port", "--journal", "off")
	require.Equal(t, cli.ExitFailure, code, bad+out)
	require.Contains(t, out, "the Set failed and changed nothing. It was read back and holds the previous values")
	require.Contains(t, bad, ": Set failed (Unknown): illegal")
	require.NotContains(t, bad, "unknown (")
}
