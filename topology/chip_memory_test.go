package topology_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/topology"
)

// withChip is a topology of a chip.
func withChip(chip string) []byte {
	return []byte("chip: " + chip + "\nheadroom: {method: ieee802.1qbb}\n" +
		"classes: [{name: rdma, priorities: [3], lossless: true, alpha: 1/64}]\n" +
		"ports: [{range: e1-8, speed: 400G, cable: 10km}]\n")
}

// What a topology gives of a chip's memory is planned with, is written back as it was, and is named as given.
func TestChipWithItsMemory(t *testing.T) {
	for _, x := range []struct {
		chip  string
		rests int
	}{
		{"jericho2", 0},
		{"jericho3", 1},
		{"jericho3-ai", 1},
		{"{name: jericho2, offload_gbps: 6400}", 1},
		{"{name: jericho2, pool_bytes: 1000000000}", 1},
		{"{name: jericho2, pool_bytes: 1000000000, cores: 1, memory_bytes: 33554432}", 2},
		{"{name: qumran2d, pool_bytes: 3220805000, cores: 1}", 1},
		{"{name: qumran3d, memory_bytes: 134217728, offload_gbps: 25600}", 2},
		{"{name: jericho4, pool_bytes: 25766440000, cores: 8, memory_bytes: 134217728, offload_gbps: 51200}", 3},
		{"{name: q4d, pool_bytes: 25766440000}", 1},
		{"{name: qumran4d, pool_bytes: 25766440000}", 1},
		{"{name: silicon-one-q200, pool_bytes: 8589934464, max_queue_bytes: 52231024}", 2},
		{"{name: silicon-one-p200, pool_bytes: 8589934592}", 1},
	} {
		in, err := topology.Parse("x.yaml", withChip(x.chip), noFiles)
		require.NoError(t, err, x.chip)
		require.Len(t, in.Chip.RestsOn(), x.rests, "%s: %v", x.chip, in.Chip.RestsOn())
		require.Empty(t, in.Chip.Unsourced(), x.chip)
		p, err := buffer.New(in)
		require.NoError(t, err, x.chip)
		require.True(t, p.Fits, "%s: %v", x.chip, p.Err())
		lines, note := p.RestsOn()
		require.Equal(t, in.Chip.RestsOn(), lines, x.chip)
		pooled := strings.Contains(x.chip, "pool_bytes") || strings.HasPrefix(x.chip, "jericho3")
		require.Equal(t, pooled, strings.HasPrefix(note, "; the pool is "), "%s: %s", x.chip, note)

		w, err := topology.Write(in)
		require.NoError(t, err, x.chip)
		require.Empty(t, w.Files, x.chip)
		require.Equal(t, "chip: "+x.chip, strings.SplitN(string(w.Topology), "\n", 2)[0])
		again, err := topology.Parse("y.yaml", w.Topology, noFiles)
		require.NoError(t, err, x.chip)
		require.Equal(t, in, again, x.chip)
	}
}

// A refusal is at the line of its key, or of the chip, once, and says what is accepted. It says nothing about what the
// chip alone decides.
func TestChipWithItsMemoryIsRefused(t *testing.T) {
	for chip, want := range map[string]string{
		"jericho4":                                     "x.yaml:1: chip.cores: not given: want 1 to 64, ",
		"{name: jericho4}":                             "x.yaml:1: chip.pool_bytes: not given: want bytes, of the pool ",
		"{name: q4d}":                                  "x.yaml:1: chip.pool_bytes: not given: want bytes, ",
		"qumran2d":                                     "x.yaml:1: chip.pool_bytes: not given: want bytes, ",
		"{name: q4d, pool_bytes: 7}":                   "x.yaml:1: chip.pool_bytes: 7: want 8 to ",
		"{name: q4d, pool_bytes: 0}":                   `x.yaml:1: chip.pool_bytes: "0": want a whole number from 1 to `,
		"{name: q4d, pool_bytes: 12GiB}":               `x.yaml:1: chip.pool_bytes: "12GiB": want a whole number from 1 to `,
		"{name: q4d, pool_bytes: 99, cores: 0}":        `x.yaml:1: chip.cores: "0": want a whole number from 1 to `,
		"{name: q4d, pool_bytes: 9, cores: 65}":        "x.yaml:1: chip.cores: 65: want 1 to 64",
		"{name: q4d, pool_bytes: 99, offload_gbps: 0}": `x.yaml:1: chip.offload_gbps: "0": want a whole number from 1 to `,
		"{name: q4d, pool_bytes: 99, groups: 3}":       "x.yaml:1: chip.groups: unknown key: want name, pool_bytes, cores, ",
		"{name: tomahawk4, pool_bytes: 99}":            "x.yaml:1: chip.pool_bytes: 99: want none for tomahawk4, ",
		"{name: tomahawk4, memory_bytes: 99}":          `x.yaml:1: chip.memory_bytes: "99": want no such key: tomahawk4 is `,
		"{name: silicon-one-q200, offload_gbps: 9}":    `x.yaml:1: chip.offload_gbps: "9": want no such key: silicon-one`,
		"{name: jericho5, pool_bytes: 99}":             `"jericho5": want a chip of the catalogue (nearest: jericho2, `,
		"{name: ./mine.yaml, pool_bytes: 99}":          `x.yaml:1: chip.name: "./mine.yaml": want a chip of the catalogue (`,
		"{pool_bytes: 99}":                             "x.yaml:1: chip.name: missing: want this key",
		"[jericho4]":                                   "x.yaml:1: chip: a list: want text",
	} {
		_, err := topology.Parse("x.yaml", withChip(chip), noFiles)
		require.ErrorIs(t, err, buffer.ErrInvalid, chip)
		require.ErrorContains(t, err, want, chip)
		require.Equal(t, 1, strings.Count(err.Error(), strings.SplitN(want, ": want", 2)[0]), err)
		for _, other := range []string{"slices", "alpha", "cell_bytes", "groups_per_port"} {
			require.NotContains(t, err.Error(), other+":", chip)
		}
	}
}
