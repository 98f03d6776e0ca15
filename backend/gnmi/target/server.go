// Package target serves any device of cellwarden as a gNMI switch. A
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
// What this switch cannot do is answered UNIMPLEMENTED, never taken in silence:
// union_replace, extensions such as commit-confirmed, egress buffer profiles,
// dropping by WRED, subscriptions that last, encodings other than JSON.
package target

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
)

// Server is a gNMI switch in front of a device. It is safe for concurrent use;
// the device need not be, and must not be written by others meanwhile.
type Server struct {
	gpb.UnimplementedGNMIServer

	device device
	cell   cells.Size

	mu     sync.Mutex // of all below, and of the device
	config *oc.Root   // config containers only; nil: not yet made of the registers
}

var _ gpb.GNMIServer = (*Server)(nil)

// New serves a device whose chip has cells of this many bytes, 1 to 1048576.
func New(b backend.Backend, cell cells.Size) (*Server, error) {
	if err := (gnmi.Options{Cell: cell}).Validate(); err != nil {
		return nil, err
	}
	return &Server{device: device{b}, cell: cell}, nil
}

// Register adds the switch to a gRPC server, with the reflection that the gNMI
// specification asks for. TLS and passwords are the gRPC server's.
func (s *Server) Register(g *grpc.Server) {
	gpb.RegisterGNMIServer(g, s)
	reflection.Register(g)
}

// Capabilities lists the models and the encodings.
func (s *Server) Capabilities(_ context.Context, req *gpb.CapabilityRequest) (*gpb.CapabilityResponse, error) {
	if n := len(req.GetExtension()); n > 0 {
		return nil, noExtensions(n)
	}
	return &gpb.CapabilityResponse{SupportedModels: oc.ΓModelData, GNMIVersion: "0.10.0",
		SupportedEncodings: []gpb.Encoding{gpb.Encoding_JSON, gpb.Encoding_JSON_IETF}}, nil
}

// noExtensions refuses extensions. A switch that ignores them promises a
// rollback, or a depth, that it does not keep.
func noExtensions(n int) error {
	return status.Errorf(codes.Unimplemented, "%d extensions: this switch knows none, commit-confirmed included", n)
}

// load makes the configuration of the registers, once.
func (s *Server) load(ctx context.Context) error {
	if s.config != nil {
		return nil
	}
	have, err := s.device.Observe(ctx)
	if err != nil {
		return status.Errorf(codes.Unavailable, "reading %s: %v", s.device.Name(), err)
	}
	config, err := gnmi.Encode(have, s.cell)
	if err != nil {
		return status.Errorf(codes.FailedPrecondition, "%s: %v", s.device.Name(), err)
	}
	s.config = config
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
	all := gnmi.Missing()
	maps.Copy(all, caps.Missing)
	caps.Missing = all
	return caps, nil
}

// Observe leaves out what OpenConfig cannot say.
func (d device) Observe(ctx context.Context) (buffer.Layout, error) {
	all, err := d.Backend.Observe(ctx)
	return all.Only(func(r buffer.Register) bool { return gnmi.Carries(r.Kind) }), err
}

// stamp is the time of an answer.
func stamp() int64 { return time.Now().UnixNano() }
