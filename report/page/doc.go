// Package page writes pages for a browser: a plan ([Report]), a simulation run ([Run]), a sweep ([HeatMap]), and tables
// with lines of text ([Tables]). All have one skeleton and one style sheet, page.css.
//
// The page of a plan is for a colleague: the verdict first, then where every cell of the memory is, how the headroom
// grows with the cable, which ports are refused, where the thresholds of a group lie, what there is to know, and where
// every number comes from. The page of a run has the verdict and the findings first, then panels over a common axis of
// time.
//
// A page is one file. It loads nothing, it has no script, and the same contents give the same bytes. Every picture has
// a text alternative, and its numbers are in a table beside it. The page is light or dark as the reader's screen is,
// and light on paper. A page of the caller's takes the style sheet from [Style], and fills itself with [Report.Answer].
package page
