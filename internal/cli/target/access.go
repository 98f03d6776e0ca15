package target

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/internal/cli/dial"
	"github.com/cellwarden/cellwarden/internal/files"
	"github.com/cellwarden/cellwarden/internal/once"
)

// This file decides who may reach the target: TLS, client certificates, users and their
// passwords.

// security returns the server's options and a text that describes them. Without any of the three files there is no TLS,
// which mayBeOpen then allows or refuses. The text is a part of the first line that target prints, so that a user sees
// how open the switch is.
func (f *targetFlags) security(ctx context.Context) ([]grpc.ServerOption, string, error) {
	if f.cert+f.key+f.ca == "" {
		return nil, "without TLS", f.mayBeOpen()
	}
	switch {
	case f.insecure:
		return nil, "", errors.New("--insecure contradicts the --tls flags (want one or the other)")
	case f.cert == "" || f.key == "":
		return nil, "", errors.New("TLS without the switch's certificate (want --tls-cert and --tls-key)")
	}
	// TlsConfig takes the file of authorities for both sides. A server reads those of clients (ClientCAs) alone.
	config, err := dial.TlsConfig(ctx, f.ca, f.cert, f.key)
	if err != nil {
		return nil, "", err
	}
	text := "with TLS"
	// With an authority for clients, a client without a certificate is refused in the handshake and sees no gNMI.
	if f.ca != "" {
		config.ClientAuth, text = tls.RequireAndVerifyClientCert, "with mutual TLS"
	}
	return []grpc.ServerOption{grpc.Creds(telling{credentials.NewTLS(config), f.options.Log})}, text, nil
}

// telling are credentials that log refused connections with the reason.
type telling struct {
	credentials.TransportCredentials
	log *slog.Logger
}

// ServerHandshake logs why a client was refused: the client itself often sees only a closed connection.
func (t telling) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	out, info, err := t.TransportCredentials.ServerHandshake(conn)
	if err != nil && !errors.Is(err, io.EOF) { // a client that sends nothing is not refused
		t.log.Warn("connection refused", "from", conn.RemoteAddr().String(), "message", err.Error())
	}
	return out, info, err
}

// Clone keeps the log: that of the embedded credentials would be without it.
func (t telling) Clone() credentials.TransportCredentials {
	return telling{t.TransportCredentials.Clone(), t.log}
}

// mayBeOpen refuses to serve without TLS on an address that other machines reach, and
// to accept passwords without TLS, unless --insecure is given. The error says which flags make it acceptable.
func (f *targetFlags) mayBeOpen() error {
	host, _, err := net.SplitHostPort(f.listen)
	switch {
	case err != nil:
		return fmt.Errorf("--listen %q (want <address>:<port>, such as 127.0.0.1:9339)", f.listen)
	case f.insecure:
		return nil
	case len(f.users) > 0:
		return errors.New("--user without TLS (want --tls-cert and --tls-key, or --insecure, which sends passwords " +
			"unencrypted)")
	// An empty host is every interface, and parses as no address: it counts as open.
	case host != "localhost" && !net.ParseIP(host).IsLoopback():
		return fmt.Errorf("--listen %s without TLS (want --tls-cert and --tls-key, or a loopback address, or --insecure)",
			f.listen)
	}
	return nil
}

// userName matches names of users. Their characters give a valid environment variable. Of other characters no name of a
// variable could be made.
var userName = once.Pattern(`^[A-Za-z0-9._-]+$`)

// readUsers reads the users and their passwords. No error contains a password. A role is always written: a default
// would be the wrong one for somebody. The values that were given are not repeated in the error about --user, because
// people put passwords there.
func (f *targetFlags) readUsers(ctx context.Context) ([]server.User, error) {
	// The file is read once, before any user is looked at, so that its mistakes are reported even without users in it.
	passwords, err := f.readPasswords(ctx)
	if err != nil {
		return nil, err
	}
	var out []server.User
	// The first mistake ends it: these are a few flags that somebody is typing.
	for _, text := range f.users {
		name, word, _ := strings.Cut(text, ":")
		writes, known := map[string]bool{"read-only": false, "read-write": true}[word]
		if !known || !userName().MatchString(name) {
			return nil, errors.New("--user (want <name>:read-only or <name>:read-write, where the name consists of letters, " +
				"digits, dots, _ and -)")
		}
		password, there := passwords[name]
		// With a password file the environment is not read: a user who was removed from the file must not get in by a
		// variable.
		if !there && f.passwords == "" {
			password = os.Getenv(variable(name))
		}
		// An empty password would let in every client that knows the name.
		if password == "" {
			return nil, fmt.Errorf("--user %s: no password (want %s in the environment, or a line %s:<password> in the "+
				"file of --password-list)", name, variable(name), name)
		}
		out = append(out, server.User{Name: name, Password: password, Writes: writes})
	}
	return out, nil
}

// variable is the environment variable of a user's password. Two names that differ in case, or in a dot and a hyphen,
// have one variable and so one password.
func variable(name string) string {
	return "CELLWARDEN_PASSWORD_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(name))
}

// readPasswords reads the password file. Empty lines and lines that begin with # are
// ignored.
func (f *targetFlags) readPasswords(ctx context.Context) (map[string]string, error) {
	// A nil map answers every name with no password, and readUsers then asks the environment.
	if f.passwords == "" {
		return nil, nil
	}
	if len(f.users) == 0 {
		return nil, errors.New("--password-list without --user (want both or neither)")
	}
	text, err := files.Read(ctx, f.passwords)
	if err != nil {
		return nil, fmt.Errorf("--password-list: %w", err)
	}
	return ParsePasswords(f.passwords, string(text))
}

// mostUsers is more than one switch has.
const mostUsers = 4096

// ParsePasswords reads the lines of a password file. No error contains one. A name that no --user has is no error, so
// that one file serves several switches.
func ParsePasswords(file, all string) (map[string]string, error) {
	out, line := map[string]string{}, 0
	for text := range strings.Lines(all) {
		// The bound is on users and not on lines, because comments are free.
		if line++; len(out) > mostUsers {
			return nil, fmt.Errorf("--password-list: line %d of %s (want at most %d users)", line, file, mostUsers)
		}
		text = strings.TrimRight(text, "\r\n")
		if text == "" || text[0] == '#' {
			continue
		}
		// The first colon divides: a password may have more of them.
		name, password, found := strings.Cut(text, ":")
		if _, again := out[name]; !found || again {
			return nil, fmt.Errorf("--password-list: line %d of %s (want <name>:<password>, each name once)", line, file)
		}
		out[name] = password
	}
	return out, nil
}
