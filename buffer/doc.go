// Package buffer decides whether a switch can carry a plan. It takes an
// [Intent] (ports, speeds, cables, classes), sizes every lossless group's
// headroom, and admits the whole into the cells of a [Chip], slice by slice,
// or refuses it with the interface at which the memory ran out, the missing
// cells and what would make it fit.
//
// The steps are
//
//	plan, err := buffer.New(intent) // err: the intent itself is malformed
//	plan.Fits()                     // false: plan.Refusals says who, where, by how much
//	plan.Layout()                   // the registers a device must hold for it
//	buffer.Diff(have, want)         // ordered steps from one layout to another
//
// A controller that adds, changes and releases ports one by one keeps a
// [Manager]; [CheckTransition] proves that no state between two layouts takes
// more cells than there are.
//
// Ports are taken in the order given. The one that no longer fits is refused
// as a whole, the earlier ones keep what they have: a switch does the same when
// it prints "ingress buffer allocation failed for interface Ethernet1/8".
//
// Everything here is a value or a function of values: no clock, no lock, no
// file, no randomness, and the same intent gives the same plan, byte for byte.
package buffer
