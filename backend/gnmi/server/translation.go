package server

import (
	"errors"

	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
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
