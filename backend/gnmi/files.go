package gnmi

import (
	"context"
	"crypto/x509"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/internal/files"
)

// ReadAuthorities reads a file of certificates (PEM), for tls.Config: those that sign
// switches' certificates, or clients'.
func ReadAuthorities(ctx context.Context, file string) (*x509.CertPool, error) {
	pem, err := files.Read(ctx, file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s contains no certificate in PEM form", file)
	}
	return pool, nil
}

// ReadSecret reads a password: the first line of a file.
func ReadSecret(ctx context.Context, file string) (Secret, error) {
	data, err := files.Read(ctx, file)
	if err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(string(data), "\n")
	return Secret(strings.TrimRight(first, "\r")), nil
}
