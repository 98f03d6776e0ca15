package page_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/report/page"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// The page of a plan says the verdict first, and has a bar for the memory.
func Example() {
	in := buffer.Intent{
		Chip: buffer.Chip{Name: "small", Cell: 208, Groups: 8, MinAlpha: -3, MaxAlpha: 3,
			Slices: []buffer.Slice{{Cells: 20000}}},
		Sizing:  thresholds.IEEE{},
		Classes: []buffer.Class{{Name: "rdma", Priorities: []int{3}, Lossless: true}},
		Ports:   []buffer.Port{{Name: "Ethernet1", Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 9216}},
	}
	plan, err := buffer.New(in)
	if err != nil {
		fmt.Println(err)
		return
	}
	var html bytes.Buffer
	r := page.Report{Name: "small.yaml", Intent: in, Plan: plan}
	if err := r.Write(&html); err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(html.String()) {
		if _, rest, found := strings.Cut(line, "<title>"); found && !strings.Contains(line, "<path") {
			name, _, _ := strings.Cut(rest, "</title>")
			fmt.Println(name)
		}
	}
	// Output:
	// FITS - small.yaml
	// slice 0, headroom rdma 100G 300m: 1,312 cells (6.6 %)
	// slice 0, shared: 18,688 cells (93.4 %)
	// rdma at 100G over 300m: 1,312 cells, 272,896 bytes
	// Ethernet1: 100G over 300m
}

// planned reads and plans a topology.
func planned(t testing.TB, name, text string, changes ...topology.Override) *page.Report {
	t.Helper()
	in, err := topology.Parse(name, []byte(text), os.ReadFile, changes...)
	require.NoError(t, err)
	plan, err := buffer.New(in)
	require.NoError(t, err)
	return &page.Report{Name: filepath.Base(name), Intent: in, Plan: plan}
}

// example plans an example of the repository.
func example(t testing.TB, name string) *page.Report {
	t.Helper()
	path := filepath.Join("..", "..", "examples", name)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return planned(t, path, string(text))
}

// mixed is a switch with three lengths of cable that does not fit: the ports over 20 km are refused.
const mixed = `chip: tomahawk4
headroom: {method: ieee802.1qbb}
classes:
  - {name: rdma, priorities: [3, 4], lossless: true, reserved: 1248B, alpha: 1, mtu: 4096B}
  - {name: best-effort, priorities: [0, 1, 2, 5, 6, 7], alpha: 8}
ports:
  - {range: "Ethernet1-48", speed: 400G, cable: 5m, mtu: 9216B}
  - {range: "Ethernet49-56", speed: 400G, cable: 300m, mtu: 9216B}
  - {range: "Ethernet57-64", speed: 400G, cable: 20km, mtu: 9216B}
`

func written(t testing.TB, r *page.Report) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, r.Write(&b))
	return b.String()
}

// section returns a part of a page by its id.
func section(t testing.TB, html, id string) string {
	t.Helper()
	_, rest, found := strings.Cut(html, `<section id="`+id+`"`)
	require.True(t, found, "no section %s", id)
	part, _, _ := strings.Cut(rest, "</section>")
	return part
}

// A plan that does not fit: the verdict and why come first, the missing cells and the refused ports are in the
// pictures, and every picture says in words what it shows.
func TestRefusedPlan(t *testing.T) {
	r := planned(t, "mixed.yaml", mixed)
	html := written(t, r)
	require.Contains(t, html, "<h1>DOES NOT FIT: 8 ports are refused, first Ethernet57</h1>")
	require.Less(t, strings.Index(html, "<h1>"), strings.Index(html, `id="refusal"`))
	require.Less(t, strings.Index(html, `id="refusal"`), strings.Index(html, `id="memory"`))
	why := section(t, html, "refusal")
	require.Contains(t, why, r.Plan.Refusals[0].Detail)
	for _, x := range r.Plan.Refusals {
		require.Contains(t, why, "interface "+x.Port+":")
	}
	require.NotEmpty(t, r.Plan.Refusals[0].Remedies)
	for _, m := range r.Plan.Refusals[0].Remedies {
		require.Contains(t, why, m.Text)
	}
	memory := section(t, html, "memory")
	require.Contains(t, memory, "slice 1: 112,858 cells short for Ethernet57")
	require.Contains(t, memory, "slice 0, headroom rdma 400G 300m: 26,728 cells (11.5 %)")
	ports := section(t, html, "ports")
	require.Equal(t, 8, strings.Count(ports, ": refused: "))
	require.Equal(t, 64, strings.Count(ports, "<rect"))
	cables := section(t, html, "cables")
	for _, at := range []string{"5m: 1,585", "300m: 3,341", "20km: 120,603"} {
		require.Contains(t, cables, ">"+at+"<")
	}
	require.Equal(t, strings.Count(html, "<svg"), strings.Count(html, `role="img" aria-label="`))
	require.NotContains(t, html, `aria-label=""`)
}

// The longest cables of the page are those of package capacity: they fit, and a metre more does not.
func TestWhatIf(t *testing.T) {
	r := planned(t, "mixed.yaml", strings.Replace(mixed, "20km", "50m", 1))
	require.NotContains(t, written(t, r), `id="what-if"`)
	r.WhatIf = true
	html := written(t, r)
	m := regexp.MustCompile(`<td[^>]* class="w">Ethernet57-64</td><td[^>]*>([0-9.]+k?m)</td>`).
		FindStringSubmatch(section(t, html, "cables"))
	require.NotNil(t, m)
	require.Contains(t, section(t, html, "cables"), ">longest "+m[1]+"<")
	longest, err := unit.ParseLength(m[1])
	require.NoError(t, err)
	for cable, fits := range map[unit.Length]bool{longest: true, longest + unit.Metre: false} {
		text := strings.Replace(mixed, "20km", cable.String(), 1)
		require.Equal(t, fits, planned(t, "mixed.yaml", text).Plan.Fits, "%v", cable)
	}
	require.Contains(t, section(t, html, "what-if"), `<td data-label="question">most ports like these</td>`+
		`<td data-label="ports" class="w">Ethernet1-48</td>`)
	require.Regexp(t, `>smallest shared headroom pool</td>.*>[0-9,]+ cells \([0-9.]+ MB\)</td><td [^>]*>shared headroom: `,
		section(t, html, "what-if"))
	require.NotContains(t, section(t, html, "what-if"), "chip_ports")
	require.Contains(t, section(t, html, "what-if"), "<h3>The switch by other methods</h3>")
}

// The pools do not fit: the bar has what they ask for.
func TestPoolsThatDoNotFit(t *testing.T) {
	memory := section(t, written(t, example(t, "nh-4210.yaml")), "memory")
	require.Contains(t, memory, "asked: pool: 614,370 cells")
	require.Contains(t, memory, "asked: shared headroom pool: 194,176 cells")
	require.Contains(t, memory, "end of the slice: 636,183 cells, 172,363 short")
}

// What the chip keeps is the chip's, also where the pools do not fit and whatever its name.
func TestPoolsThatDoNotFitLeaveTheChipItsCells(t *testing.T) {
	memory := section(t, written(t, planned(t, "leaf.yaml", "chip: tomahawk\nheadroom: {method: ieee802.1qbb}\n"+
		"pool: {size: 17000000B, shared_headroom: 1000000B}\n"+
		"classes: [{name: rdma, priorities: [3], lossless: true}]\n"+
		"ports: [{name: e1, speed: 100G, cable: 5m}]\n")), "memory")
	require.Regexp(t, `class="part chip"[^>]*><title>slice 0, chip: 11 RQE queues \(replication\) of 8 cells: 88 cells`,
		memory)
	require.NotContains(t, memory, "asked: 11 RQE queues")
	require.Contains(t, memory, "kept by the chip")
}

// The parts of a slice are as wide as they are large, and fill it.
func TestBarsAreToScale(t *testing.T) {
	rect := regexp.MustCompile(`<rect class="part ([a-z]+)" x="([0-9.]+)" y="([0-9.]+)" width="([0-9.]+)"[^>]*><title>slice ` +
		`([0-9]+), [^<]*: ([0-9,]+) cells`)
	for _, name := range []string{"arista-7060cx-32s.yaml", "tomahawk5-fboss.yaml", "spectrum-1-sonic.yaml"} {
		r := example(t, name)
		widest, sums := 0.0, map[int]int64{}
		for _, s := range r.Plan.Slices {
			widest = max(widest, float64(s.Total))
		}
		for _, m := range rect.FindAllStringSubmatch(section(t, written(t, r), "memory"), -1) {
			var width float64
			var slice int
			var n int64
			_, err := fmt.Sscan(m[4]+" "+m[5]+" "+strings.ReplaceAll(m[6], ",", ""), &width, &slice, &n)
			require.NoError(t, err)
			require.InDelta(t, float64(n)/widest*648, width, 0.2, "%s: %s", name, m[0])
			sums[slice] += n
		}
		for _, s := range r.Plan.Slices {
			require.Equal(t, int64(s.Total), sums[s.Index], "%s: slice %d", name, s.Index)
		}
	}
}

// The thresholds in the table are those of the closed form that the warnings of the plan use.
func TestThresholds(t *testing.T) {
	r := example(t, "arista-7060cx-32s.yaml")
	part := section(t, written(t, r), "thresholds-1")
	marks := r.Plan.MarksFirst()[0]
	require.Contains(t, part, ">"+unit.Thousands(marks.Pause)+"</td>", "with all groups, in bytes")
	require.Contains(t, part, `<td class="r">32</td><td class="r">402 <small class="mb">0.08 MB</small> `+
		`<small class="us">6.68 us</small></td><td class="r">83,634</td><td class="r">386 `)
	require.Contains(t, part, `<td class="r">1,694 `)
	require.Contains(t, part, "ECN kmin 1,201")
	require.Contains(t, part, "ECN kmax 5,041")
}

// The verdict and one number stand first and stay in sight, what if comes next, thresholds are folded, and everything
// folded is printed. The page has no script for any of it, and loads nothing.
func TestOrderOfThePage(t *testing.T) {
	for _, r := range []*page.Report{planned(t, "mixed.yaml", mixed), example(t, "arista-7060cx-32s.yaml")} {
		r.WhatIf, r.Changes = true, []string{"ports[0].cable=5m"}
		html := written(t, r)
		at := -1
		order := []string{`<header class="bar`, `<h1>`, `<p class="number">`, `<div id="head"`, `<section id="what-if"`,
			`<section id="memory"`, `<section id="thresholds-1"`, `<section id="sources"`}
		for _, part := range order {
			next := strings.Index(html, part)
			require.Greater(t, next, at, part)
			at = next
		}
		require.Contains(t, html, `<p class="number">`+r.Number()+"</p>")
		require.Contains(t, html, `<h1>`+r.Short()+`<span class="with">, with ports[0].cable=5m</span></h1>`)
		require.Contains(t, section(t, html, "thresholds-1"), "<details><summary><h2>Thresholds of a group")
		require.Equal(t, strings.Count(html, "<details"), strings.Count(html, "</details>"))
		require.NotContains(t, html, "<details open")
		require.NotContains(t, html, "<script")
		require.NotRegexp(t, `(src|href)="(http|//|/)`, html)
	}
	require.Equal(t, "112,858 cells (28.67 MB) short", planned(t, "mixed.yaml", mixed).Number())
	require.Equal(t, "bad", planned(t, "mixed.yaml", mixed).Tone())
	style := page.Style()
	require.Contains(t, style, ".bar{position:sticky;top:0")
	_, print, found := strings.Cut(style, "@media print{")
	require.True(t, found)
	require.Contains(t, print, "details::details-content{content-visibility:visible;block-size:auto}")
	require.Contains(t, print, ".bar{position:static")
}

// Cells have their value in MB and as time beside them: the headroom of a group at the speed of its port, the memory at
// the speed of all ports. A switch of the page, which needs no script, shows one of the units.
func TestCellsInOtherUnits(t *testing.T) {
	html := written(t, planned(t, "small.yaml", "chip: tomahawk\nheadroom: {method: ieee802.1qbb, delays: larger}\n"+
		"classes: [{name: rdma, priorities: [3], lossless: true}]\n"+
		"ports: [{name: e1, speed: 100G, cable: 300m}, {name: e2, speed: 25G, cable: 5m}]\n"))
	const amount = `([0-9,]+) <small class="mb">([^<]*)</small> <small class="us">([^<]*)</small>`
	cells := func(part, of string) (texts []string) {
		for _, m := range regexp.MustCompile(">"+amount).FindAllStringSubmatch(section(t, html, part), -1) {
			if m[1] == of {
				texts = append(texts, m[2]+" "+m[3])
			}
		}
		return texts
	}
	// 80,660 cells of 208 bytes are 16,777,280 bytes: 125G sends them in 1,073.74 us.
	require.Equal(t, []string{"16.78 MB 1,073.74 us"}, cells("memory", "80,660"))
	kinds := regexp.MustCompile(`<td>rdma</td><td>(100|25)G</td>.*`).FindAllString(section(t, html, "cables"), -1)
	require.Len(t, kinds, 2)
	for _, row := range kinds {
		m := regexp.MustCompile(`<td>(100|25)G</td>.*?<td class="r">` + amount).FindStringSubmatch(row)
		require.NotNil(t, m, row)
		var gigabits, n int64
		_, err := fmt.Sscan(m[1]+" "+strings.ReplaceAll(m[2], ",", ""), &gigabits, &n)
		require.NoError(t, err)
		hundredths := n * 208 * 8 * 100 / (gigabits * 1000)
		require.Equal(t, fmt.Sprintf("%d.%02d us", hundredths/100, hundredths%100), m[4], row)
	}
	for _, unit := range []string{"cells", "mb", "us"} {
		require.Contains(t, html, `<input type="radio" name="unit" id="unit-`+unit+`"`)
	}
	require.Contains(t, page.Style(), "body:has(#unit-mb:checked) .mb,body:has(#unit-us:checked) .us{display:")
}

// Names and texts with special characters stay texts, and the page has no script.
func TestPageEscapes(t *testing.T) {
	evil := `<script>alert(1)</script>"&'`
	r := planned(t, "mixed.yaml", mixed)
	r.Name, r.Changes, r.Remarks = evil, []string{evil}, []string{evil}
	r.Proof = &page.Proof{Verdict: evil, Lines: []string{evil}, Tables: []page.Table{{Title: evil, Columns: []string{evil},
		Rows: [][]string{{evil}}, Total: []string{evil}}}}
	r.Intent.Chip.Name, r.Plan.Chip.Name = evil, evil
	for i := range r.Intent.Classes {
		r.Intent.Classes[i].Name = evil
	}
	for i := range r.Plan.Groups {
		r.Plan.Groups[i].Class = evil
	}
	html := written(t, r)
	require.False(t, strings.Contains(strings.ToLower(html), "<script"))
	require.True(t, strings.Contains(html, "default-src 'none'"))
	d := xml.NewDecoder(strings.NewReader(html))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			require.NoError(t, err)
		}
	}
}

// The same plan gives the same bytes.
func TestPageIsDeterministic(t *testing.T) {
	require.Equal(t, written(t, example(t, "leaf-roce-qos.yaml")), written(t, example(t, "leaf-roce-qos.yaml")))
}

// A switch with a kind of its own for every port: what would hide itself or fill pages is folded, and said.
func TestManyKinds(t *testing.T) {
	var text strings.Builder
	text.WriteString("chip: tomahawk6\nheadroom: {method: ieee802.1qbb}\n" +
		"classes: [{name: rdma, priorities: [3], lossless: true}]\nports:\n")
	for i := range 100 {
		fmt.Fprintf(&text, "  - {name: Ethernet%d, speed: 100G, cable: %dm}\n", i+1, 5+i)
	}
	r := planned(t, "many.yaml", text.String())
	r.WhatIf = true
	html := written(t, r)
	require.Contains(t, section(t, html, "ports"), "</i>and 76 more</span>")
	require.Contains(t, section(t, html, "ports"), "<summary>Kinds of ports: 100 rows</summary>")
	require.NotContains(t, section(t, html, "cables"), ">5m: ")
	require.Equal(t, 100, strings.Count(section(t, html, "cables"), "<circle"))
	require.Contains(t, html, "94 more kinds of groups are in the plan and not drawn.")
}

// Kinds of switches that some picture has nothing of: no ports, no lossless class, a static limit, a measured delay.
func TestPagesOfAllKinds(t *testing.T) {
	head := "chip: tomahawk\nheadroom: {method: ieee802.1qbb}\n"
	for name, text := range map[string]string{
		"no lossless class": head + "classes: [{name: a, priorities: [0]}]\nports: [{name: e1, speed: 100G, cable: 5m}]\n",
		"static limit": head + "classes: [{name: a, priorities: [3], lossless: true, static_limit: 400KiB, " +
			"ecn: {kmin: 10KiB, kmax: 8MiB, pmax: 5%}}]\nports: [{range: e1-3, speed: 100G, cable: 5m}]\n",
		"measured delay": head + "classes: [{name: a, priorities: [3], lossless: true}]\n" +
			"ports: [{name: e1, speed: 100G, delay: 1.5us}, {name: e2, speed: 10G, cable: 0m}, {name: x, speed: 25G, " +
			"cable: 3m, medium: copper, state: admin-down}]\n",
	} {
		t.Run(name, func(t *testing.T) {
			html := written(t, planned(t, "t.yaml", text))
			require.Contains(t, html, "<h1>FITS")
			require.NotContains(t, html, "NaN")
			require.NotContains(t, html, "ZgotmplZ")
		})
	}
}

// A page that leaves out answers says so.
func TestManyKindsOfPortsAreNamed(t *testing.T) {
	var ports strings.Builder
	for i := range 9 {
		fmt.Fprintf(&ports, "  - {name: Ethernet%d, speed: 100G, cable: %dm}\n", i+1, 10+i)
	}
	r := planned(t, "kinds.yaml", "chip: tomahawk\nheadroom: {method: ieee802.1qbb}\n"+
		"classes: [{name: rdma, priorities: [3], lossless: true}]\nports:\n"+ports.String())
	r.WhatIf = true
	require.Contains(t, section(t, written(t, r), "what-if"),
		"it has 9 runs of ports that are alike, and the page asks for "+
			"at most 8. cellwarden capacity asks for all.")
	r.Intent.Ports = r.Intent.Ports[:8]
	require.NotContains(t, section(t, written(t, r), "what-if"), "not computed here")
}
