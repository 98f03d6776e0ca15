// Package target has the verb target: a simulated ASIC as a gNMI switch, with users, TLS and traffic.
//
// It reads the flags, decides who may connect (access.go), makes the switch (a bare ASIC here, or one of a scenario
// whose packets run, traffic.go), takes the port, prints one line with its address, and serves until it is interrupted.
// Package backend/gnmi/server is the switch itself.
//
// The line is the only output on standard output, and it is printed when the port is open: scripts wait for it, and
// read the port from it when they have asked for port 0.
package target

import (
	"context"
	"fmt"
	"net"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/cli/inputs"
	"github.com/cellwarden/cellwarden/topology"
)

// Package backend/gnmi/server is the switch. access.go has TLS and users, traffic.go lets packets run.

// targetFlags are the flags of the target command. options are those of the switch; 0 of a limit is the default that
// the help states. cert, key and ca are files of PEM.
type targetFlags struct {
	chip, listen, ports, ca, cert, key string
	insecure                           bool
	users                              []string
	passwords                          string
	options                            server.Options
	traffic                            trafficFlags
}

// New is the verb.
func New() *cobra.Command {
	var f targetFlags
	c := cli.Command("target", cli.Args(0, 0), func(cmd *cobra.Command, _ []string) error { return f.run(cmd) })
	flags, o := c.Flags(), &f.options
	flags.StringVar(&f.chip, "chip", "", "chip to simulate: a name of asic list, or a chip file")
	flags.StringVar(&f.listen, "listen", "127.0.0.1:9339", "address to listen on; port 0 selects a free port")
	flags.StringVar(&f.ports, "ports", "", "front-panel ports in the order of their pipes, such as Ethernet1/1-32 "+
		"(default: in the order of their first configuration)")
	flags.StringVar(&f.cert, "tls-cert", "", "file of the switch's certificate (PEM); without it, TLS is off")
	flags.StringVar(&f.key, "tls-key", "", "file of the switch's key (PEM)")
	flags.StringVar(&f.ca, "tls-ca", "", "file of CA certificates (PEM); a client needs a certificate that one of them "+
		"signed")
	flags.BoolVar(&f.insecure, "insecure", false, "serve without TLS on any address, also if clients send passwords")
	flags.StringArrayVar(&f.users, "user", nil, "user as NAME:ROLE; ROLE is read-only or read-write; may be repeated")
	flags.StringVar(&f.passwords, "password-list", "",
		"file of NAME:PASSWORD lines (default: the environment, CELLWARDEN_PASSWORD_NAME)")
	flags.StringSliceVar(&o.QueueNames, "queue-names", nil, "names that the queues 0, 1 and so on have by themselves, "+
		"such as BE1,BE0,AF1; a client may configure them without their queue-id")
	flags.BoolVar(&o.Lenient, "lenient", false, "store configuration that the ASIC has no registers for, and log a "+
		"warning, instead of refusing it")
	flags.IntVar(&o.MaxStreams, "max-streams", 0, "largest number of simultaneous subscriptions (default 64)")
	flags.IntVar(&o.MaxMessage, "max-message", 0, "largest request and largest answer to Get, in bytes (default 16777216)")
	flags.IntVar(&o.MaxUpdates, "max-updates", 0, "largest number of updates in one notification (default 500)")
	flags.DurationVar(&o.MinSample, "min-sample", 0, "smallest interval of samples and heartbeats (default 1s)")
	flags.IntVar(&o.MaxConnections, "max-connections", 0, "largest number of simultaneous connections (default 4096)")
	flags.DurationVar(&o.MaxIdle, "max-idle", 0, "time after which a connection without calls ends (default 1m)")
	flags.DurationVar(&o.Patience, "patience", 0, "time in which a subscriber must accept a message, or its stream ends "+
		"(default 10s)")
	f.traffic.add(c)
	cli.ConfineFlag(c)
	return c
}

// run checks the flags, serves the switch and prints its address. Tests and scripts
// wait for this line. What a user can have got wrong is checked before the port is taken, and ends with exit code 2. A
// port that is in use is a failure of the machine, 1. An interrupted target ends with 0.
func (f *targetFlags) run(cmd *cobra.Command) error {
	if err := f.traffic.check(cmd); err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	f.options.Log = cli.Logger(cmd)
	creds, security, err := f.security(cmd.Context())
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	if f.options.Users, err = f.readUsers(cmd.Context()); err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	f.options.Models = append(f.options.Models, server.Simulated())
	// The switch is made before the address is taken: a scenario that cannot be read must not look like a switch that
	// is up. served also adds the models by which a client recognises a simulated chip.
	sw, err := f.served(cmd)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	// The limits of the options are of two kinds: those of gRPC's connections and those of the switch.
	grpcServer := grpc.NewServer(append(f.options.ServerOptions(), creds...)...)
	sw.Register(grpcServer)
	listener, err := net.Listen("tcp", f.listen)
	if err != nil {
		return cli.ExitWith(cli.ExitFailure, fmt.Errorf("--listen: %w (want an address of this machine with a free port; "+
			"port 0 selects a free port)", err))
	}
	// listener.Addr has the port that the machine has chosen for port 0.
	line := fmt.Sprintf("%s as a gNMI switch on %s, %s", sw.name, listener.Addr(), security)
	if len(f.users) > 0 { // names and roles, never passwords
		line += ", for " + strings.Join(f.users, ", ")
	}
	if line += sw.what; f.options.Lenient {
		line += ", lenient: the log lists configuration that is stored without effect"
	}
	fmt.Fprintln(cmd.OutOrStdout(), line)
	// The traffic stops before the function returns, as it uses the switch.
	defer sw.start(cmd.Context())()
	// Stop and not GracefulStop: a Subscribe of a client never ends by itself.
	stop := context.AfterFunc(cmd.Context(), grpcServer.Stop)
	defer stop()
	if err := grpcServer.Serve(f.options.Limit(listener)); err != nil && cmd.Context().Err() == nil {
		return cli.ExitWith(cli.ExitFailure, err)
	}
	return nil
}

// served is the switch that a command serves. what begins with a semicolon, and is empty without traffic.
type served struct {
	*server.Server
	name, what string                       // for the user
	start      func(context.Context) func() // starts the traffic; the result stops it
}

// served makes a switch without traffic, or one that packets run through.
func (f *targetFlags) served(cmd *cobra.Command) (*served, error) {
	if f.traffic.file != "" {
		return f.traffic.served(cmd, f.options)
	}
	asic, err := f.asic(cmd)
	if err != nil {
		return nil, err
	}
	f.options.Models = append(f.options.Models, server.SimulatedChip(asic.Chip()))
	gnmiServer, err := server.New(asic, asic.Chip().Cell, f.options)
	return &served{gnmiServer, asic.Name(), "", func(context.Context) func() { return func() {} }}, err
}

// asic makes the simulated ASIC with its front-panel ports. Without --ports the ASIC takes the ports of the first
// configuration that names them.
func (f *targetFlags) asic(cmd *cobra.Command) (*sim.ASIC, error) {
	chip, err := inputs.LoadChip(cli.Named(cmd), f.chip)
	if err != nil {
		return nil, err
	}
	var ports []sim.Port
	if f.ports != "" {
		names, err := topology.ExpandPorts(f.ports)
		if err != nil {
			return nil, fmt.Errorf("--ports: %w", err)
		}
		for i, n := range names {
			// In turn over the pipes, as a plan assumes for ports without a pipe.
			ports = append(ports, sim.Port{Name: n, Pipe: i % chip.PipeCount()})
		}
	}
	return sim.New(chip, ports...)
}
