// Package mmu admits packets to a switch's memory, cell by cell, as the memory management unit (MMU) of a switch ASIC
// does. Package buffer decides whether a plan fits the chip; an [MMU] with the plan's sizes shows what happens when
// packets arrive.
//
// [New] builds an MMU from a [Config]. [MMU.Arrive] admits a packet or drops it, and [MMU.Leave] gives its cells back.
// A packet takes cells in this order: the reserved cells of its priority group (PG-min), then shared cells while the
// limits of the group, the port and the pool allow it, and then, if the group is lossless, headroom. A packet that
// finds no cells is dropped. The [Verdict] says why, and whether the group must send XOFF. Leave says whether the group
// must send XON; [MMU.Resume] lists the other groups that can be resumed because the pool has more room.
//
// Chips differ in how they compare counters with limits: [Rule] describes it, and package asic/behaviour has the rules
// of chip families. A [Policy] divides a pool among its groups. [Probe] answers a tester's question: at which packet
// does a group pause, drop and resume?
//
// An MMU has no clock, no goroutine and no random numbers. It counts cells and keeps no packets.
//
// The files:
//
//   - config.go: what an MMU is built from, and which values are refused
//   - mmu.go: the MMU, the causes of a drop, and the verdict about a packet
//   - admit.go, leave.go, charge.go: how a packet is admitted and leaves, and
//     its accounts
//   - take.go, fast_path.go: the plain way of most packets, with the same result
//   - resume.go: which paused groups can be resumed
//   - state.go, snapshot.go: state, watermarks and counters
//   - reconfigure.go: changes of limits while packets are in the memory
//   - check.go: the invariants
//   - policy.go: a policy, which divides a pool among its members
//   - probe.go, probe_run.go, store_many.go: the tester's question, and how packets
//     are counted that are only stored
package mmu
