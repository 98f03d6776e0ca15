package table

import "github.com/cellwarden/cellwarden/finding"

// The codes of findings.
const (
	headroomBelowFlight   finding.Code = "headroom-below-flight"
	headroomBelowFrame    finding.Code = "headroom-below-frame"
	xoffShrinksWithLength finding.Code = "xoff-shrinks-with-length"
	xoffShrinksWithSpeed  finding.Code = "xoff-shrinks-with-speed"
	xoffSameForLengths    finding.Code = "xoff-same-for-lengths"
	xoffSameAsShorter     finding.Code = "xoff-same-as-shorter"
	xoffSameForSpeeds     finding.Code = "xoff-same-for-speeds"
	xonOffsetOdd          finding.Code = "xon-offset-odd"
	rowOdd                finding.Code = "row-odd"
	rowDuplicate          finding.Code = "row-duplicate"
	rowUnreadable         finding.Code = "row-unreadable"
	cellMisaligned        finding.Code = "cell-misaligned"
)

// codes says what the codes mean, in the order of the audit, which has them too.
var codes = finding.NewRegistry("audit", []finding.Meaning{
	{Code: cellMisaligned, Severity: finding.Note, Certain: true,
		Rule:   "Size or xoff of a pool is not a multiple of the cell of the chip.",
		Effect: "The chip rounds it. The number may have been made for a chip with another cell.",
		Repair: "write a multiple of the cell, and look whether the number is of this chip"},
	{Code: headroomBelowFlight, Severity: finding.Error, Certain: true,
		Rule: "xoff is less than what is in flight: 2 x length x 4.9 ns/m x rate. 4.9 ns/m is the fastest fibre; reaction " +
			"times, frames and the waste of cells come in addition.",
		Effect: "Lossless packets are dropped whenever the port pauses its sender under load.",
		Repair: "take the headroom of the row from the vendor, or compute it (cellwarden headroom)",
		Mistakes: []finding.Mistake{
			{Commit: "12d24d572a29", Date: "2023-08-10", Subject: "Updated PG headroom settings for 40g port speed (#16038)",
				Found: "400G over 120km: xoff 8093696, 58800000 in flight"},
			{Commit: "a53f01df5971", Date: "2021-08-11",
				Subject: "Updated PGHeadroom settings for 400G speed (DellEMC-Z9332f-M-O16C64 & DellEMC-Z9332f-O32) (#8420)",
				Found:   "400G over 2km: xoff 54528, 980000 in flight"},
			{Commit: "aa010b50948f", Date: "2026-05-11",
				Subject: "Tuned headroom buffer settings for the NH-5010 platform (#27186)",
				Found:   "400G over 2km: xoff 612140, 980000 in flight"}}},
	{Code: headroomBelowFrame, Severity: finding.Warning,
		Rule: "xoff is enough for 2 x length x 4.9 ns/m x rate, and not for 5 ns/m and one frame of 1500 bytes in " +
			"addition.",
		Effect: "Packets of the usual size are dropped when the port pauses its sender under load.",
		Repair: "take the headroom of the row from the vendor, or compute it (cellwarden headroom)"},
	{Code: xoffShrinksWithLength, Severity: finding.Error,
		Rule:   "At one speed a longer cable has less headroom than a shorter one.",
		Effect: "One of the two rows is wrong. If it is the longer one, packets are dropped.",
		Repair: "compare the rows with the vendor's, or with cellwarden headroom --fit",
		Mistakes: []finding.Mistake{
			{Commit: "2bfad16ae1f9", Date: "2022-02-24",
				Subject: "Fix Headroom value for 7260C64 SKU (#10075)", Found: "100G: 5m 96928, 40m 59696"},
			{Commit: "a53f01df5971", Date: "2021-08-11",
				Subject: "Updated PGHeadroom settings for 400G speed (DellEMC-Z9332f-M-O16C64 & DellEMC-Z9332f-O32) (#8420)",
				Found:   "400G: 1km 79872, 2km 54528"}}},
	{Code: xoffShrinksWithSpeed, Severity: finding.Error,
		Rule:   "Over one length a faster port has less headroom than a slower one.",
		Effect: "One of the two rows is wrong. If it is the faster one, packets are dropped.",
		Repair: "compare the rows with the vendor's, or with cellwarden headroom --fit",
		Mistakes: []finding.Mistake{{Commit: "a53f01df5971", Date: "2021-08-11",
			Subject: "Updated PGHeadroom settings for 400G speed (DellEMC-Z9332f-M-O16C64 & DellEMC-Z9332f-O32) (#8420)",
			Found:   "300m: 100G 117348, 400G 66560"}}},
	{Code: xoffSameForLengths, Severity: finding.Note,
		Rule:   "All lengths of a speed have the same headroom: one worst case for all, or a row that was copied.",
		Effect: "Short cables take more headroom than they need, or long ones have too little.",
		Repair: "none, if the value is for the longest cable"},
	{Code: xoffSameAsShorter, Severity: finding.Warning,
		Rule: "A row has the headroom of the next shorter length of its speed, and other lengths of the speed have another " +
			"one. Three lengths or more with one headroom are a note: one worst case for all of them. Lengths that differ by " +
			"less than a cell, or 1 KiB in flight, are not meant: rounding makes them equal.",
		Effect: "The row may be a copy. If the shorter one is right, packets are dropped over the longer cable.",
		Repair: "compare the rows with the vendor's, or with cellwarden headroom --fit",
		Mistakes: []finding.Mistake{{Commit: "0d5dc775de5d", Date: "2018-04-11",
			Subject: "[device/dell] Update pg_profile_lookup.ini (#1586)",
			Found:   "25G over 40m: xoff 53248 as over 5m; the change left 56160"}}},
	{Code: xoffSameForSpeeds, Severity: finding.Note,
		Rule:   "All speeds have the same headroom over a length: one worst case for all, or rows that were copied.",
		Effect: "Slow ports take more headroom than they need, or fast ones have too little.",
		Repair: "none, if the value is for the fastest port"},
	{Code: xonOffsetOdd, Severity: finding.Warning,
		Rule:   "The rows of one speed have another xon_offset than two thirds of the rows of the table, or more.",
		Effect: "Ports of this speed resume at another fill. It may be meant; often it is a typing error.",
		Repair: "write the xon_offset of the other rows, or say in a comment why it differs",
		Mistakes: []finding.Mistake{{Commit: "aa010b50948f", Date: "2026-05-11",
			Subject: "Tuned headroom buffer settings for the NH-5010 platform (#27186)",
			Found:   "100G: xon_offset 363506, all other rows 1454025"}}},
	{Code: rowOdd, Severity: finding.Warning,
		Rule:   "One row differs in a column in which all rows beside it agree.",
		Effect: "It depends on the column.",
		Repair: "compare the row with those beside it"},
	{Code: rowDuplicate, Severity: finding.Error, Certain: true,
		Rule:   "The table has two rows for one speed and length. With equal values it is a warning.",
		Effect: "The switch takes the last row.",
		Repair: "remove one of the rows"},
	{Code: rowUnreadable, Severity: finding.Error, Certain: true,
		Rule:   "A line of the headroom table is no row.",
		Effect: "The buffer manager leaves the line out, or reads another number than it says.",
		Repair: "write speed cable size xon xoff threshold, and xon_offset if the chip has one"},
})

// Codes returns the registry of the codes of headroom tables.
func Codes() *finding.Registry { return codes }
