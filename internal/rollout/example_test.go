package rollout_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/rollout"
)

// Example sorts six switches into waves. The two of a rack are peers.
func Example() {
	all := []*fabric.Switch{{Name: "tor1", Role: "tor", Peers: []string{"tor2"}}, {Name: "tor2", Role: "tor"},
		{Name: "tor3", Role: "tor", Peers: []string{"tor4"}}, {Name: "tor4", Role: "tor"}, {Name: "leaf1", Role: "leaf"},
		{Name: "leaf2", Role: "leaf"}}
	waves, _ := rollout.Waves(all, nil, rollout.Limits{Second: 10, Later: 50})
	for _, w := range waves {
		fmt.Println(w)
	}
	// Output:
	// [tor1 leaf1]
	// [tor2 leaf2]
	// [tor3]
	// [tor4]
}
