package gnmi

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
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
	// these names. Empty Username: neither is sent. The password is in no error
	// and in no text that is made of the Options.
	Username string
	Password Secret
	// Profile is what is known of the switch. nil: it is found by the models that
	// the switch lists.
	Profile *profile.Profile
	// Phased sends each phase of a transition as a Set of its own, and reads it
	// back before the next, also where the profile does not ask for it.
	Phased bool
	// Rollback is how long the switch waits for us to confirm a Set before it
	// undoes it, where it implements Commit-confirmed: one second or more. 0: it is
	// not asked to.
	Rollback time.Duration
	// Log is told of every RPC (debug), of commits and of what failed; never of a
	// credential. nil: nobody is.
	Log *slog.Logger
	// Retry says how often a read is tried. Its attempts also bound how often a
	// Set is sent: again only after a read has shown that it did not arrive.
	Retry Retry
	// MaxMessage is the longest message that is taken or sent, in bytes. 0: 64
	// MiB. gRPC's own limit of 4 MiB is in reach of the whole of /qos on a large
	// chassis.
	MaxMessage int

	// TLS is how Dial checks the switch and shows who asks: CA, certificate,
	// server name, or no check at all. nil: the system's authorities. TLS before
	// 1.2 is never spoken (gNMI specification, 3.1).
	TLS *tls.Config
	// Keepalive is how long a connection with an RPC under way may be silent
	// before Dial's client asks whether the switch is still there. 0: 5 minutes,
	// which is the most often that gRPC's own servers tolerate; below 10 seconds
	// gRPC takes 10.
	Keepalive time.Duration
	// Dialer is how Dial reaches an address, such as through a jump host. nil: TCP.
	Dialer func(ctx context.Context, addr string) (net.Conn, error)
	// Insecure makes Dial speak without encryption, passwords included.
	Insecure bool
}

// Validate returns nil, or a *buffer.InvalidError with all that is wrong.
func (o Options) Validate() error {
	var bad []buffer.Complaint
	var cell *buffer.InvalidError
	if errors.As(qos.ValidateCell(o.Cell), &cell) {
		bad = append(bad, cell.Complaints...)
	}
	if o.Timeout < 0 {
		bad = append(bad, buffer.Complaint{Path: "timeout", Value: o.Timeout.String(), Accepted: "0s (the default, 10s) or more"})
	}
	if o.Rollback != 0 && o.Rollback < leastRollback {
		bad = append(bad, buffer.Complaint{Path: "rollback", Value: o.Rollback.String(), Accepted: "0s (no commit-confirmed), or 1s or more"})
	}
	for path, d := range map[string]time.Duration{"keepalive": o.Keepalive, "retry.first": o.Retry.First, "retry.longest": o.Retry.Longest} {
		if d < 0 {
			bad = append(bad, buffer.Complaint{Path: path, Value: d.String(), Accepted: "0s (the default) or more"})
		}
	}
	for path, n := range map[string]int{"max_message": o.MaxMessage, "retry.attempts": o.Retry.Attempts} {
		if n < 0 {
			bad = append(bad, buffer.Complaint{Path: path, Value: fmt.Sprint(n), Accepted: "0 (the default) or more"})
		}
	}
	slices.SortFunc(bad, func(a, b buffer.Complaint) int { return strings.Compare(a.Path, b.Path) })
	if o.TLS != nil && o.TLS.MaxVersion != 0 && o.TLS.MaxVersion < tls.VersionTLS12 {
		bad = append(bad, buffer.Complaint{Path: "tls.max_version", Value: tls.VersionName(o.TLS.MaxVersion), Accepted: "TLS 1.2 or later"})
	}
	if o.Insecure && o.TLS != nil {
		bad = append(bad, buffer.Complaint{Path: "insecure", Value: "true with TLS options", Accepted: "one of the two"})
	}
	if o.Username == "" && o.Password != "" {
		bad = append(bad, buffer.Complaint{Path: "username", Value: "none with a password", Accepted: "the name that the password belongs to"})
	}
	if len(bad) == 0 {
		return nil
	}
	return &buffer.InvalidError{Complaints: bad}
}

// logger is where to tell; nowhere by default.
func (o Options) logger() *slog.Logger {
	if o.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Log
}

const (
	defaultTimeout = 10 * time.Second

	defaultMessage   = 64 << 20
	defaultKeepalive = 5 * time.Minute
)

// credentials are how the connection is secured.
func (o Options) credentials() credentials.TransportCredentials {
	if o.Insecure {
		return insecure.NewCredentials()
	}
	config := &tls.Config{}
	if o.TLS != nil {
		config = o.TLS.Clone()
	}
	config.MinVersion = max(config.MinVersion, tls.VersionTLS12)
	return credentials.NewTLS(config)
}

// limits bounds the messages of an RPC.
func (o Options) limits() []grpc.CallOption {
	most := cmp.Or(o.MaxMessage, defaultMessage)
	return []grpc.CallOption{grpc.MaxCallRecvMsgSize(most), grpc.MaxCallSendMsgSize(most)}
}

// outgoing gives an RPC its deadline and says who asks.
func (o Options) outgoing(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(o.identified(ctx), cmp.Or(o.Timeout, defaultTimeout))
}

// identified says who asks.
func (o Options) identified(ctx context.Context) context.Context {
	if o.Username == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, "username", o.Username, "password", string(o.Password))
}
