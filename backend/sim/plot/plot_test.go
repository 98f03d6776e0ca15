package plot_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/plot"
	"github.com/cellwarden/cellwarden/unit"
)

// The page of a run shows the fill of a buffer, and the time for which its
// sender was paused.
func Example() {
	p := plot.Page{
		Title: "incast",
		End:   10 * unit.Microsecond,
		Panels: []plot.Panel{
			{Title: "Shared buffer", Unit: "cells", Lines: []plot.Line{{
				Name:   "group 3",
				Points: []plot.Point{{At: 0, Value: 0}, {At: 10 * unit.Microsecond, Value: 100}},
			}}},
			{Title: "Pause", Bars: []plot.Bar{{
				Name:  "h1",
				Spans: []plot.Span{{From: 4 * unit.Microsecond, To: 6 * unit.Microsecond}},
			}}},
		},
	}
	var page bytes.Buffer
	if err := plot.Write(&page, &p); err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(page.String()) {
		if strings.HasPrefix(line, "<path") || strings.HasPrefix(line, "<rect") {
			fmt.Print(line)
		}
	}
	// Output:
	// <path class="line" stroke="#0072b2" d="M84.0 202.0L930.0 12.0"><title>group 3</title></path>
	// <path fill="#0072b2" d="M422.4 16H591.6V27H422.4Z"><title>h1</title></path>
}

// Names with special characters are escaped. The page is well formed, also with
// empty parts.
func TestPageIsWellFormed(t *testing.T) {
	evil := `<script>"&'`
	for _, p := range []plot.Page{
		{},
		{Title: evil, Text: evil, Notes: []string{evil}, Facts: []plot.Fact{{Name: evil, Value: evil}}, End: 7,
			Panels: []plot.Panel{
				{Title: evil, Text: evil, Unit: evil,
					Lines: []plot.Line{{Name: evil},
						{Name: evil, Dashed: true,
							Points: []plot.Point{{At: -5, Value: 1 << 60}, {At: 1 << 62, Value: 3}}},
						{Ticks: true, Points: []plot.Point{{At: 3, Value: 3}, {At: 4}}}}},
				{Title: evil, Bars: []plot.Bar{
					{Name: evil, Spans: []plot.Span{{From: 1, To: 2}, {From: 2, To: 3}, {From: 6, To: 1 << 62}}}, {}}},
				{},
			}},
	} {
		var page bytes.Buffer
		require.NoError(t, plot.Write(&page, &p))
		require.NotContains(t, page.String(), "<script")
		body := page.String()[strings.Index(page.String(), "<html"):]
		d := xml.NewDecoder(strings.NewReader(strings.Replace(body, `<meta charset="utf-8">`, "", 1)))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
		}
	}
}
