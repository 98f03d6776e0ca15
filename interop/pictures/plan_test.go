package pictures_test

import (
	"encoding/json"
	"fmt"
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"github.com/cellwarden/cellwarden/unit"
)

// planned is what the picture takes from the JSON of a plan.
type planned struct {
	Fits bool
	Chip struct {
		Name  string
		Bytes int64 `json:"cell_bytes"`
		Cells int64 `json:"total_cells"`
	}
	Shared struct {
		Groups  int64 `json:"groups_cells"`
		Largest int64 `json:"largest_group_cells"`
		AtOnce  int64 `json:"groups_at_once"`
	} `json:"shared_headroom"`
	Slices []slice
}

// slice says where the cells of one slice of the memory are.
type slice struct {
	Total    int64 `json:"total_cells"`
	Chip     int64 `json:"chip_cells"`
	Reserved int64 `json:"reserved_cells"`
	Headroom int64 `json:"headroom_cells"`
	Shared   int64 `json:"shared_cells"`
	Unused   int64 `json:"unused_cells"`
}

// readmePlan is the plan that the README shows.
func readmePlan(t *testing.T) (plan planned) {
	out := cellwarden(t, "plan", "examples/arista-7060cx-32s.yaml", "-o", "json")
	require.NoError(t, json.Unmarshal(out, &plan))
	require.True(t, plan.Fits)
	return plan
}

// TestPictureOfPlan draws where every cell of the README's plan is.
func TestPictureOfPlan(t *testing.T) {
	plan := readmePlan(t)
	const height, bar, gap vg.Length = 292, 26, 16
	p := newPicture(height)
	p.write(titleStyle(), inset, height-22, "A plan: where every cell of the chip is")
	p.write(style(small, pale, text.XLeft), inset, height-44,
		"Arista 7060CX-32S (%s), 32 ports of 100G over 300 m: %s cells of %d bytes in %d slices",
		plan.Chip.Name, unit.Thousands(plan.Chip.Cells), plan.Chip.Bytes, len(plan.Slices))

	var sum slice
	y := height - 74 - bar
	for i, s := range plan.Slices {
		p.write(style(small, ink, text.XLeft), inset, y+bar/2, "slice %d", i)
		x, free := axisLeft, axisLeft // free: where the numbers above narrow parts end
		for _, part := range s.parts() {
			end := x + (axisRight-axisLeft)*vg.Length(part.cells)/vg.Length(s.Total)
			p.rect(x, y, end, y+bar, part.colour)
			if end-x > 30 {
				p.write(style(small, ink, text.XCenter), (x+end)/2, y+bar/2, "%s", unit.Thousands(part.cells))
			} else {
				free = max(x, free)
				p.write(style(small-2, pale, text.XLeft), free, y+bar+6, "%s", unit.Thousands(part.cells))
				free += vg.Length(len(unit.Thousands(part.cells))+1) * 6
			}
			x = end
		}
		sum.add(s)
		y -= bar + gap
	}

	x := inset
	for _, part := range sum.parts() {
		share := 100 * float64(part.cells) / float64(sum.Total)
		x = p.key(x, y+bar/2, part.colour, fmt.Sprintf("%s %s (%.1f %%)", part.name, unit.Thousands(part.cells), share))
	}
	p.write(style(small, pale, text.XLeft), axisLeft, y-10,
		"Each of %d lossless groups may use %s cells of headroom. A slice has headroom for %d of them at once.",
		plan.Shared.Groups/plan.Shared.Largest, unit.Thousands(plan.Shared.Largest), plan.Shared.AtOnce)
	keep(t, "pictures/plan.svg", p.file(t))
}

func (s *slice) add(o slice) {
	s.Total += o.Total
	s.Chip += o.Chip
	s.Reserved += o.Reserved
	s.Headroom += o.Headroom
	s.Shared += o.Shared
	s.Unused += o.Unused
}

// part is one kind of cells of a slice.
type part struct {
	name   string
	cells  int64
	colour color.Color
}

// parts are what a slice is divided into, in the order of the picture.
func (s *slice) parts() []part {
	return []part{{"chip", s.Chip, chipColour}, {"reserved", s.Reserved, reservedColour},
		{"headroom pool", s.Headroom, headroomColour},
		{"shared", s.Shared, sharedColour}, {"unused", s.Unused, unusedColour}}
}
