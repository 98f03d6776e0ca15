package server

import (
	"context"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/internal/oc"
)

// With the commit extension a Set takes effect at once, and has to be confirmed in time:
//
// 	Set with commit   -> applied, and pending
// 	confirm           -> permanent
// 	cancel            -> the configuration from before is applied again
// 	no confirmation   -> the same, by a timer

// retryRollback is the time after which a rollback that failed is tried again. It is tried for as long as the process
// runs: the client was promised the configuration from before.
const retryRollback = 10 * time.Second

// setCommitTimer sets the time to confirm, counted from now.
func (s *Server) setCommitTimer(wait time.Duration) {
	c := s.pending
	if c.timer != nil {
		c.timer.Stop()
	}
	// Stop does not wait for a timer that has fired already: round tells it apart.
	c.round++
	round := c.round
	c.deadline = s.opt.Clock.Now().Add(wait)
	c.timer = s.opt.Clock.AfterFunc(wait, func() { s.commitTimedOut(c, round) })
}

// endPending confirms or cancels the pending Set, or changes its time to confirm. An id that is not the pending one is
// INVALID_ARGUMENT, and FAILED_PRECONDITION says that no Set waits. A client may take the first answer for a proof that
// the switch implements the extension. Confirm makes the Set permanent. Cancel returns after the device has the old
// configuration, and reports its refusal.
func (s *Server) endPending(ctx context.Context, req *gpb.SetRequest,
	ext *gnmi_ext.Commit) (*gpb.SetResponse, error) {
	c := s.pending
	_, cancels := ext.GetAction().(*gnmi_ext.Commit_Cancel)
	switch {
	case len(req.GetDelete())+len(req.GetReplace())+len(req.GetUpdate()) > 0:
		return nil, status.Error(codes.InvalidArgument,
			"operations beside a confirm, cancel or set_rollback_duration: want none, for a commit cannot be amended")
	case c == nil:
		return nil, status.Error(codes.FailedPrecondition,
			"no commit waits: it was confirmed or cancelled, or its time ran out and it was rolled back")
	case ext.GetId() != c.id:
		return nil, status.Errorf(codes.InvalidArgument, "commit id %q: another commit waits", ext.GetId())
	case c.expired && !cancels: // too late to confirm; a cancel asks for what happens anyway
		return nil, status.Error(codes.FailedPrecondition, "the time of this commit ran out; it is being rolled back")
	}
	switch ext.GetAction().(type) {
	case *gnmi_ext.Commit_Confirm:
		c.timer.Stop()
		s.pending = nil
	case *gnmi_ext.Commit_Cancel:
		if err := s.rollBack(context.WithoutCancel(ctx)); err != nil {
			return nil, err
		}
	case *gnmi_ext.Commit_SetRollbackDuration:
		wait, err := rollbackDuration(ext.GetSetRollbackDuration().GetRollbackDuration())
		if err != nil {
			return nil, err
		}
		s.setCommitTimer(wait)
	}
	return &gpb.SetResponse{Prefix: req.GetPrefix(), Timestamp: s.stamp()}, nil
}

// commitTimedOut rolls back a Set that was not confirmed in time. If the device refuses,
// it is tried again later.
func (s *Server) commitTimedOut(c *pendingSet, round int) {
	// The rollback has no client whose context could end: it waits as long as it takes.
	s.setLock <- struct{}{}
	defer unlock(s.setLock)
	if s.pending != c || c.round != round {
		return
	}
	err := s.rollBack(context.Background())
	if err == nil {
		s.opt.Log.Warn("commit not confirmed in time, rolled back", "commit", c.id)
		return
	}
	s.opt.Log.Error("commit not confirmed in time, and not rolled back",
		"commit", c.id, "error", err, "again_in", retryRollback)
	c.expired = true
	s.setCommitTimer(retryRollback)
}

// rollBack applies the configuration from before the pending Set.
func (s *Server) rollBack(ctx context.Context) error {
	// Only the configuration was kept: it is translated again. Translating may remove empty
	// containers, and a reader may still have the kept tree.
	before, err := copyTree(s.pending.before)
	if err != nil {
		return err
	}
	if err := s.bring(ctx, before, nil); err != nil {
		return err
	}
	s.pending.timer.Stop()
	s.pending = nil
	// Subscribers see the old values return as any other change.
	s.watchers.wake()
	return nil
}

// pendingSet is a Set with the commit extension that waits for its confirmation
// (gnmi-commit-confirmed.md). Every other Set is refused meanwhile. If it is not
// confirmed in time, the configuration from before is applied again. It exists in this
// process only: if the process ends meanwhile, nothing is undone.
type pendingSet struct {
	id       string
	before   *oc.Root // the configuration to return to
	deadline time.Time
	timer    Timer
	round    int  // how often the timer was set; an older timer that fires late is ignored
	expired  bool // the time ran out, and the device refused the rollback
}
