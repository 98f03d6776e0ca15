package gnmi

import (
	"strings"

	"google.golang.org/grpc/codes"
)

// Reason is why an RPC failed, as far as it can be seen in the code and the text of
// its error. gRPC has one code for everything that may be wrong with a connection.
type Reason string

// The reasons.
const (
	ReasonUnknown       Reason = ""                     // the message says it itself, or nothing does
	NotListening        Reason = "not listening"        // no process has the port
	NoSuchHost          Reason = "no such host"         // the name has no entry
	NoSuchAddress       Reason = "no such address"      // the name has an entry and no address
	Unreachable         Reason = "unreachable"          // there is no route to the address
	NoAnswer            Reason = "no answer"            // nothing answers at the address
	NotReady            Reason = "not ready"            // the port takes connections, and no gRPC server answers
	Slow                Reason = "slow"                 // the answer did not come in time
	NeedsTLS            Reason = "needs TLS"            // the port does not take gRPC without TLS
	NoTLS               Reason = "no TLS"               // the port does not take TLS
	NoGRPC              Reason = "no gRPC"              // the port takes TLS and no gRPC
	NoALPN              Reason = "no ALPN"              // the port takes TLS and names no protocol: no gRPC, or an old one
	NoGNMI              Reason = "no gNMI"              // a gRPC server without gNMI
	UnknownAuthority    Reason = "unknown authority"    // the switch's certificate is signed by an unknown authority
	WrongName           Reason = "wrong name"           // the switch's certificate is of another name
	Expired             Reason = "expired"              // the switch's certificate is no longer valid, or not yet
	CertificateRefused  Reason = "certificate refused"  // the switch does not accept the client's certificate
	CertificateExpected Reason = "certificate expected" // the switch ends the connection, as it does without one
	NotAuthenticated    Reason = "not authenticated"    // the user or the password is missing or wrong
	NotPermitted        Reason = "not permitted"        // the user may not do it
	CommitUnderWay      Reason = "commit is under way"  // another commit waits to be confirmed
)

// connections are texts of errors of a connection, in the order in which they are
// looked for, with the reason without TLS and with TLS.
var connections = []struct {
	text           string
	plain, secured Reason
}{
	{"connection refused", NotListening, NotListening},
	{"no such host", NoSuchHost, NoSuchHost},
	{"produced zero addresses", NoSuchAddress, NoSuchAddress},
	{"no route to host", Unreachable, Unreachable},
	{"network is unreachable", Unreachable, Unreachable},
	{"i/o timeout", NoAnswer, NoAnswer},
	{"first record does not look like a TLS handshake", ReasonUnknown, NoTLS},
	{"signed by unknown authority", ReasonUnknown, UnknownAuthority},
	{"certificate is not valid for any names", ReasonUnknown, WrongName},
	{"certificate is valid for", ReasonUnknown, WrongName},
	{"doesn't contain any IP SANs", ReasonUnknown, WrongName},
	{"expired or is not yet valid", ReasonUnknown, Expired},
	{"no application protocol", ReasonUnknown, NoGRPC},
	{"missing selected ALPN", ReasonUnknown, NoALPN},
	{"remote error: tls:", ReasonUnknown, CertificateRefused},
	{"broken pipe", NeedsTLS, CertificateExpected},
	{"connection reset", NeedsTLS, CertificateExpected},
	{"server preface", NeedsTLS, NoGRPC},
	{"EOF", NeedsTLS, CertificateExpected},
}

// Reason says why the RPC failed.
func (e *RPCError) Reason() Reason {
	switch e.Code {
	case codes.Unavailable:
		return e.connection()
	case codes.DeadlineExceeded:
		if strings.Contains(e.Message, "waiting for connections") {
			return NotReady
		}
		return Slow
	case codes.Unauthenticated:
		return NotAuthenticated
	case codes.PermissionDenied:
		return NotPermitted
	case codes.Unimplemented:
		if strings.Contains(e.Message, "unknown service") {
			return NoGNMI
		}
	case codes.FailedPrecondition:
		if strings.Contains(e.Message, "commit") {
			return CommitUnderWay
		}
	}
	return ReasonUnknown
}

// connection says what is wrong with the connection.
func (e *RPCError) connection() Reason {
	for _, c := range connections {
		switch {
		case !strings.Contains(e.Message, c.text):
		case e.Secured:
			return c.secured
		default:
			return c.plain
		}
	}
	return ReasonUnknown
}
