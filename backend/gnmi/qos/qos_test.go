package qos_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/openconfig/ygot/ygot"
	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/oc"
	"github.com/cellwarden/cellwarden/pg"
)

// random is any layout that OpenConfig can express.
func random(r *rand.Rand) buffer.Layout {
	var out []buffer.Setting
	for _, port := range []string{"Ethernet1/1", "a]b\\c", "et-0/0/0:1"} {
		points := r.Perm(pg.DSCPs)
		for n := range 8 {
			for kind, v := range map[buffer.Kind]int64{buffer.GroupReserved: r.Int63n(3) * r.Int63n(1<<30),
				buffer.GroupAlpha:    r.Int63n(20) - 10,
				buffer.QueueReserved: r.Int63n(2) * r.Int63n(1<<30),
				buffer.QueueWeight:   r.Int63n(102) - 1, buffer.PriorityDSCP: int64(pg.Points(points[8*n : 8*n+r.Intn(9)]...)),
				buffer.QueueECNMin: r.Int63n(2) * r.Int63n(1000), buffer.QueueECNMax: r.Int63n(2) * 1000,
				buffer.QueueECNPMax: r.Int63n(101) * 100} {
				if kind == buffer.GroupAlpha && r.Intn(2) == 0 { // a shared limit is one of the two
					kind, v = buffer.GroupStatic, r.Int63n(1<<20)
				}
				if r.Intn(3) == 0 {
					out = append(out, buffer.Setting{Register: buffer.Register{Kind: kind, Port: port, Index: n}, Value: v})
				}
			}
		}
	}
	return buffer.NewLayout(out)
}

// A layout that is written as OpenConfig and read again is the same layout, also through JSON.
func TestRoundTrip(t *testing.T) {
	seeds := int64(12)
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		r := rand.New(rand.NewSource(seed))
		size, want := cells.Size(1+r.Int63n(1000)), random(r)
		root, err := qos.Encode(want, size)
		require.NoError(t, err)
		have, err := qos.Decode(root, size)
		require.NoError(t, err)
		require.Equal(t, want, have)

		again, err := qos.Encode(have, size)
		require.NoError(t, err)
		text := func(root *oc.Root) string {
			text, err := ygot.EmitJSON(root, &ygot.EmitJSONConfig{Format: ygot.RFC7951,
				RFC7951Config: &ygot.RFC7951JSONConfig{AppendModuleName: true}})
			require.NoError(t, err)
			return text
		}
		require.Equal(t, text(root), text(again))
		var read oc.Root
		require.NoError(t, oc.Unmarshal([]byte(text(root)), &read))
		have, err = qos.Decode(&read, size)
		require.NoError(t, err)
		require.Equal(t, want, have)
	}
}

func TestEncodeRefuses(t *testing.T) {
	tests := []struct {
		kind  buffer.Kind
		port  string
		index int
		value int64
		want  string
	}{
		{buffer.PoolShared, "", 0, 5, "OpenConfig has no leaf for the size of a buffer pool"},
		{buffer.PoolHeadroom, "", 0, 5, "OpenConfig has no leaf for the shared headroom pool"},
		{buffer.GroupLossless, "a", 0, 1, "OpenConfig has no leaf that enables PFC"},
		{buffer.GroupHeadroom, "a", 0, 5, "OpenConfig has no leaf for headroom (xoff)"},
		{buffer.GroupXONOffset, "a", 0, 5, "OpenConfig has no leaf for xon or the xon offset"},
		{buffer.GroupReserved, "", 0, 5, "a port with a name"},
		{buffer.GroupReserved, "a", 8, 5, "0 to 7"},
		{buffer.GroupReserved, "a", 0, -5, "0 to 5412980321358 cells"},
		{buffer.GroupReserved, "a", 0, 1 << 60, "0 to 5412980321358 cells"},
		{buffer.GroupAlpha, "a", 0, 1 << 40, "32 bits"},
		{buffer.QueueECNPMax, "a", 0, 10100, "1 to 100 whole percents"},
		{buffer.QueueECNPMax, "a", 0, 150, "1 to 100 whole percents"},
		{buffer.QueueReserved, "a", 0, -5, "0 to 5412980321358 cells"},
		{buffer.QueueWeight, "a", 0, 101, "1 to 100, or -1 for strict"},
		{buffer.QueueWeight, "a", 0, -2, "1 to 100, or -1 for strict"},
		{buffer.PriorityDSCP, "a", 8, 1, "0 to 7"},
		{buffer.QueueECNMin, "a", 0, -1, "0 to 5412980321358 cells"},
	}
	for _, test := range tests {
		l := buffer.NewLayout([]buffer.Setting{{Register: buffer.Register{Kind: test.kind, Port: test.port,
			Index: test.index}, Value: test.value}})
		_, err := qos.Encode(l, cell)
		require.ErrorIs(t, err, qos.ErrInexpressible)
		require.ErrorContains(t, err, test.want)
	}
	both := buffer.NewLayout([]buffer.Setting{
		{Register: buffer.Register{Kind: buffer.GroupAlpha, Port: "a", Index: 3}, Value: 0},
		{Register: buffer.Register{Kind: buffer.GroupStatic, Port: "a", Index: 3}, Value: 9}})
	_, err := qos.Encode(both, cell)
	require.ErrorIs(t, err, qos.ErrInexpressible)
	require.ErrorContains(t, err, "a group 3 static limit: 9 cells: want none beside an alpha")
	shared := buffer.NewLayout([]buffer.Setting{
		{Register: buffer.Register{Kind: buffer.PriorityDSCP, Port: "a", Index: 3}, Value: int64(pg.Points(24, 26))},
		{Register: buffer.Register{Kind: buffer.PriorityDSCP, Port: "a", Index: 5}, Value: int64(pg.Points(26, 63))}})
	_, err = qos.Encode(shared, cell)
	require.ErrorIs(t, err, qos.ErrInexpressible)
	require.ErrorContains(t, err, "a priority 5 dscp: 26: want DSCPs of no other priority")
	_, err = qos.Encode(nil, 0)
	require.ErrorIs(t, err, buffer.ErrInvalid)
	_, err = qos.Decode(&oc.Root{}, -1)
	require.ErrorIs(t, err, buffer.ErrInvalid)
	have, err := qos.Decode(nil, cell)
	require.NoError(t, err)
	require.Empty(t, have)
}

// Every kind of register is either carried or has a reason.
func TestMissing(t *testing.T) {
	var carried []string
	for _, k := range buffer.Kinds() {
		if qos.Expressible(k) {
			carried = append(carried, k.String())
		} else if k.OfCredits() { // nothing was found that says where a switch has them
			require.Equal(t, "openconfig-qos models no credit-based flow control (CBFC)", qos.Missing()[k])
		} else {
			require.Contains(t, qos.Missing()[k], "set it with the switch's native model")
		}
	}
	require.Equal(t, []string{"group reserved", "group alpha", "group static limit", "queue reserved", "queue ecn kmin",
		"queue ecn kmax", "queue ecn pmax",
		"queue weight", "priority dscp"}, carried)
}

// BenchmarkEncode writes a switch of 64 ports that share a profile.
func BenchmarkEncode(b *testing.B) {
	var ports []string
	for n := range 64 {
		ports = append(ports, fmt.Sprintf("Ethernet1/%d", n+1))
	}
	in := intent(ports...)
	in.Chip = chip(1 << 20)
	want := carried(planned(b, in))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := qos.Encode(want, cell); err != nil {
			b.Fatal(err)
		}
	}
}
