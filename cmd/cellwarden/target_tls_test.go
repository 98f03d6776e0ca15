package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/effort"
)

// selfSigned writes a certificate that is its own authority, and its key.
func selfSigned(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	plan := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "lab"},
		NotAfter:    time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, plan, plan, &private.PublicKey, private)
	require.NoError(t, err)
	text, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text}), 0o600))
	return cert, key
}

// TestMutualTLS tries a switch that wants a certificate and a password, with each of them right, wrong and missing.
func TestMutualTLS(t *testing.T) {
	effort.SkipFew(t, "handshakes that fail take long")
	switchCert, switchKey := selfSigned(t)
	cert, key := selfSigned(t)
	otherCert, otherKey := selfSigned(t)
	t.Setenv("CELLWARDEN_PASSWORD_LAB_1", "open sesame")
	address := serve(t, "--chip", "tomahawk", "--tls-cert", switchCert, "--tls-key", switchKey, "--tls-ca", cert, "--user",
		"lab.1:read-write")
	password := filepath.Join(t.TempDir(), "password")
	wrong := filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(password, []byte("open sesame\n"), 0o600))
	require.NoError(t, os.WriteFile(wrong, []byte("open barley\n"), 0o600))
	for _, test := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"all is right", []string{"--tls-ca", switchCert, "--tls-cert", cert, "--tls-key", key, "--username", "lab.1",
			"--password-file", password}, cli.ExitFine, ""},
		{"wrong password", []string{"--tls-ca", switchCert, "--tls-cert", cert, "--tls-key", key, "--username", "lab.1",
			"--password-file", wrong}, cli.ExitFailure, "Unauthenticated"},
		{"no password", []string{"--tls-ca", switchCert, "--tls-cert", cert, "--tls-key", key}, cli.ExitFailure,
			"Unauthenticated"},
		{"no certificate", []string{"--tls-ca", switchCert, "--username", "lab.1", "--password-file", password},
			cli.ExitFailure, "Unavailable"},
		{"wrong certificate", []string{"--tls-ca", switchCert, "--tls-cert", otherCert, "--tls-key", otherKey, "--username",
			"lab.1", "--password-file", password}, cli.ExitFailure, "Unavailable"},
		{"another switch", []string{"--tls-ca", otherCert, "--tls-cert", cert, "--tls-key", key, "--username", "lab.1",
			"--password-file", password}, cli.ExitFailure, "certificate signed by unknown authority"},
		{"no TLS", []string{"--insecure", "--username", "lab.1", "--password-file", password}, cli.ExitFailure,
			"Unavailable"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, out, bad := cellwarden(t, append([]string{"apply", arista, "--target", address, "--timeout", "20s"},
				test.args...)...)
			require.Equal(t, test.code, code, bad)
			require.Contains(t, bad, test.want)
			require.NotContains(t, out+bad, "sesame")
			require.NotContains(t, out+bad, "barley")
		})
	}
}
