package golden_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/capacity/risk"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// This file has the agreements about pools, about how far a topology goes, and about marking.

func agreeOnPools(t *testing.T, x *told, name string) int {
	if x.v == nil || len(x.pools) == 0 {
		return 0
	}
	require.Len(t, x.v.Pools, len(x.pools), name)
	for i, p := range x.v.Pools {
		q := &x.pools[i]
		require.Equal(t, q.Slice, p.Slice, name)
		require.Equal(t, q.Cells, p.Granted, name)
		require.Len(t, q.Groups, p.Groups, name)
		require.Equal(t, q.AtOnce(), p.AtOnce, "%s: %+v", name, p)
		require.Equal(t, q.Smallest() == nil, p.AtOnce == p.Groups, name)
		require.Equal(t, p.Drops > 0, p.Margin < 0, "%s: %+v", name, p)
		over, err := q.Independent(0.5)
		require.NoError(t, err, name)
		require.Equal(t, over == 0, p.AtOnce == p.Groups, name)
		// A group that is too small loses its last frames at its own limit, and may leave less than a frame's cells.
		if p.Drops > 0 || x.enough() {
			require.Equal(t, q.All() > q.Cells, p.Drops > 0, "%s: %+v", name, p)
		}
	}
	if poolDrops(x.v) || x.enough() {
		require.Equal(t, poolDrops(x.v), x.a.WorstHeadroom() > x.a.PoolPart(), name)
	}
	if poolDrops(x.v) {
		require.NotEmpty(t, report.Plan(x.p).HeadroomShared, "%s: the plan qualifies its verdict", name)
	}
	return len(x.pools)
}

func agreeOnSteps(t *testing.T, x *told, name string) (n int) {
	for _, a := range x.answers {
		if a.State != capacity.Found {
			continue
		}
		at := planOf(t, a.At(), name)
		require.True(t, at.Fits, "%s: %s", name, a.Question)
		if a.Question != capacity.Ratio && len(a.Beyond().Ports) > 0 {
			beyond, err := buffer.New(a.Beyond())
			require.True(t, err != nil || !beyond.Fits, "%s: beyond %s %s", name, a.Question, a.Value())
		}
		if a.Question == capacity.Cable && x.defaults {
			require.Empty(t, at.SizeNotes(), "%s: the longest cable is proved too", name)
		}
		n++
	}
	return n
}

// enough tells whether every headroom of the plan is enough for the worst case of its link.
func (x *told) enough() bool {
	return !slices.ContainsFunc(x.p.Sizing.Kinds, func(k buffer.Sized) bool { return k.Enough != thresholds.Enough })
}

func planOf(t *testing.T, in buffer.Intent, name string) *buffer.Plan {
	t.Helper()
	p, err := buffer.New(in)
	require.NoError(t, err, name)
	return p
}

// answerTo returns the answer to a question about the whole switch, if there is one.
func (x *told) answerTo(q capacity.Question) (capacity.Answer, bool) {
	i := slices.IndexFunc(x.answers, func(a capacity.Answer) bool { return a.Question == q && a.State == capacity.Found })
	if i < 0 {
		return capacity.Answer{}, false
	}
	return x.answers[i], true
}

func agreeOnRatio(t *testing.T, x *told, name string) int {
	a, found := x.answerTo(capacity.Ratio)
	if !found {
		return 0
	}
	safe, err := risk.Pools(a.At())
	require.NoError(t, err, name)
	require.False(t, overflows(safe), "%s: %s", name, a.Value())
	require.False(t, poolDrops(verified(t, withoutEgress(a.At()), sim.VerifyOptions{}, name)), "%s: %s", name, a.Value())
	if len(a.Beyond().Ports) == 0 {
		return 1
	}
	unsafe, err := risk.Pools(a.Beyond())
	require.NoError(t, err, name)
	require.True(t, overflows(unsafe), "%s: one more than %s", name, a.Value())
	if p := planOf(t, a.Beyond(), name); p.Fits {
		v := verified(t, withoutEgress(a.Beyond()), sim.VerifyOptions{}, name)
		require.True(t, poolDrops(v), "%s: one more than %s", name, a.Value())
	}
	return 1
}

func agreeOnFrame(t *testing.T, x *told, name string) int {
	a, found := x.answerTo(capacity.Frame)
	m, ieee := x.in.Sizing.(thresholds.IEEE)
	if !found || !ieee || m.Delays.Sum != thresholds.SumOfEnds || len(x.pools)+len(x.in.EgressPools) > 0 {
		return 0
	}
	v := verified(t, a.At(), sim.VerifyOptions{Frame: unit.Bytes(a.Amount)}, name)
	require.Zero(t, v.Drops, "%s: %s", name, a.Value())
	if !x.in.Chip.Deep() && len(v.Groups) > 0 {
		require.Equal(t, report.LosslessIf, v.Verdict, name)
		size := unit.Bytes(a.Amount)
		require.Contains(t, v.Conditions, fmt.Sprintf("frames of the lossless classes have %v or more", size))
	}
	return 1
}

func (x *told) explain(i int) report.ExplainDocument {
	nowhere := func(string) (string, int, bool) { return "", 0, false }
	return report.Explain(&x.in, x.a, i, fmt.Sprintf("ports[%d]", i), nowhere)
}

func agreeOnExplained(t *testing.T, x *told, name string) (n int) {
	for i := range x.in.Ports[:min(len(x.in.Ports), 2)] {
		for _, item := range x.explain(i).Items {
			for _, g := range x.p.Groups {
				if item.Group == nil || g.Port != x.in.Ports[i].Name || g.Group != *item.Group {
					continue
				}
				n++
				switch item.Item {
				case "headroom":
					require.Equal(t, g.Headroom, *item.Cells, name)
				case "reserved":
					require.Equal(t, g.Reserved, *item.Cells, name)
				case "xon":
					require.Equal(t, g.XONOffset, *item.Cells, name)
				}
				require.Contains(t, item.Slices, g.Slice, name)
			}
			if item.Item == "shared" && x.p.Fits {
				require.Contains(t, sharedOf(x.p), *item.Cells, name)
			}
		}
	}
	return n
}

func sharedOf(p *buffer.Plan) (out []cells.Count) {
	for _, s := range p.Slices {
		out = append(out, s.Shared)
	}
	return out
}

func agreeOnMarking(t *testing.T, x *told, name string) (n int) {
	if !x.p.Fits {
		return 0
	}
	bursts, err := capacity.Bursts(x.in, x.entries, []int{0, 2, 3}, 0)
	require.NoError(t, err, name)
	for _, m := range x.p.MarksFirst() {
		require.Equal(t, m.First, m.Check.MarksFirst(m.Groups), name)
		require.Equal(t, !m.First, slices.Contains(x.p.Warnings, m.String()), name)
		n++
		for _, b := range bursts {
			// The same congestion: as many groups feed the queue as are congested, all in the slice.
			if b.Class != m.Class || b.Slice != m.Slice || b.Senders != b.InSlice || b.Senders < 2 {
				continue
			}
			m.Check.Feeding = b.Senders
			if m.Check.PauseThreshold(b.Senders)/unit.Bytes(m.Check.Cell) != unit.Bytes(b.Pause) {
				continue // another group of the class, with a limit of its own
			}
			if !m.Check.MarksFirst(b.Senders) {
				require.Greater(t, b.MarksSome, b.XOFF, "%s: %d senders of %s", name, b.Senders, b.Ports)
			}
			require.LessOrEqual(t, b.Queue, m.Check.QueueAtPause(b.Senders), "%s: frames fill no more than cells", name)
		}
	}
	return n
}
