// Package early sets the program up before other packages are initialised, so that every command starts sooner. Go
// initialises packages in the order of their paths, each after what it imports; this one imports the runtime alone, and
// so comes before every package that allocates much.
//
// It turns off the runtime's samples of memory. Nobody can ask the command for a profile, and the runtime takes samples
// as long as a library that is linked could: a walk of the stack every 512 KB, and a table of 1.4 MB for the first.
// Tests of cmd/cellwarden have a profile of memory with -memprofilerate.
//
// It lets the stack of the main goroutine grow at once to what libraries need while they compile their patterns, which
// is 31 KB. By itself the stack doubles five times on the way, and each time the runtime reads what it knows about all
// code that is running.
package early

import "runtime"

// need is the stack that is there after the initialisation, in bytes.
const need = 33 << 10

func init() {
	runtime.MemProfileRate = 0
	grow()
}

// grow needs that much stack for a moment. The runtime does not take it back before its first collection.
//
//go:noinline
func grow() {
	var room [need]byte
	keep(&room)
}

//go:noinline
func keep(*[need]byte) {}
