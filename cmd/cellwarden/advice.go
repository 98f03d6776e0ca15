package main

import (
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/cellwarden/cellwarden/backend/gnmi"
)

// advise adds to what a switch answered, or the way to it, what whoever typed the
// command can do about it.
func (f *dialFlags) advise(err error) error {
	var failed *gnmi.RPCError
	if !errors.As(err, &failed) {
		return err
	}
	if what := f.advice(failed); what != "" {
		return fmt.Errorf("%w (%s)", err, what)
	}
	return err
}

// advice is what can be done; empty: the answer says it itself.
func (f *dialFlags) advice(e *gnmi.RPCError) string {
	switch e.Code {
	case codes.Unavailable:
		return f.connecting(e.Message)
	case codes.DeadlineExceeded:
		if strings.Contains(e.Message, "waiting for connections") {
			return "it takes connections and says nothing: is it the port of a gNMI server? A slow one is given longer by --timeout"
		}
		return fmt.Sprintf("--timeout gives it longer than %v", f.timeout)
	case codes.Unauthenticated:
		username, password, _ := f.credentials()
		switch {
		case username == "":
			return "--username and --password-file say who asks, or $" + usernameVariable + " and $" + passwordVariable
		case password == "":
			return "no password was given: accepted: --password-file FILE, or $" + passwordVariable
		}
		return "user " + username + ", with the password of --password-file or else $" + passwordVariable
	case codes.PermissionDenied:
		return "another user may do it: --username and --password-file"
	case codes.Unimplemented:
		if strings.Contains(e.Message, "unknown service") {
			return "it is a gRPC server without gNMI: is it the right port?"
		}
	case codes.FailedPrecondition:
		if strings.Contains(e.Message, "commit") {
			return "somebody else's push may be under way; cellwarden resume lists those of this user that did not end"
		}
	}
	return ""
}

// broken are the words with which a connection ends, or does not come about, and
// what they may mean. gRPC has one code for all of them.
var broken = []struct{ words, plain, secured string }{
	{"connection refused", "nobody listens there: is gNMI switched on, and at this port?", ""},
	{"no such host", "is the name right?", ""},
	{"produced zero addresses", "there is no address of this name: is it right?", ""},
	{"no route to host", "is the address right?", ""},
	{"network is unreachable", "is the address right?", ""},
	{"i/o timeout", "nothing answers at this address: is it right, and does a firewall let it pass?", ""},
	{"first record does not look like a TLS handshake", "", "what listens there does not speak TLS: is the port right? --insecure is for a switch without TLS"},
	{"signed by unknown authority", "", "--tls-ca names a file with the authority that signed the switch's certificate"},
	{"certificate is not valid for any names", "", "--tls-server-name says which name is in the switch's certificate"},
	{"certificate is valid for", "", "--tls-server-name says which name is in the switch's certificate"},
	{"doesn't contain any IP SANs", "", "--tls-server-name says which name is in the switch's certificate"},
	{"expired or is not yet valid", "", "the switch's certificate has to be renewed, or a clock is wrong"},
	{"no application protocol", "", noGRPC},
	{"missing selected ALPN", "", noGRPC + " A switch with an old gRPC does so, too: GRPC_ENFORCE_ALPN_ENABLED=false in the environment lets it pass"},
	{"remote error: tls:", "", "the switch does not accept who asks: --tls-cert and --tls-key give a certificate that its authority has signed"},
	{"broken pipe", noTLS, ownCertificate},
	{"connection reset", noTLS, ownCertificate},
	{"server preface", noTLS, noGRPC},
	{"EOF", noTLS, ownCertificate},
}

const (
	noTLS          = "what listens there does not speak gRPC without TLS: is the port right? Without --insecure TLS is spoken"
	noGRPC         = "what listens there speaks TLS and no gRPC: is the port right?"
	ownCertificate = "ours is given by --tls-cert and --tls-key"
)

// connecting is what can be done about a connection.
func (f *dialFlags) connecting(message string) string {
	for _, b := range broken {
		switch {
		case !strings.Contains(message, b.words):
		case f.insecure || b.secured == "":
			return b.plain
		default:
			return b.secured
		}
	}
	return ""
}
