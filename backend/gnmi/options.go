package gnmi

import (
	"context"
	"crypto/tls"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
)

// Options say how to talk to a switch. Only Cell is needed.
type Options struct {
	// Cell is the number of bytes in a cell of the switch's chip: OpenConfig
	// speaks of bytes, cellwarden of cells.
	Cell cells.Size
	// Address is how reports call the switch. Empty: what the connection says.
	Address string
	// Target names the switch to a gNMI proxy that serves several. Empty: none.
	Target string
	// Timeout is how long one RPC may take. 0: 10 seconds.
	Timeout time.Duration
	// Username and Password are sent with every RPC, as gNMI's metadata of
	// these names. Empty Username: neither is sent.
	Username, Password string

	// TLS is how Dial checks the switch and shows who asks: CA, certificate,
	// server name, or no check at all. nil: the system's authorities.
	TLS *tls.Config
	// Insecure makes Dial speak without encryption, passwords included.
	Insecure bool
}

// Validate returns nil, or a *buffer.InvalidError with all that is wrong.
func (o Options) Validate() error {
	var bad []buffer.Complaint
	if o.Cell < 1 || o.Cell > maxCell {
		bad = append(bad, buffer.Complaint{Path: "cell", Value: fmt.Sprint(int64(o.Cell)), Accepted: "1 to 1048576 bytes"})
	}
	if o.Timeout < 0 {
		bad = append(bad, buffer.Complaint{Path: "timeout", Value: o.Timeout.String(), Accepted: "0s (the default, 10s) or more"})
	}
	if o.Insecure && o.TLS != nil {
		bad = append(bad, buffer.Complaint{Path: "insecure", Value: "true with TLS options", Accepted: "one of the two"})
	}
	if o.Username == "" && o.Password != "" {
		bad = append(bad, buffer.Complaint{Path: "username", Value: "none with a password", Accepted: "the name that the password belongs to"})
	}
	return complain(bad)
}

// complain makes an error of complaints; none is no error.
func complain(bad []buffer.Complaint) error {
	if len(bad) == 0 {
		return nil
	}
	return &buffer.InvalidError{Complaints: bad}
}

const (
	maxCell        = 1 << 20
	defaultTimeout = 10 * time.Second
	defaultPort    = ":9339" // registered with IANA for gNMI and gNOI
	// maxReceive is the longest answer that is taken. gRPC's own limit of 4 MiB
	// is in reach of the whole of /qos on a large chassis.
	maxReceive = 64 << 20
)

// Dial connects to a switch, with TLS unless Options.Insecure says otherwise.
// An address without a port gets gNMI's, 9339. It does not wait for the
// connection: a switch that does not answer shows at the first RPC. Close the
// client when done.
func Dial(addr string, opt Options) (*Client, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	if !strings.Contains(addr, ":") {
		addr += defaultPort
	}
	creds := credentials.NewTLS(opt.TLS)
	if opt.Insecure {
		creds = insecure.NewCredentials()
	}
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(creds))
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
	c.close = conn.Close
	return c, nil
}

// outgoing gives an RPC its deadline and says who asks.
func (o Options) outgoing(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.Username != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "username", o.Username, "password", o.Password)
	}
	timeout := o.Timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	return context.WithTimeout(ctx, timeout)
}
