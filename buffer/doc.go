// Package buffer decides whether a switch can carry a plan. It takes an [Intent] (ports, speeds, cables, classes),
// sizes every lossless group's headroom, and admits the whole into the cells of a [Chip], slice by slice. A plan that
// does not fit is refused: the refusal names the interface at which the memory ran out, the number of missing cells,
// and what would make the plan fit.
//
// The steps are [New], which plans an intent; [Plan.Layout], the registers that a device must hold for the plan; and
// [Diff], the ordered steps from one layout to another. The package's Example takes all of them.
//
// Start reading at intent.go (what an operator wants), chip.go (what the memory is) and admission.go (the engine). A
// [Kind] is what a register holds; kind.go has everything that is known of each.
//
// A controller that adds, changes and releases ports one by one keeps a [Manager]. [CheckTransition] proves that no
// state between two layouts takes more cells than there are. An [Intent] is JSON for a program that saves what it
// keeps, with the headroom method by its name.
//
// Ports are taken in the order given. The port that no longer fits is refused as a whole and the earlier ones keep what
// they have: a switch does the same when it logs "ingress buffer allocation failed for interface Ethernet1/8".
//
// What one packet meets, cell by cell, is package mmu's. What a plan looks like in a
// switch's own configuration is package nos's. No vendor is known here: what
// differs between chips is data of the Chip, and methods are a [thresholds.Sizer].
//
// Everything here is a value or a function of values: no clock, no lock, no file, no
// randomness. The same intent gives the same plan, byte for byte.
package buffer
