package qos_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/pg"
)

// Every register that a client can ask for is named by the paths that ask for it.
func TestAsks(t *testing.T) {
	var all []buffer.Setting
	for k, v := range map[buffer.Kind]int64{buffer.GroupReserved: 5, buffer.GroupAlpha: 1, buffer.QueueReserved: 5,
		buffer.QueueECNMin: 5, buffer.QueueECNMax: 9,
		buffer.QueueECNPMax: 100, buffer.QueueWeight: 5, buffer.PriorityDSCP: int64(pg.Points(5))} {
		all = append(all, buffer.Setting{Register: buffer.Register{Kind: k, Port: "a", Index: 3}, Value: v})
	}
	tree, err := qos.Encode(buffer.NewLayout(all), 208)
	require.NoError(t, err)
	registers, err := qos.DecodeNamed(tree, 208, qos.Names{})
	require.NoError(t, err)
	for _, s := range all {
		paths := registers.PathsOf(s.Register)
		require.NotEmpty(t, paths, "%v", s)
		require.Contains(t, paths[1], "/qos/interfaces/interface[interface-id=a]/")
		require.Empty(t, registers.PathsOf(buffer.Register{Kind: s.Kind, Port: "b", Index: 3}))
	}
}
