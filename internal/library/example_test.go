package library_test

import (
	"encoding/json"
	"fmt"

	"github.com/cellwarden/cellwarden/examples"
	"github.com/cellwarden/cellwarden/internal/library"
)

// A switch of an example: one port sends to another until it must pause.
func Example() {
	topology, err := examples.Read("arista-7060cx-32s.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	question, err := json.Marshal(map[string]string{"topology": string(topology)})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, answer := library.NewSwitch(question)
	if answer.Code != library.OK {
		fmt.Printf("%s\n", answer.Text)
		return
	}
	p := library.Packet{In: 0, Out: 1, Priority: 3, Bytes: 4096}
	for n := 1; ; n++ {
		if s.Arrive(p)&library.XOFF != 0 {
			group, _ := s.Group(0, 3)
			fmt.Printf("XOFF with packet %d: %d shared cells of %d\n", n, group.Shared, group.Limit)
			return
		}
	}
	// Output:
	// XOFF with packet 327: 6534 shared cells of 6537
}
