package server

import (
	"context"
	"fmt"
	"maps"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
)

// device is a device of which only the registers are seen that OpenConfig has
// words for: the others are nobody's business here.
type device struct{ backend.Backend }

// Capabilities adds what OpenConfig cannot say to what the device cannot hold.
func (d device) Capabilities(ctx context.Context) (backend.Capabilities, error) {
	caps, err := d.Backend.Capabilities(ctx)
	if err != nil {
		return caps, fmt.Errorf("asking %s what it can hold: %w", d.Name(), err)
	}
	all := qos.Missing()
	maps.Copy(all, caps.Missing)
	caps.Missing = all
	return caps, nil
}

// Observe leaves out what OpenConfig cannot say.
func (d device) Observe(ctx context.Context) (buffer.Layout, error) {
	all, err := d.Backend.Observe(ctx)
	return all.Only(func(r buffer.Register) bool { return qos.Expressible(r.Kind) }), err
}
