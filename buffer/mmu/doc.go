// Package mmu admits packets to the cell, as the memory management unit (MMU)
// of a switch ASIC does. Package buffer decides whether a plan fits; an [MMU]
// is what the plan becomes when packets arrive.
//
// A packet takes cells in this order: the reserved cells of its priority group
// (PG-min), shared cells while the limits of the group, the port and the pool
// allow it, and then, if the group is lossless, headroom. A packet that finds no
// cells is dropped, and the [Verdict] gives the [Cause].
//
//	m, err := mmu.New(config)           // err: an index or a size in the config is wrong
//	v := m.Arrive(packet)               // v.Drop, v.XOFF, and the cells by account in v.Held
//	r := m.Leave(packet)                // r.XON: the group resumes
//	group, ok := m.Resume(slice)        // groups that resume because others made room
//
// The files:
//
//	config.go          what an MMU is built from, and what is refused
//	mmu.go             its state, causes and verdicts
//	admit.go leave.go  the way of a packet in and out
//	quick.go           the short way that most packets take, equal to the long one
//	resume.go          which paused group resumes next
//	state.go           watermarks, counters, snapshots, and changes of limits at run time
//	policy*.go         who may take how much of a shared pool
//	probe.go           at which packet a group pauses, drops and resumes
//
// How a family of chips compares is data: see package asic/behaviour. There is
// no clock, no goroutine and no randomness here; an MMU counts cells and keeps
// no packets.
package mmu
