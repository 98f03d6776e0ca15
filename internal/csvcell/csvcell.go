// Package csvcell writes texts as cells of CSV. A spreadsheet takes a cell that begins with = + - or @ as a formula,
// which can start programs and read other files, and the text of a cell is often a name of another author's. [Defuse]
// puts a quotation mark in front of it, which a spreadsheet takes as the sign of a text. Numbers stay numbers:
//
//	name := csvcell.Defuse("=1+2")
//	difference := csvcell.Defuse("-3")
//
// [Rows] reads the tables of CSV that are parts of the program.
package csvcell

import "strings"

// openers begin a formula: those of OWASP's page on CSV injection, with their wide forms.
const openers = "=+-@\t\r\n＝＋－＠"

// Defuse returns a text as a cell that no spreadsheet computes. A number stays unchanged, and so does a single dash,
// which means no value.
func Defuse(text string) string {
	if strings.IndexAny(text, openers) != 0 || text == "-" || isNumber(text) {
		return text
	}
	return "'" + text
}

// isNumber tells whether a text is a number, with a sign, a decimal point or a percent sign.
func isNumber(text string) bool {
	text = strings.TrimSuffix(strings.TrimSuffix(strings.TrimLeft(text, "+-"), "%"), " ")
	return text != "" && text[0] >= '0' && text[0] <= '9' && strings.Trim(text, "0123456789.,") == ""
}

// Append appends a text as a cell: defused, and in quotation marks if it has a comma, a quotation mark or a line break
// (RFC 4180).
func Append(line []byte, text string) []byte {
	text = Defuse(text)
	if !strings.ContainsAny(text, ",\"\n\r") {
		return append(line, text...)
	}
	line = append(line, '"')
	line = append(line, strings.ReplaceAll(text, `"`, `""`)...)
	return append(line, '"')
}
