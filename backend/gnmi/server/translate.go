package server

import (
	"reflect"

	"google.golang.org/grpc/codes"

	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
)

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
