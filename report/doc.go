// Package report writes the results of cellwarden as documents that other
// programs read. A document has a schema name with a version, snake_case keys
// that end in their unit, and everything that the result has: what a table on a
// terminal leaves out stands here.
//
// The documents are the plan ([PlanDocument], "cellwarden.plan/v1"), the difference of two plans ([DiffDocument],
// "cellwarden.diff/v1"), the answers of capacity ([CapacityDocument], "cellwarden.capacity/v1"), and what the counters
// of a switch say of a plan ([WatchDocument], "cellwarden.watch/v1").
//
// Package report is pure: a value in, a value out, and encoding/json does the
// rest.
package report
