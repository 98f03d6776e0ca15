package gnmi

import (
	"maps"

	"github.com/cellwarden/cellwarden/buffer"
)

// missing says of which registers OpenConfig has no words, and why.
var missing = map[buffer.Kind]string{
	buffer.PoolShared: "OpenConfig has no leaf for the size of a buffer pool: openconfig-qos models no pools; " +
		"set it with the switch's native model",
	buffer.PoolHeadroom: "OpenConfig has no leaf for the shared headroom pool: openconfig-qos models no pools; " +
		"set it with the switch's native model",
	buffer.PortMinimum: "OpenConfig has no leaf for the minimum of a port: dedicated-buffer belongs to a queue; " +
		"set it with the switch's native model",
	buffer.GroupStatic: "a static limit is static-shared-buffer-limit of a buffer-allocation-profile, which this backend does not write; " +
		"set it with the switch's native model",
	buffer.GroupLossless: "OpenConfig has no leaf that enables PFC for a priority: openconfig-qos models no priority flow control; " +
		"set it with the switch's native model",
	buffer.GroupHeadroom: "OpenConfig has no leaf for headroom (xoff): openconfig-qos models no priority flow control; " +
		"set it with the switch's native model",
	buffer.GroupXONOffset: "OpenConfig has no leaf for xon or the xon offset: openconfig-qos models no priority flow control; " +
		"set it with the switch's native model",
	buffer.QueueReserved: "the minimum of an egress queue is dedicated-buffer of an output buffer-allocation-profile, which this backend does not write; " +
		"set it with the switch's native model",
}

// Missing returns the kinds of registers that OpenConfig has no words for, and
// why.
func Missing() map[buffer.Kind]string { return maps.Clone(missing) }

// Carries tells whether OpenConfig has words for registers of this kind.
func Carries(k buffer.Kind) bool { return missing[k] == "" }
