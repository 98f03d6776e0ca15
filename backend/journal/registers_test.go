package journal

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
)

// Journals of earlier versions name registers as they always did, except that a
// port's minimum had the name of a group's.
func TestJournalReadsEarlierNames(t *testing.T) {
	earlier := map[buffer.Kind]string{buffer.PoolShared: "shared pool", buffer.PoolHeadroom: "headroom pool",
		buffer.GroupReserved: "group reserved",
		buffer.GroupAlpha:    "group alpha", buffer.GroupStatic: "group static limit", buffer.GroupLossless: "group lossless",
		buffer.GroupHeadroom: "group headroom", buffer.GroupXONOffset: "group xon offset",
		buffer.QueueReserved: "queue reserved",
		buffer.QueueECNMin:   "queue ecn kmin", buffer.QueueECNMax: "queue ecn kmax", buffer.QueueECNPMax: "queue ecn pmax",
		buffer.QueueWeight: "queue weight", buffer.PriorityDSCP: "priority dscp"}
	later := []buffer.Kind{buffer.PortMinimum, buffer.QueueClass, buffer.QueueShare, buffer.ClassBandwidth,
		buffer.ClassIdleSlope, buffer.PortCredits, buffer.ChannelTraffic, buffer.ChannelReserved, buffer.ChannelAlpha,
		buffer.ChannelStatic}
	require.Len(t, earlier, len(buffer.Kinds())-len(later))
	for k, name := range earlier {
		s := setting{Register: name, Port: "Ethernet1/1", Index: 3, Value: 1}
		if k.Scope() == buffer.SliceScope {
			s.Port = ""
		}
		l, err := layoutOf([]setting{s})
		require.NoError(t, err, name)
		require.Equal(t, buffer.Layout{{Register: buffer.Register{Kind: k, Port: s.Port, Index: 3}, Value: 1}}, l)
		require.Equal(t, []setting{s}, settings(l))
	}
}

// A port's minimum and a group's are two registers.
func TestJournalTellsMinimaApart(t *testing.T) {
	want := buffer.NewLayout([]buffer.Setting{
		{Register: buffer.Register{Kind: buffer.PortMinimum, Port: "Ethernet1/1"}, Value: 8},
		{Register: buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet1/1"}, Value: 6},
	})
	got, err := layoutOf(settings(want))
	require.NoError(t, err)
	require.Equal(t, want, got)
	_, err = layoutOf([]setting{{Register: "port reserved", Port: "Ethernet1/1", Index: 3, Value: 8}})
	require.ErrorContains(t, err, `register "port reserved" of "Ethernet1/1", 3`)
}
