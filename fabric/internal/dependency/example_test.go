package dependency_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/fabric/internal/dependency"
)

// A ring of four switches, by shortest ways.
func Example() {
	n := &dependency.Network{Ports: make([][]dependency.Port, 4), Forwards: []bool{true, true, true, true}}
	for v := range n.Ports {
		n.Ports[v] = []dependency.Port{{Node: (v + 1) % 4, Port: 1}, {Node: (v + 3) % 4}}
	}
	n.Index()
	all := []int{0, 1, 2, 3}
	g := dependency.New(n, 1)
	n.Route(g, 0, dependency.Ways{Rule: dependency.Shortest}, all, all, nil)
	components, _ := g.Components()
	cycle, shortest := g.Shortest(components[0], 1000)
	for _, v := range cycle {
		node, port := n.Place(v)
		fmt.Printf("%d -> %d\n", node, n.Ports[node][port].Node)
	}
	fmt.Println(shortest)
	// Output:
	// 0 -> 1
	// 1 -> 2
	// 2 -> 3
	// 3 -> 0
	// true
}
