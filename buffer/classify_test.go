package buffer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

func classified() buffer.Intent {
	in := dedicated(2, 5*unit.Metre)
	in.Classes[0].Weight, in.Classes[1].Weight = 60, 40
	in.DSCP = pg.DSCPMap{3: pg.Points(26), 0: pg.Points(0, 1)}
	in.Ports[1].Classes = buffer.Classes(1)
	return in
}

// A port has the weights and the DSCPs of the classes that it carries, and no others.
func TestWeightsAndCodePoints(t *testing.T) {
	in := classified()
	in.Classes[1].Weight, in.Classes[1].Strict = 0, true
	plan, err := buffer.New(in)
	require.NoError(t, err)
	value := func(k buffer.Kind, port string, i int) int64 {
		return plan.Layout().Value(buffer.Register{Kind: k, Port: port, Index: i})
	}
	one, two := in.Ports[0].Name, in.Ports[1].Name
	require.EqualValues(t, 60, value(buffer.QueueWeight, one, 4))
	require.EqualValues(t, buffer.Strict, value(buffer.QueueWeight, one, 7))
	require.EqualValues(t, 1<<26, value(buffer.PriorityDSCP, one, 3))
	require.EqualValues(t, 3, value(buffer.PriorityDSCP, one, 0))
	require.Zero(t, value(buffer.PriorityDSCP, one, 4))
	require.Zero(t, value(buffer.QueueWeight, two, 3), "it does not carry the class")
	require.Zero(t, value(buffer.PriorityDSCP, two, 3))
	require.EqualValues(t, 3, value(buffer.PriorityDSCP, two, 0))

	s := buffer.Setting{Register: buffer.Register{Kind: buffer.PriorityDSCP, Port: one, Index: 3},
		Value: int64(pg.Points(24, 25, 26, 63))}
	require.Equal(t, one+" priority 3 dscp 24-26,63", s.String())
	s = buffer.Setting{Register: buffer.Register{Kind: buffer.QueueWeight, Port: one, Index: 3}, Value: buffer.Strict}
	require.Equal(t, one+" queue 3 weight strict", s.String())
}

func TestWeightsAndCodePointsThatAreRefused(t *testing.T) {
	for text, change := range map[string]func(*buffer.Intent){
		"classes[0].weight: 101: want 1 to 100": func(
			in *buffer.Intent) {
			in.Classes[0].Weight = 101
		},
		"classes[0].weight: -1: want 1 to 100": func(
			in *buffer.Intent) {
			in.Classes[0].Weight = -1
		},
		"classes[1].weight: 40: want no weight beside strict": func(
			in *buffer.Intent) {
			in.Classes[1].Strict = true
		},
		"classes[1].weight: none: want a weight or strict for every": func(
			in *buffer.Intent) {
			in.Classes[1].Weight = 0
		},
		"dscp.3: 1: want DSCPs of no other priority": func(in *buffer.Intent) { in.DSCP[3] |= pg.Points(1) },
		"dscp.6: 48: want a priority of a class": func(in *buffer.Intent) {
			in.Classes[1].Priorities, in.DSCP[6] = []int{0}, pg.Points(48)
		},
	} {
		in := classified()
		change(&in)
		_, err := buffer.New(in)
		require.ErrorIs(t, err, buffer.ErrInvalid, text)
		require.ErrorContains(t, err, text)
	}
}

// Packets are led away from a group before it stops being lossless, and to it
// after it became lossless; undoing is the mirror.
func TestCodePointsMoveAroundLossless(t *testing.T) {
	lossless := buffer.Setting{Register: buffer.Register{Kind: buffer.GroupLossless, Port: "e", Index: 3}, Value: 1}
	dscp := buffer.Setting{Register: buffer.Register{Kind: buffer.PriorityDSCP, Port: "e", Index: 3},
		Value: int64(pg.Points(26))}
	want := buffer.NewLayout([]buffer.Setting{lossless, dscp})
	up, down := buffer.Diff(nil, want), buffer.Diff(want, nil)
	require.Equal(t, []buffer.Kind{buffer.GroupLossless, buffer.PriorityDSCP}, kindsOf(up))
	require.Equal(t, []buffer.Kind{buffer.PriorityDSCP, buffer.GroupLossless}, kindsOf(down))
	require.Equal(t, kindsOf(down), kindsOf(buffer.Undo(up)))

	move := func(from, to pg.CodePoints) buffer.Phase {
		return buffer.Step{Register: dscp.Register, From: int64(from), To: int64(to)}.Phase()
	}
	require.Equal(t, buffer.Quiesce, move(pg.Points(1, 63), pg.Points(63)), "bit 63 makes the value negative")
	require.Equal(t, buffer.Resume, move(pg.Points(1), pg.Points(1, 63)))
	require.Equal(t, buffer.Resume, move(pg.Points(1), pg.Points(2)))
}

// What a lossless group cannot do without, and what it can.
func TestCritical(t *testing.T) {
	l := buffer.NewLayout([]buffer.Setting{{Register: buffer.Register{Kind: buffer.GroupLossless, Port: "e", Index: 3},
		Value: 1}})
	var needed []buffer.Kind
	for _, k := range buffer.Kinds() {
		require.Equal(t, k == buffer.PoolHeadroom || k.OfCredits(), l.Critical(buffer.Register{Kind: k, Port: "e", Index: 4}),
			"of a lossy group: %v", k)
		if l.Critical(buffer.Register{Kind: k, Port: "e", Index: 3}) {
			needed = append(needed, k)
		}
	}
	require.Equal(t, []buffer.Kind{buffer.PoolHeadroom, buffer.GroupReserved, buffer.GroupAlpha, buffer.GroupStatic,
		buffer.GroupLossless,
		buffer.GroupHeadroom, buffer.PortCredits, buffer.ChannelTraffic, buffer.ChannelReserved, buffer.ChannelAlpha,
		buffer.ChannelStatic, buffer.PriorityDSCP}, needed)
}
