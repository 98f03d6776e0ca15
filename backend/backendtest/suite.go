// Package backendtest holds what every backend has to do, as a test suite, and
// a device that misbehaves on order, to test code that drives backends.
//
// A backend's own test calls [Run] with a function that makes an empty device of the suite's chip:
//
//	func TestConformance(t *testing.T) {
//		backendtest.Run(t, func(t *testing.T, chip buffer.Chip) backend.Backend { … })
//	}
package backendtest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/pg"
)

// Chip is the chip that the suite plans for: two slices of 1000 cells, one
// fed by each of two pipes. Its ports are not given: see [Run].
func Chip() buffer.Chip {
	return buffer.Chip{Name: "test chip", Cell: 256, Groups: 8, MinAlpha: -7, MaxAlpha: 3,
		Slices: []buffer.Slice{{Cells: 1000}, {Cells: 1000}}, Pipes: [][]int{{0}, {1}}}
}

// Layout returns registers of every kind on two ports that fit the chip, with n cells reserved in each group.
func Layout(n int64) buffer.Layout {
	var out []buffer.Setting
	for _, port := range []string{"Ethernet1", "Ethernet2"} {
		set := func(k buffer.Kind, v int64) {
			out = append(out, buffer.Setting{Register: buffer.Register{Kind: k, Port: port, Index: 3}, Value: v})
		}
		out = append(out, buffer.Setting{Register: buffer.Register{Kind: buffer.PortMinimum, Port: port}, Value: 2},
			buffer.Setting{Register: buffer.Register{Kind: buffer.GroupStatic, Port: port, Index: 5}, Value: 70})
		set(buffer.GroupReserved, n)
		set(buffer.GroupAlpha, -3)
		set(buffer.GroupLossless, 1)
		set(buffer.GroupHeadroom, 100)
		set(buffer.GroupXONOffset, 8)
		set(buffer.QueueReserved, 4)
		set(buffer.QueueECNMin, 50)
		set(buffer.QueueECNMax, 200)
		set(buffer.QueueECNPMax, 500)
		set(buffer.QueueWeight, 40)
		out = append(out, buffer.Setting{Register: buffer.Register{Kind: buffer.QueueWeight, Port: port, Index: 6},
			Value: buffer.Strict})
		set(buffer.PriorityDSCP, int64(pg.Points(24, 26)))
	}
	return buffer.NewLayout(out)
}

// Run checks a backend: that it takes the layouts of the suite as registers, and all that RunDevice checks. The
// function makes an empty device of the given chip for each subtest and closes it with t.Cleanup.
//
// What is required is what [backend.Backend] says, and no text of an error. The device has the ports Ethernet1 and
// Ethernet2 or makes them when they are first written to. Where the chip has several pipes, the first port is on pipe
// 0, the second on pipe 1 and so on: the layouts of the suite fill a slice with each.
func Run(t *testing.T, device func(*testing.T, buffer.Chip) backend.Backend) {
	t.Helper()
	for name, check := range map[string]func(*testing.T, backend.Backend){
		"takes a layout and reads it back":    checkRoundTrip,
		"refuses what does not fit":           checkNoFit,
		"refuses what the chip has not":       checkNoSuchValue,
		"moves from one layout to another":    checkMove,
		"takes back what a later group needs": checkOrder,
	} {
		t.Run(name, func(t *testing.T) { check(t, device(t, Chip())) })
	}
	RunDevice(t, func(t *testing.T) Subject[buffer.Layout, buffer.Step] {
		b := device(t, Chip())
		return Subject[buffer.Layout, buffer.Step]{
			Device: func(t *testing.T, p Plan) backend.Device[buffer.Layout, buffer.Step] {
				d, err := backend.NewRegisters(t.Context(), b, layouts[p], backend.Options{Prune: true})
				require.NoError(t, err)
				return d
			},
			Content: func(t *testing.T) any { return append(buffer.Layout{}, observe(t, b)...) },
		}
	})
}

// layouts are the plans of RunDevice. To go from the one to the other takes decreases and increases.
var layouts = map[Plan]buffer.Layout{Nothing: nil, First: Layout(600), Second: moved(), TooLarge: Layout(1001)}

func moved() buffer.Layout {
	l := Layout(20)
	var more []buffer.Step
	for _, s := range l {
		if s.Kind == buffer.GroupHeadroom || s.Kind == buffer.GroupReserved && s.Index == 3 {
			more = append(more, buffer.Step{Register: s.Register, To: s.Value * 2})
		}
	}
	return l.With(more)
}

// can returns the layout's registers that the device can express.
func can(t *testing.T, b backend.Backend, l buffer.Layout) buffer.Layout {
	t.Helper()
	caps, err := b.Capabilities(t.Context())
	require.NoError(t, err)
	return l.Only(func(r buffer.Register) bool { return caps.Can(r.Kind) })
}

func observe(t *testing.T, b backend.Backend) buffer.Layout {
	t.Helper()
	l, err := b.Observe(t.Context())
	require.NoError(t, err)
	return l
}

func converge(t *testing.T, b backend.Backend, want buffer.Layout, state backend.State) *backend.Report {
	t.Helper()
	r, err := backend.Converge(t.Context(), b, want, backend.Options{Prune: true})
	require.NoError(t, err)
	require.Equal(t, state, r.State)
	return r
}

func checkRoundTrip(t *testing.T, b backend.Backend) {
	require.Empty(t, observe(t, b), "a new device is empty")
	require.NotEmpty(t, b.Name())
	converge(t, b, Layout(10), backend.Applied)
	require.Empty(t, buffer.Diff(observe(t, b), can(t, b, Layout(10))))
}

func checkNoFit(t *testing.T, b backend.Backend) {
	converge(t, b, Layout(10), backend.Applied)
	before := observe(t, b)
	r, err := backend.Converge(t.Context(), b, Layout(1001), backend.Options{})
	require.ErrorIs(t, err, backend.ErrRefused)
	require.ErrorIs(t, err, buffer.ErrNoFit)
	require.Equal(t, backend.Refused, r.State)
	require.Equal(t, before, observe(t, b), "a refusal changes nothing")
}

func checkNoSuchValue(t *testing.T, b backend.Backend) {
	alpha := buffer.Register{Kind: buffer.GroupAlpha, Port: "Ethernet1", Index: 3}
	err := b.Apply(context.WithoutCancel(t.Context()), []buffer.Step{{Register: alpha, From: buffer.Unset, To: 7}})
	require.ErrorIs(t, err, backend.ErrRefused)
	require.Empty(t, observe(t, b))
}

func checkMove(t *testing.T, b backend.Backend) {
	converge(t, b, Layout(600), backend.Applied)
	converge(t, b, Layout(20), backend.Applied)
	converge(t, b, Layout(890), backend.Applied)
	require.Empty(t, buffer.Diff(observe(t, b), can(t, b, Layout(890))))
}

// checkOrder moves cells from one group to another of a full slice, which only
// works if the decrease comes first or both come at once.
func checkOrder(t *testing.T, b backend.Backend) {
	reserved := func(group int) buffer.Layout {
		return buffer.NewLayout([]buffer.Setting{{Register: buffer.Register{Kind: buffer.GroupReserved, Port: "Ethernet1",
			Index: group}, Value: 1000}})
	}
	converge(t, b, reserved(7), backend.Applied)
	converge(t, b, reserved(0), backend.Applied)
}
