// Package interop tries cellwarden against other people's gNMI: their clients against our switch, and our client
// against their server. All of it runs on loopback with TLS. It is a module of its own, so that what it needs is no
// dependency of cellwarden:
//
//	cd interop && go test ./...
package interop

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
)

// lab is our switch on loopback, and the files that a client needs to talk to it over mutual TLS.
type lab struct {
	address, ca, cert, key string
	asic                   *sim.ASIC
}

// start serves a simulated ASIC of 1000 cells of 208 bytes.
func start(t *testing.T, opt server.Options) lab {
	t.Helper()
	l, creds := newLab(t)
	var err error
	l.asic, err = sim.New(buffer.Chip{Name: "small", Cell: 208, Slices: []buffer.Slice{{Cells: 1000}}, MinAlpha: -7,
		MaxAlpha: 3, Groups: 8})
	require.NoError(t, err)
	s, err := server.New(l.asic, 208, opt)
	require.NoError(t, err)
	grpcServer := grpc.NewServer(append(opt.ServerOptions(), creds)...)
	s.Register(grpcServer)
	l.serve(t, grpcServer)
	return *l
}

// newLab makes the certificates of both sides.
func newLab(t *testing.T) (*lab, grpc.ServerOption) {
	t.Helper()
	dir := t.TempDir()
	l := &lab{ca: filepath.Join(dir, "ca.pem"), cert: filepath.Join(dir, "client.pem"),
		key: filepath.Join(dir, "client.key")}
	signer := newAuthority(t, l.ca)
	signer.issue(t, l.cert, l.key)
	signer.issue(t, filepath.Join(dir, "switch.pem"), filepath.Join(dir, "switch.key"))
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "switch.pem"), filepath.Join(dir, "switch.key"))
	require.NoError(t, err)
	return l, grpc.Creds(credentials.NewTLS(&tls.Config{MinVersion: tls.VersionTLS12,
		Certificates: []tls.Certificate{pair},
		ClientCAs:    signer.pool(), ClientAuth: tls.RequireAndVerifyClientCert}))
}

// serve runs a server on loopback until the test ends.
func (l *lab) serve(t *testing.T, grpcServer *grpc.Server) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l.address = listener.Addr().String()
	done := make(chan error, 1)
	go func() { done <- grpcServer.Serve(listener) }()
	t.Cleanup(func() { grpcServer.Stop(); require.NoError(t, <-done) })
}

// client is how our client shows its certificate and checks the switch's.
func (l *lab) client(t *testing.T) *tls.Config {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(l.cert, l.key)
	require.NoError(t, err)
	text, err := os.ReadFile(l.ca)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(text))
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}, RootCAs: pool}
}

// plan is a queue, a profile of 1000 bytes and an alpha for it, and a port that is bound to it.
const plan = `{"openconfig-qos:queues":{"queue":[{"name":"3","config":{"name":"3"}}]},
"openconfig-qos:buffer-allocation-profiles":{"buffer-allocation-profile":[{"name":"p","config":{"name":"p"},"queues":{"queue":[{"name":"3",
"config":{"name":"3","dedicated-buffer":"1000","use-shared-buffer":true,"shared-buffer-limit-type":"DYNAMIC_BASED_ON_SCALING_FACTOR","dynamic-limit-scaling-factor":-3}}]}}]},
"openconfig-qos:interfaces":{"interface":[{"interface-id":"Ethernet1/1","config":{"interface-id":"Ethernet1/1"},"input":{"config":{"buffer-allocation-profile":"p"}}}]}}`

// inRegisters is what the ASIC holds then: 1000 bytes are five cells.
const inRegisters = "Ethernet1/1 group 3 reserved 5 cells\nEthernet1/1 group 3 alpha 2^-3\n"

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T, file string) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	plan := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "lab"},
		NotAfter: time.Now().Add(time.Hour),
		IsCA:     true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, plan, plan, &key.PublicKey, key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	write(t, file, "CERTIFICATE", der)
	return authority{cert, key}
}

// pool is the certificates that one who trusts the authority has.
func (a authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// issue makes a certificate for this machine's loopback, for both sides.
func (a authority) issue(t *testing.T, certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	plan := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "127.0.0.1"},
		NotAfter:    time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, plan, a.cert, &key.PublicKey, a.key)
	require.NoError(t, err)
	write(t, certFile, "CERTIFICATE", der)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	write(t, keyFile, "PRIVATE KEY", private)
}

func write(t *testing.T, file, kind string, der []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
}
