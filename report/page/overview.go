package page

import "github.com/cellwarden/cellwarden/internal/picture"

// Overview returns the pictures of a plan below each other, with the verdict above them: what a document shows that has
// no page. The pictures are the memory, the headroom over the cable, the ports, and the thresholds of the first kind of
// group.
func (r *Report) Overview() *picture.Picture {
	const inset, heading, gap = 16.0, 24.0, 18.0
	var figures []figure
	for _, f := range []func() (figure, bool){r.memory, r.cables, r.panel} {
		if x, ok := f(); ok {
			figures = append(figures, x)
		}
	}
	if all := r.thresholds(); len(all) > 0 {
		figures = append(figures, all[0])
	}
	height := 60.0
	for _, f := range figures {
		height += heading + legendHeight(f.Legend) + f.drawing.Height() + gap
	}
	out := picture.New(pictureWidth+2*inset, height, r.Verdict()+": "+r.memoryText())
	out.Text(inset, 30, picture.Start, "large strong", r.Verdict())
	y := 60.0
	for _, f := range figures {
		out.Text(inset, y+6, picture.Start, "strong", f.Title)
		y += heading
		drawLegend(out, inset, y, f.Legend)
		y += legendHeight(f.Legend)
		out.Add(inset, y, f.drawing)
		y += f.drawing.Height() + gap
	}
	return out
}
