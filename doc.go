// Package cellwarden is the root of a module that models the buffer manager
// (MMU) of a switch ASIC. It has no code; the packages below it do the work:
//
//	unit        quantities with units
//	cells       cells, and the ledger of the global cell pool
//	thresholds  headroom, alpha, ECN: how large and why
//	pg          priority groups
//	buffer      chip, intent, plan, refusal, steps
//	asic        the chip catalogue
//	topology    the file in which an operator says what is wanted
//	backend     bringing a plan to a device: sim, gnmi
//
// The command is cmd/cellwarden. docs/architecture.md is the map.
package cellwarden
