package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/cellwarden/cellwarden/backend/gnmi/target"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/topology"
)

// targetFlags are the flags of the target command.
type targetFlags struct {
	chip, listen, ports, ca, cert, key string
}

func targetCommand() *cobra.Command {
	var f targetFlags
	c := &cobra.Command{
		Use:     "target",
		Short:   "Serve a simulated ASIC as a gNMI switch",
		Long:    "target serves a simulated ASIC as a gNMI switch with OpenConfig QoS: Capabilities, Get, Set and Subscribe ONCE. A Set that\ndoes not fit the chip is refused with RESOURCE_EXHAUSTED. It runs until it is interrupted.\n\n" + exitCodes,
		Example: "  cellwarden target --chip tomahawk --listen 127.0.0.1:9339",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	c.Flags().StringVar(&f.chip, "chip", "", "chip to simulate: a name of asic list, or a chip file")
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:9339", "address to listen on; port 0 takes a free one")
	c.Flags().StringVar(&f.ports, "ports", "", "front-panel ports in the order of their pipes, such as Ethernet1/1-32 (default: in the order in which they are first configured)")
	c.Flags().StringVar(&f.cert, "tls-cert", "", "file of the switch's certificate (PEM); without it there is no TLS")
	c.Flags().StringVar(&f.key, "tls-key", "", "file of the switch's key (PEM)")
	c.Flags().StringVar(&f.ca, "tls-ca", "", "file of certificates (PEM) that must sign a client's")
	_ = c.MarkFlagRequired("chip")
	return c
}

func (f *targetFlags) run(cmd *cobra.Command) error {
	asic, err := f.asic()
	if err != nil {
		return exit{exitUsage, err}
	}
	options, security, err := f.security()
	if err != nil {
		return exit{exitUsage, err}
	}
	server := grpc.NewServer(options...)
	service, err := target.New(asic, asic.Chip().Cell)
	if err != nil {
		return exit{exitFailure, err}
	}
	service.Register(server)
	listener, err := net.Listen("tcp", f.listen)
	if err != nil {
		return exit{exitFailure, err}
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s as a gNMI switch on %s, %s\n", asic.Name(), listener.Addr(), security)
	stop := context.AfterFunc(cmd.Context(), server.Stop)
	defer stop()
	if err := server.Serve(listener); err != nil && cmd.Context().Err() == nil {
		return exit{exitFailure, err}
	}
	return nil
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

// security returns the server's options and what to tell the user about them.
func (f *targetFlags) security() ([]grpc.ServerOption, string, error) {
	if f.cert == "" && f.key == "" && f.ca == "" {
		return nil, "without TLS", nil
	}
	config, err := tlsConfig(f.ca, f.cert, f.key)
	if err != nil {
		return nil, "", err
	}
	text := "with TLS"
	if f.ca != "" {
		config.ClientAuth, text = tls.RequireAndVerifyClientCert, "with mutual TLS"
	}
	return []grpc.ServerOption{grpc.Creds(credentials.NewTLS(config))}, text, nil
}
