package server

import (
	"errors"
	"reflect"

	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/cells"
	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"
	"github.com/openconfig/ygot/ytypes"
	"google.golang.org/grpc/codes"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/oc"
)

// translation is a configuration as the device has it.
type translation struct {
	config *oc.Root    // as the client wrote it
	names  clientNames // the client's names of queues and ports
	fixed  []string    // the names that the queues of the switch have by themselves
	// device is the part of config that the device acts on, with the device's names: a
	// copy, or config itself if there is no difference.
	device  *oc.Root
	want    buffer.Layout   // the registers of device
	ignored []ignoredConfig // what the device does not act on, if the switch is lenient
}

// copyConfig makes device a copy, so that changing it leaves config as it is. A configuration with the
// device's own names, and without anything that the device does not act on, needs no copy: the first change makes it.
func (r *translation) copyConfig() (err error) {
	if r.device == r.config {
		r.device, err = copyTree(r.config)
	}
	return err
}

// inClientNames returns an error with the client's names in its paths. Errors of another type have no paths, and are
// returned as they are.
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

// useDeviceNames replaces the client's names of queues and ports by the device's. After an error the names are none,
// so that complaints are not renamed by a half of them.
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

// copyTree returns a deep copy of a tree.
func copyTree(tree *oc.Root) (*oc.Root, error) {
	out, err := ygot.DeepCopy(tree)
	if err != nil {
		return nil, internalError(err)
	}
	return out.(*oc.Root), nil
}

// getNodes returns what a tree has at a path, which may have wildcards for keys. A path without data is NOT_FOUND,
// which callers tell from an error by its code.
func getNodes(tree *oc.Root, path *gpb.Path) ([]*ytypes.TreeNode, error) {
	return ytypes.GetNode(root(), tree, path,
		&ytypes.GetHandleWildcards{}, &ytypes.GetPartialKeyMatch{}, &ytypes.GetTolerateNil{})
}
