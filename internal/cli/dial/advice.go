package dial

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/cellwarden/cellwarden/backend/gnmi"
)

// This file adds hints to the errors of a connection: which flag or check can help. gRPC has one code for everything
// that may be wrong with a connection, so that the texts of errors are compared.

// Advise adds a hint to an error of a gNMI request: which flag or check can help. The error keeps its text and its
// kind, and the hint follows in brackets.
func (f *DialFlags) Advise(err error) error {
	var failed *gnmi.RPCError
	if !errors.As(err, &failed) {
		return err
	}
	// The error is wrapped, so that its code and its kind are still found in it.
	if what := f.advice(failed); what != "" {
		return fmt.Errorf("%w (%s)", err, what)
	}
	return err
}

// advice returns the hint for an error; empty if the error needs none. A request that took too long gets the flag of
// its time limit. What needs no flag, such as a name that is not known, gets a question, because the flag that was
// given may have a typing error. Some texts are those of one product: sonic-gnmi has its own for a list of paths and
// for a start without writing.
func (f *DialFlags) advice(e *gnmi.RPCError) string {
	says := func(text string) bool { return strings.Contains(e.Message, text) }
	switch e.Code {
	case codes.Unavailable:
		return connectionAdvice(e)
	case codes.DeadlineExceeded:
		switch {
		case says("waiting for connections"): // gRPC waits within the time limit: the request was never sent
			return "the port accepts connections but does not answer: is it the port of a gNMI server? " +
				"--timeout gives a slow server more time"
		case e.RPC == "Set":
			// It may still be made: advice about a longer time would hide that. Its time is that of --set-timeout,
			// which the advice about an unfinished push names.
			return ""
		}
		return fmt.Sprintf("--timeout gives the switch more time than %v", f.Connection.Timeout)
	case codes.Unauthenticated:
		return f.credentialsAdvice()
	case codes.PermissionDenied:
		if says("blocked by policy") {
			return "the server's list of blocked paths has this one, for every user: sonic-gnmi has it from the file of " +
				"its flag -paths_blacklist"
		}
		return "this user has no permission: use another one with --username and --password-file"
	case codes.Unimplemented:
		switch {
		case says("unknown service"): // gRPC's own text
			return "the server speaks gRPC but not gNMI: is the port right?"
		case says("read-only mode"), says("native write is disabled"):
			return "the server was started without writing: sonic-gnmi takes a Set of CONFIG_DB with its flag -gnmi_native_write"
		}
	case codes.FailedPrecondition:
		if says("commit") { // all that the texts of switches about a commit that waits have in common
			return "another push may be under way; cellwarden resume lists the unfinished pushes of this user"
		}
	}
	return ""
}

// credentialsAdvice says which credentials are sent. They are read again to say what is missing. The password itself
// is never part of a text.
func (f *DialFlags) credentialsAdvice() string {
	username, password, _ := f.credentials(context.Background())
	switch {
	case username == "":
		return "use --username and --password-file, or $" + UsernameVariable + " and $" + PasswordVariable
	case password == "":
		return "no password is given: want --password-file, or $" + PasswordVariable
	}
	return "user " + username + ", with the password of --password-file, else of $" + PasswordVariable
}

// Hints that several texts have.
const (
	wrongAddress        = "is the address right?"
	wrongName           = "--tls-server-name says which name is in the switch's certificate"
	needsTLS            = "the server does not speak gRPC without TLS: is the port right? Leave out --insecure to use TLS"
	noGRPC              = "the server speaks TLS but not gRPC: is the port right?"
	certificateExpected = "use --tls-cert and --tls-key for the client's certificate"
)

// connections are texts of errors of a connection with their hints. The texts are those of Go's net and crypto/tls and
// of gRPC. Several of them can be in one message: the first that is found counts, so the most exact stand first. A text
// can mean different things with TLS and without: a connection that is closed at once is a port without TLS in one
// case, and a switch that wants a certificate in the other. Without a hint, the text explains it.
var connections = []struct{ text, always, plain, secured string }{
	{text: "connection refused", always: "no server listens there: is gNMI enabled, and on this port?"},
	{text: "no such host", always: "is the name right?"},
	{text: "produced zero addresses", always: "the name has no address: is the name right?"},
	{text: "no route to host", always: wrongAddress},
	{text: "network is unreachable", always: wrongAddress},
	{text: "i/o timeout", always: "no answer from this address: is the address right, and does a firewall block the " +
		"connection?"},
	{text: "first record does not look like a TLS handshake",
		secured: "the server does not speak TLS: is the port right? Use --insecure for a switch without TLS"},
	{text: "signed by unknown authority",
		secured: "--tls-ca names a file with the authority that signed the switch's certificate"},
	{text: "certificate is not valid for any names", secured: wrongName},
	{text: "certificate is valid for", secured: wrongName},
	{text: "doesn't contain any IP SANs", secured: wrongName},
	{text: "expired or is not yet valid", secured: "renew the switch's certificate, or correct the clock"},
	{text: "no application protocol", secured: noGRPC},
	{text: "missing selected ALPN", secured: noGRPC + " A switch with an old gRPC library fails in the same way: set " +
		"GRPC_ENFORCE_ALPN_ENABLED=false in the environment to connect to it"},
	{text: "remote error: tls:", secured: "the switch does not accept this client: use --tls-cert and --tls-key with a " +
		"certificate that its authority has signed"},
	{text: "broken pipe", plain: needsTLS, secured: certificateExpected},
	{text: "connection reset", plain: needsTLS, secured: certificateExpected},
	{text: "server preface", plain: needsTLS, secured: noGRPC},
	{text: "EOF", plain: needsTLS, secured: certificateExpected},
}

// connectionAdvice is the hint for an error of a connection.
func connectionAdvice(e *gnmi.RPCError) string {
	for _, c := range connections {
		switch {
		case !strings.Contains(e.Message, c.text):
		case e.Secured:
			return c.always + c.secured
		default:
			return c.always + c.plain
		}
	}
	return ""
}
