package server

import (
	"context"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/internal/oc"
)

// Capabilities answers the models and the encodings of this switch. Clients choose their
// profile of the switch by the names of the models.
func (s *Server) Capabilities(ctx context.Context, req *gpb.CapabilityRequest) (*gpb.CapabilityResponse, error) {
	if err := s.access.allow(ctx, false); err != nil {
		return nil, bounded(err)
	}
	if err := noExtensions(req.GetExtension()); err != nil {
		return nil, bounded(err)
	}
	// The version is the one of the gNMI specification that this switch implements.
	return &gpb.CapabilityResponse{SupportedModels: slices.Concat(oc.ΓModelData, s.opt.Models), GNMIVersion: "0.10.0",
		SupportedEncodings: slices.Clone(encodings)}, nil
}
