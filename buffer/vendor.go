package buffer

import (
	"fmt"

	"github.com/cellwarden/cellwarden/unit"
)

// The forms in which switches say what a Refusal says. Texts that other
// programs look for are word for word; the rest is in our own words.

// The statuses with which interfaces refuse for want of memory.
const (
	SAIInsufficientResources = "SAI_STATUS_INSUFFICIENT_RESOURCES" // of the Switch Abstraction Interface; its value is -4
	NoBufferSpace            = "-ENOBUFS"                          // of Linux drivers such as mlxsw; ENOBUFS is 105 on most architectures
)

// Cisco returns the syslog message of a Nexus switch, on one line, without the
// time and host that the switch puts before it. Slot and instance say which
// module complains; a Nexus in one piece has slot 1, and instance 2 is the one
// in Cisco's example.
func (r *Refusal) Cisco(slot, instance int) string {
	who := r.subject()
	if r.Port != "" {
		who = "interface " + who
	}
	return fmt.Sprintf("%%ACLQOS-SLOT%d-%d-ACLQOS_FAILED: ACLQOS failure: Ingress buffer allocation failed for %s", slot, instance, who)
}

// SAI returns the status of the Switch Abstraction Interface and what was
// asked for.
func (r *Refusal) SAI() string { return SAIInsufficientResources + ": " + r.Detail }

// Mlxsw returns how mlxsw refuses a headroom: the error number and, in our own
// words, why.
func (r *Refusal) Mlxsw() string {
	return fmt.Sprintf("%s: the headroom of %s cannot be set: %s", NoBufferSpace, r.subject(), r.Detail)
}

// Broadcom returns, in our own words, what Broadcom's checker says of a pool of
// which the guaranteed cells leave nothing to share.
func (r *Refusal) Broadcom() string {
	return fmt.Sprintf("pool of slice %d: no cells are left to share: %d are guaranteed or configured, %d are there", r.Slice, r.Needed, r.Available)
}

// SONiCProfile returns the line that SONiC's buffer manager logs when a new
// profile makes a port's headroom too large.
func (r *Refusal) SONiCProfile() string {
	return fmt.Sprintf("Unable to update profile for port %s. Accumulative headroom size exceeds limit", r.Port)
}

// SONiCSpeedCable returns the line that SONiC's buffer manager logs when a new
// speed or cable does. It gives the speed in Mb/s and the cable as configured.
func (r *Refusal) SONiCSpeedCable(speed unit.BitRate, cable unit.Length) string {
	return fmt.Sprintf("Update speed (%d) and cable length (%v) for port %s failed, accumulative headroom size exceeds the limit",
		int64(speed/unit.Mbps), cable, r.Port)
}

// subject names the port, or the slice if the pools themselves do not fit.
func (r *Refusal) subject() string {
	if r.Port == "" {
		return fmt.Sprintf("slice %d", r.Slice)
	}
	return r.Port
}
