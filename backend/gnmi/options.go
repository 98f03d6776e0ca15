package gnmi

import (
	"cmp"
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"time"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/nos"
)

// Options say how a client reaches a switch. Only Cell is required.
type Options struct {
	// Cell is the size of a cell of the switch's chip, 1 to 1048576 bytes:
	// OpenConfig counts bytes, cellwarden counts cells.
	Cell cells.Size
	// Address is the name of the switch in reports. Empty: the connection's target.
	Address string
	// Target is the name of the switch for a gNMI proxy that serves several, sent in
	// the prefix of every request. Empty: none.
	Target string
	// NoOrigin leaves out the origin "openconfig" of OpenConfig's paths, for gateways and switches
	// that know no origins. An empty origin means the same (gNMI specification, 2.7.1).
	NoOrigin bool
	// Election is the client's place among several that may write the switch. nil: Sets have no
	// master_arbitration extension.
	Election *Election
	// Timeout is how long an RPC may take that changes nothing. 0: 10 seconds.
	Timeout time.Duration
	// SetTimeout is how long a Set may take, and how long a switch that did not answer it is given to show that it was
	// still at work. Commits of switches take 30 seconds to 3 minutes (napalm issue 1156, py-junos-eznc issue 998,
	// sonic-gnmi issue 265). 0: 5 minutes.
	SetTimeout time.Duration
	// Waiting is called when a switch did not answer a Set and is waited for: longest is
	// the time after which the client gives up. nil: it is not called.
	Waiting func(longest time.Duration)
	// Username and Password are sent with every RPC, as gNMI's metadata of these names. Empty Username: neither is sent.
	// The password is in no error and in no printed form of the Options.
	Username string
	Password Secret
	// Profile says which leaves the switch has. nil: the profile that matches the
	// models of the switch, which Probe asks for.
	Profile *nos.Profile
	// Phased sends each phase of a transition as a Set of its own, and reads it
	// back before the next, also where the profile does not ask for it.
	Phased bool
	// Rollback is how long the switch waits for a confirmation of a Set before it undoes it, where it implements
	// Commit-confirmed: one second or more. 0: no Set asks for it.
	Rollback time.Duration
	// Log gets every RPC (debug), every commit, and every failure (warning); never a credential. nil: nothing is logged.
	Log *slog.Logger
	// Retry says how often a read is tried. Its attempts also bound how often a Set
	// is sent: it is sent again only after a read has shown that it did not arrive.
	Retry Retry
	// MaxMessage is the longest message that is received or sent, in bytes. 0: 64
	// MiB. gRPC's own limit is 4 MiB, which /qos of a large chassis can exceed.
	MaxMessage int

	// TLS is how Dial checks the switch and identifies itself: CA, certificate, server name, or no check at all. nil: the
	// system's authorities. Versions before 1.2 are never used (gNMI specification, 3.1).
	TLS *tls.Config
	// Keepalive is how long a connection with an RPC under way may be silent before Dial's client sends a ping. 0: 5
	// minutes, the shortest time that gRPC's own servers accept without closing the connection; gRPC raises less than 10
	// seconds to 10.
	Keepalive time.Duration
	// Dialer is how Dial reaches an address, such as through a jump host. nil: TCP.
	Dialer func(ctx context.Context, addr string) (net.Conn, error)
	// Insecure makes Dial connect without encryption: passwords are sent in clear.
	Insecure bool
}

// Validate returns nil, or a *buffer.InvalidError with every option that is wrong.
func (o Options) Validate() error {
	var bad fielderr.List
	bad.Check(qos.ValidateCell(o.Cell) == nil, "cell", int64(o.Cell), qos.AcceptedCells)
	const count, span = "0 (the default) or more", "0s (the default) or more"
	bad.Check(o.Keepalive >= 0, "keepalive", o.Keepalive, span)
	bad.Check(o.MaxMessage >= 0, "max_message", o.MaxMessage, count)
	bad.Check(o.Retry.Attempts >= 0, "retry.attempts", o.Retry.Attempts, count)
	bad.Check(o.Retry.First >= 0, "retry.first", o.Retry.First, span)
	bad.Check(o.Retry.Longest >= 0, "retry.longest", o.Retry.Longest, span)
	bad.Check(o.Rollback == 0 || o.Rollback >= leastRollback, "rollback", o.Rollback,
		"0s (no commit-confirmed), or 1s or more")
	bad.Check(o.Timeout >= 0, "timeout", o.Timeout, "0s (the default, 10s) or more")
	bad.Check(o.SetTimeout >= 0, "set_timeout", o.SetTimeout, "0s (the default, 5m) or more")
	if o.TLS != nil && o.TLS.MaxVersion != 0 && o.TLS.MaxVersion < tls.VersionTLS12 {
		bad.Add("tls.max_version", tls.VersionName(o.TLS.MaxVersion), "TLS 1.2 or later")
	}
	if o.Insecure && o.TLS != nil {
		bad.Add("insecure", "true with TLS options", "one of the two")
	}
	if o.Username == "" && o.Password != "" {
		bad.Add("username", "none with a password", "the name that the password belongs to")
	}
	return buffer.Invalid(bad)
}

const (
	defaultTimeout   = 10 * time.Second
	defaultSet       = 5 * time.Minute
	defaultMessage   = 64 << 20
	defaultKeepalive = 5 * time.Minute

	// leastRollback is the shortest time that a switch may be asked to wait for a
	// confirmation: a read and the confirmation have to fit in it.
	leastRollback = time.Second
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

// longestSet is how long a Set may take.
func (o Options) longestSet() time.Duration { return cmp.Or(o.SetTimeout, defaultSet) }

// shortest is how long an RPC may take that changes nothing.
func (o Options) shortest() time.Duration { return cmp.Or(o.Timeout, defaultTimeout) }
