// Package plot writes the plots of a simulation run as one HTML page. The page
// has panels with lines, bars or counts over a common axis of time. The
// pictures are SVG inside the page, so the page needs no other file and no
// network. The same input gives the same bytes.
//
// A [Page] is data: package scenario fills it from a run, and [Write] draws it.
package plot
