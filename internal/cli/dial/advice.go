package dial

import (
	"context"
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/backend/gnmi"
)

// This file adds hints to the errors of a connection. The client classifies an error;
// the command knows the flags that can help.

// Advise adds a hint to an error of a gNMI request: which flag or check can help.
func (f *DialFlags) Advise(err error) error {
	var failed *gnmi.RPCError
	if !errors.As(err, &failed) {
		return err
	}
	if what := f.advice(failed); what != "" {
		return fmt.Errorf("%w (%s)", err, what)
	}
	return err
}

// advice returns the hint for an error; empty if the error needs none.
func (f *DialFlags) advice(e *gnmi.RPCError) string {
	switch e.Reason() {
	case gnmi.Slow:
		return fmt.Sprintf("--timeout gives the switch more time than %v", f.timeout)
	case gnmi.NotAuthenticated:
		username, password, _ := f.credentials(context.Background())
		switch {
		case username == "":
			return "use --username and --password-file, or $" + UsernameVariable + " and $" + PasswordVariable
		case password == "":
			return "no password is given: accepted: --password-file FILE, or $" + PasswordVariable
		}
		return "user " + username + ", with the password of --password-file, else of $" + PasswordVariable
	default:
		return advices[e.Reason()]
	}
}

// advices are the hints by reason.
var advices = map[gnmi.Reason]string{
	gnmi.NotListening:  "no server listens there: is gNMI enabled, and on this port?",
	gnmi.NoSuchHost:    "is the name right?",
	gnmi.NoSuchAddress: "the name has no address: is the name right?",
	gnmi.Unreachable:   "is the address right?",
	gnmi.NoAnswer: "no answer from this address: is the address right, and does a firewall block the " +
		"connection?",
	gnmi.NotReady: "the port accepts connections but does not answer: is it the port of a gNMI server? " +
		"--timeout gives a slow server more time",
	gnmi.NeedsTLS: "the server does not speak gRPC without TLS: is the port right? Leave out --insecure to use TLS",
	gnmi.NoTLS:    "the server does not speak TLS: is the port right? Use --insecure for a switch without TLS",
	gnmi.NoGRPC:   noGRPC,
	gnmi.NoALPN: noGRPC + " A switch with an old gRPC library fails in the same way: set " +
		"GRPC_ENFORCE_ALPN_ENABLED=false in the environment to connect to it",
	gnmi.NoGNMI:           "the server speaks gRPC but not gNMI: is the port right?",
	gnmi.UnknownAuthority: "--tls-ca names a file with the authority that signed the switch's certificate",
	gnmi.WrongName:        "--tls-server-name says which name is in the switch's certificate",
	gnmi.Expired:          "renew the switch's certificate, or correct the clock",
	gnmi.CertificateRefused: "the switch does not accept this client: use --tls-cert and --tls-key with a certificate " +
		"that its authority has signed",
	gnmi.CertificateExpected: "use --tls-cert and --tls-key for the client's certificate",
	gnmi.NotPermitted:        "this user has no permission: use another one with --username and --password-file",
	gnmi.CommitUnderWay:      "another push may be under way; cellwarden resume lists the unfinished pushes of this user",
}

const noGRPC = "the server speaks TLS but not gRPC: is the port right?"
