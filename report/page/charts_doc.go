// Package page writes the plots of a simulation run as one HTML page: the verdict and the findings first, then panels
// with lines or rows over a common axis of time. The pictures are SVG inside the page, so the page needs no other file
// and no network. The same input gives the same bytes.
//
// A [Page] is data: package scenario fills it from a run, and [Write] draws it. Of each panel the series with the
// highest peaks are drawn; further ones are in a part that opens, and a table has the peaks of all. What belongs to
// one port has the same colour in all panels.
package page
