// Package cli is what all verbs share: the screen with its tables, the files that a verb reads and writes, the flags,
// and the exit codes. The verbs are in the packages beneath it, by group; inputs reads their topologies and chips, and
// findings is for those that list findings.
//
// In the order of a verb's life:
//
//	texts    help.go makes each verb with its texts of help.txt, and prints its help
//	flags    usage.go checks arguments and flags in words of its own; set.go and output.go add flags that mean the same
//	         on every verb
//	input    files.go opens each file within the bounds of --confine
//	output   output.go has the report, which first_screen.go shortens, and which units.go, fold_table.go and surface.go
//	         fit to the screen; output_csv.go and output_html.go print it for programs and pages
//	end      exitcode.go turns the error into the exit code, once for the whole command
//
// A verb makes two things of one result: a document of package report, which is the JSON, and a [Screen], which is
// every other format.
package cli
