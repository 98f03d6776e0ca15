package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"github.com/openconfig/ygot/ygot"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/oc"
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

// The way of a Set, once its request is accepted:
//
// 	copy of the configuration -> edit -> check types and references -> translate to registers
// 	-> converge the device -> the copy is the configuration
//
// Every step can refuse the Set, and then the copy is dropped.

// applyOperations makes the operations on a copy of the configuration, brings the
// registers of the copy to the device, and makes the copy the configuration.
func (s *Server) applyOperations(ctx context.Context, req *gpb.SetRequest) ([]*gpb.UpdateResult, error) {
	tree, err := copyTree(s.translation.config)
	if err != nil {
		return nil, err
	}
	edit := editor{tree: tree, lenient: s.opt.Lenient}
	results, err := edit.editTree(req)
	if err != nil {
		return nil, err
	}
	before := s.translation
	// What has no effect is both: what was never stored, and what is stored and not acted on.
	if err := s.bring(ctx, tree, edit.unknown); err != nil {
		return nil, err
	}
	s.logIgnored(before)
	return results, nil
}

// bring brings the registers of a tree to the device, and makes the tree the configuration.
func (s *Server) bring(ctx context.Context, tree *oc.Root, ignored []ignoredConfig) error {
	r, err := s.translate(tree)
	if err != nil {
		return err
	}
	r.ignored = append(r.ignored, ignored...)
	if err := lock(ctx, s.deviceLock); err != nil {
		return err
	}
	defer unlock(s.deviceLock)
	// From here on the client's context does not count: the device must not be left with
	// half of a transaction.
	if err := s.converge(context.WithoutCancel(ctx), r); err != nil {
		return err
	}
	s.translation = r
	return nil
}

// translate checks a configuration and translates it to registers.
func (s *Server) translate(tree *oc.Root) (*translation, error) {
	// The edit makes the containers above a path, also those that stay empty.
	ygot.PruneEmptyBranches(tree)
	dangling, err := s.checkConfig(tree)
	if err != nil {
		return nil, err
	}
	r, err := s.translateToDevice(tree)
	if err != nil {
		return nil, err
	}
	r.ignored = append(r.ignored, dangling...)
	return r, nil
}

// converge brings the registers of a configuration to the device, all of them or none. The
// caller has the device.
func (s *Server) converge(ctx context.Context, r *translation) error {
	caps, err := s.device.Capabilities(ctx)
	if err != nil {
		return status.Error(codes.Unavailable, err.Error())
	}
	// Converge would report these registers as gaps and bring the rest. A switch has to
	// refuse the Set instead.
	for _, w := range r.want {
		if !caps.Can(w.Kind) {
			text := fmt.Sprintf("%s cannot hold %v: %s", s.device.Name(), w.Register, caps.Missing[w.Kind])
			return refusalError(codes.Unimplemented, text, s.requestedBy(r, []buffer.Register{w.Register}))
		}
	}
	// The configuration is the whole truth: registers that it does not mention are reset.
	report, err := backend.Converge(ctx, s.device, r.want, backend.Options{Prune: true})
	if err != nil {
		code, text := refusalStatus(report.State, err)
		return refusalError(code, text, s.requestedBy(r, refusedRegisters(report, err)))
	}
	return nil
}

// refusalStatus is the gRPC status for the reason why a device does not hold a
// configuration, given the state in which it was left. The state comes first, because it is what a client must know:
// after INTERNAL the device is changed in part, and after UNKNOWN nobody knows. Every other code says that the device
// has what it had. A shortage is RESOURCE_EXHAUSTED, which a client may send again when ports have less; a value that
// no plan can have is INVALID_ARGUMENT.
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

// A device refuses registers, and a client knows paths. These functions find the paths of a
// Set that ask for the refused registers, so that its error can name them.

// refusedRegisters returns the registers that are the reason why a device does not hold a
// configuration. If the device does not say which ones it refuses, they are all that were
// to change. If the device is broken, no register is the reason, and the error of the Set names no path. The cases go
// from the most exact to the least: one register, those of a shortage, those that were read back with another value.
func refusedRegisters(report *backend.Report, err error) []buffer.Register {
	var one *backend.RegisterError
	var shortage *buffer.Refusal
	switch {
	case errors.As(err, &one):
		return []buffer.Register{one.Register}
	case errors.As(err, &shortage):
		return registersOfShortage(shortage, report.Steps)
	case len(report.Differences) > 0: // it was accepted, and read back otherwise
		return registersOf(report.Differences)
	case errors.Is(err, backend.ErrRefused) || errors.Is(err, buffer.ErrNoFit):
		return registersOf(report.Steps)
	}
	return nil
}

// registersOfShortage returns the registers that need the missing cells: those of the group or queue that the refusal
// names, or else those of the port. Only increases of registers that take cells count: a threshold takes none, and a
// decrease frees some. A port that is refused without any increase of its own gives none, and the error names no
// path.
func registersOfShortage(r *buffer.Refusal, steps []buffer.Step) []buffer.Register {
	ask := func(s buffer.Step) bool { return s.Port == r.Port && s.Kind.Allocates() && s.To > s.From }
	named := func(s buffer.Step) bool { return ask(s) && s.Index == r.Group }
	if !slices.ContainsFunc(steps, named) {
		named = ask
	}
	return registersOf(slices.DeleteFunc(slices.Clone(steps), func(s buffer.Step) bool { return !named(s) }))
}

// registersOf are the registers of some steps.
func registersOf(steps []buffer.Step) []buffer.Register {
	return grouped.Each(steps, func(s buffer.Step) buffer.Register { return s.Register })
}

// requestedBy lists the paths that ask for registers: the leaf of
// a profile, and the binding of the port. A port that the new configuration does not bind
// any more is searched in the present one. If neither configuration asks for a register, the port's interface is
// named: the Set took it away.
func (s *Server) requestedBy(now *translation, registers []buffer.Register) (bad []violation) {
	for _, r := range registers {
		paths := now.registers.PathsOf(r)
		if paths == nil {
			paths = s.translation.registers.PathsOf(r)
		}
		if paths == nil && r.Port != "" {
			keys := map[string]string{"interface-id": s.translation.names.Interface(r.Port)}
			paths = []string{pathText([]*gpb.PathElem{{Name: "qos"}, {Name: "interfaces"}, {Name: "interface", Key: keys}})}
		}
		for _, p := range paths {
			bad = append(bad, violation{path: p})
		}
	}
	return unique(bad)
}
