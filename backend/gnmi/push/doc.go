// Package push brings a plan to a switch safely, in one call.
//
// [Apply] connects, keeps other pushes of this machine away with a lock, asks the switch for its kind, refuses a plan
// for another chip or other ports, compares the plan with the switch, refuses changes that stop more traffic than is
// allowed, writes a journal, sends, reads back, compares in cells, and confirms. After an error it takes back its own
// changes where the switch still has them. The [Result] says in which state the switch is; [Result.Document] writes it
// down as a cellwarden.apply/v1.
//
// A switch receives registers over OpenConfig, or values of its native configuration: see [Options]. A Result has one
// kind of [Change] for both.
//
// [Resume] finishes or undoes a push that was interrupted, from its journal: [Journals] reads journals. [Describe] says
// what a kind of switch would receive, without a connection. [ToDevice] brings a plan to a device that is reached by
// other means, such as a simulated ASIC. [Compare] compares a switch with a plan, once or until they differ.
//
// [ParseTargets] reads a file of many switches, and [Each] works on them in parallel.
package push
