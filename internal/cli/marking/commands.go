// Package marking has the verb that compares marking (ECN) with pausing (PFC): ecn.
//
// A switch that pauses before it marks stops whole links for a congestion that its senders could have ended by
// themselves. Which of both comes first follows from four numbers: what a group may hold (alpha or a static limit),
// what the pool has free, how many groups are congested at a time, and the kmin of the queue. They come from flags
// (ecn.go) or from the plan of a topology (ecn_plan.go). Package report asks the question and thresholds/ecn computes
// it; ecn_report.go prints.
package marking

import "github.com/cellwarden/cellwarden/internal/cli"

// Commands are the verbs of this group.
func Commands() cli.Verbs { return cli.Verbs{"ecn": ecnCommand} }
