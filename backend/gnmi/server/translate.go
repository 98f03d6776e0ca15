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

// reading is what the device makes of a configuration.
type reading struct {
	of     *oc.Root
	naming naming
	// acted is what the device acts on, in its own names: a copy, or the
	// configuration itself if that is all of it.
	acted *oc.Root
	want  buffer.Layout
	aside []aside // what it does not act on, if the switch is lenient
}

// read finds out what the device makes of a configuration that is valid. What
// it cannot act on is refused, or set aside if the switch is lenient.
func (s *Server) read(tree *oc.Root) (*reading, error) {
	r := &reading{of: tree, acted: tree}
	for _, attempt := range []func() (codes.Code, error){r.name, func() (codes.Code, error) { return r.decode(s) }} {
		for {
			code, err := attempt()
			if err == nil {
				break
			}
			if !s.opt.Lenient {
				return nil, complained(code, r.told(err))
			}
			if done, failure := r.setAside(err); failure != nil {
				return nil, failure
			} else if !done {
				return nil, complained(code, r.told(err))
			}
		}
	}
	return r, nil
}

// name puts the device's names into what it is to act on.
func (r *reading) name() (codes.Code, error) {
	var bad []buffer.Complaint
	if r.naming, bad = namingOf(r.acted); len(bad) > 0 {
		r.naming = naming{}
		return codes.InvalidArgument, &buffer.InvalidError{Complaints: bad}
	}
	if r.naming.own() {
		return codes.OK, nil
	}
	if err := r.copy(); err != nil {
		return codes.Internal, err
	}
	return codes.InvalidArgument, r.naming.rename(reflect.ValueOf(r.acted), root)
}

// decode says in registers what the device is to act on.
func (r *reading) decode(s *Server) (_ codes.Code, err error) {
	if err := held(r.acted); err != nil {
		return codes.Unimplemented, err
	}
	r.want, err = qos.Decode(r.acted, s.cell)
	return codes.InvalidArgument, err
}

// copy keeps the configuration from what is done to that which is acted on.
func (r *reading) copy() (err error) {
	if r.acted == r.of {
		r.acted, err = duplicate(r.of)
	}
	return err
}

// told is an error in the names of the client.
func (r *reading) told(err error) error {
	var bad *buffer.InvalidError
	if r.naming.own() || !errors.As(err, &bad) {
		return err
	}
	out := &buffer.InvalidError{}
	for _, c := range bad.Complaints {
		c.Path = r.naming.back().text(c.Path)
		out.Complaints = append(out.Complaints, c)
	}
	return out
}

// show writes into the state containers of a copy of the configuration what the
// device holds and counts.
func (s *Server) show(ctx context.Context, tree *oc.Root) error {
	have, err := s.device.Observe(ctx)
	if err != nil {
		return status.Errorf(codes.Unavailable, "reading %s: %v", s.device.Name(), err)
	}
	mirror(tree)
	r := s.reading
	if r.acted == r.of {
		measured(tree, have, s.cell)
		return s.counted(ctx, tree)
	}
	acted, err := duplicate(r.acted)
	if err != nil {
		return err
	}
	mirror(acted)
	measured(acted, have, s.cell)
	if err := s.counted(ctx, acted); err != nil {
		return err
	}
	r.naming.back().graft(reflect.ValueOf(tree), reflect.ValueOf(acted), root)
	return nil
}
