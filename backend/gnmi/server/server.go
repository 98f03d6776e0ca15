// Package server serves any device of cellwarden as a gNMI switch. A
// controller that was written for switches can be tried against the simulated
// ASIC, which refuses what does not fit as a switch does.
//
// The switch speaks OpenConfig: /qos as package oc has it, and /interfaces,
// which it stores and does nothing with. Set is one transaction. It edits a
// copy of the configuration, checks types and references, translates it to
// registers (package gnmi says how), and has [backend.Converge] bring them to
// the device. Only when the device reads back as asked does the copy become
// the configuration. A plan that does not fit is answered RESOURCE_EXHAUSTED
// with the text of the refusal: "ingress buffer allocation failed for
// interface Ethernet1/8".
//
// The configuration rules: it is made from the device's registers at the first
// request, and a register that is changed behind the server's back later shows
// in the state containers and is put right by the next Set. Registers that
// OpenConfig has no words for, such as headroom, are left alone.
//
// A queue is the one of its queue-id, or else the one that it is named after, 0
// to 7. An interface is the port of its interface-ref, or else of its name.
// State and counters come back under the names that the client gave.
//
// A Set may carry the commit extension: it is then undone unless it is
// confirmed in time. Subscribe knows ONCE, POLL and STREAM. A subscriber that
// does not take what it asked for is cut off, and holds up nobody else.
//
// A Set that is refused names the paths that ask for what cannot be had, in the
// text of its error and as the field violations of a google.rpc.BadRequest in its
// details. Counters are those of [Options.Counters]; package traffic has them of a
// simulation.
//
// What this switch cannot do is answered UNIMPLEMENTED, never taken in silence:
// union_replace, extensions other than commit, use_models, egress buffer
// profiles, dropping by WRED, encodings other than JSON, JSON_IETF and PROTO.
// DSCP marking of answers is the one wish that is passed over. With
// [Options.Lenient] configuration that has no registers is stored instead, and
// each such path is a warning in the log.
package server

import (
	"context"
	"fmt"
	"maps"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
)

// Server is a gNMI switch in front of a device. It is safe for concurrent use;
// the device need not be, and must not be written by others meanwhile.
type Server struct {
	gpb.UnimplementedGNMIServer

	device   device
	cell     cells.Size
	opt      Options
	streams  chan struct{} // a place for each Subscribe that is open
	watchers watchers

	deviceLock  chan struct{} // of one place: who has it may use all below, and the device
	config      *oc.Root      // config containers only; nil: not yet made of the registers
	translation *translation  // what the device makes of it
	pending     *pendingSet   // the Set that waits to be confirmed, or nil
	cached      *cachedLeaves // what was last told on change, or nil
}

var _ gpb.GNMIServer = (*Server)(nil)

// New serves a device whose chip has cells of this many bytes, 1 to 1048576,
// to everybody who reaches it.
func New(b backend.Backend, cell cells.Size) (*Server, error) { return NewWith(b, cell, Options{}) }

// NewWith is New with options: users, limits, counters, a clock.
func NewWith(b backend.Backend, cell cells.Size, opt Options) (*Server, error) {
	if err := qos.ValidateCell(cell); err != nil {
		return nil, err
	}
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	opt = opt.withDefaults()
	return &Server{device: device{b}, cell: cell, opt: opt,
		streams: make(chan struct{}, opt.MaxStreams), deviceLock: make(chan struct{}, 1)}, nil
}

// Register adds the switch to a gRPC server, with the reflection that the gNMI
// specification asks for. TLS is the gRPC server's, and so are the bounds of
// [Options.ServerOptions]. Reflection tells everybody what gNMI is, and
// nothing of the switch.
func (s *Server) Register(g *grpc.Server) {
	gpb.RegisterGNMIServer(g, s)
	reflection.Register(g)
}

// Changed tells subscribers to look: registers or counters have changed
// otherwise than by Set. It does not wait for them.
func (s *Server) Changed() { s.watchers.wake() }

// Do calls f while no Set, Get, sample or rollback is at work: for what changes
// the device or its counters otherwise than by Set, such as packets. Whoever else
// waits for the device gets a turn between two calls. Subscribers learn of it
// from [Server.Changed]. The error is the context's, and then f was not called.
func (s *Server) Do(ctx context.Context, f func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.lock(ctx); err != nil {
		return ctx.Err()
	}
	defer s.unlock()
	f()
	return nil
}

// encodings are those that are read in Set and written in answers.
var encodings = []gpb.Encoding{gpb.Encoding_JSON, gpb.Encoding_JSON_IETF, gpb.Encoding_PROTO}

// Capabilities lists the models and the encodings.
func (s *Server) Capabilities(ctx context.Context, req *gpb.CapabilityRequest) (*gpb.CapabilityResponse, error) {
	if err := s.allow(ctx, ReadOnly); err != nil {
		return nil, err
	}
	if err := noExtensions(req.GetExtension()); err != nil {
		return nil, err
	}
	return &gpb.CapabilityResponse{SupportedModels: slices.Concat(oc.ΓModelData, s.opt.Models), GNMIVersion: "0.10.0",
		SupportedEncodings: slices.Clone(encodings)}, nil
}

// lock waits for its turn, or until the caller no longer does.
func (s *Server) lock(ctx context.Context) error {
	select {
	case s.deviceLock <- struct{}{}:
		return nil
	case <-ctx.Done():
		return status.FromContextError(ctx.Err()).Err()
	}
}

func (s *Server) unlock() { <-s.deviceLock }

// load makes the configuration of the registers, once.
func (s *Server) load(ctx context.Context) error {
	if s.config != nil {
		return nil
	}
	have, err := s.device.Observe(ctx)
	if err != nil {
		return status.Errorf(codes.Unavailable, "reading %s: %v", s.device.Name(), err)
	}
	config, err := qos.Encode(have, s.cell)
	if err != nil {
		return status.Errorf(codes.FailedPrecondition, "%s: %v", s.device.Name(), err)
	}
	s.config, s.translation = config, &translation{config: config, device: config}
	return nil
}

// device is a device of which only the registers are seen that OpenConfig has
// words for: the others are nobody's business here.
type device struct{ backend.Backend }

// Capabilities adds what OpenConfig cannot say to what the device cannot hold.
func (d device) Capabilities(ctx context.Context) (backend.Capabilities, error) {
	caps, err := d.Backend.Capabilities(ctx)
	if err != nil {
		return caps, fmt.Errorf("asking %s what it can hold: %w", d.Name(), err)
	}
	all := qos.Missing()
	maps.Copy(all, caps.Missing)
	caps.Missing = all
	return caps, nil
}

// Observe leaves out what OpenConfig cannot say.
func (d device) Observe(ctx context.Context) (buffer.Layout, error) {
	all, err := d.Backend.Observe(ctx)
	return all.Only(func(r buffer.Register) bool { return qos.Expressible(r.Kind) }), err
}

// stamp is the time of an answer.
func (s *Server) stamp() int64 { return s.opt.Clock.Now().UnixNano() }
