package server

import (
	"context"
	"errors"
	"reflect"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
)

// translation is what the device makes of a configuration.
type translation struct {
	config *oc.Root
	names  clientNames
	// device is what the device acts on, in its own names: a copy, or the
	// configuration itself if that is all of it.
	device  *oc.Root
	want    buffer.Layout
	ignored []ignoredConfig // what it does not act on, if the switch is lenient
}

// translateToDevice finds out what the device makes of a configuration that is valid. What
// it cannot act on is refused, or set aside if the switch is lenient.
func (s *Server) translateToDevice(tree *oc.Root) (*translation, error) {
	r := &translation{config: tree, device: tree}
	for _, attempt := range []func() (codes.Code, error){r.useDeviceNames, func() (codes.Code, error) { return r.decodeRegisters(s) }} {
		for {
			code, err := attempt()
			if err == nil {
				break
			}
			if !s.opt.Lenient {
				return nil, complaintsError(code, r.inClientNames(err))
			}
			if done, failure := r.ignore(err); failure != nil {
				return nil, failure
			} else if !done {
				return nil, complaintsError(code, r.inClientNames(err))
			}
		}
	}
	return r, nil
}

// useDeviceNames puts the device's names into what it is to act on.
func (r *translation) useDeviceNames() (codes.Code, error) {
	names, err := readClientNames(r.device)
	if err != nil {
		r.names = clientNames{}
		return codes.InvalidArgument, err
	}
	r.names = names
	if r.names.sameAsDevice() {
		return codes.OK, nil
	}
	if err := r.copyConfig(); err != nil {
		return codes.Internal, err
	}
	return codes.InvalidArgument, r.names.renameTree(reflect.ValueOf(r.device), root)
}

// decodeRegisters says in registers what the device is to act on.
func (r *translation) decodeRegisters(s *Server) (_ codes.Code, err error) {
	if err := checkUnsupported(r.device); err != nil {
		return codes.Unimplemented, err
	}
	r.want, err = qos.Decode(r.device, s.cell)
	return codes.InvalidArgument, err
}

// copyConfig keeps the configuration from what is done to that which is acted on.
func (r *translation) copyConfig() (err error) {
	if r.device == r.config {
		r.device, err = copyTree(r.config)
	}
	return err
}

// inClientNames is an error in the names of the client.
func (r *translation) inClientNames(err error) error {
	var bad *buffer.InvalidError
	if r.names.sameAsDevice() || !errors.As(err, &bad) {
		return err
	}
	out := &buffer.InvalidError{}
	for _, c := range bad.Complaints {
		c.Path = r.names.inverse().renamePath(c.Path)
		out.Complaints = append(out.Complaints, c)
	}
	return out
}

// addState writes into the state containers of a copy of the configuration what the
// device holds and counts.
func (s *Server) addState(ctx context.Context, tree *oc.Root) error {
	have, err := s.device.Observe(ctx)
	if err != nil {
		return status.Errorf(codes.Unavailable, "reading %s: %v", s.device.Name(), err)
	}
	mirrorConfig(tree)
	r := s.translation
	if r.device == r.config {
		addMeasured(tree, have, s.cell)
		return s.addCounters(ctx, tree)
	}
	acted, err := copyTree(r.device)
	if err != nil {
		return err
	}
	mirrorConfig(acted)
	addMeasured(acted, have, s.cell)
	if err := s.addCounters(ctx, acted); err != nil {
		return err
	}
	r.names.inverse().copyState(reflect.ValueOf(tree), reflect.ValueOf(acted), root)
	return nil
}
