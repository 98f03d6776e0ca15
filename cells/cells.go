// Package cells counts a switch's packet memory in cells, as the chip does. A cell belongs to one packet: a packet of
// one byte takes a whole cell. So a count of cells is not a count of bytes, and the two are different types. [Size]
// converts between them. It has one method for each rounding: [Size.Holding] rounds up, [Size.Within] rounds down.
//
// [Pool] is the account of one slice of the memory: which cells are reserved, headroom, shared or unused.
package cells

import "github.com/cellwarden/cellwarden/unit"

// Count is a number of cells. It is signed, so that a shortage is a negative number and not a very large one.
type Count int64

// Size is the number of bytes per cell: 208 on Tomahawk, 416 on Cisco's Cloud
// Scale. Methods must not be called on a zero Size.
type Size int64

// Holding returns the number of cells that hold b bytes. A cell that is used in part counts.
func (s Size) Holding(b unit.Bytes) Count { return Count((int64(b) + int64(s) - 1) / int64(s)) }

// Within returns the number of whole cells in b bytes of memory: a capacity must not be overstated.
func (s Size) Within(b unit.Bytes) Count { return Count(int64(b) / int64(s)) }

// Bytes returns the size of n cells.
func (s Size) Bytes(n Count) unit.Bytes { return unit.Bytes(int64(n) * int64(s)) }

// Packet returns the number of cells that a packet of b bytes takes when the chip stores overhead bytes with it. Most
// Broadcom XGS chips store 64: a packet of 145 bytes then takes two cells of 208.
func (s Size) Packet(b, overhead unit.Bytes) Count { return s.Holding(b + overhead) }
