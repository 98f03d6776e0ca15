package internal_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/readertest"
)

// Example states a mistake that a test of a reader makes in a good configuration.
func Example_readertest() {
	m := readertest.Wrong("a policy is missing", "name-missing", "there is no policy", "policy A", "policy B")
	fmt.Println(m)
	// Output: {a policy is missing name-missing there is no policy [policy A policy B]}
}
