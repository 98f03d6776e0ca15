// Package thresholds computes the buffer thresholds of a lossless priority group.
//
// When a group has used the shared cells that it may use, the switch sends a pause frame. Until the sender stops,
// everything that is in flight must be stored: this is the headroom. A [Sizer] computes it for a [Link] and a [Memory].
// The result can be itemised: every term has its source, because the standard, the drivers and the vendors' tables
// differ by factors, and the operator must see why. [IEEE] is the method of IEEE 802.1Qbb; the others are in package
// method, and tables of vendors in package table.
//
// Bytes on a link are not cells in a memory. The size of the frames that fill
// the headroom changes the result more than anything else: a frame of 64 bytes
// in a cell of 416 bytes takes six and a half times its size, and nearly five times its time on the wire. Every result
// names the frames that it assumes, and [WorstArrival] finds the worst mixture of them.
//
// [Limit] and [Alpha] are limits on shared cells, and [XON] is the rule by which
// a paused group resumes. Package ecn relates these limits to ECN marking.
package thresholds
