package main

import (
	"errors"
	"fmt"

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
	switch e.Reason() {
	case gnmi.Slow:
		return fmt.Sprintf("--timeout gives it longer than %v", f.timeout)
	case gnmi.NotAuthenticated:
		username, password, _ := f.credentials()
		switch {
		case username == "":
			return "--username and --password-file say who asks, or $" + usernameVariable + " and $" + passwordVariable
		case password == "":
			return "no password was given: accepted: --password-file FILE, or $" + passwordVariable
		}
		return "user " + username + ", with the password of --password-file or else $" + passwordVariable
	default:
		return advices[e.Reason()]
	}
}

// advices are what can be done, by reason.
var advices = map[gnmi.Reason]string{
	gnmi.NotListening:        "nobody listens there: is gNMI switched on, and at this port?",
	gnmi.NoSuchHost:          "is the name right?",
	gnmi.NoSuchAddress:       "there is no address of this name: is it right?",
	gnmi.Unreachable:         "is the address right?",
	gnmi.NoAnswer:            "nothing answers at this address: is it right, and does a firewall let it pass?",
	gnmi.NotReady:            "it takes connections and says nothing: is it the port of a gNMI server? A slow one is given longer by --timeout",
	gnmi.NeedsTLS:            "what listens there does not speak gRPC without TLS: is the port right? Without --insecure TLS is spoken",
	gnmi.NoTLS:               "what listens there does not speak TLS: is the port right? --insecure is for a switch without TLS",
	gnmi.NoGRPC:              noGRPC,
	gnmi.NoALPN:              noGRPC + " A switch with an old gRPC does so, too: GRPC_ENFORCE_ALPN_ENABLED=false in the environment lets it pass",
	gnmi.NoGNMI:              "it is a gRPC server without gNMI: is it the right port?",
	gnmi.UnknownAuthority:    "--tls-ca names a file with the authority that signed the switch's certificate",
	gnmi.WrongName:           "--tls-server-name says which name is in the switch's certificate",
	gnmi.Expired:             "the switch's certificate has to be renewed, or a clock is wrong",
	gnmi.CertificateRefused:  "the switch does not accept who asks: --tls-cert and --tls-key give a certificate that its authority has signed",
	gnmi.CertificateExpected: "ours is given by --tls-cert and --tls-key",
	gnmi.NotPermitted:        "another user may do it: --username and --password-file",
	gnmi.CommitUnderWay:      "somebody else's push may be under way; cellwarden resume lists those of this user that did not end",
}

const noGRPC = "what listens there speaks TLS and no gRPC: is the port right?"
