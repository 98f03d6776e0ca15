package gnmi

import (
	"crypto/x509"
	"fmt"
	"os"
	"strings"
)

// ReadAuthorities reads a file of certificates (PEM), for tls.Config: those that sign
// switches' certificates, or clients'.
func ReadAuthorities(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
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
func ReadSecret(file string) (Secret, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(string(data), "\n")
	return Secret(strings.TrimRight(first, "\r")), nil
}
