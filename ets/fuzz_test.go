package ets_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/unit"
)

// FuzzSchedule makes a schedule of any groups and queues. What is accepted can be flattened for every target, and no
// queue has more than the link.
func FuzzSchedule(f *testing.F) {
	f.Add([]byte{0, 2, 50, 0, 1, 2, 50, 0}, []byte{0, 0, 0, 1, 3, 1, 0, 2})
	f.Add([]byte{0, 0, 0, 0, 1, 2, 100, 0, 2, 1, 0, 9}, []byte{7, 0, 1, 0, 1, 1, 0, 255})
	f.Add([]byte{15, 0, 0, 0}, []byte{})
	f.Fuzz(func(t *testing.T, groups, queues []byte) {
		var g []ets.Group
		for ; len(groups) >= 4; groups = groups[4:] {
			g = append(g, ets.Group{Number: int(int8(groups[0])), Selection: dcbx.Selection(groups[1]),
				Bandwidth: int(int8(groups[2])), IdleSlope: unit.BitRate(groups[3]) * ets.SlopeUnit})
		}
		var q []ets.Queue
		for ; len(queues) >= 4; queues = queues[4:] {
			q = append(q, ets.Queue{Priority: int(int8(queues[0])), Group: int(int8(queues[1])), Strict: queues[2] == 1,
				Weight: int(int8(queues[3]))})
		}
		s, err := ets.NewSchedule(g, q)
		if err != nil {
			require.Nil(t, s)
			return
		}
		require.Len(t, s.Shares(), len(s.Queues))
		for i := range s.Queues {
			require.Equal(t, s.Queues[i].Group, s.Groups[s.GroupOf(i)].Number)
		}
		_ = s.Percents()
		_ = s.Flatten(ets.Weights)
		_ = s.Rest()
		again, err := ets.NewSchedule(s.Groups, s.Queues)
		require.NoError(t, err)
		require.Equal(t, s, again)
	})
}
