package gnmi

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
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

	seen     *snapshot        // what the switch held when last read; nil: not known
	expected *buffer.Layout   // what it should be read to hold; nil: not known
	silent   bool             // it does not answer Subscribe ONCE as it is asked
	profile  *profile.Profile // how it wants to be spoken to; nil: not known yet
	original map[string]port  // foreign profiles that ports were bound to when first seen
	commit   commits
	log      *slog.Logger
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
	name := "gNMI target " + opt.Address
	return &Client{stub: logged{gpb.NewGNMIClient(conn), opt.logger(), opt.Address, opt.Password}, opt: opt, name: name, profile: opt.Profile,
		close: func() error { return nil }, original: map[string]port{}, commit: newCommits(), log: opt.logger()}, nil
}

// Close closes the connection that Dial made.
func (c *Client) Close() error { return c.close() }

// Name is "gNMI target" and the address.
func (c *Client) Name() string { return c.name }

// Capabilities asks the switch which models and encodings it has and says what
// of a plan it can hold: see Introduce.
func (c *Client) Capabilities(ctx context.Context) (backend.Capabilities, error) {
	met, err := c.Introduce(ctx)
	if err != nil {
		return backend.Capabilities{}, err
	}
	return backend.Capabilities{Transactional: !c.phased(), Missing: met.Profile.Missing()}, nil
}

// phased tells whether phases are Sets of their own.
func (c *Client) phased() bool { return c.opt.Phased || c.style().has(profile.PhasesApart) }

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

// Observe reads what cellwarden has words for under /qos. A switch that has none holds nothing.
func (c *Client) Observe(ctx context.Context) (buffer.Layout, error) {
	c.seen = nil
	if st := c.style(); !st.speaks() {
		c.seen = &snapshot{style: st} // there is nothing to read: it has no words for anything
		return nil, nil
	}
	if c.seen = c.readBack(ctx); c.seen != nil {
		c.remember()
		return *c.expected, nil
	}
	c.expected = nil
	root, err := c.look(ctx)
	if err != nil {
		return nil, err
	}
	seen, err := read(root, c.style())
	if err != nil {
		return nil, fmt.Errorf("%s holds what cellwarden cannot read: %w", c.name, err)
	}
	c.seen = seen
	c.remember()
	have := layout(seen.ports)
	c.expected = &have
	return have, nil
}

// look reads all of /qos by the first way that the switch knows.
func (c *Client) look(ctx context.Context) (*oc.Root, error) {
	root, err := c.get(ctx, gpb.GetRequest_CONFIG)
	if unimplemented(err) {
		root, err = c.get(ctx, gpb.GetRequest_ALL) // simple targets know no other type
	}
	if unimplemented(err) { // and some have no Get at all
		root, err = c.subscribe(ctx, []*gpb.Path{at("/qos")}, ask)
	}
	return root, err
}

// readBack reads what is wanted by Subscribe ONCE, where it is known what the
// switch should hold, and returns nil if that is not what is read. A switch
// tells no more than it is asked for, which is the fastest way; but it is asked
// with wildcards, which some do not know and tell nothing, or not all. So it is
// believed only when it tells what was expected.
func (c *Client) readBack(ctx context.Context) *snapshot {
	if c.expected == nil || c.silent {
		return nil
	}
	root, err := c.subscribe(ctx, places, once)
	if err != nil {
		c.silent = c.silent || !passing(err)
		return nil
	}
	seen, err := read(root, c.style())
	if err != nil || !slices.Equal(layout(seen.ports), *c.expected) {
		return nil
	}
	return seen
}

// unimplemented tells whether a target has no such RPC, or no such form of it.
func unimplemented(err error) bool {
	refused, ok := err.(*RPCError)
	return ok && refused.Code == codes.Unimplemented
}

// style is how the target wants to be spoken to: as its profile says, strictly
// OpenConfig until one is known.
func (c *Client) style() style {
	if c.profile == nil {
		return strict(c.opt.Cell)
	}
	return style{cell: c.opt.Cell, Profile: c.profile}
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
		root, err := parse(answer.GetNotification())
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
// all. With Options.Rollback the switch is to undo it unless it is confirmed:
// see Confirm and Cancel; a further Apply confirms the one before. Where phases are sent apart, Apply reads back what the Set left, and a
// difference is a backend.ErrMismatch.
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
	if err := c.Confirm(ctx); err != nil {
		return err
	}
	if c.seen == nil { // the confirmation had to look
		if _, err := c.Observe(ctx); err != nil {
			return err
		}
	}
	before := layout(c.seen.ports)
	after := before.With(steps)
	c.expected = &after
	c.commit.holds = func(ctx context.Context) (bool, error) {
		now, err := c.Observe(ctx)
		return slices.Equal(now, after), err
	}
	for failed := 1; ; failed++ {
		err := c.set(ctx, after)
		if err == nil && c.phased() {
			return c.compare(ctx, after)
		}
		if err == nil || !passing(err) || ctx.Err() != nil {
			return err
		}
		now, look := c.Observe(ctx)
		switch {
		case look != nil:
			return err
		case slices.Equal(now, after):
			c.prove(ctx)
			return nil
		case codeOf(err) != codes.Unavailable || !slices.Equal(now, before) || failed >= c.opt.Retry.attempts():
			return err
		}
		if c.opt.Retry.pause(ctx, failed) != nil {
			return err
		}
	}
}

// compare reads back what a Set left.
func (c *Client) compare(ctx context.Context, after buffer.Layout) error {
	now, err := c.Observe(ctx)
	if err != nil {
		return err
	}
	if wrong := buffer.Diff(now, after); len(wrong) > 0 {
		return fmt.Errorf("%w: %d registers, first %v", backend.ErrMismatch, len(wrong), wrong[0])
	}
	return nil
}

// set sends what makes a layout of what was seen.
func (c *Client) set(ctx context.Context, after buffer.Layout) error {
	want, err := content(after, c.style())
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
	return c.committed(ctx, request, c.send)
}

// send sends a Set, once.
func (c *Client) send(ctx context.Context, request *gpb.SetRequest) error {
	_, err := once(ctx, c, func(ctx context.Context) (*gpb.SetResponse, error) {
		return c.stub.Set(ctx, request, c.opt.limits()...)
	})
	return err
}
