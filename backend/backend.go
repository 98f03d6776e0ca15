// Package backend brings an admitted plan to a device and makes sure that the device has it.
//
// A [Backend] is a device in four verbs: what it can hold, what it holds, make these steps, what it is called.
// [Converge] does the rest for all of them: read, diff, apply in phases (decreases before increases), read back,
// compare register by register in cells, and undo its own steps if the result is not what was asked. Whatever happens,
// the [Report] says in which state the device was left.
//
// The engine beneath Converge is [Push]. It brings any [Device] to a plan, whatever a change of the device is: package
// gnmi/native uses it for native configuration. An [Observer] sees what a push does: package journal writes it to a
// file, so that a push that was interrupted can be finished or undone. [WatchDrift] compares a device with its plan
// later, and changes nothing.
//
// Package sim is the simulated ASIC, package gnmi a real switch. Package gnmi/push has the one call that brings a plan
// to a switch.
package backend

import (
	"context"
	"errors"

	"github.com/cellwarden/cellwarden/buffer"
)

// Backend is a device that holds buffer registers. Implementations need not be safe for concurrent use.
type Backend interface {
	// Name is the name of the device in reports: "simulated tomahawk".
	Name() string
	// Capabilities returns what the device can hold. It may ask the device.
	Capabilities(context.Context) (Capabilities, error)
	// Observe reads the registers: of a new device none, because registers with their empty values are left out. Values
	// that the device holds in bytes are given in cells.
	Observe(context.Context) (buffer.Layout, error)
	// Apply makes the steps, all of them or none. An error that wraps ErrRefused says that the device refused and nothing
	// changed; after any other error the caller has to look.
	//
	// A device refuses a layout that takes more cells of a slice than there are, and this error wraps buffer.ErrNoFit too:
	// [buffer.Layout.Cells] counts them. It refuses a value that its chip does not have, such as an alpha outside MinAlpha
	// to MaxAlpha of [buffer.Chip]. The words of a refusal are the device's own; a [RegisterError] in it names the
	// register. A device that is not Transactional gets decreases before increases.
	Apply(context.Context, []buffer.Step) error
}

// Confirmer is a Backend that may undo by itself what is not confirmed in time.
// One that has nothing to confirm answers nil and false.
type Confirmer interface {
	// Confirm makes the device keep what was applied. waited: it has taken so long, since the first phase, that others may
	// have changed the device, and the caller looks once more. After an error the device may not hold it, or not for long.
	Confirm(context.Context) (waited bool, err error)
	// Cancel has the device undo what was applied and not confirmed, and tells
	// whether it did. The caller looks all the same.
	Cancel(context.Context) (undone bool, err error)
}

// ErrNotReported says that a device does not report changes.
var ErrNotReported = errors.New("it does not report changes")

// Capabilities is what a device can hold of a plan.
type Capabilities struct {
	// Transactional devices take decreases and increases in one Apply.
	Transactional bool
	// Missing names the kinds of registers that the device cannot express,
	// and why. Kinds that are not in it can be read and written.
	Missing map[buffer.Kind]string
}

// Can tells whether the device holds registers of this kind.
func (c Capabilities) Can(k buffer.Kind) bool { _, missing := c.Missing[k]; return !missing }

// RegisterError is a device's complaint about one register. Its text is that of the
// complaint; the register lets the caller name what it asked for.
type RegisterError struct {
	Register buffer.Register
	Err      error
}

// Error is the complaint.
func (e *RegisterError) Error() string { return e.Err.Error() }

// Unwrap returns the complaint.
func (e *RegisterError) Unwrap() error { return e.Err }

// ErrRefused says that a device refused a phase and changed nothing.
var ErrRefused = errors.New("the device refused")

// ErrIdentity says that a device is not the one that a plan is for.
var ErrIdentity = errors.New("the plan is not for this switch")
