package cli

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// This file writes a report as a workbook of Office Open XML (ECMA-376, part 1): a sheet for each table, that of the
// verdict first. Texts are inline strings, which no program computes, in a style with quotePrefix (18.8.45), with which
// a text stays one when its cell is edited. The well-known library for workbooks makes its tables at each start of the
// program, in 1 to 2 ms, which is much of what a short command takes; so the six parts are written here, and a test
// reads them with that library. The same report gives the same bytes.

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

// writeXLSX writes the workbook. A terminal would show its bytes, and is refused.
func (r *Screen) writeXLSX(w io.Writer) error {
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return ExitWith(ExitUsage, errors.New("-o xlsx is no text for a terminal (want > FILE.xlsx)"))
	}
	tables := r.tables()
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
		text, err := s.sheet()
		if err := errors.Join(err, part(fmt.Sprintf("xl/worksheets/sheet%d.xml", n), text)); err != nil {
			return err
		}
		fmt.Fprintf(&types, `<Override PartName="/xl/worksheets/sheet%d.xml" ContentType="application/vnd.openxmlformats-`+
			`officedocument.spreadsheetml.worksheet+xml"/>`, n)
		fmt.Fprintf(&sheets, `<sheet name="%s" sheetId="%d" r:id="rId%d"/>`, escaped(sheetNamed(s.TableName(), used)), n, n)
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

// sheet is the XML of a table: its columns, its rows, and its total.
func (s *Section) sheet() (string, error) {
	if len(s.Rows)+2 > sheetRows {
		return "", fmt.Errorf("table %s: %d rows (want at most %d in a sheet; -o csv has no limit)", s.TableName(),
			len(s.Rows), sheetRows-2)
	}
	var b strings.Builder
	b.WriteString(xmlHead + `<worksheet ` + mainNS + `><sheetData><row>`)
	for _, c := range s.Columns {
		textCell(&b, styleHead, c)
	}
	b.WriteString("</row>")
	rows := s.Rows
	if s.Total != nil {
		rows = append(rows[:len(rows):len(rows)], s.Total)
	}
	for _, row := range rows {
		b.WriteString("<row>")
		for _, v := range plainRow(row) {
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
		textCell(b, styleText, cellText(v))
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
