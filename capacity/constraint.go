package capacity

import (
	"errors"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
)

// Limit is the kind of a constraint: what would have to be larger.
type Limit string

// The limits.
const (
	sharedFloor   Limit = "shared_floor"       // the share of the memory that must remain shared
	poolSize      Limit = "pool_size"          // the configured size of the pool
	memory        Limit = "memory"             // the cells of the chip
	headroomPool  Limit = "shared_headroom"    // the shared headroom pool, which a group's headroom exceeds
	portHeadroom  Limit = "chip_port_headroom" // most headroom that the chip gives one port
	chipPool      Limit = "chip_pool"          // the largest pool that the chip can program
	chipPorts     Limit = "chip_ports"         // the chip's ports and their bandwidth
	sizingMethod  Limit = "method"             // the sizing method has no number for it
	safety        Limit = "worst_case"         // a headroom pool that holds the worst case of all its groups
	acceptedRange Limit = "range"              // cellwarden accepts nothing further
)

// Constraint is what refuses an intent. The zero Constraint refuses nothing.
type Constraint struct {
	Limit Limit
	Text  string // the refusal in a sentence
}

// String prints "memory: Ethernet1/5: group 3 needs 1,293 cells in slice 0 and has 1,292: 1 short".
func (c Constraint) String() string {
	if c.Limit == "" {
		return ""
	}
	return string(c.Limit) + ": " + c.Text
}

// fits tells whether an intent is valid and admitted entirely; false if the questions have ended.
func (k *asker) fits(in buffer.Intent) bool { return !k.ended() && in.Fits() }

// lift takes one of its limits from an intent.
type lift struct {
	limit Limit
	from  func(*buffer.Intent) bool // false: the intent has no such limit
}

// lifted takes a limit away, and tells whether it was there.
func lifted[T ~int | ~int64](limit *T) bool {
	had := *limit > 0
	*limit = 0
	return had
}

// enormous is more cells than any intent asks for.
const enormous cells.Count = 1 << 36

// lifts are tried in this order: of two limits that both refuse, the one that the operator can change is named.
var lifts = []lift{
	{sharedFloor, func(in *buffer.Intent) bool { return lifted(&in.SharedFloor) }},
	{poolSize, func(in *buffer.Intent) bool { return lifted(&in.Pool.Size) }},
	{headroomPool, func(in *buffer.Intent) bool {
		had := lifted(&in.Pool.SharedHeadroom)
		if had { // a pool that grows with its largest group and takes no more than that
			in.Pool.SharedHeadroomRatio = buffer.MaxRatio
		}
		return had
	}},
	{portHeadroom, func(in *buffer.Intent) bool { return lifted(&in.Chip.MaxPortHeadroom) }},
	{chipPool, func(in *buffer.Intent) bool {
		shared, headroom := lifted(&in.Chip.MaxPool), lifted(&in.Chip.MaxHeadroomPool)
		return shared || headroom
	}},
	{chipPorts, func(in *buffer.Intent) bool {
		ports, bandwidth := lifted(&in.Chip.Ports), lifted(&in.Chip.Bandwidth)
		return ports || bandwidth
	}},
	{memory, func(in *buffer.Intent) bool {
		in.Chip.Slices = slices.Clone(in.Chip.Slices)
		for i := range in.Chip.Slices {
			in.Chip.Slices[i].Cells += enormous
		}
		return in.Chip.TotalCells() <= buffer.MaxCells
	}},
}

// binding says what refuses an intent: the one limit without which it fits. If there is no single one, it is what the
// refusal names. A search has the same of its own.
func (k *asker) binding(in buffer.Intent) Constraint {
	c := k.refusal(in)
	for _, l := range lifts {
		if trial := in; l.from(&trial) && k.fits(trial) {
			c.Limit = l.limit
			return c
		}
	}
	return c
}

// refusal returns the first refusal of an intent, with the limit that it names.
func (k *asker) refusal(in buffer.Intent) Constraint {
	if k.ended() {
		return Constraint{}
	}
	a, err := buffer.NewAdmission(in)
	var invalid *buffer.InvalidError
	switch {
	case errors.As(err, &invalid):
		first := invalid.Complaints[0]
		if first.Path == "ports" {
			return Constraint{chipPorts, first.String()}
		}
		return Constraint{acceptedRange, first.String()}
	case err != nil:
		return Constraint{sizingMethod, err.Error()}
	}
	d, denied := a.FirstDenied()
	if !denied {
		return Constraint{}
	}
	return denial(in.Pool.Size > 0, d)
}

// denial is the constraint of a refused port; sized tells whether the pool has a configured size.
func denial(sized bool, d buffer.Denied) Constraint {
	c := Constraint{memory, d.Port + ": " + d.Shortfall.String()}
	switch {
	case d.Reason == buffer.HeadroomOfPool:
		c.Limit = headroomPool
	case d.Reason == buffer.PortTooLarge:
		c.Limit = portHeadroom
	case d.Reason == buffer.HeadroomPool, d.Reason == buffer.PoolTooLarge && d.Limit:
		c.Limit = chipPool
	case d.Reason == buffer.PoolTooLarge && sized:
		c.Limit = poolSize
	}
	return c
}
