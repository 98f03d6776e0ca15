package gnmi

import (
	"cmp"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"
)

// Dial connects to a switch, with TLS unless Options.Insecure says otherwise.
// The address is as Address accepts it. It does not wait for the
// connection: a switch that does not answer shows at the first RPC. Close the
// client when done.
func Dial(addr string, opt Options) (*Client, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	addr, err := Address(addr)
	if err != nil {
		return nil, err
	}
	where, extra := addr, []grpc.DialOption(nil)
	if opt.Dialer != nil {
		where, extra = "passthrough:///"+addr, append(extra, grpc.WithContextDialer(opt.Dialer))
	}
	conn, err := grpc.NewClient(where, append(extra, grpc.WithTransportCredentials(opt.credentials()), grpc.WithConnectParams(opt.Retry.connecting()),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: cmp.Or(opt.Keepalive, defaultKeepalive), Timeout: cmp.Or(opt.Timeout, defaultTimeout)}))...)
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
