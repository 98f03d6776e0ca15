// Package finding is what a check says is wrong: one form for the findings of configurations, headroom tables, links,
// counters and simulations.
//
// A [Finding] has a code, a severity, a place, the numbers that were compared, and a repair. What a code means is data
// of the package that finds it: a [Registry], which also makes the findings, so that a code has one severity and one
// repair.
//
//	at := finding.Place{File: "config_db.json", Line: 12}
//	f := codes.New("pool-over-chip", at, "BUFFER_POOL|p", "size 40 exceeds the chip's 32")
//
// Programs of continuous integration compare findings with those of another time by [Finding.Key], which is without
// lines, because lines move: [Baseline] is a file of findings that are accepted, and [Since] are the findings of one
// set that another set does not have. [WriteSARIF] and [WriteJUnit] write findings for code hosts.
package finding
