// Package measured reads files of measurements for package calibrate.
//
// [Read] accepts four kinds of files and tells them apart by their content:
//
//   - a file of fills, points, stored packets and links, in YAML or JSON
//   - JSON lines, each with one measurement
//   - CSV, with a line for each group of a fill or for each link
//   - what a switch has counted: SONiC's watermark tables, COUNTERS_DB, CSV by port and group (package
//     diagnosis)
//
// Every complaint has the file and the line.
package measured
