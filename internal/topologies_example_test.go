package internal_test

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/capacity/sweep"
	"github.com/cellwarden/cellwarden/internal/topologies"
)

func Example_topologiesOfLines() {
	s := topologies.OfLines("leaves", strings.NewReader("{}\n{\"id\":1}\n{\"id\":2}\n"), sweep.Shard{Index: 1, Of: 2})
	for b, more := s.Next(); more; b, more = s.Next() {
		fmt.Println(b.First, b.Names, string(b.Texts[0]))
	}
	fmt.Println(s.Err)
	// Output:
	// 2 [leaves, line 2] {"id":1}
	// <nil>
}
