// Package pages_test opens every kind of page in a browser: nothing is reported or overflows, from a phone to a
// projector, on a light and on a dark screen, and paper is light. CELLWARDEN_SCREENSHOTS names a folder that takes a
// picture of each page and width.
package pages_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/interop/browser"
	"github.com/cellwarden/cellwarden/report/page"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// widths of windows, from a phone to a projector.
var widths = []int64{360, 390, 600, 1280, 1920}

// ground computes the ground of a page; light and dark are what it can be.
const (
	ground = `getComputedStyle(document.body).backgroundColor`
	light  = "rgb(255, 255, 255)"
	dark   = "rgb(20, 24, 29)"
)

// faint lists texts whose colour is too near that of their ground: less than 4.5 to 1 (WCAG 2.2, 1.4.3). Texts in
// pictures are on parts that lie under them, and are not looked at.
const faint = `(()=>{const parts=c=>(c.match(/[\d.]+/g)||[]).map(Number);
	const light=c=>{const [r,g,b]=c.map(x=>(x/=255,x<=.04045?x/12.92:((x+.055)/1.055)**2.4));
		return .2126*r+.7152*g+.0722*b};
	const ground=e=>{for(;e;e=e.parentElement){const c=parts(getComputedStyle(e).backgroundColor);
		if(c.length==3||c[3]>0)return c.slice(0,3)}return [255,255,255]};
	return [...document.querySelectorAll("body *")].filter(e=>!e.closest("svg,.old")&&e.checkVisibility()&&
		[...e.childNodes].some(n=>n.nodeType==3&&n.data.trim()!="")).filter(e=>{
		const a=light(parts(getComputedStyle(e).color).slice(0,3)),b=light(ground(e));
		return (Math.max(a,b)+.05)/(Math.min(a,b)+.05)<4.5}).slice(0,5).map(e=>e.tagName+"."+e.className+" "+
		e.textContent.slice(0,40)).join("; ")})()`

// visit opens a page as a file, and checks it at all widths and on paper.
func visit(t *testing.T, tab *browser.Tab, name string, write func(io.Writer) error) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), name+".html"))
	require.NoError(t, err)
	require.NoError(t, write(file))
	require.NoError(t, file.Close())
	tab.Visit("file://" + file.Name())
	for _, width := range widths {
		for _, colour := range []string{light, dark} {
			tab.Size(width, 900, colour == dark)
			require.Equal(t, colour, browser.Value[string](tab, ground), name)
			require.Empty(t, browser.Value[string](tab, faint), name)
			fits(t, tab, fmt.Sprintf("%s-%d-dark=%v", name, width, colour == dark))
		}
	}
	tab.Size(640, 900, true) // A4 with its margins, in pixels of CSS
	tab.Print()
	require.Empty(t, browser.Value[string](tab, `[...document.querySelectorAll("table")]
		.filter(t=>t.getBoundingClientRect().right>document.documentElement.clientWidth+1).map(t=>t.textContent).join()`))
	// A word of a table is whole on paper: its cell is as wide as its longest word, or has a line for addresses of files.
	require.Empty(t, browser.Value[string](tab, `[...document.querySelectorAll("td:not(:last-child)")].filter(td=>{
		const r=document.createRange(),n=td.firstChild;if(!n||n.nodeType!=3||!/^[a-z]+$/.test(n.data))return false;
		r.selectNode(n);return r.getClientRects().length>1}).map(td=>td.textContent).join()`), name)
	// What is folded on the screen is printed.
	require.Empty(t, browser.Value[string](tab, `[...document.querySelectorAll("details>:not(summary)")]
		.filter(e=>e.getBoundingClientRect().height==0).map(e=>e.parentNode.textContent.slice(0,60)).join("; ")`), name)
	require.Equal(t, light, browser.Value[string](tab, ground), name)
	require.Empty(t, tab.Errors(), name)
}

// fits requires that the page is not wider than the window, and keeps a picture of it if the caller wants pictures.
func fits(t *testing.T, tab *browser.Tab, name string) {
	t.Helper()
	require.Empty(t, tab.Overflow(), name)
	if dir := os.Getenv("CELLWARDEN_SCREENSHOTS"); dir != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".png"), tab.Screenshot(), 0o600))
	}
}

// planned plans an example of the repository.
func planned(t *testing.T, name string) *page.Report {
	t.Helper()
	path := filepath.Join("..", "..", "examples", name)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	in, err := topology.Parse(path, text, os.ReadFile)
	require.NoError(t, err)
	plan, err := buffer.New(in)
	require.NoError(t, err)
	return &page.Report{Name: name, Intent: in, Plan: plan, WhatIf: true}
}

// The pages of plans, one of which does not fit.
func TestPlans(t *testing.T) {
	tab := browser.Open(t)
	for _, name := range []string{"tomahawk4-three-lengths.yaml", "tomahawk5-fboss.yaml"} {
		visit(t, tab, name, planned(t, name).Write)
		// What is written in a picture can be read: at least 8 pixels on a screen of 600.
		tab.Size(600, 900, false)
		require.Greater(t, browser.Value[float64](tab,
			`document.querySelector("svg text").getBoundingClientRect().height`), 8.0)
		tab.Size(390, 844, false)
		inSight(t, tab, ".bar")
		onPhone(t, tab)
		// The switch of units works without a script.
		for id, shown := range map[string]string{"unit-mb": ".mb", "unit-us": "td .us"} {
			require.Positive(t, browser.Value[float64](tab, `(document.getElementById("`+id+`").click(),`+
				`document.querySelector("#memory `+shown+`").getBoundingClientRect().width)`), id)
			require.Empty(t, tab.Overflow(), id)
		}
	}
}

// onPhone requires of a plan's page in a window of a phone: What if stands before the pictures and can be read without
// moving sideways, each cell with its name; thresholds are folded; pictures are not too small to read.
func onPhone(t *testing.T, tab *browser.Tab) {
	t.Helper()
	require.True(t, browser.Value[bool](tab, `(()=>{const top=id=>document.getElementById(id).getBoundingClientRect().top;
		return top("what-if")<top("memory")&&top("what-if")<top("cables")&&top("what-if")<top("sources")})()`))
	require.Empty(t, browser.Value[string](tab, `[...document.querySelectorAll("#what-if td")].filter(td=>
		td.closest("table.long")&&td.getBoundingClientRect().right>innerWidth).map(td=>td.textContent).join("; ")`))
	require.Positive(t, browser.Value[int](tab, `document.querySelectorAll("#what-if table.long td").length`))
	require.Empty(t, browser.Value[string](tab, `[...document.querySelectorAll("#what-if table.long td:not(:empty)")]
		.filter(td=>getComputedStyle(td,"::before").content=="none").map(td=>td.textContent).join("; ")`))
	require.Positive(t, browser.Value[int](tab, `document.querySelectorAll(".folded").length`))
	require.Empty(t, browser.Value[string](tab, `[...document.querySelectorAll(".folded svg")].filter(s=>
		s.checkVisibility({contentVisibilityAuto:true})).map(s=>s.parentNode.textContent).join()`))
	require.Empty(t, browser.Value[string](tab, `[...document.querySelectorAll("svg text:not(.tiny)")].filter(x=>
		x.checkVisibility({contentVisibilityAuto:true})&&x.getBoundingClientRect().height<8).map(x=>x.textContent).join()`))
}

// The page of a run: a long name is whole, and the pictures of the part that opens are as wide as the others.
func TestRun(t *testing.T) {
	tab := browser.Open(t)
	panel := page.Panel{Title: "Queues", Unit: "bytes"}
	for i := 1; i <= 30; i++ {
		name := fmt.Sprintf("s1:%d", i)
		panel.Lines = append(panel.Lines, page.Line{Name: name + " rdma", Key: name,
			Points: []page.Point{{At: 1, Value: 0}, {At: unit.Time(1 + i), Value: int64(100 + i)}, {At: 99, Value: 0}}})
	}
	panel.Lines[29].Name = strings.Repeat("a-long-name-of-a-port:", 8)
	r := page.Run{Title: "run", Verdict: "AS EXPECTED", Tone: "good", End: 100, Panels: []page.Panel{panel},
		Facts: []page.Fact{{Name: "frames delivered", Value: "3525"}, {Name: "drops", Value: "0"}}}
	visit(t, tab, "run", r.Write)
	require.True(t, browser.Value[bool](tab, `(()=>{document.querySelector("details").open=true;
		return [...document.querySelectorAll("figure svg.picture")].every(s=>s.getBoundingClientRect().width>100)})()`))
}

// A page of tables, and the page of a sweep.
func TestTables(t *testing.T) {
	tab := browser.Open(t)
	table := page.Table{Title: "Groups", Text: strings.Repeat("a text under the title; ", 20), Columns: []string{"class"},
		Rows: [][]string{{"rdma"}}}
	sweep := page.HeatMap{Title: "cable, frame", Rows: "cable", Columns: "frame", Names: []string{"5m"},
		Cells: [][]page.HeatCell{nil}}
	for i := range 8 {
		table.Columns, table.Rows[0] = append(table.Columns, fmt.Sprint("cells ", i)), append(table.Rows[0], "1,292")
		sweep.Heads = append(sweep.Heads, fmt.Sprint(64+i, "B"))
		sweep.Cells[0] = append(sweep.Cells[0], page.HeatCell{Text: fmt.Sprint(14*i, ".0 %"), Percent: 14 * i})
	}
	tables := page.Tables{Title: "LOSSLESS", Head: []string{"chip      tomahawk"}, Tables: []page.Table{table}}
	tables.Tables[0].Cells.Columns, tables.Tables[0].Cells.Size = []int{1, 2}, 208
	visit(t, tab, "tables", tables.Write)
	tab.Size(390, 400, false)
	require.Zero(t, browser.Value[float64](tab, `document.querySelector(".mb").getBoundingClientRect().width`))
	require.Positive(t, browser.Value[float64](tab, `(document.getElementById("unit-mb").click(),`+
		`document.querySelector(".mb").getBoundingClientRect().width)`))
	require.Empty(t, tab.Overflow())
	visit(t, tab, "sweep", sweep.Write)
}
