package gnmi_test

import (
	"context"
	"strings"
	"testing"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/buffer"
)

// extended runs a function for each Set that has the extension, and answers with its error; what
// changes something is passed on in any case.
func extended(l *lab, answer func(*gpb.SetRequest, *gnmi_ext.Commit) error) {
	l.on(gpb.GNMI_Set_FullMethodName, func(ctx context.Context, req any, _ *grpc.UnaryServerInfo,
		next grpc.UnaryHandler) (any, error) {
		set := req.(*gpb.SetRequest)
		if len(set.GetExtension()) == 0 {
			return next(ctx, set)
		}
		commit := set.GetExtension()[0].GetCommit()
		if err := answer(set, commit); err != nil {
			return nil, err
		}
		return next(ctx, set)
	})
}

// A switch that answers every Set without changes with FAILED_PRECONDITION, and undoes the commit when its time is up,
// is not taken for one that implements Commit-confirmed, and the push is not reported as applied.
func TestEveryFailedPreconditionIsNoProof(t *testing.T) {
	l := newLab(t, chip(20000))
	extended(l, func(set *gpb.SetRequest, _ *gnmi_ext.Commit) error {
		if changes(set) {
			set.Extension = nil // the switch has a timer of its own
			return nil
		}
		return status.Error(codes.FailedPrecondition, "something else")
	})
	waited := time.Duration(0)
	client, err := gnmi.New(l.conn, gnmi.Options{Cell: cell, Address: "leaf1", Rollback: time.Minute,
		SetTimeout: time.Minute, Retry: gnmi.Retry{Wait: func(ctx context.Context, d time.Duration) error {
			if waited += d; waited > 65*time.Second { // the switch's timer
				_, err := backend.Converge(ctx, l.with(t, gnmi.Options{}), nil, backend.Options{Prune: true})
				require.NoError(t, err)
			}
			return nil
		}}})
	require.NoError(t, err)
	report, err := backend.Converge(t.Context(), client, carried(planned(t, intent("Ethernet1/1"))), backend.Options{})
	require.ErrorContains(t, err, "undid the commit before it was confirmed")
	require.Equal(t, backend.RolledBack, report.State)
	require.Contains(t, known(client), "commit-confirmed is not proved")
}

// The same switch without a timer still has the plan when the time of the commit is over.
func TestConfirmedIsWhatOutlastsTheTimer(t *testing.T) {
	l := newLab(t, chip(20000))
	extended(l, func(set *gpb.SetRequest, _ *gnmi_ext.Commit) error {
		if changes(set) {
			set.Extension = nil
			return nil
		}
		return status.Error(codes.FailedPrecondition, "something else")
	})
	client := l.with(t, gnmi.Options{Rollback: time.Minute, SetTimeout: time.Minute})
	report, err := backend.Converge(t.Context(), client, carried(planned(t, intent("Ethernet1/1"))), backend.Options{})
	require.NoError(t, err)
	require.Equal(t, backend.Applied, report.State)
	var waited time.Duration
	for _, d := range l.waits {
		waited += d
	}
	require.InDelta(t, (2 * time.Minute).Seconds(), waited.Seconds(), 5, "the time to confirm, and that of undoing")
}

// A confirmation whose answer is lost: the switch says that no commit waits, because it takes a
// new one, and it is not waited.
func TestConfirmationWhoseAnswerIsLost(t *testing.T) {
	l := newLab(t, chip(20000))
	lost := false
	hook := func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		answer, err := next(ctx, req)
		for _, e := range req.(*gpb.SetRequest).GetExtension() {
			if e.GetCommit().GetConfirm() != nil && err == nil && !lost {
				lost = true
				return nil, status.Error(codes.Unavailable, "gone")
			}
		}
		return answer, err
	}
	l.on(gpb.GNMI_Set_FullMethodName, hook)
	client := l.with(t, gnmi.Options{Rollback: time.Hour})
	report, err := backend.Converge(t.Context(), client, carried(planned(t, intent("Ethernet1/1"))), backend.Options{})
	require.NoError(t, err)
	require.True(t, lost)
	require.Equal(t, backend.Applied, report.State)
	require.Len(t, l.waits, 1, "before the confirmation is sent again")
	l.hook = nil
	requireNoCommit(t, l)
}

// A switch that does not implement the extension is pushed to without it.
func TestUnimplementedExtension(t *testing.T) {
	for name, opt := range map[string]gnmi.Options{"as one": {Rollback: time.Hour},
		"in phases": {Rollback: time.Hour, Phased: true}} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, chip(20000))
			n := 0
			extended(l, func(*gpb.SetRequest, *gnmi_ext.Commit) error {
				n++
				return status.Error(codes.Unimplemented, "extension")
			})
			client := l.with(t, opt)
			report, err := backend.Converge(t.Context(), client, carried(planned(t, intent("Ethernet1/1"))),
				backend.Options{})
			require.NoError(t, err)
			require.Equal(t, backend.Applied, report.State)
			require.Equal(t, 1, n, "it is asked once")
			require.Empty(t, client.NextCommit())
			require.Contains(t, known(client), "the switch has no commit-confirmed")
		})
	}
}

// A cancellation that is refused because the configuration is locked says nothing about the commit: a
// push that is resumed does not go on. Where no commit waits, it does.
func TestCancellationThatIsRefused(t *testing.T) {
	l := newLab(t, chip(20000))
	locked := true
	extended(l, func(*gpb.SetRequest, *gnmi_ext.Commit) error {
		if locked {
			return status.Error(codes.FailedPrecondition, "the configuration database is locked by user admin")
		}
		return nil
	})
	undone, err := l.client.CancelCommit(t.Context(), "cellwarden-earlier-1")
	require.ErrorContains(t, err, "whether the commit cellwarden-earlier-1 still waits on gNMI target leaf1 is unknown")
	require.False(t, undone)

	locked = false
	undone, err = l.client.CancelCommit(t.Context(), "cellwarden-earlier-1")
	require.NoError(t, err)
	require.False(t, undone, "no commit waits")
}

// Whether any commit waits is known from the answer to a cancellation, or else from that to a new commit, which leaves
// nothing behind.
func TestCommitWaits(t *testing.T) {
	l := newLab(t, chip(20000))
	opt := gnmi.Options{Rollback: time.Minute}
	require.NoError(t, l.with(t, opt).CommitWaits(t.Context()))
	require.NoError(t, l.with(t, opt).CommitWaits(t.Context()), "the one that was asked with is over")

	pushing := l.with(t, opt)
	want := carried(planned(t, intent("Ethernet1/1")))
	_, err := pushing.Observe(t.Context())
	require.NoError(t, err)
	require.NoError(t, pushing.Apply(t.Context(), buffer.Diff(nil, want)))
	id := strings.TrimSuffix(pushing.NextCommit(), "2") + "1"
	require.ErrorIs(t, l.with(t, opt).CommitWaits(t.Context()), backend.ErrCommitWaits)

	other := l.with(t, opt)
	undone, err := other.CancelCommit(t.Context(), "cellwarden-other-1")
	require.NoError(t, err)
	require.False(t, undone)
	require.ErrorIs(t, other.CommitWaits(t.Context()), backend.ErrCommitWaits, "one with another id")
	undone, err = other.CancelCommit(t.Context(), id)
	require.NoError(t, err)
	require.True(t, undone)
	require.NoError(t, l.with(t, opt).CommitWaits(t.Context()))
}

// A switch that does not answer the question says nothing: it is unknown whether a commit waits, and the commit that it
// was asked with is cancelled, because it may begin later.
func TestCommitWaitsIsNotAnswered(t *testing.T) {
	l := newLab(t, chip(20000))
	l.on(gpb.GNMI_Set_FullMethodName, func(context.Context, any, *grpc.UnaryServerInfo, grpc.UnaryHandler) (any, error) {
		return nil, status.Error(codes.DeadlineExceeded, "another Set is under way")
	})
	err := l.with(t, gnmi.Options{Rollback: time.Minute}).CommitWaits(t.Context())
	require.ErrorIs(t, err, backend.ErrUnanswered)
	require.NotErrorIs(t, err, backend.ErrCommitWaits)
	require.ErrorContains(t, err, "whether a commit waits is unknown: ")
	require.Equal(t, 2, l.sets(), "the question, and its cancellation")
}

// known is what a client knows of the commits of its switch.
func known(c *gnmi.Client) string {
	_, known := c.Commits()
	return known
}
