package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/cells"
)

// dialFlags say how to reach a switch.
type dialFlags struct {
	target, username, passwordFile string
	ca, cert, key, serverName      string
	insecure, skipVerify           bool
	timeout                        time.Duration
}

func (f *dialFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.target, "target", "", "gNMI address of the switch, such as leaf1:9339")
	c.Flags().BoolVar(&f.insecure, "insecure", false, "no TLS: only for a switch on the same machine or in a lab")
	c.Flags().StringVar(&f.ca, "tls-ca", "", "file of certificates (PEM) that sign the switch's (default: the system's)")
	c.Flags().StringVar(&f.cert, "tls-cert", "", "file of our certificate (PEM), for mutual TLS")
	c.Flags().StringVar(&f.key, "tls-key", "", "file of our key (PEM), for mutual TLS")
	c.Flags().StringVar(&f.serverName, "tls-server-name", "", "name in the switch's certificate, if it is not the address")
	c.Flags().BoolVar(&f.skipVerify, "tls-skip-verify", false, "do not check the switch's certificate")
	c.Flags().StringVar(&f.username, "username", "", "user of the switch")
	c.Flags().StringVar(&f.passwordFile, "password-file", "", "file that holds the user's password")
	c.Flags().DurationVar(&f.timeout, "timeout", 10*time.Second, "how long one request may take")
}

// open makes a client. It does not wait for the switch to answer.
func (f *dialFlags) open(cell cells.Size) (backend.Backend, func(), error) {
	opt := gnmi.Options{Cell: cell, Timeout: f.timeout, Username: f.username, Insecure: f.insecure}
	var err error
	if !f.insecure {
		if opt.TLS, err = tlsConfig(f.ca, f.cert, f.key); err != nil {
			return nil, nil, exit{exitUsage, err}
		}
		opt.TLS.ServerName, opt.TLS.InsecureSkipVerify = f.serverName, f.skipVerify
	} else if f.ca+f.cert+f.key+f.serverName != "" || f.skipVerify {
		return nil, nil, exit{exitUsage, errors.New("--insecure has no use for --tls flags: accepted: one or the other")}
	}
	if f.passwordFile != "" {
		password, err := os.ReadFile(f.passwordFile)
		if err != nil {
			return nil, nil, exit{exitUsage, fmt.Errorf("--password-file: %w", err)}
		}
		opt.Password = strings.TrimRight(string(password), "\r\n")
	}
	client, err := gnmi.Dial(f.target, opt)
	if err != nil {
		return nil, nil, exit{exitUsage, err}
	}
	return client, func() { _ = client.Close() }, nil
}

// tlsConfig reads certificates. Without files it is Go's default.
func tlsConfig(ca, cert, key string) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			return nil, fmt.Errorf("--tls-ca: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("--tls-ca: %s holds no certificate in PEM form", ca)
		}
		c.ClientCAs = c.RootCAs
	}
	if cert != "" || key != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("--tls-cert, --tls-key: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
