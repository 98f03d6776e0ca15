// Package workbook writes tables as a workbook of Office Open XML (ECMA-376, part 1), a sheet for each table. A text is
// an inline string, which no program computes, in a style with quotePrefix (18.8.45), with which it stays a text when
// its cell is edited. The same tables give the same bytes.
//
// The well-known library for workbooks fills its tables at each start of a program, which takes 1 to 2 ms, much of what
// a short command takes. So the six parts are written here, and a test in interop reads them with that library.
package workbook

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// The bounds of a sheet (Excel's specifications and limits).
const (
	sheetRows   = 1 << 20
	sheetName   = 31
	cellLetters = 32767
)

// The styles of cells, by their place in cellXfs of styles.xml.
const (
	styleNumber  = 0
	styleText    = 1
	styleHead    = 2
	stylePercent = 3
)

const (
	xmlHead  = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	mainNS   = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

	bookStyles = xmlHead + `<styleSheet ` + mainNS + `><numFmts count="1"><numFmt numFmtId="164" formatCode="0.0%"/>` +
		`</numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz ` +
		`val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill ` +
		`patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1">` +
		`<border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4"><xf/><xf quotePrefix="1"/>` +
		`<xf fontId="1" applyFont="1" quotePrefix="1"/><xf numFmtId="164" applyNumberFormat="1"/></cellXfs></styleSheet>`
)

// Sheet is a table: the heads of its columns, and its rows.
type Sheet struct {
	Name    string
	Columns []string
	Rows    [][]any // strings and Numbers; nil is an empty cell
}

// Number is a decimal number with commas between thousands, or one that " %" follows: a share. Any other is a text.
type Number string

// Write writes a workbook. A sheet with more rows than a sheet may have is refused.
func Write(w io.Writer, tables []Sheet) error {
	var types, sheets, relations strings.Builder
	z := zip.NewWriter(w)
	part := func(name, text string) error {
		f, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err == nil {
			_, err = io.WriteString(f, text)
		}
		return err
	}
	used := map[string]bool{}
	for i := range tables {
		n, s := i+1, &tables[i]
		text, err := s.xml()
		if err := errors.Join(err, part(fmt.Sprintf("xl/worksheets/sheet%d.xml", n), text)); err != nil {
			return err
		}
		fmt.Fprintf(&types, `<Override PartName="/xl/worksheets/sheet%d.xml" ContentType="application/vnd.openxmlformats-`+
			`officedocument.spreadsheetml.worksheet+xml"/>`, n)
		fmt.Fprintf(&sheets, `<sheet name="%s" sheetId="%d" r:id="rId%d"/>`, escaped(sheetNamed(s.Name, used)), n, n)
		fmt.Fprintf(&relations, `<Relationship Id="rId%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`, n,
			relation, n)
	}
	const packages = "http://schemas.openxmlformats.org/package/2006/"
	return errors.Join(
		part("xl/workbook.xml", xmlHead+`<workbook `+mainNS+` xmlns:r="`+relation+`"><sheets>`+sheets.String()+
			`</sheets></workbook>`),
		part("xl/_rels/workbook.xml.rels", xmlHead+`<Relationships xmlns="`+packages+`relationships">`+relations.String()+
			`<Relationship Id="styles" Type="`+relation+`/styles" Target="styles.xml"/></Relationships>`),
		part("xl/styles.xml", bookStyles),
		part("_rels/.rels", xmlHead+`<Relationships xmlns="`+packages+`relationships"><Relationship Id="book" Type="`+
			relation+`/officeDocument" Target="xl/workbook.xml"/></Relationships>`),
		part("[Content_Types].xml", xmlHead+`<Types xmlns="`+packages+`content-types"><Default Extension="rels" `+
			`ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" `+
			`ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override `+
			`PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"`+
			`/>`+types.String()+`</Types>`),
		z.Close())
}

// sheetNamed returns the name of a table as that of a sheet: short enough, and once in a workbook.
func sheetNamed(table string, used map[string]bool) string {
	name := table[:min(len(table), sheetName)]
	for n := 2; used[name]; n++ {
		suffix := fmt.Sprintf("-%d", n)
		name = table[:min(len(table), sheetName-len(suffix))] + suffix
	}
	used[name] = true
	return name
}

// xml is the sheet as XML.
func (s *Sheet) xml() (string, error) {
	if len(s.Rows)+1 > sheetRows {
		return "", fmt.Errorf("sheet %s: %d rows (want at most %d)", s.Name, len(s.Rows), sheetRows-1)
	}
	var b strings.Builder
	b.WriteString(xmlHead + `<worksheet ` + mainNS + `><sheetData><row>`)
	for _, c := range s.Columns {
		textCell(&b, styleHead, c)
	}
	b.WriteString("</row>")
	for _, row := range s.Rows {
		b.WriteString("<row>")
		for _, v := range row {
			sheetCell(&b, v)
		}
		b.WriteString("</row>")
	}
	b.WriteString("</sheetData></worksheet>")
	return b.String(), nil
}

// sheetCell writes a value: a Number that is one as a number, a share as a percentage, all else as a text.
func sheetCell(b *strings.Builder, v any) {
	n, is := v.(Number)
	if !is {
		text, _ := v.(string)
		textCell(b, styleText, text)
		return
	}
	digits := strings.ReplaceAll(string(n), ",", "")
	share, percent := strings.CutSuffix(digits, " %")
	switch {
	case percent && isDecimal(share):
		fmt.Fprintf(b, `<c s="%d"><v>%se-2</v></c>`, stylePercent, share)
	case isDecimal(digits):
		fmt.Fprintf(b, `<c s="%d"><v>%s</v></c>`, styleNumber, digits)
	default:
		textCell(b, styleText, string(n))
	}
}

// isDecimal tells whether a text is a decimal number: a sign, digits, and a point among them.
func isDecimal(text string) bool {
	whole, part, point := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	all := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return all(whole) && (!point || all(part))
}

// textCell writes a text, which stays one: cut to what a cell holds, without characters that XML does not have.
func textCell(b *strings.Builder, style int, text string) {
	if text == "" {
		b.WriteString("<c/>")
		return
	}
	if letters := []rune(text); len(letters) > cellLetters/2 { // a letter may count twice
		text = string(letters[:cellLetters/2-1]) + "…"
	}
	fmt.Fprintf(b, `<c s="%d" t="inlineStr"><is><t xml:space="preserve">%s</t></is></c>`, style, escaped(text))
}

// escaped is a text as XML.
func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(fielderr.Escape(text, false))) // a Builder takes all
	return b.String()
}
