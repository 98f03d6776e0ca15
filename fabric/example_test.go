package fabric_test

import (
	"context"
	"fmt"

	"github.com/cellwarden/cellwarden/fabric"
)

// Two flows in a ring of four switches: each waits for the other.
func ExampleFile_Deadlock() {
	ctx, data := context.Background(), []byte(`
switches: [A, B, C, D]
cables: [[A, B], [B, C], [C, D], [D, A]]
routes: {paths: [A B C D, C D A B], priority: 3}
`)
	f, err := fabric.Read("ring.yaml", data)
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := f.Deadlock(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Verdict)
	for _, h := range d.Priorities[0].Cycle {
		fmt.Printf("%s -> %s because of %s\n", h.From, h.To, h.Because)
	}
	fmt.Println(d.Priorities[0].Remedies[0])
	// Output:
	// can-lock
	// A -> B because of path A B C D, line 4
	// B -> C because of path A B C D, line 4
	// C -> D because of path C D A B, line 4
	// D -> A because of path C D A B, line 4
	// no lossless frame from A by B to C, in priority 3: forbid this turn
}
