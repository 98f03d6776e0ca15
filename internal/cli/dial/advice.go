package dial

import (
	"context"
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/backend/gnmi"
)

// This file adds hints to the errors of a connection. reason.go classifies an error;
// this file knows the flags that can help.

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
// given may have a typing error.
func (f *DialFlags) advice(e *gnmi.RPCError) string {
	switch reasonOf(e) {
	case slow:
		// A Set without an answer may still be made: advice about a longer time would hide that.
		if e.RPC == "Set" {
			return "" // its time is that of --set-timeout, which the advice about an unfinished push names
		}
		return fmt.Sprintf("--timeout gives the switch more time than %v", f.timeout)
	// The credentials are read again to say what is missing. The password itself is never part of a text.
	case notAuthenticated:
		username, password, _ := f.credentials(context.Background())
		switch {
		case username == "":
			return "use --username and --password-file, or $" + UsernameVariable + " and $" + PasswordVariable
		case password == "":
			return "no password is given: want --password-file, or $" + PasswordVariable
		}
		return "user " + username + ", with the password of --password-file, else of $" + PasswordVariable
	default:
		return advices[reasonOf(e)]
	}
}

// advices are the hints by reason. A reason without an entry has none: the message says what to do.
var advices = map[reason]string{
	notListening:  "no server listens there: is gNMI enabled, and on this port?",
	noSuchHost:    "is the name right?",
	noSuchAddress: "the name has no address: is the name right?",
	unreachable:   "is the address right?",
	noAnswer: "no answer from this address: is the address right, and does a firewall block the " +
		"connection?",
	notReady: "the port accepts connections but does not answer: is it the port of a gNMI server? " +
		"--timeout gives a slow server more time",
	needsTLS: "the server does not speak gRPC without TLS: is the port right? Leave out --insecure to use TLS",
	noTLS:    "the server does not speak TLS: is the port right? Use --insecure for a switch without TLS",
	noGRPC:   notGRPC,
	noALPN: notGRPC + " A switch with an old gRPC library fails in the same way: set " +
		"GRPC_ENFORCE_ALPN_ENABLED=false in the environment to connect to it",
	noGNMI:           "the server speaks gRPC but not gNMI: is the port right?",
	unknownAuthority: "--tls-ca names a file with the authority that signed the switch's certificate",
	wrongName:        "--tls-server-name says which name is in the switch's certificate",
	expired:          "renew the switch's certificate, or correct the clock",
	certificateRefused: "the switch does not accept this client: use --tls-cert and --tls-key with a certificate " +
		"that its authority has signed",
	certificateExpected: "use --tls-cert and --tls-key for the client's certificate",
	notPermitted:        "this user has no permission: use another one with --username and --password-file",
	blocked: "the server's list of blocked paths has this one, for every user: sonic-gnmi has it from the file of " +
		"its flag -paths_blacklist",
	readOnly: "the server was started without writing: sonic-gnmi takes a Set of CONFIG_DB with its flag " +
		"-gnmi_native_write",
	commitUnderWay: "another push may be under way; cellwarden resume lists the unfinished pushes of this user",
}

// notGRPC is the advice where TLS succeeds and gRPC does not.
const notGRPC = "the server speaks TLS but not gRPC: is the port right?"
