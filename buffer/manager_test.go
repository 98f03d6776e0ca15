package buffer_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/unit"
)

func manager(t testing.TB, in buffer.Intent) *buffer.Manager {
	t.Helper()
	m, err := buffer.NewManager(in)
	require.NoError(t, err)
	return m
}

// A what-if: try it on a clone, keep the clone if it is liked.
func ExampleManager_Clone() {
	m, err := buffer.NewManager(dedicated(8, 300*unit.Metre))
	if err != nil {
		fmt.Println(err)
		return
	}
	tried := m.Clone()
	port, _ := tried.Port("Ethernet1/8")
	for _, cable := range []unit.Length{2 * unit.Kilometre, 20 * unit.Kilometre} {
		port.Cable = cable
		if err := tried.Change(port.Name, port); err != nil {
			fmt.Println(cable, "no:", err)
			continue
		}
		fmt.Println(cable, "yes, shared cells", m.Slices()[0].Shared, "->", tried.Slices()[0].Shared)
		*m = *tried.Clone()
	}
	fmt.Println(m.Release("Ethernet1/9"))
	// Output:
	// 2km yes, shared cells 6757 -> 115
	// 20km no: ingress buffer allocation failed for interface Ethernet1/8: group 3 asks slice 0 for 40153 of 10109 cells, 30044 short
	// no such port: Ethernet1/9
}

// A refused port gets nothing, and neither do those of the same request.
func TestManagerRefusesAsAWhole(t *testing.T) {
	m := manager(t, dedicated(4, 300*unit.Metre))
	before, hash := document(t, m.Plan()), m.Hash()
	more := ports(7, 300*unit.Metre)[4:]
	more[2].Cable = 40 * unit.Kilometre
	err := m.Admit(more...)
	var refusal *buffer.Refusal
	require.ErrorAs(t, err, &refusal)
	require.ErrorIs(t, err, buffer.ErrNoFit)
	require.Equal(t, "Ethernet1/7", refusal.Port)
	require.NotEmpty(t, refusal.Consumers)
	require.ErrorIs(t, m.Release("Ethernet1/1", "Ethernet1/1"), buffer.ErrNoPort)
	require.ErrorIs(t, m.Admit(more[0], more[0]), buffer.ErrInvalid)
	require.ErrorIs(t, m.Change("Ethernet1/1", buffer.Port{Rate: 1}), buffer.ErrInvalid)
	require.ErrorIs(t, m.Change("Ethernet1/1", more[0]), buffer.ErrInvalid, "another name")
	require.ErrorIs(t, m.Change("Ethernet9", more[0]), buffer.ErrNoPort)
	require.ErrorIs(t, m.Replace(dedicated(32, 20*unit.Kilometre)), buffer.ErrNoFit)
	require.Equal(t, before, document(t, m.Plan()))
	require.Equal(t, hash, m.Hash())
	require.NoError(t, m.Admit(more[:2]...))
	require.Equal(t, 6, m.Len())
	require.NotEqual(t, hash, m.Hash())
}

// A switch may begin without ports, and ends so again.
func TestManagerWithoutPorts(t *testing.T) {
	in := dedicated(0, 0)
	m := manager(t, in)
	empty := document(t, m.Plan())
	require.NoError(t, m.Admit(ports(8, 300*unit.Metre)...))
	plan := m.Plan()
	full := document(t, plan)
	p, known := m.Port("Ethernet1/6")
	require.True(t, known)
	require.Equal(t, 1, *p.Pipe)
	*p.Pipe = 3 // a copy
	for i := range 8 {
		require.NoError(t, m.Release(fmt.Sprintf("Ethernet1/%d", i+1)))
	}
	require.Equal(t, empty, document(t, m.Plan()))
	require.Equal(t, full, document(t, plan), "a plan stays what it is")
	_, known = m.Port("Ethernet1/6")
	require.False(t, known)
	_, err := buffer.NewManager(buffer.Intent{})
	require.ErrorIs(t, err, buffer.ErrInvalid)
}

func TestManagerChangesWithoutAllocating(t *testing.T) {
	m := manager(t, dedicated(8, 5*unit.Metre))
	near, _ := m.Port("Ethernet1/8")
	far := near
	far.Cable = 10 * unit.Metre
	names := []string{near.Name}
	require.NoError(t, m.Change(near.Name, far)) // sizes the kind once
	require.Zero(t, testing.AllocsPerRun(100, func() {
		_ = m.Change(near.Name, near)
		_ = m.Change(near.Name, far)
	}))
	require.Zero(t, testing.AllocsPerRun(100, func() {
		_ = m.Release(names...)
		_ = m.Admit(far)
	}))
}

// BenchmarkManagerChange changes the cable of one port of 512 and back.
func BenchmarkManagerChange(b *testing.B) {
	m := manager(b, bench(b))
	near, _ := m.Port("Ethernet1/101")
	far := near
	far.Cable = 300 * unit.Metre
	b.ReportAllocs()
	for b.Loop() {
		if m.Change(near.Name, far) != nil || m.Change(near.Name, near) != nil {
			b.Fatal("does not fit")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(2*b.N), "ns/change")
}
