package sim_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// The pool of a chip with memory beside it has room for the worst case of two links of 100 km. Whether the memory on
// the chip holds it depends on how fast packets leave it: the verdict says so, as long as the chip file does not.
func TestVerifyMemoryBesideTheChip(t *testing.T) {
	effort.SkipShort(t, "it simulates links of 100 km")
	chip, err := asic.Load("jericho2")
	require.NoError(t, err)
	far := thresholds.Link{Rate: 400 * unit.Gbps, Cable: 100 * unit.Kilometre, MTU: 9216, LosslessMTU: 4096}
	for _, want := range []struct {
		gbps    int64
		alone   bool
		verdict report.Verdict
		says    string
	}{
		{0, false, report.LosslessIf, "packets move to the memory beside the chip at 800G"},
		{799, false, report.LosslessIf, "167,108 bytes of the memory on the chip, which packets leave at 799G, are free"},
		{800, false, report.Lossless, ""},
		{10, false, report.NotLossless, "at 10G, and with less than"},
		{10, true, report.LosslessIf, "65,172,096 bytes of the memory on the chip, which packets leave at 10G, are free"},
	} {
		in := wish(chip, far)
		in.Ports = append(in.Ports, in.Ports[0])
		in.Ports[1].Name = "e2"
		in.Chip.Offload = want.gbps
		v := verify(t, in, layoutOf(t, in), sim.VerifyOptions{Alone: want.alone})
		require.Equal(t, want.verdict, v.Verdict, "%d", want.gbps)
		require.Equal(t, want.verdict == report.Lossless, v.Lossless)
		require.Zero(t, v.Drops)
		if want.says == "" {
			require.Empty(t, v.Conditions)
			continue
		}
		require.Contains(t, v.Conditions[0], want.says)
		findings := sim.Findings(v, "dci.yaml")
		if want.verdict != report.NotLossless {
			require.Empty(t, findings)
			continue
		}
		require.Len(t, findings, 1)
		require.Equal(t, "offload-too-slow", string(findings[0].Code))
		require.Contains(t, findings[0].Message, want.says)
	}
}

// A virtual output queue of a Q200 holds 5,684,352 lossless bytes. A headroom of more is lossless if its packets wait
// for several egress ports.
func TestVerifyDepthOfVirtualOutputQueues(t *testing.T) {
	chip, err := asic.Load("silicon-one-q200")
	require.NoError(t, err)
	for cable, want := range map[unit.Length]report.Verdict{
		100 * unit.Metre: report.Lossless, 10 * unit.Kilometre: report.LosslessIf} {
		in := wish(chip, thresholds.Link{Rate: 400 * unit.Gbps, Cable: cable, MTU: 9216, LosslessMTU: 4096})
		v := verify(t, in, layoutOf(t, in), sim.VerifyOptions{})
		require.Equal(t, want, v.Verdict, cable.String())
		p, err := buffer.New(in)
		require.NoError(t, err)
		warned := slices.ContainsFunc(p.Warnings, func(w string) bool {
			return strings.Contains(w, "and a virtual output queue holds 5,684,352")
		})
		require.Equal(t, want == report.LosslessIf, warned, cable.String())
	}
}
