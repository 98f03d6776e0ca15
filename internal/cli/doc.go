// Package cli is what all verbs share: the screen with its tables, the files that a verb reads and writes, the flags
// of topologies and chips, and the exit codes. The verbs are in the packages beneath it, by group.
package cli
