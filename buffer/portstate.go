package buffer

import (
	"fmt"

	"github.com/cellwarden/cellwarden/internal/named"
	"github.com/cellwarden/cellwarden/pg"
)

// ClassSet says which classes of an intent a port carries: bit i is the i-th class. 0 is all of them.
type ClassSet uint8

// Classes makes the set of these indices; an index that no intent can have panics.
func Classes(indices ...int) (s ClassSet) {
	for _, i := range indices {
		if i < 0 || i >= pg.PerPort {
			panic(fmt.Sprintf("buffer: class %d of at most %d", i, pg.PerPort))
		}
		s |= 1 << i
	}
	return s
}

// Has tells whether the i-th class is in the set.
func (s ClassSet) Has(i int) bool { return s == 0 || s>>i&1 == 1 }

// PortState is whether a port is in use. The zero state is up.
type PortState int

// The states of a port. A port that is administratively down has no link either.
const (
	PortUp        PortState = iota
	PortLinkDown            // enabled, without a link
	PortAdminDown           // disabled
)

// portStates are the names in topology files.
var portStates = [...]string{"up", "link-down", "admin-down"}

// String names the state as topology files do.
func (s PortState) String() string { return named.Of(s, "state", portStates[:]...) }

// ParsePortState reads what String prints.
func ParsePortState(text string) (PortState, error) {
	return named.Parse[PortState](text, "no state of a port", portStates[:]...)
}

// Reclaim says which ports give their cells back although they are configured.
type Reclaim string

// What a switch reclaims. Where nothing is sourced, cells follow configuration:
// Cisco's guide for the Nexus 9000 GX says so, whatever the state of the link.
const (
	ReclaimsNothing   Reclaim = ""
	ReclaimsAdminDown Reclaim = "admin-down" // of ports that are disabled, as SONiC on NVIDIA's switches
	ReclaimsLinkDown  Reclaim = "link-down"  // of these, and of ports without a link
)

// idle tells whether a port in this state holds no cells.
func (r Reclaim) idle(s PortState) bool {
	return r == ReclaimsAdminDown && s == PortAdminDown || r == ReclaimsLinkDown && s != PortUp
}

// carries tells whether a port has groups and queues of the i-th class.
func (in *Intent) carries(p *Port, i int) bool {
	return p.Classes.Has(i) && !in.Chip.Reclaims.idle(p.State)
}
