package internal_test

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// Pool is an input with two parts that have a Validate of their own.
type Pool struct {
	Name   string
	Slices int
	Groups []Group
}

// Group is a part of the input.
type Group struct{ Reserved, Priority int }

func (g Group) Validate() error {
	var bad fielderr.List
	bad.Within("reserved", int64(g.Reserved), 0, 1<<20)
	bad.Within("priority", int64(g.Priority), 0, 7)
	return bad.Err()
}

func (p Pool) Validate() error {
	var bad fielderr.List
	bad.Check(p.Name != "", "name", `""`, "a name")
	bad.Within("slices", int64(p.Slices), 1, 16)
	for i, g := range p.Groups {
		bad.Under(fmt.Sprintf("groups[%d]", i), g.Validate())
	}
	return bad.Err()
}

func Example_fielderr() {
	fmt.Println(Pool{Name: "lossless", Slices: 1}.Validate())
	fmt.Println(Pool{Slices: 17, Groups: []Group{{}, {Reserved: -1, Priority: 8}}}.Validate())
	// Output:
	// <nil>
	// name: "" (want a name)
	// slices: 17 (want 1 to 16)
	// groups[1].reserved: -1 (want 0 to 1048576)
	// groups[1].priority: 8 (want 0 to 7)
}

func Example_fielderrLocated() {
	c := fielderr.Complaint{Path: "ports[0].mtu", Value: "5B", Accepted: "64B to 16384B"}
	fmt.Println(&fielderr.Located{File: "leaf.yaml", Line: 9, Err: c})
	fmt.Println(c.Listed())
	// Output:
	// leaf.yaml:9: ports[0].mtu: 5B (want 64B to 16384B)
	// ports[0].mtu: 5B: want 64B to 16384B
}
