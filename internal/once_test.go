package internal_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/once"
)

// A value is made at its first use, and once for all who ask.
func TestValueIsMadeOnce(t *testing.T) {
	made := 0
	value := once.Value(func() []int { made++; return []int{7} })
	require.Zero(t, made, "not before it is asked for")
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() { value() })
	}
	wait.Wait()
	require.Equal(t, 1, made)
	require.Equal(t, []int{7}, value())
}

// A pattern that cannot be compiled panics at its use and not at the start of the program.
func TestOncePattern(t *testing.T) {
	require.True(t, once.Pattern(`^a+$`)().MatchString("aa"))
	wrong := once.Pattern(`(`)
	require.Panics(t, func() { wrong() })
}

func Example_onceValue() {
	table := once.Value(func() map[string]int {
		fmt.Println("made")
		return map[string]int{"xoff": 1}
	})
	fmt.Println(table()["xoff"], table()["xon"])
	// Output:
	// made
	// 1 0
}
