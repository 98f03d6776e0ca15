package early

import (
	"fmt"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// After it has grown, the stack stays where it is while 31 KB of it are in use.
func TestStackGrowsOnce(t *testing.T) {
	done := make(chan [3]uintptr)
	go func() {
		var mark byte
		place := func() uintptr { return uintptr(unsafe.Pointer(&mark)) }
		first := place()
		grow()
		grown := place()
		deep(31)
		done <- [3]uintptr{first, grown, place()}
	}()
	at := <-done
	require.NotEqual(t, at[0], at[1], "it was small")
	require.Equal(t, at[1], at[2])
}

// deep needs some KB of stack.
//
//go:noinline
func deep(kilobytes int) byte {
	var room [900]byte
	if kilobytes > 1 {
		room[kilobytes] = deep(kilobytes - 1)
	}
	return room[kilobytes]
}

// A program that imports the package takes no samples.
func Example() {
	fmt.Println(runtime.MemProfileRate)
	// Output: 0
}
