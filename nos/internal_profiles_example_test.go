package nos_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/internal/profiles"
)

// A profile starts from the published model; a system takes away what its switches refuse.
func Example_profiles() {
	p := profiles.New(nos.Profile{Name: "mine", Title: "a switch without weights"})
	p.Without("the switch refuses weights", profiles.Inferred(profiles.Tests.Source), buffer.QueueWeight)
	rule := p.Rule(buffer.QueueWeight)
	fmt.Println(p.Rule(buffer.GroupAlpha).Expressible(), rule.Expressible(), rule.Reason(), rule.Inferred)
	// Output:
	// true false the switch refuses weights true
}
