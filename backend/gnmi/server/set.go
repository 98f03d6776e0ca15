package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"github.com/openconfig/ygot/ygot"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
	"github.com/cellwarden/cellwarden/buffer"
)

// Set makes deletions, then replacements, then updates, on a copy; the copy
// becomes the configuration if the device takes it. Any error means that
// nothing has changed, but for INTERNAL and UNKNOWN, which say how the device
// was left. Once it has begun, a Set is finished even if nobody waits for it
// any more: half of a transaction would be worse.
func (s *Server) Set(ctx context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error) {
	answer, err := s.set(ctx, req)
	level, code := slog.LevelInfo, status.Code(err)
	if err != nil {
		level = slog.LevelWarn
	}
	s.opt.Log.Log(ctx, level, "Set", "code", code.String(), "message", status.Convert(err).Message(),
		"deletes", len(req.GetDelete()), "replaces", len(req.GetReplace()), "updates", len(req.GetUpdate()))
	return answer, err
}

func (s *Server) set(ctx context.Context, req *gpb.SetRequest) (*gpb.SetResponse, error) {
	if err := s.allow(ctx, ReadWrite); err != nil {
		return nil, err
	}
	ext, err := commitExtension(req.GetExtension())
	switch {
	case err != nil:
		return nil, err
	case len(req.GetUnionReplace()) > 0:
		return nil, status.Error(codes.Unimplemented, "union_replace: this switch knows delete, replace and update")
	}
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.unlock()
	if _, begins := ext.GetAction().(*gnmi_ext.Commit_Commit); ext != nil && !begins {
		return s.settlePending(ctx, req, ext)
	}
	return s.changeConfig(ctx, req, ext)
}

// changeConfig makes the operations, and has them wait for a confirmation if there is
// a commit extension.
func (s *Server) changeConfig(ctx context.Context, req *gpb.SetRequest, ext *gnmi_ext.Commit) (*gpb.SetResponse, error) {
	if err := s.refuseWhilePending(); err != nil {
		return nil, err
	}
	wait := defaultRollback
	if d := ext.GetCommit().GetRollbackDuration(); d != nil {
		var err error
		if wait, err = rollbackDuration(d); err != nil {
			return nil, err
		}
	}
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	before := s.config
	results, err := s.applyOperations(ctx, req)
	if err != nil {
		return nil, err
	}
	if ext != nil {
		s.awaitConfirmation(ext.GetId(), before, wait)
	}
	s.watchers.wake()
	return &gpb.SetResponse{Prefix: answerPrefix(req.GetPrefix()), Response: results, Timestamp: s.stamp()}, nil
}

// applyOperations makes the operations on a copy of the configuration, has the device
// hold it, and lets the copy be the configuration.
func (s *Server) applyOperations(ctx context.Context, req *gpb.SetRequest) ([]*gpb.UpdateResult, error) {
	tree, err := copyTree(s.config)
	if err != nil {
		return nil, err
	}
	req, unknown := s.dropUnknownNodes(req)
	results, err := editTree(tree, req)
	if err != nil {
		return nil, err
	}
	r, err := s.translate(tree)
	if err != nil {
		return nil, err
	}
	if err := s.converge(context.WithoutCancel(ctx), r); err != nil {
		return nil, err
	}
	r.ignored = append(r.ignored, unknown...)
	s.logIgnored(r)
	s.config, s.translation = tree, r
	return results, nil
}

// translate checks a configuration and says it in registers.
func (s *Server) translate(tree *oc.Root) (*translation, error) {
	ygot.PruneEmptyBranches(tree)
	if hasState(tree) {
		return nil, violationsError(codes.InvalidArgument, stateLeaves(tree))
	}
	unpointed, err := s.checkConfig(tree)
	if err != nil {
		return nil, err
	}
	r, err := s.translateToDevice(tree)
	if err != nil {
		return nil, err
	}
	r.ignored = append(r.ignored, unpointed...)
	return r, nil
}

// validateTree checks types and references, except that interface-ref may name a port
// that /interfaces does not list: ports are there without being configured.
func validateTree(tree *oc.Root) error {
	tree, err := copyTree(tree)
	if err != nil {
		return err
	}
	removeContainers(tree, "InterfaceRef")
	err = tree.Validate()
	if err == nil {
		return nil
	}
	if bad := invalidLeaves(tree); len(bad) > 0 {
		return violationsError(codes.InvalidArgument, bad)
	}
	return status.Error(codes.InvalidArgument, err.Error())
}

// converge makes the device hold the registers that a configuration asks for, all of
// them or none.
func (s *Server) converge(ctx context.Context, r *translation) error {
	caps, err := s.device.Capabilities(ctx)
	if err != nil {
		return status.Error(codes.Unavailable, err.Error())
	}
	for _, w := range r.want {
		if !caps.Can(w.Kind) {
			text := fmt.Sprintf("%s cannot hold %v: %s", s.device.Name(), w.Register, caps.Missing[w.Kind])
			return refusalError(codes.Unimplemented, text, s.requestedBy(r, []buffer.Register{w.Register}))
		}
	}
	report, err := backend.Converge(ctx, s.device, r.want, backend.Options{Prune: true})
	if err != nil {
		code, text := refusalStatus(report.State, err)
		return refusalError(code, text, s.requestedBy(r, refusedRegisters(report, err)))
	}
	return nil
}

// refusalStatus puts into gRPC's words why a device does not hold what was asked.
func refusalStatus(left backend.State, err error) (codes.Code, string) {
	var shortage *buffer.Refusal
	switch {
	case left == backend.Partial:
		return codes.Internal, err.Error()
	case left == backend.Unknown:
		return codes.Unknown, err.Error()
	case errors.As(err, &shortage):
		return codes.ResourceExhausted, shortage.Error()
	case errors.Is(err, buffer.ErrNoFit):
		return codes.ResourceExhausted, err.Error()
	case errors.Is(err, buffer.ErrInvalid):
		return codes.InvalidArgument, err.Error()
	case errors.Is(err, backend.ErrRefused):
		return codes.FailedPrecondition, err.Error()
	default:
		return codes.Aborted, err.Error()
	}
}
