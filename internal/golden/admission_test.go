package golden_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/golden"
	"github.com/cellwarden/cellwarden/report"
)

// workers share the seeds among themselves: one more than the cores of a small machine.
const workers = 3

// source is where a seed's random numbers come from.
func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// overSeeds runs check for those of seeds 0 to n-1 that this run takes, each with the name of its seed for messages.
func overSeeds(t *testing.T, n uint64, check func(t *testing.T, rng *rand.Rand, name string)) {
	first, end := effort.Seeds(n)
	for w := range uint64(workers) {
		t.Run(fmt.Sprint("worker ", w), func(t *testing.T) {
			t.Parallel()
			for seed := first + w; seed < end; seed += workers {
				check(t, source(seed), fmt.Sprint("seed ", seed))
			}
		})
	}
}

func admission(t *testing.T, in buffer.Intent, name string) *buffer.Admission {
	t.Helper()
	a, err := buffer.NewAdmission(in)
	require.NoError(t, err, "%s: a random intent must be valid", name)
	return a
}

// jsonOf returns all of a plan as text.
func jsonOf(t *testing.T, p *buffer.Plan) string {
	t.Helper()
	text, err := json.Marshal(report.Plan(p))
	require.NoError(t, err)
	return string(text)
}

// The fast model and the slow one agree on every port and every counter, what
// was refused left no trace, and every cell is accounted for.
//
// The plan of a refused intent searches for remedies, which takes long. So each port is asked by WhatIf whether it
// could be what it is, which is the same as whether it was admitted, because later ports only take more cells. And the
// counters are read from the plan of the admitted ports alone.
func TestFastModelAgreesWithTheSlowOne(t *testing.T) {
	overSeeds(t, 10_000, func(t *testing.T, rng *rand.Rand, name string) { requireSame(t, golden.Random(rng), name) })
}

func requireSame(t *testing.T, in buffer.Intent, name string) {
	t.Helper()
	want, fast := golden.Admit(in), admission(t, in, name)
	require.Equal(t, want.Fits(), fast.Fits(), name)
	for i, p := range in.Ports {
		got, err := fast.WhatIf(i, p)
		require.NoError(t, err, name)
		if got.Fits() != want.Ports[i].Admitted {
			require.Fail(t, "fast and slow disagree", "%s: port %d: %+v, not %+v", name, i, got, want.Ports[i])
		}
		requireNumbers(t, got, golden.Answer{}, name)
	}
	some := admittedOnly(in, want)
	if len(some.Ports) == 0 {
		return
	}
	plan, err := buffer.New(some)
	require.NoError(t, err, name)
	require.True(t, plan.Fits, "%s: the admitted ports alone must fit", name)
	requireSlices(t, in, want, plan, name)
}

// admittedOnly leaves out the ports that were refused; the others stay on the
// pipes that they were on, and a headroom pool by ratio keeps its size.
func admittedOnly(in buffer.Intent, r golden.Result) buffer.Intent {
	out := in
	out.Ports = nil
	out.Pool.SharedHeadroom, out.Pool.SharedHeadroomRatio = golden.HeadroomPool(in), 0
	for i, p := range in.Ports {
		if r.Ports[i].Admitted {
			p.Pipe = new(in.PipeOf(i))
			out.Ports = append(out.Ports, p)
		}
	}
	return out
}

// requireSlices compares the counters of all slices and checks the sums.
func requireSlices(t *testing.T, in buffer.Intent, want golden.Result, plan *buffer.Plan, name string) {
	t.Helper()
	var got []golden.Slice
	for i, s := range plan.Slices {
		got = append(got, golden.Slice{Chip: s.Chip, Reserved: s.Reserved, Headroom: s.Headroom, Shared: s.Shared,
			Unused: s.Unused})
		least := min(s.Chip, s.Reserved, s.Headroom, s.Shared, s.Unused)
		if least < 0 || s.Chip+s.Reserved+s.Headroom+s.Shared+s.Unused != in.Chip.Slices[i].Cells ||
			s.Total != in.Chip.Slices[i].Cells {
			require.Fail(t, "slice does not add up", "%s: slice %d: %+v", name, i, s)
		}
	}
	require.Equal(t, want.Slices, got, name)
	var total cells.Count
	for _, r := range plan.Bill {
		if r.Count <= 0 || r.Each <= 0 || r.Cells != r.Each*cells.Count(r.Count) {
			require.Fail(t, "bill does not add up", "%s: %+v", name, r)
		}
		total += r.Cells
	}
	require.Equal(t, in.Chip.TotalCells(), total, "%s: the bill must sum to the chip", name)
}

// requireNumbers checks that a refusal's numbers fit each other, and, if the
// slow model's answer is given, that they are the slow model's.
func requireNumbers(t *testing.T, got buffer.Shortfall, want golden.Answer, name string) {
	t.Helper()
	if got.Fits() {
		require.Equal(t, buffer.Shortfall{}, got, name)
		return
	}
	if got.Short <= 0 || got.Short != got.Needed-got.Available || got.Available < 0 {
		require.Fail(t, "numbers do not fit each other", "%s: %+v", name, got)
	}
	if want.Reason == "" {
		return
	}
	if got.Reason == buffer.PoolTooLarge || got.Reason == buffer.HeadroomPool {
		got.Group = 0 // it is that of some group of the port, to have a name
	}
	same := golden.Answer{Reason: got.Reason, Slice: got.Slice, Group: got.Group, Missing: got.Short}
	require.Equal(t, want, same, name)
}

// The plan itself, with its remedies, agrees too, and is the same document when it is made twice.
func TestPlanAgreesWithTheSlowModel(t *testing.T) {
	overSeeds(t, 300, func(t *testing.T, rng *rand.Rand, name string) {
		in := golden.Random(rng)
		want := golden.Admit(in)
		plan, err := buffer.New(in)
		require.NoError(t, err, name)
		requireSlices(t, in, want, plan, name)
		requireRefusals(t, in, want, plan, name)

		again, err := buffer.New(in)
		require.NoError(t, err, name)
		require.Equal(t, jsonOf(t, plan), jsonOf(t, again), "%s: planned twice", name)
		require.True(t, slices.Equal(plan.Layout(), again.Layout()), name)
	})
}

// requireRefusals checks that exactly the ports that the slow model refuses are refused, in order and for its reasons.
func requireRefusals(t *testing.T, in buffer.Intent, want golden.Result, plan *buffer.Plan, name string) {
	t.Helper()
	left := plan.Refusals
	for i, p := range in.Ports {
		if want.Ports[i].Admitted {
			continue
		}
		require.NotEmpty(t, left, "%s: port %d is not refused", name, i)
		r := left[0]
		left = left[1:]
		require.Equal(t, p.Name, r.Port, name)
		requireNumbers(t, buffer.Shortfall{Reason: r.Reason, Group: r.Group, Slice: r.Slice, Needed: r.Needed,
			Available: r.Available, Short: r.Short},
			want.Ports[i], name)
	}
	require.Empty(t, left, name)
	require.Equal(t, want.Fits(), plan.Fits, name)
}

// WhatIf gives the answer of the slow model, and changes nothing.
func TestWhatIfAgreesAndChangesNothing(t *testing.T) {
	overSeeds(t, 300, func(t *testing.T, rng *rand.Rand, name string) {
		in := golden.Random(rng)
		fast := admission(t, in, name)
		before := jsonOf(t, fast.Plan())
		for range 8 {
			i := rng.IntN(len(in.Ports))
			other := in.Ports[rng.IntN(len(in.Ports))]
			if rng.IntN(2) == 0 {
				other.Pipe = new(rng.IntN(in.Chip.PipeCount()))
			}
			got, err := fast.WhatIf(i, other)
			require.NoError(t, err, name)
			want := golden.WhatIf(in, i, other)
			require.Equal(t, want.Admitted, got.Fits(), "%s: port %d as %+v", name, i, other)
			requireNumbers(t, got, want, fmt.Sprintf("%s: port %d as %+v", name, i, other))
		}
		require.Equal(t, before, jsonOf(t, fast.Plan()), name)
		fast.Replan()
		require.Equal(t, before, jsonOf(t, fast.Plan()), "%s: planned again", name)
	})
}

// The steps from one layout to another give the other layout, and release cells before they take cells.
func TestDiffLeadsFromOneLayoutToAnother(t *testing.T) {
	overSeeds(t, 1000, func(t *testing.T, rng *rand.Rand, name string) {
		in := golden.Random(rng)
		one, other := layoutOf(t, in, name), layoutOf(t, golden.Vary(rng, in), name)
		if rng.IntN(4) == 0 {
			other = layoutOf(t, golden.Random(rng), name)
		}
		require.Empty(t, buffer.Diff(one, one), name)
		for _, way := range [][2]buffer.Layout{{one, other}, {other, one}, {nil, one}, {one, nil}} {
			steps := buffer.Diff(way[0], way[1])
			require.True(t, slices.Equal(way[1], way[0].With(steps)), "%s: the steps do not lead there", name)
			requireOrder(t, steps, name)
			requireUndone(t, way[1], steps, way[0], name)
		}
	})
}

// layoutOf is the layout of the ports that fit.
func layoutOf(t *testing.T, in buffer.Intent, name string) buffer.Layout {
	t.Helper()
	some := admittedOnly(in, golden.Admit(in))
	if len(some.Ports) == 0 {
		return nil
	}
	plan, err := buffer.New(some)
	require.NoError(t, err, name)
	return plan.Layout()
}

func requireOrder(t *testing.T, steps []buffer.Step, name string) {
	t.Helper()
	phase := buffer.Quiesce
	for _, s := range steps {
		if s.From == s.To || s.Phase() < phase || s.Kind.Allocates() && s.Shrinks() != (s.Phase() == buffer.Shrink) {
			require.Fail(t, "order of steps", "%s: %v in %v after %v", name, s, s.Phase(), phase)
		}
		phase = s.Phase()
	}
	phases := buffer.Phases(steps)
	require.LessOrEqual(t, len(phases), 5, name)
	require.True(t, slices.Equal(steps, slices.Concat(phases...)), name)
}

// requireUndone checks that the inverse steps lead back.
func requireUndone(t *testing.T, there buffer.Layout, steps []buffer.Step, back buffer.Layout, name string) {
	t.Helper()
	var inverse []buffer.Step
	for _, s := range steps {
		inverse = append(inverse, s.Inverse())
	}
	require.True(t, slices.Equal(back, there.With(inverse)), "%s: the inverse steps do not lead back", name)
}

// A simulated switch accepts the layout of every plan that fits, from empty
// registers and from any other plan for the same ports.
func TestDeviceAcceptsEveryPlanThatFits(t *testing.T) {
	overSeeds(t, 1000, func(t *testing.T, rng *rand.Rand, name string) {
		in := golden.Random(rng)
		device, err := sim.New(in.Chip, sim.Ports(in)...)
		require.NoError(t, err, name)
		wanted := []buffer.Layout{fitting(t, in, name)}
		for range 4 {
			wanted = append(wanted, fitting(t, golden.Vary(rng, in), name))
		}
		wanted = append(wanted, nil)
		for n, want := range wanted {
			bring(t, device, want, fmt.Sprintf("%s: plan %d", name, n))
		}
	})
}

// fitting is the layout of the intent, cut down to the ports that fit; empty
// if it says what the device has no words for.
func fitting(t *testing.T, in buffer.Intent, name string) buffer.Layout {
	t.Helper()
	l := layoutOf(t, in, name)
	for _, s := range l {
		if s.Kind != buffer.QueueECNPMax && cells.Count(s.Value) > in.Chip.TotalCells() {
			return nil // see TestDeviceAcceptsThresholdsAboveTheChip
		}
	}
	return l
}

// bring takes the device to a layout phase by phase.
func bring(t *testing.T, device *sim.ASIC, want buffer.Layout, name string) {
	t.Helper()
	have, err := device.Observe(context.Background())
	require.NoError(t, err, name)
	for n, phase := range buffer.Phases(buffer.Diff(have, want)) {
		require.NoError(t, device.Apply(context.Background(), phase), "%s: phase %d", name, n)
	}
	got, err := device.Observe(context.Background())
	require.NoError(t, err, name)
	require.True(t, slices.Equal(want, got), "%s: the device holds something else", name)
}

// FuzzAdmission compares both models on the intent of a seed.
func FuzzAdmission(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		requireSame(t, golden.Random(source(seed)), fmt.Sprint("seed ", seed))
	})
}
