package gnmi

import (
	"context"
	"fmt"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
	"github.com/cellwarden/cellwarden/buffer"
)

// Client is a switch that is spoken to over gNMI. It is not safe for
// concurrent use, and the only one that should write cellwarden's profiles.
type Client struct {
	stub  gpb.GNMIClient
	opt   Options
	name  string
	close func() error

	secured bool // Dial made the connection, with TLS

	seen     *snapshot       // what the switch held when last read; nil: not known
	original map[string]port // foreign profiles that ports were bound to when first seen
}

var _ backend.Backend = (*Client)(nil)

// New makes a client on a connection that is the caller's to close. It refuses
// options that are not valid.
func New(conn grpc.ClientConnInterface, opt Options) (*Client, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	if t, ok := conn.(interface{ Target() string }); ok && opt.Address == "" {
		opt.Address = t.Target()
	}
	return &Client{stub: gpb.NewGNMIClient(conn), opt: opt, name: "gNMI target " + opt.Address,
		close: func() error { return nil }, original: map[string]port{}}, nil
}

// Close closes the connection that Dial made.
func (c *Client) Close() error { return c.close() }

// Name is "gNMI target" and the address.
func (c *Client) Name() string { return c.name }

// Capabilities asks the switch whether it speaks JSON_IETF and has
// openconfig-qos. Both are needed.
func (c *Client) Capabilities(ctx context.Context) (backend.Capabilities, error) {
	answer, err := ask(ctx, c, func(ctx context.Context) (*gpb.CapabilityResponse, error) {
		return c.stub.Capabilities(ctx, &gpb.CapabilityRequest{}, c.opt.limits()...)
	})
	if err != nil {
		return backend.Capabilities{}, c.failure("Capabilities", err)
	}
	if !slices.Contains(answer.GetSupportedEncodings(), gpb.Encoding_JSON_IETF) {
		return backend.Capabilities{}, fmt.Errorf("%s does not speak JSON_IETF: it speaks %v", c.name, answer.GetSupportedEncodings())
	}
	var models []string
	for _, m := range answer.GetSupportedModels() {
		models = append(models, m.GetName())
	}
	if !slices.Contains(models, "openconfig-qos") {
		return backend.Capabilities{}, fmt.Errorf("%s has no model openconfig-qos: it has %s", c.name, list(models))
	}
	return backend.Capabilities{Transactional: true, Missing: Missing()}, nil
}

// list names at most so many models as a line holds, OpenConfig's first.
func list(models []string) string {
	if len(models) == 0 {
		return "no models"
	}
	const most = 12
	models = slices.Clone(models)
	slices.SortFunc(models, func(a, b string) int {
		if x, y := strings.HasPrefix(a, "openconfig-"), strings.HasPrefix(b, "openconfig-"); x != y {
			return map[bool]int{true: -1, false: 1}[x]
		}
		return strings.Compare(a, b)
	})
	if more := len(models) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(models[:most], ", "), more)
	}
	return strings.Join(models, ", ")
}

// Observe reads /qos. A switch that has none holds nothing.
func (c *Client) Observe(ctx context.Context) (buffer.Layout, error) {
	c.seen = nil
	root, err := c.get(ctx, gpb.GetRequest_CONFIG)
	if refused, ok := err.(*RPCError); ok && refused.Code == codes.Unimplemented {
		root, err = c.get(ctx, gpb.GetRequest_ALL) // simple targets know no other type
	}
	if err != nil {
		return nil, err
	}
	seen, err := read(root, c.opt.Cell)
	if err != nil {
		return nil, fmt.Errorf("%s holds what cellwarden cannot read: %w", c.name, err)
	}
	c.seen = seen
	c.remember()
	return layout(seen.ports), nil
}

// remember keeps the bindings that a switch had before cellwarden came, so
// that undoing restores them by name.
func (c *Client) remember() {
	for name, p := range c.seen.ports {
		if _, known := c.original[name]; !known {
			c.original[name] = p
		}
	}
}

// get reads /qos into a tree.
func (c *Client) get(ctx context.Context, kind gpb.GetRequest_DataType) (*oc.Root, error) {
	request := &gpb.GetRequest{Prefix: c.prefix(), Path: []*gpb.Path{at("/qos")}, Type: kind, Encoding: gpb.Encoding_JSON_IETF}
	answer, err := ask(ctx, c, func(ctx context.Context) (*gpb.GetResponse, error) {
		return c.stub.Get(ctx, request, c.opt.limits()...)
	})
	failed := c.failure("Get", err)
	switch {
	case failed == nil:
		root, err := parse(answer)
		if err != nil {
			return nil, fmt.Errorf("%s answered what cannot be read: %w", c.name, err)
		}
		return root, nil
	case failed.(*RPCError).Code == codes.NotFound:
		return &oc.Root{}, nil
	default:
		return nil, failed
	}
}

// prefix says that all paths are OpenConfig's.
func (c *Client) prefix() *gpb.Path { return &gpb.Path{Origin: "openconfig", Target: c.opt.Target} }

// Apply makes the steps in one Set, which a switch takes as a whole or not at
// all.
//
// If the answer is lost, the switch is read. If it holds what was sent, the Set
// arrived and Apply has succeeded. If it holds what it held before and the
// connection was lost, the Set is sent again. After a deadline it is not: the
// switch may still be at work on it, and no read can show that it is not.
func (c *Client) Apply(ctx context.Context, steps []buffer.Step) error {
	if c.seen == nil {
		if _, err := c.Observe(ctx); err != nil {
			return err
		}
	}
	before := layout(c.seen.ports)
	after := before.With(steps)
	for failed := 1; ; failed++ {
		err := c.set(ctx, after)
		if err == nil || !passing(err) || ctx.Err() != nil {
			return err
		}
		now, look := c.Observe(ctx)
		switch {
		case look != nil:
			return err
		case slices.Equal(now, after):
			return nil
		case codeOf(err) != codes.Unavailable || !slices.Equal(now, before) || failed >= c.opt.Retry.attempts():
			return err
		}
		if c.opt.Retry.pause(ctx, failed) != nil {
			return err
		}
	}
}

// set sends what makes a layout of what was seen.
func (c *Client) set(ctx context.Context, after buffer.Layout) error {
	want, err := content(after, c.opt.Cell)
	if err != nil {
		return fmt.Errorf("%w: %w", backend.ErrRefused, err)
	}
	request, err := c.request(want)
	if err != nil {
		return fmt.Errorf("%w: %w", backend.ErrRefused, err)
	}
	if len(request.GetDelete())+len(request.GetReplace())+len(request.GetUpdate()) == 0 {
		return nil
	}
	c.seen = nil // whatever comes back, what was read no longer holds
	_, err = once(ctx, c, func(ctx context.Context) (*gpb.SetResponse, error) {
		return c.stub.Set(ctx, request, c.opt.limits()...)
	})
	return c.failure("Set", err)
}
