// Package identify finds by which rules a switch admits packets, by asking it: a version space of rules and numbers
// (package rules) that chooses its probes.
//
// [New] begins with what is known, and [Identification.Run] asks a [Switch] until nothing is left to ask. A rule is
// dropped only if no numbers give every reading. [Lines] is a switch behind lines of JSON.
package identify
