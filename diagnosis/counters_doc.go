// Package diagnosis reads the counters and watermarks of a switch from dumps: what an operator
// copies from a terminal, exports from a database, or writes by hand.
//
//	show text   SONiC's "show priority-group watermark headroom|shared", "show priority-group drop counters",
//	            "show pfc counters", "show pfcwd stats", "show headroom-pool watermark", in any order, also with other text between them
//	JSON        SONiC's COUNTERS_DB, as a dump of Redis or as sonic-gnmi answers it
//	CSV         a line for each group: see [Columns]
//
// [Read] tells them apart by their content. What a dump does not have is absent in the sample that it
// gives: nothing is taken for zero. A dump without anything readable is refused, and so is one
// that says two different things of one counter.
//
// The names of the fields are SAI's (saiport.h, saibuffer.h), the forms those of sonic-utilities 691b1bbc and
// sonic-gnmi 5ec1c20b.
package diagnosis
