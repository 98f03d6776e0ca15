package push_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/nos"
)

// wire is what is between a client and the switch: it sees every Set, and can cut the connection.
type wire struct {
	mu      sync.Mutex
	sets    int                             // Sets that have arrived
	changes int                             // those of them that have a change
	cut     bool                            // nothing passes
	after   func(req *gpb.SetRequest)       // called after a Set was made, before it is answered; nil: it is not
	before  func(req *gpb.SetRequest) error // called before a Set is made, which its error refuses; nil: it is not
	unheard func(req *gpb.SetRequest) bool  // tells of a Set that was made whether its answer is lost; nil: it is not
	reading func()                          // called before the switch is read; nil: it is not
}

func (w *wire) unary(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	set, ok := req.(*gpb.SetRequest)
	w.mu.Lock()
	lost := w.cut
	if ok {
		w.sets++
		if len(set.GetDelete())+len(set.GetReplace())+len(set.GetUpdate()) > 0 {
			w.changes++
		}
	}
	w.mu.Unlock()
	if lost {
		return nil, status.Error(codes.Unavailable, "gone")
	}
	if _, get := req.(*gpb.GetRequest); get {
		w.reads()
	}
	if ok && w.before != nil {
		if err := w.before(set); err != nil {
			return nil, err
		}
	}
	answer, err := next(ctx, req)
	if ok && w.after != nil {
		w.after(set)
	}
	if w.lost() || ok && w.unheard != nil && w.unheard(set) {
		return nil, status.Error(codes.Unavailable, "gone")
	}
	return answer, err
}

func (w *wire) stream(srv any, s grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	if w.lost() {
		return status.Error(codes.Unavailable, "gone")
	}
	w.reads()
	return next(srv, s)
}

// reads notes that the switch is read.
func (w *wire) reads() {
	if w.reading != nil {
		w.reading()
	}
}

func (w *wire) lost() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cut
}

// cuts cuts the connection, or mends it.
func (w *wire) cuts(off bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = off
}

// counted returns how many Sets have arrived since, and how many of them had a change, and counts from 0.
func (w *wire) counted() (sets, changes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	sets, changes = w.sets, w.changes
	w.sets, w.changes = 0, 0
	return sets, changes
}

// wired is a plan and a switch for it behind a wire.
func wired(t *testing.T) (nos.Plan, push.Target, *wire) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	p, err := plan("5m")
	require.NoError(t, err)
	w := &wire{}
	address, stop, err := serve(p, grpc.UnaryInterceptor(w.unary), grpc.StreamInterceptor(w.stream))
	require.NoError(t, err)
	t.Cleanup(stop)
	return p, push.Target{Address: address}, w
}

var insecurely = grpc.WithTransportCredentials(insecure.NewCredentials())

// committing is a push with commits, which does not wait long for a switch that is gone.
func committing() push.Options {
	opt := options()
	opt.Connection.Rollback, opt.Connection.SetTimeout = time.Minute, time.Second
	opt.Connection.Retry = gnmi.Retry{Attempts: 1, First: time.Millisecond}
	return opt
}

// loses loses the connection as soon as the switch has made a Set with changes.
func (w *wire) loses() {
	w.after = func(req *gpb.SetRequest) {
		if len(req.GetReplace())+len(req.GetUpdate()) > 0 {
			w.cuts(true)
		}
	}
}

// interrupted pushes a plan as a commit whose connection is lost after the Set, with its journal in a folder elsewhere.
func interrupted(t *testing.T, p nos.Plan, to push.Target, w *wire) (file string) {
	t.Helper()
	opt := committing()
	opt.Journal = filepath.Join(t.TempDir(), "elsewhere.jsonl")
	w.loses()
	r, err := push.Apply(t.Context(), to, p, opt)
	require.Error(t, err)
	require.Equal(t, backend.Unknown, r.State)
	w.after = nil
	w.cuts(false)
	return opt.Journal
}

// A switch that holds the plan as a commit which waits is not unchanged: it undoes the plan when the time of the commit
// is over. The push that began it is named wherever its journal is, and can be finished.
func TestUnchangedIsTrueTomorrow(t *testing.T) {
	p, to, w := wired(t)
	file := interrupted(t, p, to, w)
	found, err := push.Compare(t.Context(), to, p, committing(), nil)
	require.NoError(t, err)
	require.Empty(t, found.Differences)
	require.Len(t, found.Undone(), 1, "drift says that a commit waits")
	require.Contains(t, found.Undone()[0].Why, file)

	_, port, err := net.SplitHostPort(to.Address)
	require.NoError(t, err)
	narrow := p // a plan that the switch holds, and that is not the one of the commit
	narrow.Layout = p.Layout.Only(func(r buffer.Register) bool { return r.Port != "Ethernet1/2" })
	for _, address := range []string{to.Address, net.JoinHostPort("localhost", port)} {
		w.counted()
		r, err := push.Apply(t.Context(), push.Target{Address: address}, narrow, committing())
		require.ErrorIs(t, err, backend.ErrCommitWaits)
		require.ErrorContains(t, err, file)
		require.Equal(t, backend.Unknown, r.State)
		require.Equal(t, backend.HasPlan, r.Has)
		require.Equal(t, file, r.Journal)
		sets, changes := w.counted()
		require.Zero(t, changes)
		require.Equal(t, sets, r.Sets)
	}
	again, err := push.Journals().ReadFile(file)
	require.NoError(t, err)
	r, err := push.Resume(t.Context(), push.Target{}, again, push.ResumeOptions{Connection: committing().Connection})
	require.NoError(t, err)
	require.Equal(t, backend.Applied, r.State)
	r, err = push.Apply(t.Context(), to, p, committing())
	require.NoError(t, err)
	require.Equal(t, backend.Unchanged, r.State)
	found, err = push.Compare(t.Context(), to, p, committing(), nil)
	require.NoError(t, err)
	require.Empty(t, found.Undone())
}

// A push whose plan the switch holds as the commit of an earlier push of the same plan confirms that commit: it sends
// no change, the switch keeps the plan, and the journal of the earlier push has ended.
func TestUnchangedIsConfirmed(t *testing.T) {
	p, to, w := wired(t)
	file := interrupted(t, p, to, w)
	w.counted()
	r, err := push.Apply(t.Context(), to, p, committing())
	require.NoError(t, err)
	require.Equal(t, backend.Applied, r.State)
	require.Contains(t, r.Commit, file)
	require.Empty(t, r.Changes)
	sets, changes := w.counted()
	require.Zero(t, changes)
	require.Equal(t, sets, r.Sets)
	found, err := push.Compare(t.Context(), to, p, committing(), nil)
	require.NoError(t, err)
	require.Empty(t, found.Undone())
	require.Empty(t, found.Differences)
	again, err := push.Journals().ReadFile(file)
	require.NoError(t, err)
	require.False(t, again.Open())
}

// A commit whose confirmation the switch refuses, because its time is over, is not said to be kept.
func TestUnchangedIsConfirmedTooLate(t *testing.T) {
	p, to, w := wired(t)
	file := interrupted(t, p, to, w)
	pushed, err := push.Journals().ReadFile(file)
	require.NoError(t, err)
	w.before = func(req *gpb.SetRequest) error {
		for _, e := range req.GetExtension() {
			if c := e.GetCommit(); c.GetId() == pushed.Commits[0] && c.GetConfirm() != nil {
				return status.Error(codes.FailedPrecondition, "no commit waits")
			}
		}
		return nil
	}
	r, err := push.Apply(t.Context(), to, p, committing())
	require.ErrorContains(t, err, "confirming the commit "+pushed.Commits[0]+" of the earlier push: ")
	require.Equal(t, backend.Unknown, r.State)
	require.Equal(t, file, r.Journal)
	again, err := push.Journals().ReadFile(file)
	require.NoError(t, err)
	require.True(t, again.Open())
}

// The commit of a program of another machine, whose journal is not here, is stated as well; and one that was confirmed
// is not.
func TestCommitOfAnotherMachine(t *testing.T) {
	p, to, w := wired(t)
	file := interrupted(t, p, to, w)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	opt := committing()
	opt.Connection.Rollback = 0 // its own Sets are no commits
	r, err := push.Apply(t.Context(), to, p, opt)
	require.ErrorIs(t, err, backend.ErrCommitWaits)
	require.NotContains(t, err.Error(), file)
	require.Empty(t, r.Journal)
	require.Equal(t, backend.Unknown, r.State)

	pushed, err := push.Journals().ReadFile(file)
	require.NoError(t, err)
	conn, err := grpc.NewClient(to.Address, insecurely)
	require.NoError(t, err)
	defer conn.Close()
	_, err = gpb.NewGNMIClient(conn).Set(t.Context(), &gpb.SetRequest{Extension: []*gnmi_ext.Extension{{
		Ext: &gnmi_ext.Extension_Commit{Commit: &gnmi_ext.Commit{Id: pushed.Commits[0],
			Action: &gnmi_ext.Commit_Confirm{Confirm: &gnmi_ext.CommitConfirm{}}}}}}})
	require.NoError(t, err)
	r, err = push.Apply(t.Context(), to, p, opt)
	require.NoError(t, err)
	require.Equal(t, backend.Unchanged, r.State)
}

// A push that is between its phases is not overtaken by one that finds its values there, under which name of the switch
// it ever comes: the first may still take back what the second has found.
func TestUnchangedBesideAnotherPush(t *testing.T) {
	p, to, w := wired(t)
	_, port, err := net.SplitHostPort(to.Address)
	require.NoError(t, err)
	other := push.Target{Address: net.JoinHostPort("localhost", port)}
	var inside error
	w.after = func(req *gpb.SetRequest) {
		if len(req.GetReplace())+len(req.GetUpdate()) > 0 && inside == nil {
			_, inside = push.Apply(t.Context(), other, p, options())
		}
	}
	opt := options()
	opt.Connection.Phased = true
	r, err := push.Apply(t.Context(), to, p, opt)
	require.NoError(t, err)
	require.Equal(t, backend.Applied, r.State)
	var held *journal.HeldError
	require.ErrorAs(t, inside, &held)
	require.ErrorContains(t, inside, fmt.Sprintf("another process is pushing to 127.0.0.1:%s", port))
}

// beside pushes a plan in phases without commits. After its first Set another machine brings a plan to the switch that
// has the same values for that phase, and others for the next. Each machine takes part in an election, if its number is
// not 0. left are the differences of the switch to the second plan in the end.
func beside(t *testing.T, first, second uint64) (left int, lost error) {
	t.Helper()
	p, to, w := wired(t)
	theirs := another(p)
	member := func(number uint64) push.Options {
		opt := committing()
		opt.Connection.Rollback, opt.Connection.Phased = 0, true
		if number > 0 {
			opt.Connection.Election = &gnmi.Election{Role: "cellwarden", Low: number}
		}
		return opt
	}
	elsewhere, done := t.TempDir(), false
	w.after = func(req *gpb.SetRequest) {
		if len(req.GetReplace())+len(req.GetUpdate()) > 0 && !done {
			done = true
			t.Setenv("XDG_STATE_HOME", elsewhere) // the first push has its lock and its journal already
			_, err := push.Apply(t.Context(), to, theirs, member(second))
			require.NoError(t, err)
		}
	}
	one, lost := push.Apply(t.Context(), to, p, member(first))
	require.ErrorIs(t, lost, backend.ErrOthers)
	require.Equal(t, backend.Partial, one.State)
	found, err := push.Compare(t.Context(), to, theirs, options(), nil)
	require.NoError(t, err)
	return len(found.Differences), lost
}

// Of two machines whose switch has master arbitration, the one with the larger election id has the switch from its
// first Set on: the other takes nothing back of what both have written. Without it, what is taken back is named.
func TestElectedMachineIsNotUndone(t *testing.T) {
	left, lost := beside(t, 1, 2)
	require.Zero(t, left)
	require.ErrorContains(t, lost, "PermissionDenied")
	left, lost = beside(t, 0, 0)
	require.Positive(t, left)
	require.ErrorContains(t, lost, "another client that wrote the same values does not have them any more")
	require.ErrorContains(t, lost, fmt.Sprintf("%d registers, first ", left))
}

// holds is what a switch holds.
func holds(t *testing.T, p nos.Plan, to push.Target) buffer.Layout {
	t.Helper()
	c, err := gnmi.Dial(to.Address, gnmi.Options{Insecure: true, Cell: p.Intent.Chip.Cell})
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	out, err := c.Observe(t.Context())
	require.NoError(t, err)
	return out
}

// What resume says that it did is what the wire has seen: of a push that was interrupted before its Set, after it, and
// between the Set and the confirmation, with commits and without, in phases and as a whole, finished, undone, and both
// once more.
func TestAccountOfResume(t *testing.T) {
	effort.SkipFew(t, "it resumes 48 pushes")
	n := 0
	for _, rollback := range []time.Duration{0, time.Minute} {
		for _, phased := range []bool{false, true} {
			for _, early := range []bool{false, true} {
				for _, undo := range []bool{false, true} {
					if n++; !effort.Some(n, 3) { // of each two values some
						continue
					}
					t.Run(fmt.Sprintf("rollback %v phased %v early %v undo %v", rollback, phased, early, undo), func(t *testing.T) {
						p, to, w := wired(t)
						opt := committing()
						opt.Connection.Rollback, opt.Connection.Phased = rollback, phased
						opt.Journal = filepath.Join(t.TempDir(), "push.jsonl")
						w.loses()
						if early {
							opt.JournalCreated = func(string) { w.cuts(true) }
						}
						_, err := push.Apply(t.Context(), to, p, opt)
						require.Error(t, err)
						w.after = nil
						w.cuts(false)
						requireAccount(t, p, to, w, opt, undo)
						requireAccount(t, p, to, w, opt, undo)
						requireAccount(t, p, to, w, opt, !undo)
					})
				}
			}
		}
	}
}

// requireAccount resumes a push, and compares the result with what was seen.
func requireAccount(t *testing.T, p nos.Plan, to push.Target, w *wire, opt push.Options, undo bool) {
	t.Helper()
	before := holds(t, p, to)
	again, err := push.Journals().ReadFile(opt.Journal)
	require.NoError(t, err)
	w.counted()
	r, err := push.Resume(t.Context(), to, again, push.ResumeOptions{Connection: opt.Connection, Undo: undo})
	require.NoError(t, err)
	sets, changes := w.counted()
	require.Equal(t, sets, r.Sets)
	after := holds(t, p, to)
	if r.State == backend.Unchanged {
		require.Equal(t, before, after, "unchanged")
		require.Zero(t, changes)
	} else {
		require.Equal(t, backend.Applied, r.State)
		require.True(t, changes > 0 || !slices.Equal(before, after), "applied")
		require.Equal(t, changes > 0, len(r.Changes) > 0)
	}
	require.Equal(t, undo, len(after) == 0)
}

// A cancellation whose answer was lost is refused when it is sent again, because no commit waits any more. The undo does
// not say that nothing was changed.
func TestAccountOfALostCancellation(t *testing.T) {
	p, to, w := wired(t)
	file := interrupted(t, p, to, w)
	again, err := push.Journals().ReadFile(file)
	require.NoError(t, err)
	lost := false
	w.unheard = func(req *gpb.SetRequest) bool {
		first := !lost && req.GetExtension()[0].GetCommit().GetCancel() != nil
		lost = lost || first
		return first
	}
	opt := committing().Connection
	opt.Retry.Attempts = 3
	r, err := push.Resume(t.Context(), to, again, push.ResumeOptions{Connection: opt, Undo: true})
	require.NoError(t, err)
	require.True(t, lost)
	require.Equal(t, backend.Applied, r.State)
	require.Empty(t, holds(t, p, to))
}

// A change that resume may not make is refused after the commit of the push was cancelled: it does not say that nothing
// was sent.
func TestAccountOfARefusedResume(t *testing.T) {
	p, to, w := wired(t)
	file := interrupted(t, p, to, w)
	again, err := push.Journals().ReadFile(file)
	require.NoError(t, err)
	w.counted()
	none := buffer.DisruptsNothing - 1
	r, err := push.Resume(t.Context(), to, again, push.ResumeOptions{Connection: committing().Connection,
		Disruption: &none})
	require.ErrorContains(t, err, "no change was sent: ")
	require.ErrorContains(t, err, "a commit of this push was cancelled before")
	require.Equal(t, backend.Partial, r.State)
	sets, changes := w.counted()
	require.Zero(t, changes)
	require.Equal(t, sets, r.Sets)
}

// A push that was killed while the switch was at work on its Set is resumed when the Set has ended: until then resume
// says that it waits, and for how long.
func TestResumeSaysThatItWaits(t *testing.T) {
	p, to, w := wired(t)
	opt := committing()
	opt.Connection.SetTimeout = time.Minute
	opt.Journal = filepath.Join(t.TempDir(), "push.jsonl")
	killed := filepath.Join(t.TempDir(), "killed.jsonl") // what the journal has if the process is killed at the Set
	w.after = func(req *gpb.SetRequest) {
		if len(req.GetReplace())+len(req.GetUpdate()) > 0 {
			data, err := os.ReadFile(opt.Journal)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(killed, data, 0o600))
		}
	}
	_, err := push.Apply(t.Context(), to, p, opt)
	require.NoError(t, err)
	again, err := push.Journals().ReadFile(killed)
	require.NoError(t, err)
	w.after = func(*gpb.SetRequest) { time.Sleep(1500 * time.Millisecond); w.after = nil } // the cancellation waits
	var said []time.Duration
	_, err = push.Resume(t.Context(), to, again, push.ResumeOptions{Connection: opt.Connection,
		Waiting: func(_ string, longest time.Duration) { said = append(said, longest) }})
	require.NoError(t, err)
	require.Len(t, said, 1)
	require.Greater(t, said[0], 40*time.Second)
	require.Less(t, said[0], time.Minute, "what is left of the time, and not all of it")
}

// An undo was killed before the switch has made its Set. The switch still holds the plan, and is not said to keep it:
// the Set may still land.
func TestUnchangedBeforeAnUndoLands(t *testing.T) {
	p, to, w := wired(t)
	opt := options()
	opt.Journal = filepath.Join(t.TempDir(), "push.jsonl")
	killed := filepath.Join(t.TempDir(), "killed.jsonl") // what the journal has if the process is killed at the Set
	kept := func(req *gpb.SetRequest) error {
		if len(req.GetDelete())+len(req.GetReplace())+len(req.GetUpdate()) > 0 {
			data, err := os.ReadFile(opt.Journal)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(killed, data, 0o600))
		}
		return nil
	}
	w.before = kept
	_, err := push.Apply(t.Context(), to, p, opt)
	require.NoError(t, err)
	require.NoError(t, os.Rename(killed, opt.Journal)) // the push was killed, and the switch has made its Set
	again, err := push.Journals().ReadFile(opt.Journal)
	require.NoError(t, err)
	w.before = func(req *gpb.SetRequest) error {
		_ = kept(req)
		return status.Error(codes.FailedPrecondition, "the undo is not made yet")
	}
	_, err = push.Resume(t.Context(), to, again, push.ResumeOptions{Connection: opt.Connection, Undo: true})
	require.Error(t, err)
	w.before = nil
	require.NoError(t, os.Rename(killed, opt.Journal))

	same := options()
	same.Journal = filepath.Join(filepath.Dir(opt.Journal), "second.jsonl")
	r, err := push.Apply(t.Context(), to, p, same)
	require.ErrorContains(t, err, "may still make it")
	require.Equal(t, backend.Unknown, r.State)
	require.Equal(t, opt.Journal, r.Journal)
}

// another returns a plan whose reserved cells are one more in each group.
func another(p nos.Plan) nos.Plan {
	p.Layout = slices.Clone(p.Layout)
	for i := range p.Layout {
		if p.Layout[i].Kind == buffer.GroupReserved {
			p.Layout[i].Value++
		}
	}
	return p
}

// killedAtSet pushes a plan and is killed at its Set, which is under way. late makes it, as a network does that has
// delayed it.
func killedAtSet(t *testing.T, p nos.Plan, to push.Target, w *wire) (file string, late func()) {
	t.Helper()
	var held *gpb.SetRequest
	opt := options()
	opt.Journal = filepath.Join(t.TempDir(), "push.jsonl")
	killed := filepath.Join(t.TempDir(), "killed.jsonl") // what the journal has if the process is killed at the Set
	w.before = func(req *gpb.SetRequest) error {
		if len(req.GetReplace())+len(req.GetUpdate()) > 0 {
			data, err := os.ReadFile(opt.Journal)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(killed, data, 0o600))
			held = req
		}
		return status.Error(codes.FailedPrecondition, "it is not made yet")
	}
	_, err := push.Apply(t.Context(), to, p, opt)
	require.Error(t, err)
	w.before = nil
	require.NoError(t, os.Rename(killed, opt.Journal))
	return opt.Journal, func() {
		conn, err := grpc.NewClient(to.Address, insecurely)
		require.NoError(t, err)
		defer conn.Close()
		_, err = gpb.NewGNMIClient(conn).Set(t.Context(), held)
		require.NoError(t, err)
	}
}

// A push that has sent its changes does not end with success while a Set of an earlier push may still replace them. One
// that finds this Set made replaces it, and ends with success.
func TestAppliedUntilAnEarlierSetLands(t *testing.T) {
	for _, landed := range []bool{false, true} {
		p, to, w := wired(t)
		file, late := killedAtSet(t, p, to, w)
		theirs := another(p)
		opt := options()
		opt.Journal = filepath.Dir(file)
		if landed {
			late()
			r, err := push.Apply(t.Context(), to, theirs, opt)
			require.NoError(t, err)
			require.Equal(t, backend.Applied, r.State)
			require.Empty(t, r.Earlier)
			continue
		}
		for range 2 {
			r, err := push.Apply(t.Context(), to, theirs, opt)
			require.ErrorContains(t, err, "an earlier push to this switch did not end, and a Set of it was not answered: until ")
			require.Equal(t, backend.Unknown, r.State)
			require.Equal(t, backend.HasPlan, r.Has)
			require.NotEmpty(t, r.Changes)
			require.Equal(t, file, r.Earlier)
			late() // it replaces what was applied, and whether it comes once more is not known
		}
	}
}

// The same of a push that is resumed.
func TestResumedUntilAnEarlierSetLands(t *testing.T) {
	p, to, w := wired(t)
	file, late := killedAtSet(t, p, to, w)
	narrow := p
	narrow.Layout = p.Layout.Only(func(r buffer.Register) bool { return r.Port != "Ethernet1/2" })
	for i := range narrow.Layout {
		if narrow.Layout[i].Kind == buffer.GroupReserved {
			narrow.Layout[i].Value++
		}
	}
	second, lateToo := killedAtSet(t, narrow, to, w)
	require.NoError(t, os.Rename(file, filepath.Join(filepath.Dir(second), "first.jsonl")))
	again, err := push.Journals().ReadFile(second)
	require.NoError(t, err)
	opt := push.ResumeOptions{Connection: options().Connection}
	lateToo()
	r, err := push.Resume(t.Context(), to, again, opt)
	require.ErrorContains(t, err, "until ")
	require.Equal(t, backend.Unknown, r.State)
	require.Equal(t, filepath.Join(filepath.Dir(second), "first.jsonl"), r.Earlier)
	late()
}

// A Set of an earlier push is made at each reading of a push that is resumed, from the first on after which it has found
// its own Set made: the push ends with success only if the switch holds its values then.
func TestResumedWhileAnEarlierSetLands(t *testing.T) {
	made := false
	for at := 4; at == 4 || made; at++ {
		p, to, w := wired(t)
		file, late := killedAtSet(t, p, to, w)
		theirs := another(p)
		second, lateToo := killedAtSet(t, theirs, to, w)
		lateToo()
		require.NoError(t, os.Rename(file, filepath.Join(filepath.Dir(second), "first.jsonl")))
		again, err := push.Journals().ReadFile(second)
		require.NoError(t, err)
		n := 0
		made = false
		w.reading = func() {
			if n++; n == at {
				w.reading, made = nil, true
				late()
			}
		}
		_, err = push.Resume(t.Context(), to, again, push.ResumeOptions{Connection: options().Connection})
		w.reading = nil
		if err == nil {
			found, bad := push.Compare(t.Context(), to, theirs, options(), nil)
			require.NoError(t, bad)
			require.Empty(t, found.Differences, "reading %d", at)
		}
	}
}

// A Set of an earlier push is made after drift has compared the switch, and before it reads the switch for that push,
// which then is over: drift compares again, and says what the Set has changed.
func TestDriftComparesAgain(t *testing.T) {
	p, to, w := wired(t)
	theirs := another(p)
	_, err := push.Apply(t.Context(), to, p, options())
	require.NoError(t, err)
	file, late := killedAtSet(t, theirs, to, w)
	opt := options()
	opt.Journal = filepath.Dir(file)
	w.before = func(*gpb.SetRequest) error { // drift asks whether a commit waits
		w.before = nil
		late()
		return nil
	}
	found, err := push.Compare(t.Context(), to, p, opt, nil)
	require.NoError(t, err)
	require.Nil(t, w.before)
	require.Empty(t, found.Undone())
	require.Len(t, found.Differences, 2)
}
