package buffer_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/pg"
)

// A kind knows its name, whose register it is, and how its values read.
func ExampleKind() {
	for _, r := range []buffer.Setting{
		{Register: buffer.Register{Kind: buffer.PortMinimum, Port: "Ethernet1/1"}, Value: 8},
		{Register: buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet1/1", Index: 3}, Value: 6},
		{Register: buffer.Register{Kind: buffer.QueueReserved, Port: "Ethernet1/1", Index: 3}, Value: 4},
		{Register: buffer.Register{Kind: buffer.GroupAlpha, Port: "Ethernet1/1", Index: 3}, Value: -3},
	} {
		fmt.Printf("%s: %s (takes cells: %v)\n", r.Kind, r, r.Kind.Allocates())
	}
	fmt.Println(buffer.QueueWeight.Check(101))
	// Output:
	// port reserved: Ethernet1/1 reserved 8 cells (takes cells: true)
	// group reserved: Ethernet1/1 group 3 reserved 6 cells (takes cells: true)
	// queue reserved: Ethernet1/1 queue 3 reserved 4 cells (takes cells: true)
	// group alpha: Ethernet1/1 group 3 alpha 2^-3 (takes cells: false)
	// 101: want 1 to 100, -1 for strict, 0 for none
}

// Journals and reports name registers by their kind: no two may be the same.
func TestKindNames(t *testing.T) {
	seen := map[string]buffer.Kind{}
	for _, k := range buffer.Kinds() {
		require.NotContains(t, seen, k.String())
		seen[k.String()] = k
		again, err := buffer.ParseKind(k.String())
		require.NoError(t, err)
		require.Equal(t, k, again)
	}
	require.Contains(t, seen, "port reserved")
	require.Contains(t, seen, "shared pool")
	_, err := buffer.ParseKind("reserved")
	require.ErrorContains(t, err, `"reserved" is no kind of register (want [shared pool headroom pool port reserved`)
	require.Equal(t, "PG-min", buffer.GroupReserved.ShortName())
	require.Equal(t, "queue reserved", buffer.QueueReserved.ShortName())
}

func TestKindChecksValues(t *testing.T) {
	for _, k := range buffer.Kinds() {
		empty := buffer.Layout{}.Value(buffer.Register{Kind: k})
		require.NoError(t, k.Check(empty), "%v: the empty value", k)
	}
	for want, c := range map[string]struct {
		kind  buffer.Kind
		value int64
	}{
		"-1 is negative": {buffer.GroupReserved, -1},
		"-5 is negative": {buffer.GroupLossless, -5},
		"2: want 0 or 1": {buffer.GroupLossless, 2},
		"above 100%":     {buffer.QueueECNPMax, 10001},
		"-2: want 1 to 100, -1 for strict, 0 for none":      {buffer.QueueWeight, -2},
		"4294967296: want an exponent of 32 bits":           {buffer.GroupAlpha, 1 << 32},
		"-9223372036854775808 is negative":                  {buffer.PoolShared, buffer.Unset},
		"-9223372036854775807: want an exponent of 32 bits": {buffer.GroupAlpha, buffer.Unset + 1},
	} {
		require.EqualError(t, c.kind.Check(c.value), want)
	}
	require.NoError(t, buffer.PriorityDSCP.Check(buffer.Unset), "DSCP 63 makes the value negative")
	require.NoError(t, buffer.QueueWeight.Check(buffer.Strict))
}

func TestRegisterIsValid(t *testing.T) {
	for _, k := range buffer.Kinds() {
		port := "Ethernet1"
		if k.Scope() == buffer.SliceScope {
			port = ""
		}
		r := buffer.Register{Kind: k, Port: port}
		require.True(t, r.Valid(), k)
		r.Index = 7
		require.Equal(t, k.Scope() != buffer.PortScope, r.Valid(), k)
		r.Index = 8
		require.Equal(t, k.Scope() == buffer.SliceScope || k.Scope() == buffer.ChannelScope, r.Valid(), k)
		r.Index = 32
		require.Equal(t, k.Scope() == buffer.SliceScope, r.Valid(), k)
		r.Index = -1
		require.False(t, r.Valid(), k)
		withPort, without := buffer.Register{Kind: k, Port: "Ethernet1"}, buffer.Register{Kind: k}
		require.NotEqual(t, withPort.Valid(), without.Valid(), k)
	}
}

func TestKindTexts(t *testing.T) {
	require.Equal(t, "yes", buffer.GroupLossless.Text(1))
	require.Equal(t, "no", buffer.GroupLossless.Text(0))
	require.Equal(t, "7", buffer.GroupLossless.Text(7))
	require.Equal(t, "5.25%", buffer.QueueECNPMax.Text(525))
	require.Equal(t, "strict", buffer.QueueWeight.Text(buffer.Strict))
	require.Equal(t, "none", buffer.PriorityDSCP.Text(0))
	require.Equal(t, "unset", buffer.GroupAlpha.Text(buffer.Unset))
	require.Equal(t, "63", buffer.PriorityDSCP.Text(int64(pg.Points(63))), "has the bits of Unset")
	require.Equal(t, "slice 2 headroom pool", buffer.Register{Kind: buffer.PoolHeadroom, Index: 2}.String())
	require.Equal(t, "Ethernet1 priority 3 dscp", buffer.Register{Kind: buffer.PriorityDSCP, Port: "Ethernet1",
		Index: 3}.String())
}

// A number that is no kind, phase or scope has a name and no register.
func TestNumbersThatNameNothing(t *testing.T) {
	none := buffer.Kind(99)
	require.Equal(t, "kind 99", none.String())
	require.ErrorContains(t, none.Check(1), "no kind of register")
	require.False(t, buffer.Register{Kind: none, Port: "Ethernet1"}.Valid())
	require.NotEmpty(t, buffer.Register{Kind: -1}.String())
	require.Equal(t, "phase 9", buffer.Phase(9).String())
	require.Equal(t, "scope -1", buffer.Scope(-1).String())
	require.Equal(t, "disruption 4", buffer.Disruption(4).String())
}
