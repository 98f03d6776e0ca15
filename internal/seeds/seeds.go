// Package seeds shares the seeds of a random test among the runs of the tests, so that each seed is run once.
//
// A random test has n seeds, from 0 to n-1. `go test` takes the first quarter of them, and `go test -short` the first
// fiftieth. With CELLWARDEN_SEEDS=rest in the environment a run takes the seeds that `go test` has left, and with
// CELLWARDEN_SEEDS=all every one. The script .ci/run does `go test` and later the rest, so all seeds are run for a
// change, and none twice.
package seeds

import (
	"fmt"
	"os"
	"testing"
)

// Variable is the variable of the environment that selects the seeds: unset, rest or all.
const Variable = "CELLWARDEN_SEEDS"

// What the runs take of n seeds: one in quarter, or with -short one in fiftieth.
const (
	quarter  = 4
	fiftieth = 50
)

// Of returns the seeds of a test that has n of them: this run takes those from first to end-1. It takes at least one
// where n is not 0, but the rest of one seed is nothing.
func Of(n uint64) (first, end uint64) {
	return part(n, testing.Short(), os.Getenv(Variable))
}

// Rest reports whether this run takes the seeds that `go test` has left. A test that must see something among its
// seeds and would see it among the first need not require it again.
func Rest() bool { return os.Getenv(Variable) == "rest" }

func part(n uint64, short bool, variable string) (first, end uint64) {
	some := (n + quarter - 1) / quarter
	switch {
	case variable == "rest":
		return some, n
	case variable == "all":
		return 0, n
	case variable != "":
		panic(fmt.Sprintf("%s=%s, want rest or all", Variable, variable))
	case short:
		return 0, (n + fiftieth - 1) / fiftieth
	}
	return 0, some
}
