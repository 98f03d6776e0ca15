// Package push has the verbs that bring a plan to a switch and keep it there: apply, resume, drift and render. The verb
// target is a package of its own beneath the same group.
//
// apply.go reads the flags of a push and plans the topology; push.go pushes it to one device, of which package
// backend/gnmi/push is the engine: it reads, compares, writes the journal, sends, reads back and takes back. report.go,
// report_native.go, report_state.go and statement.go print what became of it, for apply and for resume alike, which
// finishes or undoes the push of a journal (resume.go). drift.go compares and changes nothing. With --to-file the
// changes are written to files and nothing is sent (apply_file.go).
//
// render.go writes a plan as native configuration, render_sonic.go has the flags that describe a SONiC switch, and
// render_hwsku.go writes a folder of its build tree. ets_shares.go says what a switch makes of shares that have groups.
//
// The state of the device decides the exit code and the first line. It is the one that was read last, and never the one
// that was asked for.
package push
