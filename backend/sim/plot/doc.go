// Package plot draws what a simulation did over time: panels of lines, bars and
// counts above one axis of time, as one HTML page with the pictures inside,
// which needs nothing from anywhere else. The same input gives the same bytes.
package plot
