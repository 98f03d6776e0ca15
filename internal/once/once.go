// Package once makes tables and patterns when they are first asked for. The command has tables for many verbs, and each
// run needs few of them: what is made at the start of the program costs every command its time.
//
// Its lock is the only one of the core. The core stays pure, because such a value depends on the program alone: every
// caller gets the same one, in any order.
package once

import (
	"regexp"
	"sync"
)

// Value returns a function that calls make at its first call, and returns that value at every call. Any number of
// goroutines may call it. A panic of make is repeated at every call. Callers share the value and do not change it.
func Value[T any](make func() T) func() T { return sync.OnceValue(make) }

// Pattern returns a regular expression that is compiled at the first call. A wrong one panics there.
func Pattern(text string) func() *regexp.Regexp {
	return Value(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
