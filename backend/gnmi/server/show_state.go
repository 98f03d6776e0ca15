package server

import (
	"context"
	"reflect"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/goyang/pkg/yang"
	"github.com/openconfig/ygot/util"
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
	translation *translation  // with the configuration, which is read only
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
	now := snapshot{translation: s.translation}
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
	tree, err := copyTree(now.translation.config)
	if err != nil {
		return nil, err
	}
	addDefaults(reflect.ValueOf(tree), root(), false)
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
		keepLeaves(tree, (*yang.Entry).ReadOnly)
	case gpb.GetRequest_OPERATIONAL: // state that is not configured
		keepLeaves(tree, isOperational)
	}
	return tree, nil
}

// addState fills in the state containers of a copy of the configuration: what is
// configured, and instead of that what the device holds and counts. cell is the size of the chip's cells in bytes, by
// which registers become the bytes of the models.
func (now snapshot) addState(tree *oc.Root, cell cells.Size) error {
	mirrorConfig(reflect.ValueOf(tree))
	r := now.translation
	addCounters(tree, r.names, now.counts, cell)
	if r.device == r.config {
		addMeasured(tree, r.names, now.have, cell)
		return nil
	}
	// What the device does not act on repeats config: the state is made of the rest, and copied from there.
	device, err := copyTree(r.device)
	if err != nil {
		return err
	}
	mirrorConfig(reflect.ValueOf(device))
	addMeasured(device, r.names, now.have, cell)
	copyState(reflect.ValueOf(tree), reflect.ValueOf(device))
	return nil
}

// copyState copies the measured values of a tree into one that has all of it and more: the leaves of state containers
// that differ from config. A leaf that both have with one value is there by mirrorConfig already.
func copyState(onto, from reflect.Value) {
	for field, value := range from.Elem().Fields() {
		to := onto.Elem().FieldByName(field.Name)
		switch {
		case value.IsZero():
		case field.Name == "State":
			copyDifferingLeaves(to, value, from.Elem().FieldByName("Config"))
		case util.IsTypeStructPtr(field.Type):
			copyState(to, value)
		case value.Kind() == reflect.Map:
			for key, item := range value.Seq2() {
				copyState(to.MapIndex(key), item)
			}
		}
	}
}

// copyDifferingLeaves copies the leaves of a state container that differ from the config
// container beside it, and removes those that config alone has.
func copyDifferingLeaves(to, state, config reflect.Value) {
	for field, value := range state.Elem().Fields() {
		asked := reflect.Zero(field.Type)
		if config.IsValid() && !config.IsNil() {
			if same := config.Elem().FieldByName(field.Name); same.IsValid() && same.Type() == field.Type {
				asked = same
			}
		}
		if !reflect.DeepEqual(value.Interface(), asked.Interface()) {
			allocated(to).FieldByName(field.Name).Set(value)
		}
	}
}
