package dial

import (
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/cellwarden/cellwarden/backend/gnmi"
)

// reason is why an RPC failed, as far as it can be seen in the code and the text of
// its error. gRPC has one code for everything that may be wrong with a connection. Its text is that of a constant and
// is printed nowhere.
type reason string

// The reasons.
const (
	reasonUnknown       reason = ""                     // the message says it itself, or nothing does
	notListening        reason = "not listening"        // no process has the port
	noSuchHost          reason = "no such host"         // the name has no entry
	noSuchAddress       reason = "no such address"      // the name has an entry and no address
	unreachable         reason = "unreachable"          // there is no route to the address
	noAnswer            reason = "no answer"            // nothing answers at the address
	notReady            reason = "not ready"            // the port takes connections, and no gRPC server answers
	slow                reason = "slow"                 // the answer did not come in time
	needsTLS            reason = "needs TLS"            // the port does not take gRPC without TLS
	noTLS               reason = "no TLS"               // the port does not take TLS
	noGRPC              reason = "no gRPC"              // the port takes TLS and no gRPC
	noALPN              reason = "no ALPN"              // the port takes TLS and names no protocol: no gRPC, or an old one
	noGNMI              reason = "no gNMI"              // a gRPC server without gNMI
	unknownAuthority    reason = "unknown authority"    // the switch's certificate is signed by an unknown authority
	wrongName           reason = "wrong name"           // the switch's certificate is of another name
	expired             reason = "expired"              // the switch's certificate is no longer valid, or not yet
	certificateRefused  reason = "certificate refused"  // the switch does not accept the client's certificate
	certificateExpected reason = "certificate expected" // the switch ends the connection, as it does without one
	notAuthenticated    reason = "not authenticated"    // the user or the password is missing or wrong
	notPermitted        reason = "not permitted"        // the user may not do it
	blocked             reason = "blocked"              // no user may name the path (SONiC's list)
	readOnly            reason = "read-only"            // the server takes no Set of CONFIG_DB, as it was started (SONiC)
	commitUnderWay      reason = "commit is under way"  // another commit waits to be confirmed
)

// connections are texts of errors of a connection, in the order in which they are
// looked for, with the reason without TLS and with TLS. A text can mean different things with TLS and without: a
// connection that is closed at once is a port without TLS in one case, and a switch that wants a certificate in the
// other. reasonUnknown says that the text alone explains it.
var connections = []struct {
	text           string
	plain, secured reason
}{
	{"connection refused", notListening, notListening},
	{"no such host", noSuchHost, noSuchHost},
	{"produced zero addresses", noSuchAddress, noSuchAddress},
	{"no route to host", unreachable, unreachable},
	{"network is unreachable", unreachable, unreachable},
	{"i/o timeout", noAnswer, noAnswer},
	{"first record does not look like a TLS handshake", reasonUnknown, noTLS},
	{"signed by unknown authority", reasonUnknown, unknownAuthority},
	{"certificate is not valid for any names", reasonUnknown, wrongName},
	{"certificate is valid for", reasonUnknown, wrongName},
	{"doesn't contain any IP SANs", reasonUnknown, wrongName},
	{"expired or is not yet valid", reasonUnknown, expired},
	{"no application protocol", reasonUnknown, noGRPC},
	{"missing selected ALPN", reasonUnknown, noALPN},
	{"remote error: tls:", reasonUnknown, certificateRefused},
	{"broken pipe", needsTLS, certificateExpected},
	{"connection reset", needsTLS, certificateExpected},
	{"server preface", needsTLS, noGRPC},
	{"EOF", needsTLS, certificateExpected},
}

// reasonOf says why the RPC failed. Some reasons are of one product: SONiC's gNMI server has texts for its list of
// paths and for a start without writing.
func reasonOf(e *gnmi.RPCError) reason {
	switch e.Code {
	case codes.Unavailable:
		return connectionReason(e)
	case codes.DeadlineExceeded:
		// gRPC waits for the connection within the time limit of the request: the request was never sent.
		if strings.Contains(e.Message, "waiting for connections") {
			return notReady
		}
		return slow
	case codes.Unauthenticated:
		return notAuthenticated
	case codes.PermissionDenied:
		if strings.Contains(e.Message, "blocked by policy") {
			return blocked
		}
		return notPermitted
	// "unknown service" is gRPC's own text for a server that does not have gNMI; the others are texts of sonic-gnmi.
	case codes.Unimplemented:
		switch {
		case strings.Contains(e.Message, "unknown service"):
			return noGNMI
		case strings.Contains(e.Message, "read-only mode"), strings.Contains(e.Message, "native write is disabled"):
			return readOnly
		}
	// The word is all that switches have in common here: each has its own text for a commit that waits.
	case codes.FailedPrecondition:
		if strings.Contains(e.Message, "commit") {
			return commitUnderWay
		}
	}
	return reasonUnknown
}

// connectionReason says what is wrong with the connection. Texts of several layers are in one message, and more than
// one of these can be in it.
func connectionReason(e *gnmi.RPCError) reason {
	for _, c := range connections {
		// The texts are those of Go's net and crypto/tls and of gRPC, which has one code for all of them. The first
		// that is found counts, so the most exact stand first.
		switch {
		case !strings.Contains(e.Message, c.text):
		case e.Secured:
			return c.secured
		default:
			return c.plain
		}
	}
	return reasonUnknown
}
