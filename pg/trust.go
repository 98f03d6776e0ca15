package pg

import "fmt"

// Trust says from where a port reads the priority of a packet.
type Trust uint8

// The two fields of a packet. Zero: it is not stated.
const (
	TrustUnknown Trust = iota
	TrustPCP           // the priority code point of the VLAN tag; a packet without a tag has priority 0
	TrustDSCP          // the DSCP of the IP header
)

// String prints the trust as a topology has it.
func (t Trust) String() string { return [...]string{"unknown", "pcp", "dscp"}[t] }

// ParseTrust reads "pcp" or "dscp".
func ParseTrust(text string) (Trust, error) {
	for _, t := range []Trust{TrustPCP, TrustDSCP} {
		if text == t.String() {
			return t, nil
		}
	}
	return TrustUnknown, fmt.Errorf("%q is no field of a packet (accepted: pcp, dscp)", text)
}
