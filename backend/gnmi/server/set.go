package server

import (
	"context"
	"log/slog"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Set makes deletions, then replacements, then updates, on a copy of the configuration.
// The copy becomes the configuration if the device accepts it. After any error but
// INTERNAL and UNKNOWN nothing has changed; those two say in which state the device is. A
// Set that has begun to change the device is finished even if the client has gone: half
// a transaction would be worse.
func (s *Server) Set(ctx context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error) {
	answer, err := s.set(ctx, req)
	err = bounded(err)
	// The log has the kinds and numbers of operations, never their values.
	level, code := slog.LevelInfo, status.Code(err)
	if err != nil {
		level = slog.LevelWarn
	}
	s.opt.Log.Log(ctx, level, "Set", "code", code.String(), "message", status.Convert(err).Message(),
		"deletes", len(req.GetDelete()), "replaces", len(req.GetReplace()), "updates", len(req.GetUpdate()))
	return answer, err
}

// set is Set without its line in the log. The order of the checks is that of their cost, and of what they tell about
// the switch: a sender who is no user learns nothing, not even which extensions the switch has.
func (s *Server) set(ctx context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error) {
	if err := s.allow(ctx, true); err != nil {
		return nil, err
	}
	ext, err := setExtensions(req.GetExtension())
	switch {
	case err != nil:
		return nil, err
	case len(req.GetUnionReplace()) > 0:
		return nil, status.Error(codes.Unimplemented, "union_replace: this switch knows delete, replace and update")
	}
	// The answer repeats the prefix, also of a Set without operations.
	if n, err := findNode(req.GetPrefix(), nil); err != nil {
		return nil, setError(n, err)
	}
	if err := lock(ctx, s.setLock); err != nil {
		return nil, err
	}
	defer unlock(s.setLock)
	// The ids of clients are compared under the lock: between two Sets another client may become the master.
	if err := s.arbitrate(ext.arbitration); err != nil {
		return nil, err
	}
	// A Set that confirms or cancels has no operations: it ends the one that waits.
	if _, begins := ext.commit.GetAction().(*gnmi_ext.Commit_Commit); ext.commit != nil && !begins {
		return s.endPending(ctx, req, ext.commit)
	}
	return s.changeConfig(ctx, req, ext.commit)
}

// changeConfig makes the operations of a Set. With the commit extension they then wait for a confirmation. The time
// that the client gives is read before anything is changed, so that a Set with a wrong time changes nothing. The
// subscribers are woken after the configuration is in place, and read it themselves.
func (s *Server) changeConfig(ctx context.Context, req *gpb.SetRequest,
	ext *gnmi_ext.Commit) (*gpb.SetResponse, error) {
	if s.pending != nil {
		return nil, status.Errorf(codes.FailedPrecondition,
			"a commit waits to be confirmed until %s: want its confirm, cancel or set_rollback_duration",
			s.pending.deadline.UTC().Format(time.RFC3339))
	}
	wait := defaultRollback
	if d := ext.GetCommit().GetRollbackDuration(); d != nil {
		var err error
		if wait, err = rollbackDuration(d); err != nil {
			return nil, err
		}
	}
	if err := lock(ctx, s.deviceLock); err != nil {
		return nil, err
	}
	err := s.load(ctx)
	unlock(s.deviceLock)
	if err != nil {
		return nil, err
	}
	// The tree is not changed any more once it is the configuration: a pointer is enough to keep it.
	before := s.translation.config // what a rollback restores
	results, err := s.applyOperations(ctx, req)
	if err != nil {
		return nil, err
	}
	if ext != nil {
		s.pending = &pendingSet{id: ext.GetId(), before: before} // the confirmation repeats the client's id
		s.setCommitTimer(wait)
	}
	s.watchers.wake()
	// The paths of the results are those of the request, and so is the prefix (gNMI 3.4.2).
	return &gpb.SetResponse{Prefix: req.GetPrefix(), Response: results, Timestamp: s.stamp()}, nil
}
