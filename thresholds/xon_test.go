package thresholds_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
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

func ExampleXON() {
	rule := thresholds.XON{Offset: 11} // Tomahawk's 2288 bytes in cells of 208
	fmt.Println(rule.Level(cells.Count(6536)), rule.Resumes(thresholds.Paused{Used: 6525, Limit: 6536}))
	// Output: 6525 true
}
