package main

import (
	"context"
	"fmt"
	"net"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/topology"
)

// targetFlags are the flags of the target command.
type targetFlags struct {
	chip, listen, ports, ca, cert, key string
	insecure                           bool
	users                              []string
	passwords                          string
	options                            server.Options
	traffic                            trafficFlags
}

const targetLong = `target serves a simulated ASIC as a gNMI switch with OpenConfig QoS: Capabilities, Get, Set with commit-confirmed,
Subscribe ONCE, POLL and STREAM. A Set that does not fit the chip is refused with RESOURCE_EXHAUSTED and changes
nothing. It runs until it is interrupted.

With --tls-cert and --tls-key it speaks TLS 1.2 or newer; with --tls-ca a client needs a certificate, too. Without them
it listens on this machine alone, unless --insecure says otherwise.

With --user, a client must send a username and a password; without it everybody who reaches the switch may read and
write. The password of user NAME is in the file of --password-file, in a line NAME:PASSWORD, or in the environment
variable CELLWARDEN_PASSWORD_NAME (capitals; what is no letter or digit is _).

With --traffic the switch is one of a scenario (docs/scenarios.md) whose memory a plan has laid out, and the scenario's
packets run through it: its queues have counters and watermarks, and a Set is in force from the next packet on. Model
time advances by --pace; when the scenario is over, the counters stay.

With --lenient, for clients and test suites that were written for other switches, it stores configuration that the ASIC
has no registers for, and repeats it in state, instead of refusing it; and it drops what its models do not have. The log
has a warning for each such path. What does not fit the chip is refused as ever.

`

func targetCommand() *cobra.Command {
	var f targetFlags
	c := &cobra.Command{
		Use:   "target",
		Short: "Serve a simulated ASIC as a gNMI switch",
		Long:  targetLong + exitCodes,
		Example: `  cellwarden target --chip tomahawk --listen 127.0.0.1:9339
  cellwarden target --chip tomahawk --listen :9339 --tls-cert switch.pem --tls-key switch.key --tls-ca clients.pem \
    --user admin:read-write --user monitor:read-only --password-file passwords.txt
  cellwarden target --traffic examples/scenarios/planned-switch.yaml --pace 100us/s`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags, o := c.Flags(), &f.options
	flags.StringVar(&f.chip, "chip", "", "chip to simulate: a name of asic list, or a chip file")
	flags.StringVar(&f.listen, "listen", "127.0.0.1:9339", "address to listen on; port 0 takes a free one")
	flags.StringVar(&f.ports, "ports", "", "front-panel ports in the order of their pipes, such as Ethernet1/1-32 (default: in the order in which they are first configured)")
	flags.StringVar(&f.cert, "tls-cert", "", "file of the switch's certificate (PEM); without it there is no TLS")
	flags.StringVar(&f.key, "tls-key", "", "file of the switch's key (PEM)")
	flags.StringVar(&f.ca, "tls-ca", "", "file of certificates (PEM) that must sign a client's")
	flags.BoolVar(&f.insecure, "insecure", false, "no TLS even if others can reach it, or if passwords are sent")
	flags.StringArrayVar(&f.users, "user", nil, "NAME:ROLE of who may use the switch; ROLE is read-only or read-write; may be repeated")
	flags.StringVar(&f.passwords, "password-file", "", "file of NAME:PASSWORD lines (default: the environment, CELLWARDEN_PASSWORD_NAME)")
	flags.BoolVar(&o.Lenient, "lenient", false, "store, and warn of, configuration that the ASIC has no registers for, instead of refusing it")
	flags.IntVar(&o.MaxStreams, "max-streams", 0, "how many subscriptions there may be at a time (default 64)")
	flags.IntVar(&o.MaxMessage, "max-message", 0, "longest request and longest answer to Get, in bytes (default 16777216)")
	flags.IntVar(&o.MaxUpdates, "max-updates", 0, "how many updates are bundled in one notification; 1 for none (default 500)")
	flags.DurationVar(&o.MinSample, "min-sample", 0, "shortest interval of samples and heartbeats (default 1s)")
	flags.DurationVar(&o.Patience, "patience", 0, "how long a subscriber may take to accept a message before it is cut off (default 10s)")
	f.traffic.add(c)
	return c
}

func (f *targetFlags) run(cmd *cobra.Command) error {
	if err := f.traffic.check(cmd); err != nil {
		return exit{exitUsage, err}
	}
	f.options.Log = logger(cmd)
	creds, security, err := f.security()
	if err != nil {
		return exit{exitUsage, err}
	}
	if f.options.Users, err = f.readUsers(); err != nil {
		return exit{exitUsage, err}
	}
	f.options.Models = append(f.options.Models, server.Simulated())
	sw, err := f.served(cmd)
	if err != nil {
		return exit{exitUsage, err}
	}
	grpcServer := grpc.NewServer(append(f.options.ServerOptions(), creds...)...)
	sw.Register(grpcServer)
	listener, err := net.Listen("tcp", f.listen)
	if err != nil {
		return exit{exitFailure, fmt.Errorf("--listen: %w: accepted: an address of this machine whose port is free; port 0 takes a free one", err)}
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s as a gNMI switch on %s, %s%s%s%s\n", sw.name, listener.Addr(), security, f.who(), sw.what, f.lenient())
	defer sw.start(cmd.Context())()
	stop := context.AfterFunc(cmd.Context(), grpcServer.Stop)
	defer stop()
	if err := grpcServer.Serve(listener); err != nil && cmd.Context().Err() == nil {
		return exit{exitFailure, err}
	}
	return nil
}

// served is the switch that a command serves.
type served struct {
	*server.Server
	name, what string                       // for the user
	start      func(context.Context) func() // begins what happens by itself; the result ends it
}

// served makes a switch by itself, or one that packets run through.
func (f *targetFlags) served(cmd *cobra.Command) (*served, error) {
	if f.traffic.file != "" {
		return f.traffic.served(cmd, f.options)
	}
	asic, err := f.asic()
	if err != nil {
		return nil, err
	}
	gnmiServer, err := server.NewWith(asic, asic.Chip().Cell, f.options)
	return &served{gnmiServer, asic.Name(), "", func(context.Context) func() { return func() {} }}, err
}

// who tells the user that passwords are asked for.
func (f *targetFlags) who() string {
	if len(f.users) == 0 {
		return ""
	}
	return ", for " + strings.Join(f.users, ", ")
}

// lenient tells the user that not all that is in state is done.
func (f *targetFlags) lenient() string {
	if !f.options.Lenient {
		return ""
	}
	return ", lenient: see its log for what is stored and not acted on"
}

// asic makes the simulated ASIC with its front-panel ports.
func (f *targetFlags) asic() (*sim.ASIC, error) {
	chip, err := loadChip(f.chip)
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
			ports = append(ports, sim.Port{Name: n, Pipe: i % chip.PipeCount()})
		}
	}
	return sim.New(chip, ports...)
}
