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
	ctx, cancel := c.opt.outgoing(ctx)
	defer cancel()
	answer, err := c.stub.Capabilities(ctx, &gpb.CapabilityRequest{})
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
	ctx, cancel := c.opt.outgoing(ctx)
	defer cancel()
	answer, err := c.stub.Get(ctx, &gpb.GetRequest{Prefix: c.prefix(), Path: []*gpb.Path{at("/qos")}, Type: kind,
		Encoding: gpb.Encoding_JSON_IETF}, grpc.MaxCallRecvMsgSize(maxReceive))
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
// all. It never repeats a Set.
func (c *Client) Apply(ctx context.Context, steps []buffer.Step) error {
	if c.seen == nil {
		if _, err := c.Observe(ctx); err != nil {
			return err
		}
	}
	want, err := content(layout(c.seen.ports).With(steps), c.opt.Cell)
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
	ctx, cancel := c.opt.outgoing(ctx)
	defer cancel()
	_, err = c.stub.Set(ctx, request, grpc.MaxCallRecvMsgSize(maxReceive))
	return c.failure("Set", err)
}
