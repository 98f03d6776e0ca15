package internal_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/treetest"
)

// The counts of one revision of sonic-buildimage are known.
func Example_treetestIsMeasured() {
	fmt.Println(treetest.IsMeasured("086b03bd00"), treetest.IsMeasured("a0f7dcfe22"))
	// Output: true false
}
