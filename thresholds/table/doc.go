// Package table reads, checks, extends and writes vendors' headroom tables: SONiC's pg_profile_lookup.ini. Each row
// gives the thresholds for one speed and cable length.
//
// A [Table] is a [thresholds.Sizer] that knows only its rows; nothing is interpolated. [Lint] names rows that are
// suspect. [Table.Fits] puts a straight line through the rows of each speed, says what the slope may mean, and [Fit.At]
// gives a row for another length.
//
//   - table.go: the rows, and a [Table] as a Sizer
//   - read.go, write.go: the file
//   - lint.go, lint_outliers.go, light.go: suspect rows, each with its reason
//   - codes.go, codes.txt: what the codes of suspect rows mean
//   - fit.go: a line through a series of rows, and new rows from it
//   - fit_factors.go: what a slope may mean
package table
