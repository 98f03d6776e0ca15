package cli

// This file maps errors to exit codes. The library knows no exit codes, and no
// other file of the command decides one for an error of the library.

import (
	"context"
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos/registry"
)

// Exit codes. They are part of the command line's contract. The numbers are never given another meaning, and a new verb
// takes one of these. Scripts decide by them, so a code says what was found and not which verb found it.
const (
	ExitFine    = 0
	ExitFailure = 1 // a device, a file, a scenario or cellwarden itself failed
	ExitUsage   = 2 // wrong usage or bad input
	// the plan does not fit, is not lossless, has nothing to prove, PFC comes before ECN, or too little is known
	ExitNoFit      = 3
	ExitLint       = 4 // audit found an error, watch a fault, calibrate or identify a contradiction, link a difference
	ExitDrift      = 5 // a device differs from its plan, or two plans differ
	ExitRolledBack = 6 // applied and then undone
	ExitPartial    = 7 // applied in part, or the state is unknown
	ExitGaps       = 8 // the target cannot express the plan, or a topology a configuration
)

// ExitCodes ends the help of every verb: the codes are listed once.
const ExitCodes = "cellwarden help exit-codes lists the exit codes."

// ExitCodeList is what the exit codes of all verbs mean: the text of `help exit-codes`. docs/commands.md has them,
// too.
const ExitCodeList = `Exit codes:
  0  success
  1  a device, a file or cellwarden itself failed, or a scenario did not end as it expects
  2  wrong usage or bad input
  3  the plan does not fit, verify or capacity --burst finds that it is not lossless or has nothing to prove, ecn or
     --burst that PFC comes before ECN, or audit, link, risk or identify knows too little
  4  audit found an error, watch a fault, calibrate or identify a contradiction, or link a difference
  5  the switch differs from the plan, or diff finds that two plans differ
  6  the plan was applied and then rolled back
  7  the plan was applied in part, or the state of the switch is unknown
  8  the target cannot express the plan, or a topology the configuration that import reads`

// exit is an error with an exit code of its own. If its text is empty, the reason
// was already printed. It wraps the error, so that errors.Is still finds what it was.
type exit struct {
	code int
	err  error
}

func (e exit) Error() string { return e.err.Error() }
func (e exit) Unwrap() error { return e.err }

// CodeIf is the exit code of a command whose answer is bad or not.
func CodeIf(bad bool, code int) int { return map[bool]int{true: code, false: ExitFine}[bad] }

// BadUsage is an error of wrong usage or bad input, whatever it wraps. The text is one of fmt.Errorf.
func BadUsage(format string, args ...any) error {
	return ExitWith(ExitUsage, fmt.Errorf(format, args...))
}

// ExitWith gives an error an exit code of its own.
func ExitWith(code int, err error) error { return exit{code, err} }

// Failure marks an error as one of the output or of a device that was only read, unless it has decided on its exit
// code.
func Failure(err error) error {
	if _, decided := DecidedCode(err); err == nil || decided {
		return err
	}
	return ExitWith(ExitFailure, err)
}

// PushFailed gives the error of a push that read or changed a device the exit code of the state that the push left the
// device in. The state is no part of the error, because an error of the network says nothing of the device. An error
// that DecidedCode knows keeps its code, whatever the state.
func PushFailed(state backend.State, err error) error {
	if _, decided := DecidedCode(err); decided {
		return err
	}
	return ExitWith(StateCode(state, err), err)
}

// CodeOf returns the exit code of an error. Every error becomes an exit code here. Cobra's own errors are about usage.
// What nothing else explains is wrong usage: the errors of flags and files come from everywhere, and failures are
// marked as such where they arise, by Failure and PushFailed.
func CodeOf(err error) int {
	code, decided := DecidedCode(err)
	switch {
	case err == nil:
		return ExitFine
	case decided:
		return code
	case errors.Is(err, buffer.ErrNoFit):
		return ExitNoFit
	}
	return ExitUsage
}

// DecidedCode returns the exit code of an error that does not depend on the state
// of a device. Such an error comes before anything is sent, so that no report of
// a push exists. The text of a wrapped error stays, and of nested codes the outermost counts.
func DecidedCode(err error) (code int, decided bool) {
	var e exit
	switch {
	case errors.As(err, &e) && e.code == ExitUsage && errors.Is(err, context.Canceled):
		return ExitFailure, true // a command that was interrupted while it read was not used wrongly
	case errors.As(err, &e):
		return e.code, true
	case errors.As(err, new(*journal.CreateError)), errors.As(err, new(*journal.ContinueError)),
		errors.Is(err, registry.ErrUnknownProfile), errors.Is(err, backend.ErrIdentity), errors.Is(err, native.ErrNoLanguage):
		return ExitUsage, true
	case errors.Is(err, native.ErrNotSent):
		return ExitGaps, true
	}
	return 0, false
}

// StateCode returns the exit code of a push that ended with an error. Gaps come first, because then nothing was sent
// whatever the state is called. A plan that does not fit is the device's own refusal here; what is left is a device
// or a network that failed, after which the device has what it had.
func StateCode(s backend.State, err error) int {
	switch {
	case errors.Is(err, backend.ErrGaps), errors.Is(err, qos.ErrInexpressible):
		return ExitGaps
	case s == backend.RolledBack:
		return ExitRolledBack
	case s == backend.Partial, s == backend.Unknown:
		return ExitPartial
	case errors.Is(err, buffer.ErrNoFit):
		return ExitNoFit
	default:
		return ExitFailure
	}
}
