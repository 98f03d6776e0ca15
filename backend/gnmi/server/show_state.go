package server

import (
	"context"
	"reflect"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/oc"
)

// What Get and Subscribe show is made anew from the configuration, the registers of the
// device, and the counters. Nothing of it is stored, except the leaves for the subscribers of
// one change.

// snapshot is what the switch has at one moment: the configuration, the registers and the counters, all read under one
// lock, so that a Set is in all of them or in none.
type snapshot struct {
	config      *oc.Root // it is read only
	translation *translation
	have        buffer.Layout // the registers; only if state was asked for
	counts      Counts        // the counters; only if state was asked for
}

// snapshot reads the switch. Only this needs the device: trees are made without it, so that deviceLock is held for the
// reading alone. The first snapshot also makes the configuration from the registers: see load. A device that cannot be
// read is UNAVAILABLE, after which a client may try again.
func (s *Server) snapshot(ctx context.Context, state bool) (_ snapshot, err error) {
	if err := lock(ctx, s.deviceLock); err != nil {
		return snapshot{}, err
	}
	defer unlock(s.deviceLock)
	if err := s.load(ctx); err != nil {
		return snapshot{}, err
	}
	now := snapshot{config: s.config, translation: s.translation}
	if !state {
		return now, nil
	}
	if now.have, err = s.device.Observe(ctx); err != nil {
		return now, status.Errorf(codes.Unavailable, "reading %s: %v", s.device.Name(), err)
	}
	if s.opt.Counters == nil {
		return now, nil
	}
	if now.counts, err = s.opt.Counters.Count(ctx); err != nil {
		return now, status.Errorf(codes.Unavailable, "reading the counters of %s: %v", s.device.Name(), err)
	}
	return now, nil
}

// tree returns a copy of the configuration, with the state or without, and with the defaults
// that are in use. It is a copy because the caller removes from it what a request does not select, while other requests
// read the configuration.
func (s *Server) tree(ctx context.Context, kind gpb.GetRequest_DataType) (*oc.Root, error) {
	if gpb.GetRequest_DataType_name[int32(kind)] == "" {
		return nil, status.Errorf(codes.InvalidArgument, "type %d: want ALL, CONFIG, STATE, OPERATIONAL", kind)
	}
	now, err := s.snapshot(ctx, kind != gpb.GetRequest_CONFIG)
	if err == nil {
		err = ended(ctx) // the device may have taken long
	}
	if err != nil {
		return nil, err
	}
	tree, err := copyTree(now.config)
	if err != nil {
		return nil, err
	}
	addDefaults(tree)
	if err := ended(ctx); err != nil {
		return nil, err
	}
	if kind == gpb.GetRequest_CONFIG {
		return tree, nil
	}
	if err := now.addState(tree, s.cell); err != nil {
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
// configured, and instead of that what the device holds and counts. cell is the size of the chip's cells in bytes, by
// which registers become the bytes of the models.
func (now snapshot) addState(tree *oc.Root, cell cells.Size) error {
	mirrorConfig(tree)
	r := now.translation
	// Without other names or ignored configuration both trees are the same.
	if r.device == r.config {
		addMeasured(tree, now.have, cell)
		addCounters(tree, now.counts, cell)
		return nil
	}
	// Otherwise the state is made in a tree with the device's names, and copied from there.
	device, err := copyTree(r.device)
	if err != nil {
		return err
	}
	mirrorConfig(device)
	addMeasured(device, now.have, cell)
	addCounters(device, now.counts, cell)
	r.names.inverse().copyState(reflect.ValueOf(tree), reflect.ValueOf(device), root())
	return nil
}
