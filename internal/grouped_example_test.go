package internal_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/grouped"
)

func Example_grouped() {
	var by grouped.By[string, []string]
	for _, x := range [][2]string{{"spine", "s1"}, {"leaf", "l1"}, {"spine", "s2"}, {"spine", "s1"}} {
		names := by.Of(x[0])
		*names = grouped.Add(*names, x[1])
	}
	for role, names := range by.All() {
		fmt.Println(role, *names)
	}
	for role := range by.All() {
		fmt.Println("first:", role)
		break
	}
	// Output:
	// spine [s1 s2]
	// leaf [l1]
	// first: spine
}
