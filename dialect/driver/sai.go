package driver

import "github.com/cellwarden/cellwarden/buffer"

// InsufficientResources is the status with which an implementation of the Switch
// Abstraction Interface refuses for want of memory; its value is -4
// (saistatus.h).
const InsufficientResources = "SAI_STATUS_INSUFFICIENT_RESOURCES"

// SAI returns the status of the Switch Abstraction Interface and the numbers of
// the refusal.
func SAI(r *buffer.Refusal) string { return InsufficientResources + ": " + r.Detail }
