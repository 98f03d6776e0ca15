package gnmi

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strconv"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/once"
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

// defaultPort is registered with IANA for gNMI and gNOI.
const defaultPort = "9339"

// hosts matches names and addresses without a port.
var hosts = once.Pattern(`^[A-Za-z0-9._-]+$|^[0-9A-Fa-f:.]+(%[A-Za-z0-9._-]+)?$`)

// Address returns the address of a switch with a port: 9339, which is gNMI's, if the text has none. It accepts HOST,
// HOST:PORT, IPv6 addresses with brackets and without, and gRPC's own forms unix:PATH and SCHEME:///NAME, which it
// returns unchanged. It refuses what cannot be an address of a switch, such as the address of a web page.
func Address(text string) (string, error) {
	if strings.Contains(text, "@") { // and perhaps a password, which is not to be repeated
		return "", errors.New("an address that contains a user (want <host> or <host>:<port> alone)")
	}
	if strings.HasPrefix(text, "unix:") || strings.Contains(text, ":///") {
		return text, nil
	}
	host, port := text, defaultPort
	if inner := strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"); len(inner) == len(text)-2 {
		host = inner
	}
	if _, err := netip.ParseAddr(host); strings.Contains(text, "]:") || err != nil && strings.Contains(text, ":") {
		if host, port, err = net.SplitHostPort(text); err != nil {
			host = ""
		}
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || !hosts().MatchString(host) {
		const accepted = "<host> or <host>:<port>, such as leaf1, 192.0.2.1:6030 or [2001:db8::1]:9339"
		return "", fmt.Errorf("address %q (want %s)", text, accepted)
	}
	return net.JoinHostPort(host, port), nil
}
