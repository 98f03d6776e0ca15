package main

import "errors"

// compared audits what the work tree brings in.
func (a *auditor) compared(path string) error { return errors.New("todo") }
