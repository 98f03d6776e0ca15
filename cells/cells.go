// Package cells counts a switch's packet memory the way the silicon does: in
// cells. A cell belongs to one packet, so a packet of one byte takes a whole
// one, and a count of cells is never a count of bytes. The two are different
// types here, and [Size] is the only bridge between them, with two names for
// its two roundings: [Size.Holding] and [Size.Within].
package cells

import "github.com/cellwarden/cellwarden/unit"

// Count is a number of cells. It is signed, so that a shortage shows as what
// it is instead of wrapping round.
type Count int64

// Size is the number of bytes in one cell, 208 on Tomahawk, 416 on Cisco's
// Cloud Scale. Zero is no size; Size's methods must not be called on it.
type Size int64

// Holding returns how many cells hold b bytes: a cell used in part is used.
func (s Size) Holding(b unit.Bytes) Count { return Count((int64(b) + int64(s) - 1) / int64(s)) }

// Within returns how many whole cells b bytes of memory are: a capacity must
// not be overstated.
func (s Size) Within(b unit.Bytes) Count { return Count(int64(b) / int64(s)) }

// Bytes returns the memory that n cells are.
func (s Size) Bytes(n Count) unit.Bytes { return unit.Bytes(int64(n) * int64(s)) }

// Packet returns how many cells one packet of b bytes takes when the chip
// stores overhead bytes of its own in front of it: 64 on most Broadcom XGS
// chips, so that a packet of 145 bytes takes two cells of 208.
func (s Size) Packet(b, overhead unit.Bytes) Count { return s.Holding(b + overhead) }
