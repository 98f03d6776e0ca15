package scenario_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim/scenario"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/unit"
)

// ran runs a star of hosts and returns the completions.
func ran(t *testing.T, text string) *scenario.Result {
	res, err := read(t, text).Run(context.Background(), scenario.Options{})
	require.NoError(t, err)
	return res
}

// Flows that share a link take turns, so all take as long as their sum; alone they would take their own time.
func TestCompletionOfSharedLink(t *testing.T) {
	res := ran(t, star(5, `flows:
- {name: in, from: [h1, h2, h3, h4], to: h5, class: rdma, frame: 1000B, size: 10000B}
- {name: alone, from: h5, to: h1, class: rdma, frame: 1000B, size: 10000B}
- {name: endless, from: h5, to: h2, frame: 1000B, start: 9999us}
`))
	require.Len(t, res.Completions, 2)
	in, alone := res.Completions[0], res.Completions[1]
	frame := 1020 * 80 * unit.Picosecond
	one := 11*frame + 2*unit.Microsecond
	require.Equal(t, new(int64(one)), alone.Times.P50)
	require.Equal(t, report.SimSpread{Mean: new(int64(1000)), P50: new(int64(1000)), P99: new(int64(1000)),
		P999: new(int64(1000)), Most: new(int64(1000))}, alone.Slowdowns)
	require.Equal(t, new(int64(one+30*frame)), in.Times.Most)
	require.Equal(t, []int{4, 4}, []int{in.Flows, in.Arrived})
	// The last frames of the four arrive one after the other.
	require.Equal(t, new(int64(one+28*frame)), in.Times.P50)
	require.Equal(t, new(int64(one+28*frame+frame/2)), in.Times.Mean)
	require.Equal(t, in.Times.Most, in.Times.P99)
	slow := int64(one+28*frame) * 1000 / int64(one)
	require.Equal(t, new(int64(slow)), in.Slowdowns.P50)
	require.Equal(t, "s1:h5", res.Links[0].Port)
}

// A percentile among flows that have not arrived is unknown, and so is the mean.
func TestCompletionIsUnknown(t *testing.T) {
	res := ran(t, strings.Replace(star(5, `flows:
- {name: in, from: [h1, h2, h3, h4], to: h5, class: rdma, frame: 1000B, size: 10000B, stagger: 3us}
- {name: later, from: h5, to: h1, frame: 1000B, size: 1KiB, after: in}
`), "until: 10ms", "until: 9us", 1))
	c := res.Completions[0]
	require.Equal(t, 3, c.Arrived)
	require.NotNil(t, c.Times.P50)
	for _, m := range []*int64{c.Times.P99, c.Times.Mean, c.Times.Most, c.Slowdowns.P999} {
		require.Nil(t, m)
	}
	require.Equal(t, "unknown", scenario.CompletionRow(&c)[3])
	later := res.Completions[1]
	require.Zero(t, later.Arrived)
	require.Equal(t, "unknown", scenario.CompletionRow(&later)[4])
	require.Zero(t, res.Flows[4].Rate)
}

// Expectations of completions are compared; what is unknown meets no bound from above.
func TestExpectCompletion(t *testing.T) {
	text := `flows:
- {name: in, from: [h1, h2], to: h3, class: rdma, frame: 1000B, size: 10000B}
- {name: cut, from: h1, to: h2, class: rdma, frame: 1000B, size: 1GiB}
expect:
  completions:
  - {entry: in, arrived: 2, p99: "<3us", slowdown_p99: 1.2..2.5, slowdown_mean: ">1"}
  - {entry: cut, longest: "<1s"}
`
	require.Equal(t, []string{"expect.completions[0].p99: 3.7136us, expected <3us of in",
		"expect.completions[1].longest: unknown, expected <1s of cut"}, ran(t, star(3, text)).Unmet)
	for change, want := range map[string]string{
		"entry: in,|entry: no,":     "want the name of an entry",
		"size: 1GiB|stop: 1ms":      "whose flows have an end",
		"1.2..2.5|1.2345":           `"1.2345" is not a ratio`,
		"1.2..2.5|2.":               `"2." is not a ratio`,
		"1.2..2.5|-1":               `"-1" is not a ratio`,
		"slowdown_p99: |slowdown: ": "slowdown: unknown key",
	} {
		from, to, _ := strings.Cut(change, "|")
		_, err := scenario.Read("c.yaml", []byte(star(3, strings.Replace(text, from, to, 1))), os.ReadFile)
		require.ErrorContains(t, err, want)
	}
}

// The page has the completion times, and the use of the links in numbers and over time.
func TestPageHasCompletions(t *testing.T) {
	var page bytes.Buffer
	_, err := read(t, star(3, `flows:
- {name: in, from: [h1, h2], to: h3, class: rdma, frame: 1000B, size: 1000000B}
`)).Run(context.Background(), scenario.Options{Plot: &page, Until: 300 * unit.Microsecond})
	require.NoError(t, err)
	require.Contains(t, page.String(), "<h2>Completion times</h2>")
	require.Contains(t, page.String(), `<td>in</td><td class="r">2</td><td class="r">2</td>`)
	require.Contains(t, page.String(), "<td>s1:h3</td><td>100G</td>")
	require.Contains(t, page.String(), "<h2>Use of links</h2>")
	require.NotContains(t, page.String(), "101")
}
