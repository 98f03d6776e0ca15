package main

// This file maps errors to exit codes. The library knows no exit codes, and no
// other file of the command decides one for an error of the library.

import (
	"context"
	"errors"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos/registry"
)

// Exit codes. They are part of the command line's contract.
const (
	exitFine    = 0
	exitFailure = 1 // a device, a file, a scenario or cellwarden itself failed
	exitUsage   = 2 // wrong usage or bad input
	// the plan does not fit, is not lossless, has nothing to prove, or the PFC of a link's end is not known
	exitNoFit      = 3
	exitLint       = 4 // audit or lint found an error, watch a fault, calibrate a contradiction, link a difference
	exitDrift      = 5 // a device differs from its plan, or two plans differ
	exitRolledBack = 6 // applied and then undone
	exitPartial    = 7 // applied in part, or the state is unknown
	exitGaps       = 8 // the target cannot express the plan, or a topology a configuration
)

// exitCodes ends the help of every verb.
const exitCodes = `Exit codes:
  0  success
  1  a device, a file or cellwarden itself failed, or a scenario did not end as it expects
  2  wrong usage or bad input
  3  the plan does not fit, verify finds that it is not lossless or has nothing to prove, or link knows too little
  4  audit or lint found an error, watch a fault, calibrate a contradiction, or link a difference
  5  the switch differs from the plan, or diff finds that two plans differ
  6  the plan was applied and then rolled back
  7  the plan was applied in part, or the state of the switch is unknown
  8  the target cannot express the plan, or a topology the configuration that import reads`

// exit is an error with an exit code of its own. If its text is empty, the reason
// was already printed.
type exit struct {
	code int
	err  error
}

func (e exit) Error() string { return e.err.Error() }
func (e exit) Unwrap() error { return e.err }

// silent ends the program with a code. The output already contains the reason.
func silent(code int) error { return exit{code, errors.New("")} }

// pushError is the error of a push that read or changed a device, with the state
// of the device after it. The state decides the exit code.
type pushError struct {
	state backend.State
	err   error
}

func (e *pushError) Error() string { return e.err.Error() }
func (e *pushError) Unwrap() error { return e.err }

// deviceError is the error of a device that was only read, or of the connection to
// it.
type deviceError struct{ err error }

func (e *deviceError) Error() string { return e.err.Error() }
func (e *deviceError) Unwrap() error { return e.err }

// codeOf returns the exit code of an error. Every error becomes an exit code here.
// Cobra's own errors are about usage.
func codeOf(err error) int {
	var pushed *pushError
	var device *deviceError
	code, decided := decidedCode(err)
	switch {
	case err == nil:
		return exitFine
	case decided:
		return code
	case errors.As(err, &pushed):
		return stateCode(pushed.state, pushed.err)
	case errors.As(err, &device):
		return exitFailure
	case errors.Is(err, buffer.ErrNoFit):
		return exitNoFit
	default:
		return exitUsage
	}
}

// decidedCode returns the exit code of an error that does not depend on the state
// of a device. Such an error comes before anything is sent, so that no report of
// a push exists.
func decidedCode(err error) (code int, decided bool) {
	var e exit
	var uncreated *journal.CreateError
	var notContinued *journal.ContinueError
	switch {
	case errors.As(err, &e) && e.code == exitUsage && errors.Is(err, context.Canceled):
		return exitFailure, true // a command that was interrupted while it read was not used wrongly
	case errors.As(err, &e):
		return e.code, true
	case errors.As(err, &uncreated), errors.As(err, &notContinued), errors.Is(err, registry.ErrUnknownProfile),
		errors.Is(err, native.ErrPorts), errors.Is(err, backend.ErrIdentity), errors.Is(err, native.ErrNoLanguage):
		return exitUsage, true
	case errors.Is(err, native.ErrNotSent):
		return exitGaps, true
	}
	return 0, false
}

// stateCode returns the exit code of a push that ended with an error.
func stateCode(s backend.State, err error) int {
	switch {
	case errors.Is(err, backend.ErrGaps), errors.Is(err, qos.ErrInexpressible):
		return exitGaps
	case s == backend.RolledBack:
		return exitRolledBack
	case s == backend.Partial, s == backend.Unknown:
		return exitPartial
	case errors.Is(err, buffer.ErrNoFit):
		return exitNoFit
	default:
		return exitFailure
	}
}
