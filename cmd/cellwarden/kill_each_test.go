package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/smallswitch"
)

// messages is a switch behind a wire that counts every message of its clients, and stops at one of them.
type messages struct {
	address string

	mu      sync.Mutex
	n       int    // messages so far
	sets    []bool // of each of them, whether it is a Set
	changes int    // Sets with changes that were made
	at      int    // the message at which it stops; 0: none
	made    bool   // it stops after the switch has made it; else before, and the message is lost
	stop    func() // what it does then, until which the client waits
	loses   bool   // the connection is lost as soon as a Set with changes was made
	lost    bool   // it is lost: no message passes
}

// newMessages is a simulated switch behind such a wire.
func newMessages(t *testing.T) *messages {
	t.Helper()
	_, service := simulated(t)
	return behindAWire(t, service.Register)
}

// behindAWire serves what a function registers.
func behindAWire(t *testing.T, register func(*grpc.Server)) *messages {
	t.Helper()
	m := &messages{}
	s := grpc.NewServer(grpc.UnaryInterceptor(m.unary), grpc.StreamInterceptor(m.stream))
	register(s)
	m.address = smallswitch.At(t, s)
	return m
}

// passes counts a message, and passes it on unless the wire stops at it. next calls answer before the client has all of
// the answer, and sends no more of it after an error.
func (m *messages) passes(set bool, next func(answer func() error) error) error {
	m.mu.Lock()
	m.n++
	m.sets = append(m.sets, set)
	stops, made, stop, lost := m.n == m.at, m.made, m.stop, m.lost
	m.mu.Unlock()
	gone := status.Error(codes.Unavailable, "nobody is there")
	if lost {
		return gone
	}
	if !stops {
		return next(func() error { return nil })
	}
	stopped := sync.OnceValue(func() error {
		stop()
		return gone
	})
	if made {
		_ = next(stopped)
	}
	return stopped()
}

func (m *messages) unary(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (answer any,
	err error) {
	set, is := req.(*gpb.SetRequest)
	err = m.passes(is, func(func() error) error { // the client has no part of the answer before this returns
		answer, err = next(context.WithoutCancel(ctx), req)
		if is && err == nil &&
			len(set.GetDelete())+len(set.GetReplace())+len(set.GetUpdate()) > 0 {
			m.mu.Lock()
			m.changes++
			m.lost, m.loses = m.loses, false
			lost := m.lost
			m.mu.Unlock()
			if lost {
				return status.Error(codes.Unavailable, "connection reset by peer")
			}
		}
		return err
	})
	return answer, err
}

func (m *messages) stream(srv any, s grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	return m.passes(false, func(answer func() error) error { return next(srv, untilSync{s, answer}) })
}

// untilSync is a stream that asks before it sends sync_response: a client that has it goes on, while the switch is still
// about to end the stream.
type untilSync struct {
	grpc.ServerStream
	answer func() error
}

func (s untilSync) SendMsg(message any) error {
	if response, is := message.(*gpb.SubscribeResponse); is && response.GetSyncResponse() {
		if err := s.answer(); err != nil {
			return err
		}
	}
	return s.ServerStream.SendMsg(message)
}

// counted returns the messages and the Sets with changes since, and counts from 0 without stopping. A lost connection
// is mended.
func (m *messages) counted() (n, changes int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, changes = m.n, m.changes
	m.n, m.sets, m.changes, m.at, m.lost = 0, nil, 0, 0, false
	return n, changes
}

// waits tells whether a commit waits on the switch: it answers the confirmation of another with InvalidArgument then.
func (m *messages) waits(t *testing.T) bool {
	t.Helper()
	conn, err := grpc.NewClient(m.address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer conn.Close()
	_, err = gpb.NewGNMIClient(conn).Set(t.Context(), &gpb.SetRequest{Extension: []*gnmi_ext.Extension{{
		Ext: &gnmi_ext.Extension_Commit{Commit: &gnmi_ext.Commit{Id: "none",
			Action: &gnmi_ext.Commit_Confirm{Confirm: &gnmi_ext.CommitConfirm{}}}}}}})
	require.Contains(t, []codes.Code{codes.InvalidArgument, codes.FailedPrecondition}, status.Code(err))
	return status.Code(err) == codes.InvalidArgument
}

// killedAt runs the command line as a process of its own, which is killed at a message of it.
func (m *messages) killedAt(t *testing.T, message int, made bool, args ...string) {
	t.Helper()
	child := pusher(t, args...)
	child.Stderr = nil
	dead := make(chan struct{})
	var started sync.Mutex // until it is, there is nothing to kill
	m.counted()
	m.mu.Lock()
	m.at, m.made, m.stop = message, made, func() {
		started.Lock()
		_ = child.Process.Kill()
		started.Unlock()
		<-dead
	}
	m.mu.Unlock()
	started.Lock()
	err := child.Start()
	started.Unlock()
	require.NoError(t, err)
	err = child.Wait()
	close(dead)
	require.ErrorContains(t, err, "signal: killed")
	m.counted()
}

// victim is a switch whose pusher is killed. What it holds is compared as a whole.
type victim struct {
	*messages
	topology string
	holds    func() any
	waits    func() bool // whether a commit waits on it
	changed  string      // what a push says that has changed something: a regular expression
}

// beforeKill is what a simulated switch holds before a push that is killed.
var beforeKill = buffer.NewLayout([]buffer.Setting{{Register: buffer.Register{Kind: buffer.GroupReserved,
	Port: "Ethernet1/1", Index: 3}, Value: 9}})

// openConfigVictim is a simulated switch.
func openConfigVictim(t *testing.T) *victim {
	t.Helper()
	m := newMessages(t)
	_, topology := state(t)
	hold(t, m.address, beforeKill)
	m.counted()
	return &victim{m, topology, func() any { return held(t, m.address) }, func() bool { return m.waits(t) },
		"registers changed"}
}

// sonicVictim is a SONiC switch, to which a push sends two Sets. Commits are not known to it.
func sonicVictim(t *testing.T) *victim {
	t.Helper()
	s := sonicDevice()
	leftOver(s)
	state(t)
	m := behindAWire(t, func(server *grpc.Server) { gpb.RegisterGNMIServer(server, s) })
	return &victim{m, leaf(t, "40m"), func() any { return s.Config() }, func() bool { return false }, "values? changed"}
}

// A pusher that is killed at any message of its push, before the switch has got it or before the answer is back, is
// followed by resume, by resume --undo, and by a plain apply. What each says of the switch is what the switch holds,
// and keeps: no commit waits after exit 0, and "unchanged" has changed nothing.
func TestKilledAtEachMessage(t *testing.T) {
	for _, how := range []string{"--rollback-after 2m", "--rollback-after 0", "--rollback-after 2m --phases",
		"--rollback-after 0 --phases"} {
		t.Run(how, func(t *testing.T) { killedAtEachMessage(t, openConfigVictim, strings.Fields(how)) })
	}
}

// So is one to a SONiC switch.
func TestKilledAtEachMessageToSONiC(t *testing.T) {
	killedAtEachMessage(t, sonicVictim, []string{"--allow-disruption", "port"})
}

// killedAtEachMessage pushes once without a kill, and then kills the pusher of a new switch at each of the messages
// that it took. A message that only reads leaves the same switch and the same pusher whether it arrived or not, since
// the pusher has no answer: it is lost, and not made.
func killedAtEachMessage(t *testing.T, switched func(*testing.T) *victim, how []string) {
	effort.SkipShort(t, "it kills processes")
	v := switched(t)
	code, _, bad := cellwarden(t, v.applied(how)...)
	require.Zero(t, code, bad)
	v.mu.Lock()
	sets := v.sets
	v.mu.Unlock()
	v.counted()
	after := v.holds()
	type kill struct {
		message int
		made    bool
		verb    string
	}
	var kills []kill
	for i, set := range sets {
		for _, verb := range []string{"apply", "resume", "undo"} {
			kills = append(kills, kill{i + 1, false, verb})
			if set {
				kills = append(kills, kill{i + 1, true, verb})
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 2)) // so that a part of them is of all kinds
	rng.Shuffle(len(kills), func(i, j int) { kills[i], kills[j] = kills[j], kills[i] })
	first, end := effort.Seeds(uint64(len(kills)))
	for _, k := range kills[first:end] {
		t.Run(fmt.Sprintf("message %d of %d made %v then %s", k.message, len(sets), k.made, k.verb), func(t *testing.T) {
			killedThen(t, switched(t), how, k.message, k.made, k.verb, after)
		})
	}
}

// applied is the command line of the push.
func (v *victim) applied(how []string) []string {
	return append([]string{"apply", v.topology, "--target", v.address, "--insecure", brief}, how...)
}

// killedThen pushes to a switch, kills the pusher at a message, and does what a user does then.
func killedThen(t *testing.T, v *victim, how []string, message int, made bool, verb string, after any) {
	journals := filepath.Join(os.Getenv("XDG_STATE_HOME"), "cellwarden", "journals")
	before := v.holds()
	v.killedAt(t, message, made, v.applied(how)...)
	open, err := push.Journals().List(journals)
	require.NoError(t, err)
	if len(open) == 0 && verb != "apply" { // it has sent nothing
		require.Equal(t, before, v.holds())
		return
	}
	was := v.holds()
	v.counted()
	if verb != "apply" {
		require.Len(t, open, 1)
		longAgo(t, open[0].Journal)
		want := after
		if verb == "undo" {
			want = before
		}
		v.resumed(t, open[0].Journal, verb == "undo", want)
		return
	}
	code, out, bad := cellwarden(t, v.applied(how)...)
	_, changes := v.counted()
	now := v.holds()
	if changes == 0 {
		require.Equal(t, was, now)
	}
	switch code {
	case 0:
		require.Equal(t, after, now)
		require.False(t, v.waits(), "exit 0 while a commit waits: %s", out)
		require.Equal(t, changes == 0, !regexp.MustCompile(v.changed).MatchString(out), out)
	case cli.ExitPartial:
		require.Len(t, open, 1)
		require.Contains(t, out+bad, open[0].Journal)
		longAgo(t, open[0].Journal)
		if changes > 0 { // the first phase of the killed push may still come, and take the second back
			require.Equal(t, after, now)
			require.Contains(t, out, "the device holds the plan now, and may not keep it: a Set of an earlier push may still "+
				"replace it")
			require.Contains(t, bad, "Run the same command again after that time")
			code, out, bad = cellwarden(t, v.applied(how)...)
			require.Zero(t, code, bad)
			require.Contains(t, out, "unchanged")
			return
		}
		require.Equal(t, was, now)
		v.resumed(t, open[0].Journal, false, after)
	default:
		require.Failf(t, "another exit code", "%d: %s%s", code, out, bad)
	}
}

// resumed finishes or undoes a push from its journal, and compares the report with the switch.
func (v *victim) resumed(t *testing.T, journal string, undo bool, want any) {
	t.Helper()
	args := []string{"resume", journal, "--insecure", brief}
	if undo {
		args = append(args, "--undo")
	}
	was := v.holds()
	v.counted()
	code, out, bad := cellwarden(t, args...)
	require.Zero(t, code, bad)
	_, changes := v.counted()
	now := v.holds()
	require.Equal(t, want, now, out)
	require.False(t, v.waits(), "a commit waits: %s", out)
	if strings.Contains(out, ": unchanged") {
		require.Zero(t, changes, out)
		require.Equal(t, was, now, out)
	}
	open, err := push.Journals().List(filepath.Dir(journal))
	require.NoError(t, err)
	require.Empty(t, open)
}
