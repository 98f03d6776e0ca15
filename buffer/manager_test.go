package buffer_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
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
	// 20km no: ingress buffer allocation failed for interface Ethernet1/8: group 3 needs 40,153 cells in slice 0 and has 10,109: 30,044 short
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

// What a port carries, whether it is in use, and questions that are refused cost nothing but time.
func TestManagerAnswersWithoutAllocating(t *testing.T) {
	in := dedicated(8, 300*unit.Metre)
	in.Chip.Reclaims = buffer.ReclaimsAdminDown
	m := manager(t, in)
	far, _ := m.Port("Ethernet1/8")
	far.Cable = 20 * unit.Kilometre
	hash := m.Hash()
	toggle := func() {
		_ = m.SetState("Ethernet1/8", buffer.PortAdminDown)
		_ = m.SetState("Ethernet1/8", buffer.PortUp)
		_ = m.SetClasses("Ethernet1/7", buffer.Classes(1))
		_ = m.SetClasses("Ethernet1/7", 0)
		if s, _ := m.WhatIf("Ethernet1/8", far); s.Fits() {
			t.Error("it fits")
		}
	}
	toggle() // sizes the kinds once
	require.Zero(t, testing.AllocsPerRun(100, toggle))
	require.Equal(t, hash, m.Hash())
}

// Hash names each field of a port and of its measurement.
func TestHashOfEveryField(t *testing.T) {
	require.Equal(t, 18, reflect.TypeFor[buffer.Port]().NumField(), "a new field belongs in Hash")
	require.Equal(t, 4, reflect.TypeFor[thresholds.Measurement]().NumField(), "a new field belongs in Hash")
}

// A Manager that is made of another's intent has the other's hash, also when ports have come and gone.
func TestManagerHashOfARestoredIntent(t *testing.T) {
	m := manager(t, dedicated(8, 5*unit.Metre))
	require.NoError(t, m.Release("Ethernet1/3"))
	require.NoError(t, m.Admit(buffer.Port{Name: "Ethernet1/9", Rate: 100 * unit.Gbps, Cable: 5 * unit.Metre, MTU: 9216}))
	in := saved(t, m.Intent())
	require.Equal(t, m.Hash(), manager(t, in).Hash())
	in.Ports[0].Lanes = 4
	require.NotEqual(t, m.Hash(), manager(t, in).Hash())
}

// With a ratio the pool depends on all ports, and all are admitted again. The refusal names the port that was asked
// for, not the first that no longer fits beside it.
func TestManagerBlamesThePortThatWasAskedFor(t *testing.T) {
	in := dedicated(30, 40*unit.Metre)
	in.Pool.SharedHeadroomRatio = 4
	m := manager(t, in)
	far := buffer.Port{Name: "Ethernet1/31", Rate: 100 * unit.Gbps, Cable: 40 * unit.Kilometre, MTU: 9216}
	refused := func(err error, port string) {
		t.Helper()
		var r *buffer.Refusal
		require.ErrorAs(t, err, &r)
		require.Equal(t, port, r.Port)
		require.Contains(t, r.Message, "for interface "+port)
	}
	hash := m.Hash()
	refused(m.Admit(far), "Ethernet1/31")
	refused(m.Admit(buffer.Port{Name: "Ethernet1/32", Rate: 100 * unit.Gbps, Cable: unit.Metre, MTU: 9216}, far),
		"Ethernet1/31")
	far.Name = ""
	refused(m.Change("Ethernet1/7", far), "Ethernet1/7")
	require.Equal(t, hash, m.Hash())
}

// What was sized last is not taken for a class that has changed since, nor for one whose change was refused.
func TestManagerSizesAChangedClassAgain(t *testing.T) {
	m := manager(t, dedicated(8, 300*unit.Metre))
	p := m.Intent().Ports[6]
	c := m.Intent().Classes[0]
	for _, test := range []struct {
		cells unit.Bytes
		holds int // reserved cells of slice 0
		want  error
	}{{10, 80, nil}, {4000, 80, buffer.ErrNoFit}, {20, 160, nil}} {
		require.NoError(t, m.Change(p.Name, p))
		c.Reserved = unit.Given(208 * test.cells)
		require.ErrorIs(t, m.SetClass("rdma", c), test.want)
		require.NoError(t, m.Change(p.Name, p))
		require.EqualValues(t, test.holds, m.Slices()[0].Reserved)
	}
}

// The definition of a class changes on all ports, or on none; what that
// allocates depends on the kinds of ports, not on how many there are.
func TestManagerSetClass(t *testing.T) {
	m := manager(t, dedicated(8, 300*unit.Metre))
	plan, clone, hash := m.Plan(), m.Clone(), m.Hash()
	before := document(t, plan)
	c := m.Intent().Classes[0]
	c.Reserved = unit.Given[unit.Bytes](208 * 4000)
	err := m.SetClass("rdma", c)
	require.ErrorIs(t, err, buffer.ErrNoFit)
	require.ErrorContains(t, err, "interface Ethernet1/3: group 4 needs 5,670 cells in slice 2 and has 3,155: 2,515 short")
	require.ErrorIs(t, m.SetClass("voice", c), buffer.ErrNoClass)
	require.ErrorIs(t, m.SetClass("best-effort", c), buffer.ErrInvalid, "another name")
	require.ErrorIs(t, m.SetClass("rdma", buffer.Class{Priorities: []int{0}}), buffer.ErrInvalid,
		"a priority of another class")
	c.MTU = 16385
	require.ErrorIs(t, m.SetClass("rdma", c), buffer.ErrInvalid, "longer than any frame")
	require.Equal(t, hash, m.Hash())
	require.Equal(t, before, document(t, m.Plan()))

	c.MTU, c.Reserved = 4096, unit.Given[unit.Bytes](208*10)
	require.NoError(t, m.SetClass("rdma", c))
	require.EqualValues(t, 4*2*10, m.Slices()[0].Reserved)
	require.NotEqual(t, hash, m.Hash())
	require.Equal(t, before, document(t, plan), "a plan stays what it is")
	require.Equal(t, hash, clone.Hash())
	require.Equal(t, before, document(t, clone.Plan()))

	allocs := func(n int) float64 {
		m := manager(t, dedicated(n, 5*unit.Metre))
		return testing.AllocsPerRun(10, func() { require.NoError(t, m.SetClass("rdma", c)) })
	}
	require.InDelta(t, allocs(4), allocs(16), 6, "they do not grow with the ports; the race detector adds some of its own")
}

// A port that is down holds nothing where the chip reclaims, and may be refused
// when it comes up; elsewhere its state changes nothing.
func TestManagerReclaims(t *testing.T) {
	for reclaims, freed := range map[buffer.Reclaim][3]bool{
		buffer.ReclaimsNothing: {}, buffer.ReclaimsAdminDown: {false, false, true}, buffer.ReclaimsLinkDown: {false, true,
			true},
	} {
		in := dedicated(8, 300*unit.Metre)
		in.Chip.Reclaims = reclaims
		m := manager(t, in)
		used := m.Slices()[2]
		for s, free := range freed {
			require.NoError(t, m.SetState("Ethernet1/2", buffer.PortState(s)))
			require.Equal(t, free, m.Slices()[2] != used, "%s: %v", reclaims, buffer.PortState(s))
			require.Equal(t, free, m.Layout().Value(buffer.Register{Kind: buffer.GroupHeadroom, Port: "Ethernet1/2",
				Index: 3}) == 0)
		}
		if reclaims == buffer.ReclaimsNothing {
			continue
		}
		other, _ := m.Port("Ethernet1/3")
		other.Cable = 2300 * unit.Metre
		require.NoError(t, m.Change(other.Name, other), "there is room while port 2 is down")
		err := m.SetState("Ethernet1/2", buffer.PortUp)
		require.ErrorIs(t, err, buffer.ErrNoFit)
		p, _ := m.Port("Ethernet1/2")
		require.Equal(t, buffer.PortAdminDown, p.State)
		p.State = buffer.PortUp
		ways, err := m.Remedies(p)
		require.NoError(t, err)
		require.NotEmpty(t, ways)
		require.Equal(t, "ports", ways[0].Change)
	}
	require.ErrorIs(t, manager(t, dedicated(1, 0)).SetState("x", buffer.PortUp), buffer.ErrNoPort)
	require.Panics(t, func() { buffer.Classes(8) })
}

// BenchmarkManagerChange changes the cable of one port of 512 and back.
func BenchmarkManagerChange(b *testing.B) {
	m := manager(b, intent512())
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

// Ask first, look for a way only if the answer is no, and then do it.
func ExampleManager_WhatIf() {
	m, err := buffer.NewManager(dedicated(8, 300*unit.Metre))
	if err != nil {
		fmt.Println(err)
		return
	}
	far, _ := m.Port("Ethernet1/8")
	far.Cable = 20 * unit.Kilometre
	short, err := m.WhatIf(far.Name, far)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(short)
	ways, err := m.Remedies(far)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, w := range ways {
		fmt.Println("-", w.Text)
	}
	far.Cable = 2 * unit.Kilometre
	fmt.Println(m.Change(far.Name, far))
	// Output:
	// group 3 needs 40,153 cells in slice 0 and has 10,109: 30,044 short
	// - fewer ports: 7 of 8 fit where they are, 1 fewer: Ethernet1/1-7
	// - shorter cable: none longer than 2.029km, instead of up to 20km
	// <nil>
}

// A caller can put any number into a field that has few values.
func TestManagerRefusesWhatIsNoMedium(t *testing.T) {
	m := manager(t, dedicated(4, 300*unit.Metre))
	for _, medium := range []thresholds.Medium{-1, 4, 1 << 40} {
		err := m.Admit(buffer.Port{Name: "Ethernet99", Rate: 100 * unit.Gbps, Medium: medium, MTU: 9216})
		require.ErrorIs(t, err, buffer.ErrInvalid)
		require.ErrorContains(t, err, fmt.Sprintf("port.medium: medium %d: want fibre, copper", medium))
	}
}
