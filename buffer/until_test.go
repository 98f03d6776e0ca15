package buffer_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// counting counts how often links are sized and explained, which is what planning costs.
type counting struct {
	thresholds.IEEE
	n *int
}

func (c counting) Size(l thresholds.Link, m thresholds.Memory) (thresholds.Headroom, error) {
	*c.n++
	return c.IEEE.Size(l, m)
}

func (c counting) Explain(l thresholds.Link, m thresholds.Memory) (thresholds.Explanation, error) {
	*c.n++
	return c.IEEE.Explain(l, m)
}

// A plan ends when the one who asks stops, wherever it is, and between two looks it sizes no link of a port twice.
func TestNewUntil(t *testing.T) {
	chip, err := asic.Load("tomahawk4")
	require.NoError(t, err)
	sized := 0
	in := buffer.Intent{Chip: chip, Sizing: counting{n: &sized}, Classes: []buffer.Class{
		{Name: "a", Priorities: []int{3}, Lossless: true}, {Name: "b", Priorities: []int{4}, Lossless: true, MTU: 1500}}}
	for i := range 64 {
		in.Ports = append(in.Ports, buffer.Port{Name: fmt.Sprint("e", i), Rate: 400 * unit.Gbps, MTU: 9216,
			Cable: unit.Length(1+50*i) * unit.Metre})
	}
	looks, last, most := 0, 0, 0
	look := func() error {
		looks, most, last = looks+1, max(most, sized-last), sized
		return nil
	}
	whole, err := buffer.NewUntil(look, in)
	require.NoError(t, err)
	require.False(t, whole.Fits)
	all, atMost := looks, 3*len(in.Ports)*len(in.Classes) // an intent, and the largest headroom of it before and after
	require.Greater(t, all, 100)
	require.LessOrEqual(t, most, atMost, "links that are sized between two looks")
	require.LessOrEqual(t, sized-last, atMost, "and behind the last")
	stopped := errors.New("stopped")
	for _, at := range []int{1, 2, 30, all / 2, all - 1, all} {
		looks, sized = 0, 0
		behind := 0
		p, err := buffer.NewUntil(func() error {
			if looks++; looks < at {
				return nil
			}
			behind = sized
			return stopped
		}, in)
		require.ErrorIs(t, err, stopped, "look %d", at)
		require.Nil(t, p)
		require.Equal(t, at, looks, "it is not asked again")
		require.LessOrEqual(t, sized-behind, atMost, "links that are sized behind look %d", at)
	}
}
