// Command libcellwarden is the C library of cellwarden: build it with -buildmode=c-shared or c-archive, as the script
// build beside it does. cellwarden.h says what its functions do, and docs/c.md shows how they are used.
//
// cellwarden.c checks what can be checked without Go: null pointers, and whether the process was forked. It calls the
// exported functions of exports.go, which the version script hides from the library's users.
package main

import (
	"fmt"
	"os"
)

// main is not run in a library.
func main() {
	fmt.Fprintln(os.Stderr, "libcellwarden: this is a library: build it with cmd/libcellwarden/build")
	os.Exit(2)
}
