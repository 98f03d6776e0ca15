package page

import (
	"fmt"
	"html/template"

	"github.com/cellwarden/cellwarden/internal/picture"
)

// figure is a picture with what it shows, its legend and its numbers.
type figure struct {
	ID, Title, Text string
	drawing         *picture.Picture
	Legend          []entry
	Lines           bool    // the legend shows lines, not areas
	Tables          []Table // beside the picture
	Details         []Table // folded
	Folded          bool    // the figure itself is folded
}

// entry is an entry of a legend: the class of its colour and dashes, and the text.
type entry struct{ Class, Text string }

// maxLegend is the largest number of entries of a legend.
const maxLegend = 24

// shortened cuts a legend, and says how many entries are left out: the table has them.
func shortened(legend []entry) []entry {
	if len(legend) <= maxLegend {
		return legend
	}
	return append(legend[:maxLegend:maxLegend], entry{"none", fmt.Sprintf("and %d more", len(legend)-maxLegend)})
}

// SVG returns the picture as a part of the page. Package picture escapes every text in it.
func (f figure) SVG() template.HTML { return template.HTML(f.drawing.SVG()) }
