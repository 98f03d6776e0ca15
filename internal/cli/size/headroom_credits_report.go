package size

import (
	"fmt"

	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/picture"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// This file prints and draws the comparison of PFC with credits.

// creditsReport returns the table of the links, and the terms if there is one link. Each column of cells is for another
// promise, which the notes below the table state: no frame is lost, or the link stays full as well.
func creditsReport(c cbfc.Channel, doc report.HeadroomCreditsDocument, assumed string) *cli.Screen {
	r := &cli.Screen{Head: []string{
		// The first two lines have what both sides share and what only credits have.
		fmt.Sprintf("PFC and credits on the same link: frames of %v, MTU %v, cells of %s, %v stored with each packet",
			doc.Frame, c.Link.MTU, cli.Plural(int(doc.Cell), "byte", "bytes"), doc.Overhead),
		fmt.Sprintf("credits of %v, %v added to each packet; CF_Updates at least %v apart", doc.CreditSize,
			doc.CreditOverhead, c.Updates.Least)}}
	if assumed != "" {
		r.Head = append(r.Head, assumed)
	}
	// pfc headroom and pfc full rate are two answers of one way; cbfc and b2b always keep the link full.
	s := cli.Table("links", "Cells of one group or virtual channel", "speed", "cable", "pfc headroom", "pfc full rate",
		"cbfc credits", "cbfc cells", "b2b credits", "b2b cells", "note")
	long := false
	for _, l := range doc.Links {
		text := ""
		// The counters of CBFC have 20 bits, so a long and fast link cannot have as many credits as it needs.
		if !l.CBFC.Fits {
			text, long = fmt.Sprintf("more than 20 bits hold: at the largest limit at least %v of the speed", l.CBFC.Rate), true
		}
		s.Row(l.Speed.String(), l.Path, cli.Count(l.PFC.Headroom), cli.Count(l.PFC.Full), cli.Count(l.CBFC.Credits),
			cli.Count(l.CBFC.Cells), cli.Count(l.Fibre.Credits), cli.Count(l.Fibre.Cells), text)
	}
	r.Sections = []cli.Section{s}
	// The terms of many links would be a table for each.
	if len(doc.Links) == 1 {
		r.Sections = append(r.Sections, creditTerms(&doc.Links[0]))
	}
	// Each line says what a column promises, and begins with its name.
	r.Foot = []string{
		"pfc headroom: the receiver drops no frame, by the sum of ieee802.1qbb. The link is slower after each pause.",
		"pfc full rate: headroom, and as much again stored when it resumes (inferred).",
		"cbfc: the receiver drops no frame with any number of credits. With these the link is full, with fewer slower.",
		"b2b: a credit for each frame and room for the longest, as Fibre Channel has.",
		"delays of the ends are inferred for credits: they are those of a pause frame.",
	}
	if long {
		r.Foot = append(r.Foot, fmt.Sprintf("a credit limit is at most %s; larger credits need larger cells",
			cli.Count(cbfc.MaxLimit)))
	}
	return r
}

// creditTerms lists the terms of the way of a frame and its CF_Update. Bit times are those of the link's rate. The sum
// is how long a credit is away, and the frames that fit into it are those that have to be paid for before it is back.
func creditTerms(l *report.CreditLink) cli.Section {
	s := cli.Table("terms", "From the first bit of a frame until its credits are back", "term", "bit times", "bytes",
		"source")
	// The terms are of CBFC alone: the terms of PFC are those of the verb without --with.
	w := &l.CBFC
	addTerms(&s, w.Terms)
	s.Total = []any{"sum", cli.Count(w.BitTimes), cli.Count(unit.InBytes(w.BitTimes)),
		fmt.Sprintf("%s frames, %s credits", cli.Count(w.Frames), cli.Count(w.Credits))}
	return s
}

// addTerms adds a line for each term; an inferred one says so. The word is in the table and not in a colour, because
// tables are copied.
func addTerms(s *cli.Section, terms []thresholds.Term) {
	for _, t := range terms {
		source := t.Source
		if t.Kind == thresholds.Inferred {
			source = "INFERRED: " + source
		}
		s.Row(t.Name, cli.Count(t.BitTimes), cli.Count(t.Bytes), source)
	}
}

// Size of the picture in pixels. The legend is above the chart, with a line for each speed.
const (
	creditsWidth  = 900.0
	creditsHeight = 560.0
	creditsLegend = 60.0
)

// creditsPicture draws the cells over the length of the cable, 5 m to 100 km, at each speed: PFC's headroom, CBFC, and
// at the last speed PFC's full rate. Both axes are logarithmic: length over more than four decades, cells as far as
// they go. Lengths are metres, and x is never 0.
func creditsPicture(c cbfc.Channel, rates []unit.BitRate) (string, error) {
	const shortest, longest = 5 * unit.Metre, 100 * unit.Kilometre
	type curves struct{ headroom, full, credits []picture.Point }
	all := make([]curves, len(rates))
	// low is the value at the shortest cable of the first speed, which is the least of all.
	low, high := 0.0, 1.0
	// A stated delay would hold for every length, and the curves would be flat.
	c.Link.Delay, c.Link.Measured = unit.Optional[unit.Time]{}, thresholds.Measurement{}
	for i, rate := range rates {
		// Steps of a quarter are even on the logarithmic axis: about 45 points a curve.
		for l := shortest; ; l = min(l*5/4, longest) {
			c.Link.Rate, c.Link.Cable = rate, l
			b, err := cbfc.Compare(c)
			if err != nil {
				return "", err
			}
			// A picture may use floating point: its points are pixels in the end.
			x := float64(l) / float64(unit.Metre)
			all[i].headroom = append(all[i].headroom, picture.Point{X: x, Y: float64(b.Headroom.Cells)})
			all[i].full = append(all[i].full, picture.Point{X: x, Y: float64(b.Full())})
			all[i].credits = append(all[i].credits, picture.Point{X: x, Y: float64(b.Credits.Cells)})
			if high = max(high, float64(b.Full())); low == 0 {
				low = float64(min(b.Headroom.Cells, b.Credits.Cells))
			}
			if l == longest {
				break
			}
		}
	}
	title := fmt.Sprintf("Cells of %d bytes of one group or virtual channel over the length of the cable", c.Memory.Cell)
	chart := picture.NewChart(creditsWidth, creditsHeight, title, picture.Axis{From: 5, To: 1e5, Log: true, Title: "cable",
		Ticks: 15, Label: cableLabel}, picture.Axis{From: low * 0.8, To: high * 1.2, Log: true, Title: "cells", Ticks: 15})
	for i, rate := range rates {
		// A speed has one colour, and the kind of line says which way it is.
		class := fmt.Sprintf("l%d", i%picture.Series)
		chart.Curve(all[i].headroom, class+" dash", fmt.Sprintf("%v: PFC's headroom", rate))
		if i == len(rates)-1 { // those of the others would lie on the lines of twice their speed
			chart.Curve(all[i].full, class+" dots", fmt.Sprintf("%v: PFC at full rate (inferred)", rate))
		}
		chart.Curve(all[i].credits, class, fmt.Sprintf("%v: CBFC at full rate", rate))
	}
	// Above this line a credit limit cannot count what the link needs: 20 bits (SAI doc/CBFC).
	chart.Level(float64(cbfc.MaxLimit), "ink-line", "most credits of 20 bits")
	p := picture.New(creditsWidth, creditsHeight+creditsLegend, title)
	p.Add(0, creditsLegend, chart.Picture)
	for i, rate := range rates {
		x := 78 + float64(i)*95
		p.Line(x, 16, x+24, 16, fmt.Sprintf("line l%d", i%picture.Series))
		p.Text(x+30, 20, picture.Start, "small", rate.String())
	}
	// The kinds of lines are in ink, because each speed has them in its colour.
	for i, way := range []struct{ class, text string }{{"", "CBFC, full rate"}, {"dash", "PFC, headroom alone"},
		{"dots", fmt.Sprintf("PFC, full rate at %v (inferred)", rates[len(rates)-1])}} {
		x := 78 + float64(i)*230
		p.Line(x, 40, x+40, 40, "line ink-line "+way.class)
		p.Text(x+48, 44, picture.Start, "small", way.text)
	}
	return p.File(), nil
}

// cableLabel prints metres for an axis. Parts of a metre are cut.
func cableLabel(m float64) string { return (unit.Length(m) * unit.Metre).String() }
