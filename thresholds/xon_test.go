package thresholds_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

func TestXON(t *testing.T) {
	for _, c := range []struct {
		name string
		rule thresholds.XON
		in   thresholds.Paused
		want bool
	}{
		{"at the level", thresholds.XON{Offset: 12}, thresholds.Paused{Used: 88, Limit: 100}, true},
		{"a cell above", thresholds.XON{Offset: 12}, thresholds.Paused{Used: 89, Limit: 100}, false},
		{"headroom not drained", thresholds.XON{Offset: 12}, thresholds.Paused{Used: 10, Headroom: 1, Limit: 100},
			false},
		{"the floor under a small limit", thresholds.XON{Floor: 20, Offset: 90},
			thresholds.Paused{Used: 20, Limit: 100}, true},
		{"limit below the offset", thresholds.XON{Offset: 90}, thresholds.Paused{Used: 1, Limit: 50}, false},
		{"empty always", thresholds.XON{Offset: 90}, thresholds.Paused{Limit: 50}, true},
		{"the limit has risen", thresholds.XON{Offset: 12}, thresholds.Paused{Used: 180, Limit: 200, AtXOFF: 100},
			true},
		{"latched, it does not count", thresholds.XON{Offset: 12, Latched: true},
			thresholds.Paused{Used: 180, Limit: 200, AtXOFF: 100}, false},
		{"latched, the limit has fallen", thresholds.XON{Offset: 12, Latched: true},
			thresholds.Paused{Used: 88, Limit: 50, AtXOFF: 100}, true},
		{"the zero rule", thresholds.XON{}, thresholds.Paused{Used: 100, Limit: 100}, true},
	} {
		require.Equal(t, c.want, c.rule.Resumes(c.in), c.name)
	}
	require.NoError(t, thresholds.XON{}.Validate())
	require.ErrorContains(t, thresholds.XON{Offset: -1}.Validate(), "neither can be below 0")
}

// Cisco's practical settings, 104000/20800/19136 bytes in cells of 208: the
// resume threshold of 92 cells covers a round trip of 100 m at 10G if frames
// fill their cells; the same threshold on 10 km does not.
func TestFootroom(t *testing.T) {
	link := thresholds.Link{Rate: 10 * unit.Gbps, Cable: 100 * unit.Metre, MTU: 9216, LosslessMTU: 2300}
	memory := thresholds.Memory{Cell: 208}
	sizer := thresholds.IEEE{Mix: thresholds.Frames(208)}
	f, err := thresholds.FootroomOf(sizer, link, memory, 0)
	require.NoError(t, err)
	require.Equal(t, int64(150224), f.BitTimes)
	require.True(t, f.Keeps(92), "%d cells", f.Cells)
	offset, ok := f.MaxOffset(100)
	require.True(t, ok)
	require.Equal(t, 100-f.Cells, offset)

	link.Cable = 10 * unit.Kilometre
	far, err := thresholds.FootroomOf(sizer, link, memory, 1)
	require.NoError(t, err)
	require.False(t, far.Keeps(92))
	_, ok = far.MaxOffset(100)
	require.False(t, ok)

	half, err := thresholds.FootroomOf(sizer, link, memory, 2)
	require.NoError(t, err)
	require.Equal(t, (far.Cells+1)/2, half.Cells)

	_, err = thresholds.FootroomOf(sizer, link, memory, -1)
	require.ErrorContains(t, err, "feeding one queue")
	_, err = thresholds.FootroomOf(sizer, thresholds.Link{}, memory, 1)
	require.ErrorContains(t, err, "link refused")
	_, err = thresholds.FootroomOf(timeless{}, link, memory, 1)
	require.ErrorContains(t, err, "a footroom is a delay")
}

// timeless is a sizer that knows bytes alone.
type timeless struct{}

func (timeless) Method() string { return "timeless" }
func (timeless) Size(thresholds.Link, thresholds.Memory) (thresholds.Headroom, error) {
	return thresholds.Headroom{Cells: 1}, nil
}
func (timeless) Explain(thresholds.Link, thresholds.Memory) (thresholds.Explanation, error) {
	return thresholds.Explanation{}, nil
}

func ExampleXON() {
	rule := thresholds.XON{Offset: 11} // Tomahawk's 2288 bytes in cells of 208
	fmt.Println(rule.Level(cells.Count(6536)), rule.Resumes(thresholds.Paused{Used: 6525, Limit: 6536}))
	// Output: 6525 true
}
