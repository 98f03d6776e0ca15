package gnmi

import (
	"context"
	"errors"
	"fmt"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/jsontree"
)

// Observe reads the registers that the switch's profile has leaves for. A switch
// whose profile has none is not asked, and holds none.
func (c *Client) Observe(ctx context.Context) (buffer.Layout, error) {
	c.seen = nil
	if p := c.profile; p != nil && !p.ExpressesAny() {
		c.seen = qos.EmptySnapshot(c.opt.Cell, p)
		return nil, nil
	}
	if c.seen = c.readBack(ctx); c.seen != nil {
		c.original.Remember(c.seen)
		return *c.expected, nil
	}
	had := c.expected != nil && len(*c.expected) > 0 && c.held
	notes, err := c.readAll(ctx)
	if err == nil && had && saysNothing(notes) {
		// It should hold registers, and did when it was read first: a switch that is about to load its configuration answers
		// so. Where another way of reading says too that nothing is there, it is so.
		if notes, err = c.subscribeOnce(ctx, []*gpb.Path{qos.RootPath()}, retried); err != nil {
			err = fmt.Errorf("%s %w", c.name, errEmptied)
		}
	}
	if err != nil {
		if !errors.Is(err, errEmptied) {
			c.expected = nil
		}
		return nil, err
	}
	c.expected = nil
	root, err := qos.ParseNotifications(notes)
	if err != nil {
		return nil, fmt.Errorf("the answer of %s cannot be read: %w", c.name, err)
	}
	seen, err := qos.ReadSnapshot(root, c.opt.Cell, c.profile)
	if err != nil {
		return nil, fmt.Errorf("%s has configuration that cellwarden cannot read: %w", c.name, err)
	}
	c.seen = seen
	c.original.Remember(seen)
	have := seen.Layout()
	c.expected, c.held = &have, c.held || len(have) > 0
	return have, nil
}

// errEmptied says that a switch which held registers, and should hold some, answers that it has no configuration at
// all.
var errEmptied = errors.New("answers Get with an empty update, and held registers before: what it holds is unknown")

// saysNothing tells whether notifications have no update, or empty ones.
func saysNothing(notes []*gpb.Notification) bool {
	for _, v := range jsontree.Updates(notes) {
		if string(v.GetJsonIetfVal()) != "{}" && string(v.GetJsonVal()) != "{}" {
			return false
		}
	}
	return true
}

// readAll reads all of /qos by the first way that the switch implements.
func (c *Client) readAll(ctx context.Context) ([]*gpb.Notification, error) {
	notes, err := c.getQoS(ctx, gpb.GetRequest_CONFIG)
	if unimplemented(err) {
		notes, err = c.getQoS(ctx, gpb.GetRequest_ALL) // some switches have no other type
	}
	if unimplemented(err) || errors.Is(err, errNothingSaid) { // some have no Get, or one that says nothing
		asked := err
		notes, err = c.subscribeOnce(ctx, []*gpb.Path{qos.RootPath()}, retried)
		if unimplemented(err) && errors.Is(asked, errNothingSaid) {
			err = asked
		}
	}
	return notes, err
}

// readBack reads what the switch should hold, by Subscribe ONCE of the leaves alone, and returns nil if it does not get
// that. This is the fastest way, because the switch sends no more than these leaves. But the request has wildcards, and
// some switches answer those with nothing, or not with all. So the answer counts only if it is what was expected;
// otherwise the caller reads all of /qos.
func (c *Client) readBack(ctx context.Context) *qos.Snapshot {
	if c.expected == nil || c.noOnce {
		return nil
	}
	notes, err := c.subscribeOnce(ctx, qos.LeafPaths(), attempt)
	if err != nil {
		c.noOnce = !passing(err)
		return nil
	}
	root, err := qos.ParseNotifications(notes)
	if err != nil {
		c.noOnce = true
		return nil
	}
	seen, err := qos.ReadSnapshot(root, c.opt.Cell, c.profile)
	if err != nil || !slices.Equal(seen.Layout(), *c.expected) {
		return nil
	}
	return seen
}
