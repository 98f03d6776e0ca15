package nxos

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
)

// Syslog returns the message of a Nexus switch for a refusal, on one line, without
// the time and host that the switch puts before it. Slot and instance say which
// module complains: a Nexus in one piece has slot 1, and the example in Cisco's
// guide has instance 2.
//
// The text is word for word, because other programs look for it.
func Syslog(r *buffer.Refusal, slot, instance int) string {
	subject := r.Subject()
	if r.Port != "" {
		subject = "interface " + subject
	}
	return fmt.Sprintf("%%ACLQOS-SLOT%d-%d-ACLQOS_FAILED: ACLQOS failure: Ingress buffer allocation failed for %s",
		slot, instance, subject)
}
