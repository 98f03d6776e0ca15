package topology_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/topology"
)

// counted is a Sizer that counts how often it is asked.
type counted struct {
	thresholds.Sizer
	asked *int
}

func (c counted) Size(l thresholds.Link, m thresholds.Memory) (thresholds.Headroom, error) {
	*c.asked++
	return c.Sizer.Size(l, m)
}

func (c counted) Explain(l thresholds.Link, m thresholds.Memory) (thresholds.Explanation, error) {
	*c.asked++
	return c.Sizer.Explain(l, m)
}

// largest is the largest topology: each of 4,096 ports is an entry of its own with a cable of its own and 8 lossless
// groups, on a chip that has so many ports. It does not fit, so that remedies are looked for.
func largest(t *testing.T) (text string, open topology.Open) {
	chip, err := asic.Load("tomahawk4")
	require.NoError(t, err)
	chip.Ports, chip.Bandwidth = buffer.MaxPorts, 0
	data, err := json.Marshal(chip)
	require.NoError(t, err)
	var b strings.Builder
	b.WriteString("chip: ./chip.json\nheadroom: {method: ieee802.1qbb}\nclasses:\n")
	for i := range 8 {
		fmt.Fprintf(&b, "- {name: c%d, priorities: [%d], lossless: true, reserved: 1B, alpha: 1}\n", i, i)
	}
	b.WriteString("ports:\n")
	for i := range buffer.MaxPorts {
		fmt.Fprintf(&b, "- {name: e%d, speed: 10G, cable: %dm}\n", i+1, i+1)
	}
	return b.String(), func(string) ([]byte, error) { return data, nil }
}

// The largest topology costs at most 4 GiB of memory, allocated in all, and sizes each kind of port at most 64 times
// for each class. Its document has at most 64 KiB for each port.
func TestLargestTopology(t *testing.T) {
	effort.SkipShort(t, "it plans 32,768 groups several times")
	text, open := largest(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	in, err := topology.Parse("f.yaml", []byte(text), open)
	require.NoError(t, err)
	asked := 0
	in.Sizing = counted{in.Sizing, &asked}
	plan, err := buffer.New(in)
	require.NoError(t, err)
	runtime.ReadMemStats(&after)
	require.False(t, plan.Fits)
	require.LessOrEqual(t, int(after.TotalAlloc-before.TotalAlloc), 4<<30)
	require.LessOrEqual(t, asked, 64*8*buffer.MaxPorts)
	document, err := json.Marshal(report.Plan(plan))
	require.NoError(t, err)
	require.LessOrEqual(t, len(document), buffer.MaxPorts*64<<10)
}

// A short file that stands for millions of ports or names is refused before they are made.
func TestShortFilesAreCheap(t *testing.T) {
	effort.SkipShort(t, "it reads files as large as they may be")
	head := "chip: tomahawk\nheadroom: {method: ieee802.1qbb}\nclasses: [{name: a, priorities: [3], lossless: true}]\n"
	long := strings.Repeat("x", 10_000)
	for name, text := range map[string]string{
		"ranges":  head + "ports:\n" + strings.Repeat("- {range: e1-4096, speed: 10G, cable: 1m}\n", 10_000),
		"list":    head + "ports: [{range: \"e1-4096" + strings.Repeat(",e1-4096", 1500) + "\", speed: 10G, cable: 1m}]",
		"classes": head + "ports:\n" + strings.Repeat("- {name: e1, speed: 10G, cable: 1m, classes: [b, c, d]}\n", 10_000),
		"aliases": head + "dscp: {0: &d [" + strings.Repeat("0,", 4000) + "], 1: *d, 2: *d}\nports:\n" +
			"- &p {name: e1, speed: 10G, cable: 1m}\n" + strings.Repeat("- *p\n", 20_000),
		"name":  head + "ports: [{range: " + long + "1-4096, speed: 10G, cable: 1m}]",
		"class": strings.Replace(head, "name: a", "name: "+long, 1) + "ports: [{range: e1-4096, speed: 10G, cable: 1m}]",
		"peers": head + "peers:\n" + strings.Repeat("- {name: x, response_delay: 1us}\n", 256) + "ports:\n" +
			strings.Repeat("- {name: e1, speed: 10G, cable: 1m, peer: y}\n", 10_000),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := topology.Parse("f.yaml", []byte(text), nil)
		runtime.ReadMemStats(&after)
		require.ErrorIs(t, err, buffer.ErrInvalid, name)
		require.Less(t, len(err.Error()), 20_000, name)
		require.LessOrEqual(t, int(after.TotalAlloc-before.TotalAlloc), 128<<20, name)
	}
}
