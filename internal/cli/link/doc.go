// Package link has the verb that compares the two ends of a link.
//
// The ends come from the files that the command line names (link.go): two ports of topologies, all cables of a list, or
// what LLDP says of the far end or of both (package internal/observed). Package dcbx/linkcheck compares each pair and
// has the findings. --since and the baseline then take away what is not new (since.go), before the verdict is made.
// With --scenarios, what a finding leads to is simulated: the link with its own numbers where it is about headroom
// (planned.go), and the example that shows it (sim.go). report.go prints.
//
// An end that does not say something is unknown, and never the same as the other.
package link
