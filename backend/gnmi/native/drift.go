package native

import (
	"context"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/buffer"
)

// Comparison is a switch that is compared with a plan in its native configuration:
// what a push would send, and what waits for a reload.
type Comparison struct {
	Client   *gnmi.Client
	Language Language
	Layout   buffer.Layout // the registers of the plan
	Push     *Push         // of the last comparison; nil: none
}

var _ backend.Watchable = (*Comparison)(nil)

// Compare reads the switch.
func (c *Comparison) Compare(ctx context.Context) (*backend.DriftResult, error) {
	p, err := Look(ctx, c.Client, c.Language)
	if err != nil {
		return nil, err
	}
	c.Push = p
	out := &backend.DriftResult{}
	for _, o := range p.Report.Rendering.Omitted {
		out.NotCompared += o.Count
	}
	out.Compared = len(c.Layout) - out.NotCompared
	for _, x := range p.Report.Changes {
		out.Differences = append(out.Differences, backend.Difference{Path: x.Path, Has: x.From, Planned: x.To})
	}
	for _, w := range p.Report.Rendering.Waiting {
		out.Differences = append(out.Differences, backend.Difference{Path: w.Path, Has: w.From, Planned: w.To, Waits: w.Why})
	}
	return out, nil
}

// WatchOn is Watch.
func (c *Comparison) WatchOn(ctx context.Context, changed func(context.Context) error, lost func(error)) error {
	return watch(ctx, c.Client, c.Language, changed, lost)
}
