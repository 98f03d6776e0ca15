// Package asic is a catalogue of switch chips: the size of a cell of packet memory, the number of cells and of slices,
// what can be configured, and the source of each of these numbers. It is data alone. Package [buffer] plans with the
// [buffer.Chip] that [Load] returns; how a family of chips admits packets is in asic/behaviour.
//
//	chip, err := asic.Load("tomahawk")
//
// Vendors rarely publish these numbers, so the sources are public code and deployments: an SDK's header, a network
// operating system's tables. They do not always agree. An empty string in [buffer.Sources] means that nothing public
// was found and a neutral value is used; one that begins with "inferred" is a conclusion by analogy; one that begins
// with "assumed" is a value that a plan cannot do without. The notes of a chip say how this changes results. Show them
// with every plan.
//
// Some chips have no slices: the chip is known, and the number of its cells is not published. [buffer.Chip.Validate]
// refuses to plan with them.
//
// A chip that is not here, or a better number for one that is, needs no change to this package: fill in a
// [buffer.Chip], which is plain data, or write a chip file, which package topology reads.
package asic
