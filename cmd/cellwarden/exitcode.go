package main

import (
	"errors"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/native"
	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/backend/journal"
	"github.com/cellwarden/cellwarden/buffer"
)

// Exit codes. They are part of the command line's contract.
const (
	exitFine       = 0
	exitFailure    = 1 // a bug, or input and output
	exitUsage      = 2 // usage or bad input
	exitNoFit      = 3 // the plan does not fit, is not lossless, or has nothing to prove
	exitLint       = 4 // lint found an error
	exitDrift      = 5 // a device differs from its plan
	exitRolledBack = 6 // applied and undone
	exitPartial    = 7 // applied in part, or nobody knows
	exitGaps       = 8 // the target cannot express the plan
)

const exitCodes = `Exit codes: 0 fine; 1 failure of a device, a file or cellwarden itself; 2 usage or bad input;
3 does not fit, or verify found a loss or nothing to prove; 4 lint found an error; 5 drift; 6 applied and rolled back; 7 applied in part or state unknown; 8 the target cannot express the plan.`

// exit is an error that has decided on the exit code. An empty text has been
// told to the user already.
type exit struct {
	code int
	err  error
}

func (e exit) Error() string { return e.err.Error() }
func (e exit) Unwrap() error { return e.err }

// silent ends the program with a code after the output has said why.
func silent(code int) error { return exit{code, errors.New("")} }

// pushError is the error of a push that asked or changed a device, and the state in
// which it left the device.
type pushError struct {
	state backend.State
	err   error
}

func (e *pushError) Error() string { return e.err.Error() }
func (e *pushError) Unwrap() error { return e.err }

// deviceError is the error of a device that was only read, or of the way to it.
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

// decidedCode returns the exit code of an error that says it by itself: before
// anything was sent, so that there is no report of a push.
func decidedCode(err error) (code int, decided bool) {
	var e exit
	var uncreated *journal.CreateError
	var notContinued *journal.ContinueError
	switch {
	case errors.As(err, &e):
		return e.code, true
	case errors.As(err, &uncreated), errors.As(err, &notContinued), errors.Is(err, profile.ErrUnknown),
		errors.Is(err, native.ErrPorts), errors.Is(err, native.ErrNoLanguage):
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
