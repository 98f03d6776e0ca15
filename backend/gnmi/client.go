package gnmi

import (
	"cmp"
	"fmt"
	"log/slog"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
)

// Client is a switch that is reached over gNMI, as a backend. It is not safe for concurrent use. No other program
// should write the profiles of cellwarden on the same switch.
type Client struct {
	*session
	close func() error

	profile  *nos.Profile   // what this kind of switch accepts; nil: not known yet
	seen     *qos.Snapshot  // what the switch held when last read; nil: not known
	expected *buffer.Layout // the content that it should have; nil: not known
	steps    []buffer.Step  // of the last Set
	leaves   buffer.Layout  // the content after the last Set, if nobody else has written to it
	held     bool           // it held registers when it was read, and no commit was cancelled since
	noOnce   bool           // it does not answer Subscribe ONCE as it is asked
	original qos.Bindings   // profiles that ports were bound to when first seen
	commits  confirmedCommits
	answer   awaited // of the last Set
	unsaved  bool    // the switch made the last Set, and did not say that it saved it
	presumed bool    // the last Set counts as made because the switch holds it, and did not say that it made it
}

var _ backend.Backend = (*Client)(nil)

// New makes a client on a connection, which the caller closes. It refuses options that are not valid.
func New(conn grpc.ClientConnInterface, opt Options) (*Client, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	if t, ok := conn.(interface{ Target() string }); ok && opt.Address == "" {
		opt.Address = t.Target()
	}
	log := opt.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	c := &connection{ClientConnInterface: conn, opt: opt, log: log}
	session := &session{conn: c, stub: gpb.NewGNMIClient(c), opt: opt, name: "gNMI target " + opt.Address, log: log}
	return &Client{session: session, close: func() error { return nil },
		profile: opt.Profile, commits: newConfirmedCommits(session)}, nil
}

// Close closes the connection that Dial made.
func (c *Client) Close() error { return c.close() }

// Name returns "gNMI target" and the address.
func (c *Client) Name() string { return c.name }

// phased tells whether each phase of a transition is sent as a Set of its own: by
// choice, or because the profile says that the switch needs it.
func (c *Client) phased() bool {
	if c.opt.Phased || c.profile == nil {
		return c.opt.Phased
	}
	_, apart := c.profile.Quirk(nos.PhasesApart)
	return apart
}

// Named tells whether requests have the name of a switch at a gateway as their target.
func (c *Client) Named() bool { return c.opt.Target != "" }

// Profile returns what is known about the kind of switch; nil before Probe, unless the Options name a profile.
func (c *Client) Profile() *nos.Profile { return c.profile }

// Dial connects to a switch, with TLS unless Options.Insecure is set, at an address
// as the function Address accepts it. It does not wait for the connection: the first
// RPC fails if the switch cannot be reached. The caller closes the client.
func Dial(addr string, opt Options) (*Client, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	addr, err := Address(addr)
	if err != nil {
		return nil, err
	}
	where, dialOptions := addr, []grpc.DialOption{
		grpc.WithTransportCredentials(opt.credentials()),
		grpc.WithConnectParams(opt.Retry.connecting()),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time:    cmp.Or(opt.Keepalive, defaultKeepalive),
			Timeout: cmp.Or(opt.Timeout, defaultTimeout),
		}),
	}
	if opt.Dialer != nil {
		// The dialer gets the address as it is: gRPC does not resolve names.
		where, dialOptions = "passthrough:///"+addr, append(dialOptions, grpc.WithContextDialer(opt.Dialer))
	}
	conn, err := grpc.NewClient(where, dialOptions...)
	if err != nil {
		return nil, fmt.Errorf("gNMI target %s: %w", addr, err)
	}
	if opt.Address == "" {
		opt.Address = addr
	}
	c, err := New(conn, opt)
	if err != nil {
		return nil, err
	}
	c.close, c.secured = conn.Close, !opt.Insecure
	return c, nil
}
