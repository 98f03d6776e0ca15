package dial

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/cellwarden/cellwarden/backend/gnmi"
	"github.com/cellwarden/cellwarden/internal/files"
)

// This file reads certificates and passwords. Flags and files take precedence over the environment.

// readAuthorities reads a file of certificates (PEM), for tls.Config: those that sign
// switches' certificates, or clients'. A file may have several.
func readAuthorities(ctx context.Context, file string) (*x509.CertPool, error) {
	pem, err := files.Read(ctx, file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	// An empty pool would trust nobody, and every connection would fail for another reason.
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s contains no certificate in PEM form", file)
	}
	return pool, nil
}

// readSecret reads a password: the first line of a file. An empty first line counts as no password.
func readSecret(ctx context.Context, file string) (gnmi.Secret, error) {
	data, err := files.Read(ctx, file)
	if err != nil {
		return "", err
	}
	// Editors end the line with a newline, which is no part of the password.
	first, _, _ := strings.Cut(string(data), "\n")
	return gnmi.Secret(strings.TrimRight(first, "\r")), nil
}

// tls returns the TLS configuration; nil with --insecure. --tls-skip-verify with --tls-server-name is accepted: the
// name is still sent (SNI).
func (f *DialFlags) tls(ctx context.Context) (*tls.Config, error) {
	if f.Connection.Insecure {
		// --insecure would ignore certificates. A user who gives them expects encryption.
		if f.ca+f.cert+f.key+f.serverName != "" || f.skipVerify {
			return nil, errors.New("--insecure contradicts the --tls flags (want one or the other)")
		}
		return nil, nil
	}
	config, err := TlsConfig(ctx, f.ca, f.cert, f.key)
	if err != nil {
		return nil, err
	}
	config.ServerName, config.InsecureSkipVerify = f.serverName, f.skipVerify
	return config, nil
}

// credentials returns user and password. Flags and files take precedence over the
// environment. Both empty is no error, for a switch without users. A user without a password is left to the switch.
func (f *DialFlags) credentials(ctx context.Context) (username string, password gnmi.Secret, err error) {
	username = cmp.Or(f.Connection.Username, os.Getenv(UsernameVariable))
	password = gnmi.Secret(os.Getenv(PasswordVariable))
	// A file that cannot be read is an error even if the environment has a password: the user has asked for the file.
	if f.passwordFile != "" {
		if password, err = readSecret(ctx, f.passwordFile); err != nil {
			return "", "", fmt.Errorf("--password-file: %w", err)
		}
	}
	// gNMI sends both in the metadata of each request; a password alone authenticates nobody.
	if username == "" && password != "" {
		return "", "", errors.New("a password without a user (want --username, or $" + UsernameVariable + ")")
	}
	return username, password, nil
}

// TlsConfig reads certificates. Without files it is Go's default.
func TlsConfig(ctx context.Context, ca, cert, key string) (*tls.Config, error) {
	// 1.2 is the oldest version that is not deprecated (RFC 8996).
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		var err error
		if c.RootCAs, err = readAuthorities(ctx, ca); err != nil {
			return nil, fmt.Errorf("--tls-ca: %w", err)
		}
		// The same file serves both sides: a client checks the switch with it, and the verb target its clients.
		c.ClientCAs = c.RootCAs
	}
	switch {
	case cert == "" && key == "":
	case cert == "":
		return nil, fmt.Errorf("--tls-key %q without a certificate (want --tls-cert too)", key)
	case key == "":
		return nil, fmt.Errorf("--tls-cert %q without its key (want --tls-key too)", cert)
	default:
		pair, err := keyPair(ctx, cert, key)
		if err != nil {
			return nil, fmt.Errorf("--tls-cert, --tls-key: %w", err) // the error names files and never their content
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// keyPair reads a certificate and its key. The two are read before they are compared, so that a missing file is named
// by itself.
func keyPair(ctx context.Context, cert, key string) (tls.Certificate, error) {
	signed, err := files.Read(ctx, cert)
	if err != nil {
		return tls.Certificate{}, err
	}
	own, err := files.Read(ctx, key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(signed, own)
}
