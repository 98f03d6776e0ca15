// Package page writes a plan as one HTML page that a person sends to a colleague: the verdict first, then where every
// cell of the memory is, how the headroom grows with the cable, which ports are refused, where the thresholds of a
// group lie, what there is to know, and where every number comes from.
//
// The page is one file. It loads nothing, it has no script, and the same plan gives the same bytes. Every picture has
// a text alternative, and its numbers stand in a table beside it. The page is light or dark as the reader's screen
// is, and light on paper.
//
// A [Report] is what the page is made of. [Report.Write] writes the page; [Report.Answer] writes its contents alone,
// for a page that shows the answer to a change.
package page
