package buffer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/topology"
)

// trimmed is a switch of 100 and 400 Gb/s ports that trims.
const trimmed = `
chip: tomahawk4
headroom: {method: ieee802.1qbb}
egress_pools: [{name: lossy}]
trimming: {size: 256B, queue: 6, dscp: 48}
classes:
  - {name: rdma, priorities: [1, 2], mtu: 4096B, egress_pool: lossy, queue_alpha: 1/8, trim: true, weight: 80}
  - {name: pfc, priorities: [3], lossless: true, mtu: 4096B, weight: 20}
  - {name: rests, priorities: [6], egress_pool: lossy, queue_reserved: 10KiB, strict: true}
ports:
  - {range: Ethernet1-8, speed: 400G, cable: 5m, classes: [rdma, rests]}
  - {range: Ethernet9-12, speed: 100G, cable: 5m, classes: [rdma, rests]}
  - {name: Ethernet13, speed: 100G, cable: 5m, classes: [pfc]}
`

func planTrimmed(t *testing.T, text string) (*buffer.Plan, error) {
	t.Helper()
	in, err := topology.Parse("leaf.yaml", []byte(text), nil)
	if err != nil {
		return nil, err
	}
	p, err := buffer.New(in)
	require.NoError(t, err)
	return p, nil
}

// The plan counts the queue for the rests for each speed of the ports that carry a class that trims: a rest of 256 bytes
// takes as many cells as any packet of this length, and 276 of 4,116 bytes on the wire are rests at full rate.
func TestPlanCountsRests(t *testing.T) {
	p, err := planTrimmed(t, trimmed)
	require.NoError(t, err)
	require.True(t, p.Fits)
	chip := p.Chip
	in, _ := topology.Parse("leaf.yaml", []byte(trimmed), nil)
	rest := chip.Cell.Packet(256, in.Chip.Overhead)
	require.Len(t, p.Trim, 2)
	fast, slow := p.Trim[0], p.Trim[1]
	require.Equal(t, []int{8, 4}, []int{fast.Ports, slow.Ports})
	require.Equal(t, chip.Cell.Holding(10*1024), fast.Minimum)
	require.Equal(t, rest, fast.Rest)
	require.Equal(t, 11*rest, slow.AtOnce)
	// 7 ports of 400 and 4 of 100, and 8 of 400 and 3 of 100, of the port's own rate
	require.InDelta(t, (7*400+4*100)*10000*276/4116/400, int64(fast.Load), 2)
	require.InDelta(t, (8*400+3*100)*10000*276/4116/100, int64(slow.Load), 2)
	require.Contains(t, strings.Join(p.Warnings, "\n"), "if all other ports send at full rate to one of 100G, the rests of "+
		"their longest packets are 234.")
	what, lossless := in.NotWritten()
	require.False(t, lossless)
	require.Contains(t, what, "packet trimming (rdma)")
}

// A topology with trimming is written and read again.
func TestTrimmingIsWritten(t *testing.T) {
	in, err := topology.Parse("leaf.yaml", []byte(trimmed), nil)
	require.NoError(t, err)
	out, err := topology.Write(in)
	require.NoError(t, err)
	require.Contains(t, string(out.Topology), "trimming: {size: 256B, queue: 6, dscp: 48}")
}

func TestTrimmingRefused(t *testing.T) {
	for change, want := range map[string]string{
		"size: 256B>size: 0B":    "trimming.size",
		"size: 256B>size: 20KiB": "trimming.size: 20480B: want 0B (no trimming) to 16384B",
		"queue: 6>queue: 8":      "trimming.queue",
		"dscp: 48>dscp: 64":      "trimming.dscp",
		", dscp: 48>":            "trimming.dscp",
		"queue: 6>queue: 2":      "classes[0].trim: true: want false: the rests leave by one of its queues",
		"queue: 6>queue: 3": `trimming.queue: 3: want a queue of no lossless class; class "pfc" has this ` +
			"one",
		"lossless: true>lossless: true, trim: true":   "classes[1].trim: true: want false: a lossless class drops nothing",
		"trimming: {size: 256B, queue: 6, dscp: 48}>": "classes[0].trim: true: want trimming, with a size and a queue",
	} {
		from, to, _ := strings.Cut(change, ">")
		_, err := planTrimmed(t, strings.Replace(trimmed, from, to, 1))
		require.ErrorContains(t, err, want, change)
	}
}
