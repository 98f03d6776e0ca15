package server

import (
	"errors"

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

// copyConfig makes device a copy, so that changing it leaves config as it is.
func (r *translation) copyConfig() (err error) {
	if r.device == r.config {
		r.device, err = copyTree(r.config)
	}
	return err
}

// inClientNames returns an error with the client's names in its paths.
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
