package internal_test

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/fabric"
	"github.com/cellwarden/cellwarden/internal/cli/drawn"
	"github.com/cellwarden/cellwarden/internal/picture"
)

// TestHostOfTwoSwitches: a host with cables to several switches is drawn at the same place in every run.
func TestDrawnHostOfTwoSwitches(t *testing.T) {
	var switches []*fabric.Switch
	var cables []fabric.Cable
	host := fabric.Port{Node: "h1", Host: true}
	for _, name := range []string{"leaf1", "leaf2", "leaf3", "leaf4"} {
		switches = append(switches, &fabric.Switch{Name: name, Role: "leaf"})
		cables = append(cables, fabric.Cable{A: host, B: fabric.Port{Node: name}, Length: "5m"})
	}
	first := drawn.Fabric(switches, cables, drawn.Pauses{}).SVG()
	for range 20 {
		require.Equal(t, first, drawn.Fabric(switches, cables, drawn.Pauses{}).SVG())
	}
}

// texts finds the texts of a picture with their places.
var texts = regexp.MustCompile(`<text(?: class="[^"]*")? x="([0-9.]+)" y="([0-9.]+)"[^>]*>([^<]*)</text>`)

// TestLegendStaysInThePicture: a legend of many kinds of cables has several lines in a higher picture, and counts the
// kinds that it does not name.
func TestDrawnLegendStaysInThePicture(t *testing.T) {
	low := 0.0
	for _, kinds := range []int{1, 15, 45} {
		switches := []*fabric.Switch{{Name: "leaf1", Role: "leaf"}, {Name: "leaf2", Role: "leaf"}}
		var cables []fabric.Cable
		for i := range kinds {
			cables = append(cables, fabric.Cable{A: fabric.Port{Node: "leaf1"}, B: fabric.Port{Node: "leaf2"},
				Length: fmt.Sprintf("%dm", i+100), Speed: "100G"})
		}
		p := drawn.Fabric(switches, cables, drawn.Pauses{Host: "leaf1"})
		found := texts.FindAllStringSubmatch(p.SVG(), -1)
		for _, m := range found {
			x, err := strconv.ParseFloat(m[1], 64)
			require.NoError(t, err)
			y, err := strconv.ParseFloat(m[2], 64)
			require.NoError(t, err)
			require.LessOrEqual(t, x+picture.TextWidth(m[3]), 1180.0, "%d kinds: %s", kinds, m[3])
			require.Less(t, y, p.Height())
		}
		require.Equal(t, "leaf1 pauses: the first two steps", found[len(found)-1][3])
		require.Greater(t, p.Height(), low)
		low = p.Height()
		if kinds == 45 {
			require.Equal(t, "5 kinds more: 5 cables", found[len(found)-2][3])
		}
	}
}
