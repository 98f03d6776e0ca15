package gnmi

import (
	"cmp"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"
)

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
