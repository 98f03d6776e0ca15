// Package server serves any backend as a gNMI switch, such as the simulated ASIC. A
// controller that was written for switches can be tried against it: what does not fit
// is refused, as a switch refuses it.
//
// # Where to look
//
//	Capabilities   capabilities.go
//	Get            get.go, paths.go, state.go, counters.go
//	Set            set.go, set_edit.go, set_json.go, check_config.go, translation.go
//	paths          paths.go, capabilities.go, defaults.go
//	extensions     extensions.go, commit_confirmed.go
//	errors         violations.go
//	Subscribe      subscribe.go, subscriber.go, watchers.go, leaf_set.go
//	users          access.go
//	leniency       lenient.go, unsupported.go
//
// # Configuration
//
// The switch has the models /qos, as package oc has it, and /interfaces, which is stored
// and has no effect. A Set is one transaction. It edits a copy of the configuration,
// checks types and references, translates the copy to registers (package qos), and has
// [backend.Converge] bring the registers to the device. Only when the device reads back
// as wanted does the copy become the configuration. A plan that does not fit is answered
// RESOURCE_EXHAUSTED with the text of the refusal: "ingress buffer allocation failed for
// interface Ethernet1/8".
//
// The configuration is made from the device's registers at the first request, and is the
// truth from then on. A register that another program changes later shows in the state
// containers, and the next Set corrects it. Registers without a leaf in OpenConfig, such
// as headroom, are not touched.
//
// The number of a queue is its queue-id, or else the digit that is its name, 0 to 7, or else
// the one of [Options.QueueNames]. The
// port of an interface is the one of its interface-ref, or else the one with its name.
// State and counters appear under the names that the client gave.
//
// # One Set, step by step
//
// Set checks the user and the extensions, and takes setLock: one Set is made at a time. While a commit waits to be
// confirmed, every other Set is refused (FAILED_PRECONDITION, gnmi-commit-confirmed.md 3.2.1).
//
// The operations edit a copy of the configuration in the order of the gNMI specification, 3.4.3: deletions,
// replacements, updates. A JSON value is decoded with the path of each of its leaves, so that an error names the path
// in the client's own words. The whole copy is then checked: references, values that exclude each other, and paths that
// have no register. All mistakes are reported at once.
//
// The names of queues and ports that the client has chosen are translated to those of the device, and the copy becomes
// a layout of registers. deviceLock is held only while the device is read or written, so that a Get does not wait for
// the checks. The device takes the steps, and is read back. If it refuses them, the registers that do not fit are
// looked up in the request, and the error names their paths.
//
// After that the subscribers are told. They share one reading of the switch, however many they are, and its leaves: a
// stream has the memory of the notification that it is about to send. A sample may be of a reading that is up to a
// tenth of its interval old, and at most a second.
//
// # Bounds
//
// A request has at most MaxMessage bytes, and a switch at most MaxStreams subscriptions and MaxConnections connections:
// see [Options], which has the defaults and their units. A text of an answer has at most 4 KiB, because it travels in
// the trailer of HTTP/2, and some clients accept no more than 8 KiB of it.
//
// # Other features
//
// A Set may carry the commit extension: it is undone unless it is confirmed in time.
// With master_arbitration only the client with the highest election id may Set.
// Subscribe has the modes ONCE, POLL and STREAM. A subscriber that does not accept its
// messages is cut off, and delays no other.
//
// A Set that is refused names the paths that ask for what cannot be had, in the text of
// its error and as field violations of a google.rpc.BadRequest in its details. Counters
// come from [Options.Counters]; package traffic has those of a simulation.
//
// What this switch does not implement is answered UNIMPLEMENTED: paths that its models do
// not have (NOT_FOUND in a Set), union_replace, extensions other than commit and
// master_arbitration, use_models, limits of egress queues, dropping by WRED, encodings
// other than JSON, JSON_IETF and PROTO. Only the DSCP marking of answers is
// ignored without an error. With [Options.Lenient] configuration that has no registers is
// stored instead of refused, and each such path is a warning in the log.
package server

import (
	"context"
	"fmt"
	"maps"
	"sync/atomic"

	"github.com/cellwarden/cellwarden/buffer"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/cells"
)

// Server is a gNMI switch in front of a device. It is safe for concurrent use. The
// device need not be, and no other program may write it meanwhile.
type Server struct {
	gpb.UnimplementedGNMIServer

	device   device
	cell     cells.Size
	opt      Options
	streams  chan struct{} // has a place for each Subscribe that may be open
	watchers watchers

	// The locks have one place each. They are channels, because a caller stops waiting when
	// its context ends. They are taken in this order.
	//
	// setLock is for Sets, one after the other, and for rollbacks. A Set that is checked does not
	// hold up what only reads.
	setLock chan struct{}
	pending *pendingSet         // under setLock: the Set that waits to be confirmed; nil: none
	masters map[string]election // under setLock: the highest election id of each role

	// cacheLock is for the leaves that subscribers share.
	cacheLock chan struct{}
	cached    map[gpb.GetRequest_DataType]reading // under cacheLock: what was last read
	readings  atomic.Int64                        // number of readings that have begun

	// deviceLock is for the device, and for writing the field below. Its holder, or the one
	// of setLock, may read it. The trees do not change once they are here.
	deviceLock  chan struct{}
	translation *translation // the configuration, config containers only; nil: not yet made from the registers
}

var _ gpb.GNMIServer = (*Server)(nil)

// New serves a device whose chip has cells of this size, 1 to 1048576 bytes. With the zero Options it serves everyone
// who can connect.
func New(b backend.Backend, cell cells.Size, opt Options) (*Server, error) {
	if err := qos.ValidateCell(cell); err != nil {
		return nil, err
	}
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	opt = opt.withDefaults()
	return &Server{device: device{b}, cell: cell, opt: opt,
		streams: make(chan struct{}, opt.MaxStreams), setLock: make(chan struct{}, 1), masters: map[string]election{},
		cacheLock: make(chan struct{}, 1), cached: map[gpb.GetRequest_DataType]reading{},
		deviceLock: make(chan struct{}, 1)}, nil
}

// Register adds the switch to a gRPC server, with the reflection that the gNMI
// specification asks for. Reflection needs no user: it describes gNMI, and nothing of
// this switch. The gRPC server has the TLS configuration and should have the bounds of
// [Options.ServerOptions].
func (s *Server) Register(g *grpc.Server) {
	gpb.RegisterGNMIServer(g, s)
	reflection.Register(g)
}

// Changed says that registers or counters have changed in another way than by Set.
// Subscribers then get the new values. Changed does not wait for them.
func (s *Server) Changed() { s.watchers.wake() }

// Do calls f while no Set, Get, sample or rollback uses the device: for what changes the
// device or its counters in another way than by Set, such as packets. Between two calls
// others that wait for the device get a turn. [Server.Changed] tells subscribers. The
// error is the context's, and then f was not called.
func (s *Server) Do(ctx context.Context, f func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := lock(ctx, s.deviceLock); err != nil {
		return ctx.Err()
	}
	defer unlock(s.deviceLock)
	f()
	return nil
}

// lock waits for a lock, or until the context ends.
func lock(ctx context.Context, l chan struct{}) error {
	if err := ended(ctx); err != nil { // a lock that is free would be taken at times
		return err
	}
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ended(ctx)
	}
}

// ended returns the error of a context that has ended: for work that takes long and whose client may have gone.
func ended(ctx context.Context) error { return status.FromContextError(ctx.Err()).Err() }

// unlock gives a lock back. A lock is a channel with one place, so that a caller can stop waiting when its context
// ends.
func unlock(l chan struct{}) { <-l }

// load makes the configuration from the registers, at the first request. The caller has the
// device.
func (s *Server) load(ctx context.Context) error {
	if s.translation != nil {
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
	s.translation, err = s.translateToDevice(config)
	return err
}

// stamp is the timestamp of an answer. gNMI counts nanoseconds since 1970, UTC.
func (s *Server) stamp() int64 { return s.opt.Clock.Now().UnixNano() }

// device is a backend without the registers that OpenConfig has no leaf for: a client
// of this switch can neither read nor write them.
type device struct{ backend.Backend }

// Capabilities adds the registers without a leaf to those that the device cannot hold.
func (d device) Capabilities(ctx context.Context) (backend.Capabilities, error) {
	caps, err := d.Backend.Capabilities(ctx)
	if err != nil {
		return caps, fmt.Errorf("reading the capabilities of %s: %w", d.Name(), err)
	}
	all := qos.Missing()
	maps.Copy(all, caps.Missing) // the device's own reason is the better one
	caps.Missing = all
	return caps, nil
}

// Observe leaves out the registers without a leaf.
func (d device) Observe(ctx context.Context) (buffer.Layout, error) {
	all, err := d.Backend.Observe(ctx)
	return all.Only(func(r buffer.Register) bool { return qos.Expressible(r.Kind) }), err
}
