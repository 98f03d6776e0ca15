package routes_test

import (
	"context"
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric/internal/routes"
)

// Two switches with a host on port 0 of each. Their ports 1 and 2 are connected.
func Example() {
	g := routes.NewGraph(2, 2)
	for peer := int32(1); peer >= 0; peer-- {
		g.Link(1, peer)
		g.Link(2, peer)
		g.Switch()
	}
	a, b := &routes.Switch{First: 0, Ports: 3}, &routes.Switch{First: 3, Ports: 3}
	t := routes.Table{Sites: []routes.Site{{Port: 0, Place: 0}, {Port: 3, Place: 1}}}
	if err := t.Find(g, []int32{0, 1}, []*routes.Switch{a, b}, context.Background().Err); err != nil {
		panic(err)
	}
	fmt.Println(t.To(a, 0).List(), t.To(a, 1).List(), t.To(b, 0).Choose(7))
	// Output: [0] [1 2] 2
}
