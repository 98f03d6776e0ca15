package page_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/report/page"
	"github.com/cellwarden/cellwarden/unit"
)

// The text of a run shows the fill of a buffer, and the time for which its
// sender was paused. What is of one port has one colour.
func ExampleRun() {
	p := page.Run{
		Title: "incast",
		End:   10 * unit.Microsecond,
		Panels: []page.Panel{
			{Title: "Shared buffer", Unit: "cells", Lines: []page.Line{{
				Name: "s1:h1 group 3", Key: "s1:h1",
				Points: []page.Point{{At: 0, Value: 0}, {At: 10 * unit.Microsecond, Value: 100}},
			}}},
			{Title: "Pause", Rows: []page.Row{{
				Name: "s1:h1", Key: "s1:h1",
				Spans: []page.Span{{From: 4 * unit.Microsecond, To: 6 * unit.Microsecond}},
			}}},
		},
	}
	var text bytes.Buffer
	if err := p.Write(&text); err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(text.String()) {
		if strings.HasPrefix(line, "<path") {
			fmt.Print(line)
		}
	}
	// Output:
	// <path class="line l0" d="M78 194L702 19"><title>s1:h1 group 3: at most 100</title></path>
	// <path class="f0" d="M289.6 22H428.4V35H289.6Z"><title>s1:h1</title></path>
}

// writtenRun writes a text.
func writtenRun(t testing.TB, p *page.Run) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, p.Write(&b))
	return b.String()
}

// Names with special characters are escaped. The text is well formed, also with empty parts.
func TestRunIsWellFormed(t *testing.T) {
	evil := `<script>"&'`
	for _, p := range []page.Run{
		{},
		{Title: evil, Verdict: evil, Tone: "bad", Text: evil, Notes: []string{evil}, Findings: []string{evil},
			Facts: []page.Fact{{Name: evil, Value: evil}}, End: 7,
			Panels: []page.Panel{
				{Title: evil, Text: evil, Unit: evil,
					Lines:  []page.Line{{Name: evil, Key: evil}, {Points: []page.Point{{At: 3, Value: 3}, {At: 4}}}},
					Limits: []page.Line{{Name: evil, Points: []page.Point{{At: -5, Value: 1 << 60}, {At: 1 << 62, Value: 3}}}}},
				{Title: evil, Rows: []page.Row{
					{Name: evil, Spans: []page.Span{{From: 1, To: 2}, {From: 2, To: 3}, {From: 6, To: 1 << 62}}}, {},
					{Name: evil, Counts: []page.Point{{At: 3, Value: 1 << 62}, {At: 1 << 62, Value: 1}, {At: -1}}}}},
				{},
			}},
	} {
		text := writtenRun(t, &p)
		require.NotContains(t, text, "<script")
		require.NotContains(t, text, "NaN")
		require.True(t, strings.HasSuffix(text, "</html>\n"))
		d := xml.NewDecoder(strings.NewReader(text))
		d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
		}
	}
}

// many is a panel with so many lines of the ports s1:1, s1:2, ... Each peaks at its number.
func many(n int) page.Panel {
	p := page.Panel{Title: "Queues", Unit: "bytes"}
	for i := 1; i <= n; i++ {
		name := fmt.Sprintf("s1:%d", i)
		p.Lines = append(p.Lines, page.Line{Name: name + " rdma", Key: name,
			Points: []page.Point{{At: 1, Value: 0}, {At: unit.Time(1 + i), Value: int64(100 + i)}, {At: 99, Value: 0}}})
	}
	return p
}

// Series beyond those that are drawn together are said, drawn in a part that opens, and listed with their peaks.
func TestSeriesBeyondThoseDrawn(t *testing.T) {
	text := writtenRun(t, &page.Run{End: 100, Panels: []page.Panel{many(8)}})
	require.NotContains(t, text, "<details")
	text = writtenRun(t, &page.Run{End: 100, Panels: []page.Panel{many(20)}})
	require.Contains(t, text,
		"<summary>8 of 20 are drawn above, those with the highest peaks. Here are 12 more, and the peaks of all</summary>")
	require.Equal(t, 20, strings.Count(text, `<path class="line `))
	text = writtenRun(t, &page.Run{End: 100, Panels: []page.Panel{many(50)}})
	require.Contains(t, text, "Here are 24 more, and the peaks of all 50</summary>")
	require.Equal(t, 32, strings.Count(text, `<path class="line `))
	for i := 1; i <= 50; i++ {
		require.Contains(t, text, fmt.Sprintf(`<tr><td>s1:%d rdma</td><td class="r">%d</td><td>%dps</td></tr>`,
			i, 100+i, 1+i))
	}
	// Names are in the order of people: 43 to 50 are drawn first, and the table begins with 1, 2, 3, not with 1, 10, 11.
	first, _, _ := strings.Cut(text, "<details")
	var names []string
	for _, m := range regexp.MustCompile(`</svg>(s1:[0-9]+) rdma</span>`).FindAllStringSubmatch(first, -1) {
		names = append(names, m[1])
	}
	require.Equal(t, "s1:43 s1:44 s1:45 s1:46 s1:47 s1:48 s1:49 s1:50", strings.Join(names, " "))
	require.Less(t, strings.Index(text, "<td>s1:2 rdma</td>"), strings.Index(text, "<td>s1:10 rdma</td>"))
}

// The points of lines that are not drawn are not made.
func TestSourceOfDrawnLines(t *testing.T) {
	made := 0
	p := page.Panel{Title: "Queues", Unit: "bytes"}
	for i := range 1000 {
		p.Lines = append(p.Lines, page.Line{Name: fmt.Sprint(i), Peak: page.Point{At: 5, Value: int64(i)},
			Source: func() []page.Point { made++; return []page.Point{{At: 5, Value: int64(i)}} }})
	}
	text := writtenRun(t, &page.Run{End: 10, Panels: []page.Panel{p}})
	require.Equal(t, 32, made)
	require.Contains(t, text, `<tr><td class="r">7</td><td class="r">7</td><td>5ps</td></tr>`)
}

// A port has one colour in all panels, whatever else is in them; its second class has other dashes.
func TestOneColourForAPort(t *testing.T) {
	line := func(key, class string) page.Line {
		return page.Line{Name: key + " " + class, Key: key, Points: []page.Point{{At: 1, Value: 5}}}
	}
	text := writtenRun(t, &page.Run{End: 10, Panels: []page.Panel{
		{Title: "a", Lines: []page.Line{line("p1", "x"), line("p2", "x"), line("p2", "y"), line("p3", "x")}},
		{Title: "b", Lines: []page.Line{line("p3", "x"), line("p2", "x")}},
		{Title: "c", Rows: []page.Row{{Name: "p3 lost", Key: "p3", Counts: []page.Point{{At: 2, Value: 1}}}}},
	}})
	classes := map[string][]string{}
	for _, m := range regexp.MustCompile(`<path class="line (l[^"]*)" [^>]*><title>([^:<]*)`).FindAllStringSubmatch(text,
		-1) {
		classes[m[2]] = append(classes[m[2]], m[1])
	}
	require.Equal(t, map[string][]string{"p1 x": {"l0"}, "p2 x": {"l1", "l1"}, "p2 y": {"l1 dash"}, "p3 x": {"l2", "l2"},
		"p3 lost": {"l2"}}, classes)
}

// Drops at the same time stand in rows of their own, each with its name and its number, and none is too low to be seen.
func TestRowsDoNotHideEachOther(t *testing.T) {
	at := []page.Point{{At: 50, Value: 1000}}
	text := writtenRun(t, &page.Run{End: 100, Panels: []page.Panel{{Title: "Drops", Unit: "frames", Rows: []page.Row{
		{Name: "s1:1 no headroom", Key: "s1:1", Counts: at}, {Name: "s1:2 no headroom", Key: "s1:2", Counts: at},
		{Name: "s1:3 pool full", Key: "s1:3", Counts: []page.Point{{At: 50, Value: 1}}}}}}})
	var feet []string
	for _, m := range regexp.MustCompile(`<path class="line l[0-9]" d="M359 ([0-9]+)v-([0-9.]+)"`).FindAllStringSubmatch(
		text, -1) {
		feet = append(feet, m[1]+" "+m[2])
	}
	require.Equal(t, []string{"36 14", "70 14", "104 3"}, feet)
	require.Contains(t, text, ">s1:1 no headroom: 1,000 frames<")
	require.Contains(t, text, ">s1:3 pool full: 1 frames<")
}

// One value that would flatten the rest makes the axis logarithmic, and the text says so.
func TestFlattenedAxis(t *testing.T) {
	p := many(5)
	require.NotContains(t, writtenRun(t, &page.Run{End: 100, Panels: []page.Panel{p}}), "logarithmic")
	p.Lines[2].Points[1].Value = 100_000
	require.Contains(t, writtenRun(t, &page.Run{End: 100, Panels: []page.Panel{p}}), "The axis is logarithmic")
}
