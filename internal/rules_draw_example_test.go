package internal_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/rules/draw"
)

// A number draws one switch, and always the same.
func Example_draw() {
	p := draw.Rules(7)
	fmt.Println(p.Valid(), p == draw.Rules(7))
	// Output: <nil> true
}
