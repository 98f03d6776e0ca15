package server

import (
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
	config    *oc.Root // as the client wrote it
	device    *oc.Root // the part of config that the device acts on: a copy, or config itself if that is all
	names     qos.Names
	registers *qos.Snapshot   // of device
	want      buffer.Layout   // the same
	ignored   []ignoredConfig // what the device does not act on, if the switch is lenient
}

// copyConfig makes device a copy, so that changing it leaves config as it is. A configuration
// without anything that the device does not act on needs no copy: the first change makes it.
func (r *translation) copyConfig() (err error) {
	if r.device == r.config {
		r.device, err = copyTree(r.config)
	}
	return err
}

// translateToDevice translates a valid configuration to registers. What the device
// cannot act on is refused; a lenient switch ignores it. Each step is repeated until it
// finds nothing more to ignore.
func (s *Server) translateToDevice(tree *oc.Root) (*translation, error) {
	r := &translation{config: tree, device: tree}
	names := func() (_ codes.Code, err error) {
		r.names, err = readNames(r.device, s.opt.QueueNames)
		return codes.InvalidArgument, err
	}
	decode := func() (codes.Code, error) { return r.decodeRegisters(s.cell) }
	for _, step := range []func() (codes.Code, error){names, decode} {
		for {
			code, err := step()
			if err == nil {
				break
			}
			if !s.opt.Lenient {
				return nil, complaintsError(code, err)
			}
			// Each round removes something, so that the loop ends.
			if done, failure := r.ignore(err); failure != nil {
				return nil, failure
			} else if !done {
				return nil, complaintsError(code, err)
			}
		}
	}
	return r, nil
}

// decodeRegisters reads the registers out of the configuration.
func (r *translation) decodeRegisters(cell cells.Size) (codes.Code, error) {
	if code, err := checkUnsupported(r.device, r.names); err != nil {
		return code, err
	}
	registers, err := qos.DecodeNamed(r.device, cell, r.names)
	if err == nil {
		r.registers, r.want = registers, registers.Layout()
	}
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
