package sweep_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/capacity/sweep"
	"github.com/cellwarden/cellwarden/internal/effort"
)

func Example() {
	axis, err := sweep.ParseAxis("cable=5m..10km:4")
	fmt.Println(axis.Values, err)
	g, err := sweep.Parse("cable=5m,2km", "frame=64B,1500B")
	fmt.Println(g.Len(), g.Changes(1, 2), err)
	// Output:
	// [5m 63m 794m 10km] <nil>
	// 4 [ports[0].cable=5m ports[1].cable=5m headroom.frame=1500B] <nil>
}

func TestAxes(t *testing.T) {
	for text, want := range map[string]string{
		"cable=5m..10km:12":               "5m 10m 20m 40m 79m 158m 316m 630m 1.26km 2.51km 5.01km 10km",
		"ports[1].cable=5m..20m/5m":       "5m 10m 15m 20m",
		"frame=64B,1500B,4096B":           "64B 1500B 4096B",
		"frame=64B..4096B:3":              "64B 512B 4096B",
		"ratio=1..8/1":                    "1 2 3 4 5 6 7 8",
		"ratio=1..3:9":                    "1 2 3",
		"floor=0%..20%/5%":                "0% 5% 10% 15% 20%",
		"speed=100G..400G:3":              "100G 200G 400G",
		"headroom.response_delay=1us,2us": "1us 2us",
		"classes[0].priorities=[3],[3,4]": "[3] [3,4]",
		"cable=1m,100m..200m/100m":        "1m 100m 200m",
		"chip=tomahawk4,tomahawk5":        "tomahawk4 tomahawk5",
	} {
		a, err := sweep.ParseAxis(text)
		require.NoError(t, err, text)
		require.Equal(t, want, strings.Join(a.Values, " "), text)
	}
}

func TestAxesThatAreRefused(t *testing.T) {
	effort.SkipShort(t, "it makes grids as large as they may be")
	for text, want := range map[string]string{
		"": "want <key>=<values>", "cable": "want <key>=<values>", "cable=": "want <key>=<values>",
		"cable=5m,": "an empty value", "cable=5m,5m": "twice", "cable=5m..10km": "want FIRST..LAST:NUMBER",
		"cable=5m..10km:1": "want 2 to 10000", "cable=5m..64B:3": "two quantities of one kind",
		"cable=10m..5m:3": "from the smaller to the larger", "cable=0m..5m:3": "begin above zero",
		"cable=5m..10m/0m": "more than nothing", "cable=0m..1000km/1mm": "more than 10000 values",
		"classes[*].mtu=64B": "want ports[*] at the beginning", "a[x]=1": "is not a path",
	} {
		_, err := sweep.ParseAxis(text)
		require.ErrorContains(t, err, want, text)
	}
	_, err := sweep.Parse("cable=5m", "ports[*].cable=6m")
	require.ErrorContains(t, err, "varied twice")
	_, err = sweep.Parse()
	require.ErrorContains(t, err, "nothing varies")
	_, err = sweep.Parse("cable=0m..9999m/1m", "mtu=64B..9999B/1B", "ratio=1..900/1")
	require.ErrorContains(t, err, "more than 100000000 points")
}

// Every combination is there once.
func TestPointsAreTheCombinations(t *testing.T) {
	g, err := sweep.Parse("cable=1m,2m,3m", "mtu=64B,65B", "ratio=1..5/1")
	require.NoError(t, err)
	seen := map[string]bool{}
	for i := range g.Len() {
		seen[strings.Join(g.At(i), " ")] = true
	}
	require.Len(t, seen, 30)
}

// FuzzAxis reads any text as an axis. What it accepts has values and makes changes.
func FuzzAxis(f *testing.F) {
	for _, text := range []string{"cable=5m..10km:12", "frame=64B,1500B", "ratio=1..8/1", "a[0].b=[1,2],{c: d}",
		"x=1..9223372036854775807/9223372036854775807"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := sweep.Parse(text)
		if err != nil {
			return
		}
		require.NotEmpty(t, g.Axes[0].Values)
		require.LessOrEqual(t, g.Len(), sweep.MaxValues)
		require.NotEmpty(t, g.Changes(g.Len()-1, 3))
	})
}
