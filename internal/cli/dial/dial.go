// Package dial reads the flags of a connection to a switch, opens it, and adds to an error of a connection the flag
// that can help. The file of targets, for verbs that speak to many switches, is here too.
//
// A verb registers the flags (dial.go), which are checked and turned into options of package gnmi, together with the
// certificates and the password (credentials.go). It then opens a client, which sends nothing by itself. An error of
// the first request gets a hint by its code and its text (advice.go): gRPC calls everything that is wrong with a
// connection "unavailable", and a user has to be told which flag to try.
//
// With --targets the same happens for each line of a file (targets.go): each topology is planned once, --parallel
// switches are worked on at a time, and the exit code is the worst of theirs.
package dial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/push"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/unit"
)

// This file has the flags of the connection to a switch, and opens the client. All
// verbs that talk to a switch share them.

// DialFlags are the flags of the connection to a switch. Of the Connection, flags set the origin, the time limits, the
// phases, the rollback, the encryption and the user, and the verb sets the Log; Options makes the rest.
type DialFlags struct {
	push.Target               // of --target and --prefix-target
	Connection                gnmi.Options
	passwordFile              string
	ca, cert, key, serverName string
	skipVerify                bool
	changing                  bool // the verb changes a switch, and has the flags for it
	retries                   int
	election, role            string
}

// The environment may give the user and the password. There is no flag for the
// password itself, because every process on the machine can read the arguments of
// another one.
const (
	UsernameVariable = "CELLWARDEN_USERNAME"
	PasswordVariable = "CELLWARDEN_PASSWORD"
)

// Register adds the flags that every verb with a switch has.
func (f *DialFlags) Register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.Address, "target", "", "gNMI address of the switch, such as leaf1:9339")
	flags.BoolVar(&f.Connection.Insecure, "insecure", false, "no TLS: only for a switch on the same machine or in a lab")
	flags.StringVar(&f.ca, "tls-ca", "",
		"file of CA certificates (PEM) that sign the switch's certificate (default: the system's)")
	flags.StringVar(&f.cert, "tls-cert", "", "file of the client's certificate (PEM), for mutual TLS")
	flags.StringVar(&f.key, "tls-key", "", "file of the client's key (PEM), for mutual TLS")
	flags.StringVar(&f.serverName, "tls-server-name", "", "name in the switch's certificate, if it differs from the address")
	flags.BoolVar(&f.skipVerify, "tls-skip-verify", false, "do not check the switch's certificate")
	flags.StringVar(&f.Connection.Username, "username", "", "user of the switch (default: $"+UsernameVariable+")")
	flags.StringVar(&f.passwordFile, "password-file", "",
		"file whose first line is the user's password (default: $"+PasswordVariable+")")
	flags.StringVar(&f.PrefixTarget, "prefix-target", "",
		"name of the switch for a gNMI gateway that serves several, sent in the prefix of every request")
	flags.BoolVar(&f.Connection.NoOrigin, "no-origin", false, "send no origin with OpenConfig paths (default: openconfig)")
	flags.StringVar(&f.election, "election-id", "",
		"election id of master arbitration, sent with every Set: a number, or HIGH:LOW for 128 bits")
	flags.StringVar(&f.role, "election-role", "", "role of the election id (default: the default role)")
	flags.DurationVar(&f.Connection.Timeout, "timeout", 10*time.Second, "time limit of a request that changes nothing")
	flags.IntVar(&f.retries, "retries", 3,
		"repetitions of a request when the switch is unavailable or too slow; a Set is repeated only if it did not arrive")
}

// RegisterChanging adds the flags of verbs that change a switch. A Set has a time limit of its own, because a switch
// may answer it only when its hardware has the values.
func (f *DialFlags) RegisterChanging(c *cobra.Command) {
	f.changing = true
	c.Flags().DurationVar(&f.Connection.SetTimeout, "set-timeout", 5*time.Minute,
		"time limit of one Set; a switch that does not answer by then is watched for as long again")
	c.Flags().DurationVar(&f.Connection.Rollback, "rollback-after", 2*time.Minute,
		"time after which a switch with commit-confirmed undoes an unconfirmed push; 0: do not use commit-confirmed")
}

// To names one of many switches. What its line does not say stays as the flags say.
func (f *DialFlags) To(t push.Target) {
	// A line without a prefix target has that of the flag.
	f.Address, f.PrefixTarget = t.Address, cmp.Or(t.PrefixTarget, f.PrefixTarget)
}

// DialerKey is the key of a context's dialer. Tests use it to connect without TCP.
type DialerKey struct{}

// Open checks the flags and makes a client. It sends nothing yet: the first request
// reports a switch that cannot be reached. cell is the size of the plan's cells in bytes, by which OpenConfig's bytes
// become cells. as is the profile that the user has named; nil: the client learns it by Probe.
func (f *DialFlags) Open(ctx context.Context, cell cells.Size, as *nos.Profile) (*gnmi.Client, error) {
	opt, err := f.Options(ctx, cell, as)
	if err != nil {
		return nil, err
	}
	client, err := gnmi.Dial(f.Address, opt)
	if err != nil {
		return nil, cli.BadUsage("--target: %w", err)
	}
	return client, nil
}

// Options checks the flags, and returns the options of a connection. Every error of it is wrong usage.
func (f *DialFlags) Options(ctx context.Context, cell cells.Size, as *nos.Profile) (opt gnmi.Options, err error) {
	if opt, err = f.options(ctx, cell, as); err != nil {
		return opt, cli.ExitWith(cli.ExitUsage, err)
	}
	// Both errors are of what the user typed, so they end before anything is sent.
	err = opt.Validate()
	if err == nil {
		_, err = gnmi.Address(f.Address)
	}
	if err != nil {
		return opt, cli.BadUsage("--target: %w", err)
	}
	return opt, nil
}

// options checks the flags that a client does not know. All errors are wrong usage. The files of certificates and of
// the password are read here, once for each connection.
func (f *DialFlags) options(ctx context.Context, cell cells.Size, as *nos.Profile) (opt gnmi.Options, err error) {
	opt = f.Connection
	switch {
	case f.retries < 0: // 0 repeats nothing, and is the way to see the first error of a switch at once
		return opt, fmt.Errorf("--retries: %d (want 0 or more)", f.retries)
	case opt.Timeout <= 0:
		return opt, fmt.Errorf("--timeout: %v (want more than 0s)", opt.Timeout)
	case f.changing && opt.SetTimeout <= 0:
		return opt, fmt.Errorf("--set-timeout: %v (want more than 0s)", opt.SetTimeout)
	case opt.Rollback < 0 || opt.Rollback > 0 && opt.Rollback < time.Second: // else no switch is read back in time
		return opt, fmt.Errorf("--rollback-after: %v (want 0s (no commit-confirmed), or 1s and more)", opt.Rollback)
	}
	// The first attempt is no repetition, so there is one more attempt than --retries says.
	opt.Cell, opt.Profile, opt.Retry.Attempts = cell, as, f.retries+1
	// Without the key the dialer is nil, and gRPC connects by TCP.
	opt.Dialer, _ = ctx.Value(DialerKey{}).(func(context.Context, string) (net.Conn, error))
	// The target of gNMI is the name in the prefix of a request, which a gateway reads, and not the address.
	opt.Target = f.PrefixTarget
	if opt.Election, err = f.electionID(); err != nil {
		return opt, err
	}
	if opt.TLS, err = f.tls(ctx); err != nil {
		return opt, err
	}
	opt.Username, opt.Password, err = f.credentials(ctx)
	return opt, err
}

// electionID reads the election id; nil without one. Without one no Set carries the extension, and a switch with
// arbitration accepts it from any client.
func (f *DialFlags) electionID() (*gnmi.Election, error) {
	if f.election == "" {
		if f.role != "" {
			return nil, errors.New("--election-role without --election-id (want both, or --election-id alone)")
		}
		return nil, nil
	}
	// The id has 128 bits in two numbers (gNMI master arbitration): a number alone is the low one.
	high, low, both := strings.Cut(f.election, ":")
	if !both {
		high, low = "0", high
	}
	h, bad := strconv.ParseUint(high, 10, 64)
	l, err := strconv.ParseUint(low, 10, 64)
	if bad != nil || err != nil {
		return nil, fmt.Errorf("--election-id %q (want a number of 64 bits, or two of them as <high>:<low>)", f.election)
	}
	return &gnmi.Election{Role: f.role, High: h, Low: l}, nil
}

// ProfileFlag adds --profile to a command; without it the profile is nil. The error of another name lists the profiles
// that there are.
func ProfileFlag(c *cobra.Command, to **nos.Profile) {
	cli.TypedFlag(c.Flags(), to, "profile", "", registry.LoadProfile,
		"kind of switch: a name of cellwarden asic profiles (default: recognised by the models that the switch lists)")
}

// SizeIncludesFlag adds to a command what is known of the pools of a switch. Without the flag it is absent. A boolean
// flag would have no third state: absent is inferred, and false is said.
func SizeIncludesFlag(c *cobra.Command, to *unit.Optional[bool]) {
	cli.TypedFlag(c.Flags(), to, "size-includes-headroom", "", func(text string) (unit.Optional[bool], error) {
		if text != "true" && text != "false" {
			return *to, fmt.Errorf("%s (want true or false)", fielderr.Quote(text))
		}
		return unit.Given(text == "true"), nil
	}, "whether the size of a pool includes its xoff: true or false (default: inferred for the chip)")
}
