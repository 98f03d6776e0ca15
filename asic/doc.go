// Package asic is a catalogue of switch chips: how large a cell of packet
// memory is, how many cells there are, in how many slices, and where each of
// these numbers comes from. It has no behaviour of its own; [buffer] plans with
// the [buffer.Chip] that [Load] returns.
//
//	chip, err := asic.Load("tomahawk")
//
// Vendors rarely publish these numbers, so the sources are public code and
// deployments: an SDK's header, a network operating system's tables. They do
// not always agree. An empty string in [buffer.Sources] means that no public
// source was found and a neutral value is used. A source that begins with
// "inferred" is a conclusion by analogy. A source that begins with "assumed"
// belongs to a value that had to be chosen. Notes state the effect on results;
// every plan should show them.
//
// Some chips have no slices: the chip is known, but the number of its cells is
// not published. [buffer.Chip.Validate] refuses to plan with them.
//
// A chip that is not here, or a better number for one that is, needs no change
// to this package: fill in a [buffer.Chip], which is plain data.
package asic
