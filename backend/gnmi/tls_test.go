package gnmi_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/smallswitch"
)

// authority makes a certificate for a switch called leaf1, and the pool that trusts it.
func authority(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	form := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"leaf1"}, IsCA: true,
		BasicConstraintsValid: true,
		NotBefore:             time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	der, err := x509.CreateCertificate(rand.Reader, form, form, public, private)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private}, pool
}

// A switch is believed only if its certificate is, unless the caller says not to look.
func TestDialChecksTheSwitch(t *testing.T) {
	effort.SkipFew(t, "handshakes that fail take long")
	asic, err := sim.New(chip(100))
	require.NoError(t, err)
	served, err := server.New(asic, cell, server.Options{})
	require.NoError(t, err)
	cert, pool := authority(t)
	grpcServer := grpc.NewServer(grpc.Creds(credentials.NewServerTLSFromCert(&cert)))
	served.Register(grpcServer)
	address := smallswitch.At(t, grpcServer)
	for name, test := range map[string]struct {
		opt  gnmi.Options
		want string
	}{
		"trusted":      {gnmi.Options{TLS: &tls.Config{RootCAs: pool, ServerName: "leaf1"}}, ""},
		"not checked":  {gnmi.Options{TLS: &tls.Config{InsecureSkipVerify: true}}, ""},
		"unknown":      {gnmi.Options{}, "certificate"},
		"another name": {gnmi.Options{TLS: &tls.Config{RootCAs: pool, ServerName: "leaf2"}}, "leaf2"},
		"plain text":   {gnmi.Options{Insecure: true}, "Capabilities failed (Unavailable)"},
	} {
		t.Run(name, func(t *testing.T) {
			test.opt.Cell = cell
			c, err := gnmi.Dial(address, test.opt)
			require.NoError(t, err)
			defer func() { require.NoError(t, c.Close()) }()
			_, err = c.Capabilities(t.Context())
			if test.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.want)
			}
		})
	}
}

// A switch that asks for a client certificate refuses a client without one, and a client with the certificate of
// another authority. The client refuses a switch that has only TLS 1.1.
func TestMutualTLS(t *testing.T) {
	asic, err := sim.New(chip(100))
	require.NoError(t, err)
	served, err := server.New(asic, cell, server.Options{})
	require.NoError(t, err)
	cert, pool := authority(t)
	stranger, _ := authority(t)
	ours := &tls.Config{RootCAs: pool, ServerName: "leaf1", Certificates: []tls.Certificate{cert}}
	for name, test := range map[string]struct {
		server *tls.Config
		client *tls.Config
		want   string
	}{
		"known":          {&tls.Config{}, ours, ""},
		"no certificate": {&tls.Config{}, &tls.Config{RootCAs: pool, ServerName: "leaf1"}, "certificate"},
		"a stranger's": {&tls.Config{}, &tls.Config{RootCAs: pool, ServerName: "leaf1",
			Certificates: []tls.Certificate{stranger}}, "certificate"},
		"TLS 1.1": {&tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10},
			&tls.Config{RootCAs: pool, ServerName: "leaf1", MinVersion: tls.VersionTLS10, Certificates: []tls.Certificate{cert}},
			"protocol version"},
	} {
		t.Run(name, func(t *testing.T) {
			test.server.Certificates, test.server.ClientCAs, test.server.ClientAuth = []tls.Certificate{cert}, pool,
				tls.RequireAndVerifyClientCert
			grpcServer := grpc.NewServer(grpc.Creds(credentials.NewTLS(test.server)))
			served.Register(grpcServer)
			address := smallswitch.At(t, grpcServer)
			c, err := gnmi.Dial(address, gnmi.Options{Cell: cell, TLS: test.client, Retry: gnmi.Retry{Attempts: 1}})
			require.NoError(t, err)
			defer func() { require.NoError(t, c.Close()) }()
			if _, err = c.Capabilities(t.Context()); test.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.want)
			}
		})
	}
	_, err = gnmi.Dial("leaf1", gnmi.Options{Cell: cell, TLS: &tls.Config{MaxVersion: tls.VersionTLS11}})
	require.ErrorContains(t, err, "tls.max_version: TLS 1.1: want TLS 1.2 or later")
}
