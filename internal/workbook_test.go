package internal_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/workbook"
)

func Example_workbook() {
	var b bytes.Buffer
	err := workbook.Write(&b, []workbook.Sheet{{Name: "pool", Columns: []string{"port", "cells", "share"},
		Rows: [][]any{{"=Ethernet1", workbook.Number("80660"), workbook.Number("25.0 %")}}}})
	fmt.Println(err, b.Len() > 1000)
	// Output:
	// <nil> true
}

// Every part is XML, whatever the texts are, and none has a formula. Package interop reads a workbook with a library.
func FuzzWorkbookWrite(f *testing.F) {
	f.Add("=1+2", "80660")
	f.Add("<f>1</f>\x00\xff\uffff", "-1.5 %")
	f.Add("]]>&amp;", "1e9")
	f.Fuzz(func(t *testing.T, text, number string) {
		var b bytes.Buffer
		sheet := workbook.Sheet{Name: "a", Columns: []string{text}, Rows: [][]any{{text, workbook.Number(number), nil}}}
		require.NoError(t, workbook.Write(&b, []workbook.Sheet{sheet, sheet}))
		z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
		require.NoError(t, err)
		require.Len(t, z.File, 7)
		for _, part := range z.File {
			r, err := part.Open()
			require.NoError(t, err)
			for d := xml.NewDecoder(r); ; {
				token, err := d.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(t, err, part.Name)
				if s, is := token.(xml.StartElement); is {
					require.NotEqual(t, "f", s.Name.Local)
				}
			}
		}
	})
}

// A sheet has a bound.
func TestWorkbookTooManyRows(t *testing.T) {
	err := workbook.Write(io.Discard, []workbook.Sheet{{Name: "a", Rows: make([][]any, 1<<20)}})
	require.ErrorContains(t, err, "sheet a: 1048576 rows (want at most 1048575)")
}
