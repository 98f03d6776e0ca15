// Package table reads, writes, extends and criticises vendors' headroom tables:
// SONiC's pg_profile_lookup.ini.
//
//	table.go   the file and its rows; a [Table] is a [thresholds.Sizer] with exact rows only
//	fit.go     a line through a series of rows, and new rows from it
//	lint.go    suspect rows, each with its reason
package table
