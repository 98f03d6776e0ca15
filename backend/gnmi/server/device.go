package server

import (
	"context"
	"fmt"
	"maps"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
)

// device is a backend without the registers that OpenConfig has no leaf for: a client
// of this switch can neither read nor write them.
type device struct{ backend.Backend }

// Capabilities adds the registers without a leaf to those that the device cannot hold.
func (d device) Capabilities(ctx context.Context) (backend.Capabilities, error) {
	caps, err := d.Backend.Capabilities(ctx)
	if err != nil {
		return caps, fmt.Errorf("reading the capabilities of %s: %w", d.Name(), err)
	}
	all := qos.Missing()
	maps.Copy(all, caps.Missing) // the device's own reason is the better one
	caps.Missing = all
	return caps, nil
}

// Observe leaves out the registers without a leaf.
func (d device) Observe(ctx context.Context) (buffer.Layout, error) {
	all, err := d.Backend.Observe(ctx)
	return all.Only(func(r buffer.Register) bool { return qos.Expressible(r.Kind) }), err
}
