package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/picture"
	"github.com/cellwarden/cellwarden/unit"
)

// This file shows what the ports of a plan divide: the bandwidth among groups of queues (ETS), and the credits among
// virtual channels (CBFC). Both are bars, one for each kind of port.

// bar is one bar with its parts, which are shares of whole.
type bar struct {
	text  string
	parts []part
	whole int64
}

// part is a part of a bar.
type part struct {
	size        int64
	colour      int // of the series
	faint       bool
	label, name string // inside the part if there is room, and what a reader hears
}

// Sizes of bars.
const (
	barHeight = 26.0
	barRow    = barHeight + 30
)

// drawBars draws bars below each other.
func drawBars(bars []bar, alternative string) *picture.Picture {
	out := picture.New(pictureWidth, barRow*float64(len(bars))+4, alternative)
	for i, b := range bars {
		y := barRow * float64(i)
		out.Text(8, y+14, picture.Start, "small", b.text)
		x := 8.0
		for _, p := range b.parts {
			width := (pictureWidth - 16) * float64(p.size) / float64(max(b.whole, 1))
			class := fmt.Sprintf("part f%d", p.colour%picture.Series)
			text := "small on-strong"
			if p.faint {
				class, text = class+" faint", "small"
			}
			out.Rect(x, y+20, width, barHeight, class, p.name)
			if picture.TextWidth(p.label)+4 < width {
				out.Text(x+width/2, y+20+barHeight/2+4, picture.Middle, text, p.label)
			}
			x += width
		}
	}
	return out
}

// schedules draws the bandwidth that each group of queues has at least, and lists the queues in them.
func (r *Report) schedules() (figure, bool) {
	if len(r.Plan.Schedules) == 0 {
		return figure{}, false
	}
	f := figure{ID: "ets", Title: "Shares of the bandwidth (ETS)",
		Text: "The least part of the link for each group with a bandwidth, of what strict and shaped groups leave. A group " +
			"that sends less leaves its part to the others."}
	t := Table{Title: "Groups and queues", Columns: []string{"ports", "speed", "group", "algorithm", "bandwidth", "queue",
		"in its group", "share", "least rate"}}
	var bars []bar
	colours := map[int]int{}
	for i := range r.Plan.Schedules {
		p := &r.Plan.Schedules[i]
		b := bar{text: fmt.Sprintf("%s at %v", buffer.FoldPorts(p.Ports), p.Speed), whole: 100}
		for k := range p.Groups {
			g := &p.Groups[k]
			if g.Selection == dcbx.Enhanced && g.Bandwidth > 0 {
				if _, known := colours[g.Number]; !known {
					colours[g.Number] = len(colours)
					f.Legend = append(f.Legend, entry{fmt.Sprintf("b%d", colours[g.Number]%picture.Series), groupText(g)})
				}
				text := fmt.Sprintf("%s %d%%", groupText(g), g.Bandwidth)
				b.parts = append(b.parts, part{int64(g.Bandwidth), colours[g.Number], false, text, b.text + ": " + text})
			}
		}
		for _, q := range p.Rows() {
			t.Rows = append(t.Rows, []string{buffer.FoldPorts(p.Ports), p.Speed.String(),
				strings.TrimSpace(fmt.Sprintf("%d %s", q.Of.Number, q.Of.Name)), q.Of.Selection.String(), q.Bandwidth,
				fmt.Sprint(q.Priority), q.Within, q.Share, q.Least})
		}
		if len(b.parts) > 0 {
			bars = append(bars, b)
		}
	}
	f.drawing = drawBars(bars, "Least part of the bandwidth for each group of queues; the table has the numbers")
	f.Legend, f.Tables = shortened(f.Legend), []Table{t}
	return f, true
}

// groupText names a group.
func groupText(g *ets.Group) string {
	if g.Name != "" {
		return fmt.Sprintf("group %d, %s", g.Number, g.Name)
	}
	return fmt.Sprintf("group %d", g.Number)
}

// portCredits gathers the ports whose channels are alike, in the order of the plan: of each port its channels in one
// slice.
func (r *Report) portCredits() [][][]buffer.Channel {
	ports := grouped.Lists(r.Plan.Channels, func(c buffer.Channel) string { return c.Port })
	for i, rows := range ports {
		ports[i] = slices.CompactFunc(rows, func(a, b buffer.Channel) bool { return a.Channel == b.Channel })
	}
	return grouped.Lists(ports, func(rows []buffer.Channel) string {
		return fmt.Sprint(grouped.Each(rows, func(c buffer.Channel) buffer.Channel {
			c.Port, c.Slice = "", 0
			return c
		}))
	})
}

// credits draws which credits each channel has of its own and which all channels of a port share.
func (r *Report) credits() (figure, bool) {
	if len(r.Plan.Channels) == 0 {
		return figure{}, false
	}
	f := figure{ID: "credits", Title: "Credits of virtual channels (CBFC)",
		Text: "A credit is a cell of the chip, and each has a reserved one. The faint part is shared by the channels whose " +
			"class has a limit."}
	t := Table{Title: "Virtual channels, in credits", Columns: []string{"ports", "channel", "class", "traffic classes",
		"reserved", "limit of shared", "shared of port", "alone", "full rate", "link full"}}
	var bars []bar
	colours := map[string]int{}
	for _, alike := range r.portCredits() {
		ports := buffer.FoldPorts(grouped.Each(alike, func(rows []buffer.Channel) string { return rows[0].Port }))
		b := bar{text: ports}
		shared := alike[0][0].Shared
		for _, c := range alike[0] {
			if _, known := colours[c.Class]; !known {
				colours[c.Class] = len(colours)
				f.Legend = append(f.Legend, entry{fmt.Sprintf("b%d", colours[c.Class]%picture.Series), c.Class})
			}
			b.whole += int64(c.Reserved)
			b.parts = append(b.parts, part{int64(c.Reserved), colours[c.Class], false, fmt.Sprint(c.Channel),
				fmt.Sprintf("%s, channel %d, class %s: %s credits", ports, c.Channel, c.Class, unit.Thousands(c.Reserved))})
			t.Rows = append(t.Rows, []string{ports, fmt.Sprint(c.Channel), c.Class, c.Traffic.String(),
				unit.Thousands(c.Reserved), c.LimitText(), unit.Thousands(c.Shared), unit.Thousands(c.Alone), fullRate(&c),
				fullText(&c)})
		}
		if b.whole += int64(shared); shared > 0 {
			b.parts = append(b.parts, part{int64(shared), len(colours), true, "shared",
				fmt.Sprintf("%s: %s shared credits", ports, unit.Thousands(shared))})
		}
		b.text = fmt.Sprintf("%s: %s credits a port, %s of them shared", ports, unit.Thousands(b.whole),
			unit.Thousands(shared))
		bars = append(bars, b)
	}
	f.drawing = drawBars(bars, "Credits of each virtual channel, and those that the channels of a port share; the table "+
		"has the numbers")
	f.Legend, f.Tables = shortened(f.Legend), []Table{t}
	return f, true
}

// fullRate is how many credits keep the link full.
func fullRate(c *buffer.Channel) string {
	if c.FullRate == 0 {
		return "not known"
	}
	return unit.Thousands(c.FullRate)
}

// fullText says whether the channel keeps its link full.
func fullText(c *buffer.Channel) string {
	switch {
	case c.FullRate == 0:
		return "not known"
	case c.Reserved >= c.FullRate:
		return "yes"
	case c.Alone >= c.FullRate && c.Mode != cbfc.ReservedOnly:
		return "alone"
	}
	return "no"
}

// ofChannels adds the cells behind the credits in a slice, by class, and behind those that channels share.
func (r *Report) ofChannels(slice int, to *grouped.By[string, cells.Count]) {
	shared, counted := cells.Count(0), map[string]bool{}
	for _, c := range r.Plan.Channels {
		if c.Slice != slice {
			continue
		}
		*to.Of("credits " + c.Class) += c.Reserved
		if !counted[c.Port] {
			counted[c.Port] = true
			shared += c.Shared
		}
	}
	*to.Of("shared credits") += shared
}
