// Package asic is a catalogue of switch chips: how large a cell of packet
// memory is, how many cells there are, in how many slices, and where each of
// these numbers comes from. It has no behaviour of its own; [buffer] plans with
// the [buffer.Chip] that [Load] returns.
//
//	chip, err := asic.Load("tomahawk3")
//
// Vendors rarely publish these numbers, so the sources are public code and
// deployments: an SDK's header, a network operating system's tables. They do
// not always agree. An empty string in [buffer.Sources] means that nothing
// public was found and a neutral value stands in; one that begins with
// "inferred" is a conclusion by analogy, with "assumed" a value that had to be
// something. Notes say what this does to results, and they are meant to be
// shown with every plan.
//
// Some chips are here without slices: known, but nobody has published their
// cells. [buffer.Chip.Validate] refuses to plan with them.
//
// A chip that is not here, or a better number for one that is, needs no change
// to this package: fill in a [buffer.Chip], which is plain data.
package asic
