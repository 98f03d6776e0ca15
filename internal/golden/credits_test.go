package golden_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/golden"
	"github.com/cellwarden/cellwarden/unit"
)

// remakeCredits gives every channel whose credits the links decide the number of the remedy, and one more.
func remakeCredits(t *testing.T, in buffer.Intent, to string) (buffer.Intent, *buffer.Intent) {
	most, err := unit.ParseBytes(to)
	require.NoError(t, err)
	state := func(b unit.Bytes) buffer.Intent {
		out := in
		out.Classes = slices.Clone(in.Classes)
		for i := range out.Classes {
			if c := &out.Classes[i]; c.Credits && !c.Reserved.IsGiven() {
				c.Reserved = unit.Given(b)
			}
		}
		return out
	}
	more := state(most + in.Chip.Cell.Bytes(1))
	return state(most), &more
}

// remakeSharedCredits cuts the shared credits of every port.
func remakeSharedCredits(t *testing.T, in buffer.Intent, to string) (buffer.Intent, *buffer.Intent) {
	most, err := unit.ParseBytes(to)
	require.NoError(t, err)
	cut := func(b unit.Bytes) buffer.Intent {
		out := in
		out.Ports = slices.Clone(in.Ports)
		for i := range out.Ports {
			out.Ports[i].SharedCredits = min(out.Ports[i].SharedCredits, b)
		}
		return out
	}
	more := cut(most + in.Chip.Cell.Bytes(1))
	return cut(most), &more
}

// What plans say of virtual channels adds up: each row has whole cells for what was asked, the port's pool has all of
// them, a channel alone never gets more than the pool, and with more shared credits none gets fewer.
func TestChannelsOfRandomPlans(t *testing.T) {
	seen := 0
	first, end := effort.Seeds(300)
	for seed := first; seed < end; seed++ {
		in, name := golden.Random(source(seed)), fmt.Sprint("seed ", seed)
		plan, err := buffer.New(in)
		require.NoError(t, err, name)
		more := in
		more.Ports = slices.Clone(in.Ports)
		for i := range more.Ports {
			if more.Ports[i].SharedCredits > 0 {
				more.Ports[i].SharedCredits += in.Chip.Cell.Bytes(100)
			}
		}
		if len(plan.Channels) == 0 {
			continue
		}
		seen++
		cell := in.Chip.Cell
		for i := range in.Ports {
			credits, err := in.Credits(i)
			require.NoError(t, err, name)
			larger, err := more.Credits(i)
			require.NoError(t, err, name)
			sum := cell.Holding(in.Ports[i].SharedCredits)
			if len(credits.Channels) == 0 {
				continue // down, and reclaimed
			}
			for k := range credits.Channels {
				p := &credits.Pool.Profiles[k]
				sum += cells.Count(p.Reserved)
				require.LessOrEqual(t, p.Reserved, credits.Pool.Alone(k), name)
				require.LessOrEqual(t, credits.Pool.Alone(k), credits.Pool.Most(k), name)
				require.LessOrEqual(t, credits.Pool.Most(k), credits.Pool.Size, name)
				require.LessOrEqual(t, credits.Pool.Alone(k), larger.Pool.Alone(k), name)
			}
			require.EqualValues(t, sum, credits.Pool.Size, name)
		}
		layout := plan.Layout()
		for _, c := range plan.Channels {
			require.Equal(t, cell.Holding(c.ReservedAsked), c.Reserved, name)
			require.Equal(t, cell.Holding(c.SharedAsked), c.Shared, name)
			require.Equal(t, cell.Within(c.LimitAsked), c.Limit, name)
			require.EqualValues(t, c.Reserved, layout.Value(buffer.Register{Kind: buffer.ChannelReserved, Port: c.Port,
				Index: c.Channel}), name)
			require.NotZero(t, c.Traffic, name)
		}
	}
	require.Greater(t, uint64(seen), (end-first)/15)
}
