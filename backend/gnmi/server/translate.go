package server

import (
	"reflect"

	"google.golang.org/grpc/codes"

	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/oc"
)

// translateToDevice translates a valid configuration to registers. What the device
// cannot act on is refused; a lenient switch ignores it. Each step is repeated until it
// finds nothing more to ignore.
func (s *Server) translateToDevice(tree *oc.Root) (*translation, error) {
	r := &translation{config: tree, device: tree, fixed: s.opt.QueueNames}
	decode := func() (codes.Code, error) { return r.decodeRegisters(s.cell) }
	for _, step := range []func() (codes.Code, error){r.useDeviceNames, decode} {
		for {
			code, err := step()
			if err == nil {
				break
			}
			if !s.opt.Lenient {
				return nil, complaintsError(code, r.inClientNames(err))
			}
			// Each round removes something, so that the loop ends.
			if done, failure := r.ignore(err); failure != nil {
				return nil, failure
			} else if !done {
				return nil, complaintsError(code, r.inClientNames(err))
			}
		}
	}
	return r, nil
}

// useDeviceNames replaces the client's names of queues and ports by the device's.
func (r *translation) useDeviceNames() (codes.Code, error) {
	names, err := readClientNames(r.device, r.fixed)
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
	return codes.InvalidArgument, r.names.renameTree(reflect.ValueOf(r.device), root())
}

// decodeRegisters reads the registers out of the configuration.
func (r *translation) decodeRegisters(cell cells.Size) (_ codes.Code, err error) {
	if err := checkUnsupported(r.device); err != nil {
		return codes.Unimplemented, err
	}
	r.want, err = qos.Decode(r.device, cell)
	return codes.InvalidArgument, err
}
