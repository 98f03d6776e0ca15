package server

import (
	"context"
	"reflect"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
)

// What Get and Subscribe show is made anew from the configuration, the registers of the
// device, and the counters. Nothing of it is stored, except the leaves for the subscribers of
// one change.

// tree returns a copy of the configuration, with the state or without.
func (s *Server) tree(ctx context.Context, kind gpb.GetRequest_DataType) (*oc.Root, error) {
	if gpb.GetRequest_DataType_name[int32(kind)] == "" {
		return nil, status.Errorf(codes.InvalidArgument, "type %d: accepted: ALL, CONFIG, STATE, OPERATIONAL", kind)
	}
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.unlock()
	return s.treeLocked(ctx, kind)
}

// treeLocked is tree for a caller that has the device lock.
func (s *Server) treeLocked(ctx context.Context, kind gpb.GetRequest_DataType) (*oc.Root, error) {
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	tree, err := copyTree(s.config)
	if err != nil || kind == gpb.GetRequest_CONFIG {
		return tree, err
	}
	if err := s.addState(ctx, tree); err != nil {
		return nil, err
	}
	switch kind {
	case gpb.GetRequest_STATE: // also the state that repeats config
		removeContainers(tree, "Config")
	case gpb.GetRequest_OPERATIONAL: // state that is not configured
		keepLeaves(tree, isOperational)
	}
	return tree, nil
}

// addState fills in the state containers of a copy of the configuration: what is
// configured, and instead of that what the device holds and counts.
func (s *Server) addState(ctx context.Context, tree *oc.Root) error {
	have, err := s.device.Observe(ctx)
	if err != nil {
		return status.Errorf(codes.Unavailable, "reading %s: %v", s.device.Name(), err)
	}
	mirrorConfig(tree)
	r := s.translation
	// Without other names or ignored configuration both trees are the same.
	if r.device == r.config {
		addMeasured(tree, have, s.cell)
		return s.addCounters(ctx, tree)
	}
	// Otherwise the state is made in a tree with the device's names, and copied from there.
	device, err := copyTree(r.device)
	if err != nil {
		return err
	}
	mirrorConfig(device)
	addMeasured(device, have, s.cell)
	if err := s.addCounters(ctx, device); err != nil {
		return err
	}
	r.names.inverse().copyState(reflect.ValueOf(tree), reflect.ValueOf(device), root)
	return nil
}

// leavesSinceChange returns the present leaves. The switch is read once after a change,
// however many subscribers ask.
func (s *Server) leavesSinceChange(ctx context.Context) ([]leaf, error) {
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.unlock()
	// The number is read before the switch: a change during the read makes the next call
	// read again.
	count := s.watchers.changes()
	if s.cached != nil && s.cached.count == count {
		return s.cached.all, nil
	}
	tree, err := s.treeLocked(ctx, gpb.GetRequest_ALL)
	if err != nil {
		return nil, err
	}
	s.cached = &cachedLeaves{count, leavesOf(tree, &gpb.Path{})}
	return s.cached.all, nil
}

// addCounters adds what Options.Counters has counted.
func (s *Server) addCounters(ctx context.Context, tree *oc.Root) error {
	if s.opt.Counters == nil {
		return nil
	}
	counts, err := s.opt.Counters.Count(ctx)
	if err != nil {
		return status.Errorf(codes.Unavailable, "reading the counters of %s: %v", s.device.Name(), err)
	}
	addCounters(tree, counts, s.cell)
	return nil
}
