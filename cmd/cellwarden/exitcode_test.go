package main

import (
	"errors"
	"os/exec"
	"strconv"
)

// exitCodeOf returns the exit code of a command that failed.
func exitCodeOf(err error) string {
	var e *exec.ExitError
	if errors.As(err, &e) {
		return strconv.Itoa(e.ExitCode())
	}
	return err.Error()
}
