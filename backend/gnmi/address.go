package gnmi

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/once"
)

// defaultPort is registered with IANA for gNMI and gNOI.
const defaultPort = "9339"

// hosts matches names and addresses without a port.
var hosts = once.Pattern(`^[A-Za-z0-9._-]+$|^[0-9A-Fa-f:.]+(%[A-Za-z0-9._-]+)?$`)

// Address returns the address of a switch with a port: 9339, which is gNMI's, if the text has none. It accepts HOST,
// HOST:PORT, IPv6 addresses with brackets and without, and gRPC's own forms unix:PATH and SCHEME:///NAME, which it
// returns unchanged. It refuses what cannot be an address of a switch, such as the address of a web page.
func Address(text string) (string, error) {
	if strings.Contains(text, "@") { // and perhaps a password, which is not to be repeated
		return "", errors.New("an address that contains a user (want <host> or <host>:<port> alone)")
	}
	if strings.HasPrefix(text, "unix:") || strings.Contains(text, ":///") {
		return text, nil
	}
	host, port := text, defaultPort
	if inner := strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"); len(inner) == len(text)-2 {
		host = inner
	}
	if _, err := netip.ParseAddr(host); strings.Contains(text, "]:") || err != nil && strings.Contains(text, ":") {
		if host, port, err = net.SplitHostPort(text); err != nil {
			host = ""
		}
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || !hosts().MatchString(host) {
		const accepted = "<host> or <host>:<port>, such as leaf1, 192.0.2.1:6030 or [2001:db8::1]:9339"
		return "", fmt.Errorf("address %q (want %s)", text, accepted)
	}
	return net.JoinHostPort(host, port), nil
}
