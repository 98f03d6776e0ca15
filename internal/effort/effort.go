// Package effort decides how much of a long test a run of the tests does, so that no work is done twice for a change.
//
// A random test has n seeds, from 0 to n-1. `go test` takes the first quarter of them, and `go test -short` the first
// fiftieth. With CELLWARDEN_SEEDS=rest in the environment a run takes the seeds that `go test` has left, and with
// CELLWARDEN_SEEDS=all every one, as the script .ci/run does for each change.
//
// It also has what such tests share: built commands, and a context that counts how often it is looked at.
//
// A test with goroutines is for the race detector, too. With -short it is left out, but not with -race -short.
package effort

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"
)

// Most of what a test allocates lives for a moment, and is collected less often with this percentage: a fifth less time
// of the long tests, for twice the memory. The race detector has memory of its own for each byte, and saves little. The
// environment variable GOGC is stronger.
const collectAt = 400

func init() {
	if testing.Testing() && !race && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
}

// Variable is the variable of the environment that selects the seeds: unset, rest or all.
const Variable = "CELLWARDEN_SEEDS"

// Of n seeds, `go test` takes n/quarter, and with -short n/fiftieth.
const (
	quarter  = 4
	fiftieth = 50
)

// Seeds returns the seeds of a test that has n of them: this run takes those from first to end-1. It takes at least one
// where n is not 0, but the rest of one seed is nothing.
func Seeds(n uint64) (first, end uint64) {
	return part(n, testing.Short(), os.Getenv(Variable))
}

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

// Few reports whether this run does little: with -short, and without the race detector. Tests that have goroutines ask
// for it, others ask for [SkipShort].
func Few() bool { return testing.Short() && !race }

// SkipFew skips a test that has goroutines where this run does little. The reason says what takes long.
func SkipFew(t testing.TB, reason string) {
	t.Helper()
	if Few() {
		t.Skip(reason)
	}
}

// SkipShort skips a test with -short, with the race detector too: what it has goroutines for is tested by others. The
// reason says what takes long.
func SkipShort(t testing.TB, reason string) {
	t.Helper()
	if testing.Short() {
		t.Skip(reason)
	}
}

// Some reports whether this run takes case i of a test. The race detector with -short takes one of n: the cases have
// other values, and the same goroutines. They run elsewhere without the detector.
func Some(i, n int) bool { return some(i, n, Races()) }

func some(i, n int, few bool) bool { return !few || i%n == 0 }

// Races reports whether this run is for the race detector, with -short: what has one goroutine runs elsewhere.
func Races() bool { return race && testing.Short() }

// Alone skips a test of one goroutine where the race detector runs with -short: nothing can race in it, and it runs
// elsewhere without the detector. With -race alone it runs.
func Alone(t testing.TB) {
	t.Helper()
	if Races() {
		t.Skip("it has one goroutine")
	}
}
