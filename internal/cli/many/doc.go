// Package many has the verbs of one switch answer for all switches of a fabric, and brings a change to them in waves.
//
// verbs.go wraps the verbs of the root: where the first argument is the file of a fabric, the verb is asked about its
// switches, and FABRIC:SWITCH is one of them. Most verbs answer with a row for each kind of switch (rows.go): switches
// with one topology and the same changes have one plan, so the verb is run for the first of them, by a command of its
// own, and its first line and its exit code are those of all. plan draws a page beside that (page.go), link compares
// the ends of every cable (link.go), diff compares two fabrics and render writes a folder for each switch (pair.go).
//
// A change goes in waves: waves.go says in which order, with every cable compared between two waves (package
// internal/rollout makes the waves), and apply.go makes it, switch by switch (devices.go); dry_run.go says without a
// switch what each stage sends. The state of a run is a file, so that a run which was killed goes on where it was.
package many
