// Package thresholds says how large the buffers of a lossless priority group
// must be, and why.
//
// When a group has used up what it may share, the switch sends a pause frame.
// Until the sender falls silent, everything in flight must still be stored:
// that is the headroom. A [Sizer] computes it for a [Link]; the result, a
// [Headroom], is never a bare number but a sum of terms, each with its source,
// because the standard, the drivers and the vendors' tables disagree by
// factors and whoever decides has to see on what.
//
// Bytes on a wire are not cells in a memory. The size of the frames that fill
// the headroom changes the answer more than anything else does: 64-byte frames
// in 416-byte cells need six and a half times their bytes. Every result names
// the frame size it assumes.
package thresholds
