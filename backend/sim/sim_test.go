package sim_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/backendtest"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
)

func TestConformance(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, chip buffer.Chip) backend.Backend { return device(t, chip) })
}

func device(t *testing.T, chip buffer.Chip, ports ...sim.Port) *sim.ASIC {
	t.Helper()
	a, err := sim.New(chip, ports...)
	require.NoError(t, err)
	return a
}

func set(k buffer.Kind, port string, index int, to int64) buffer.Step {
	return buffer.Step{Register: buffer.Register{Kind: k, Port: port, Index: index}, To: to}
}

func TestRegistersAreChecked(t *testing.T) {
	a := device(t, backendtest.Chip())
	for want, s := range map[string]buffer.Step{
		"has 0 to 7":                 set(buffer.GroupReserved, "e", 8, 1),
		"has 0 to 1":                 set(buffer.PoolShared, "", 2, 1),
		"-1 is negative":             set(buffer.GroupHeadroom, "e", 0, -1),
		"dynamic_th 4: want -7 to 3": set(buffer.GroupAlpha, "e", 0, 4),
		"want 0 or 1":                set(buffer.GroupLossless, "e", 0, 2),
		"101: want 1 to 100":         set(buffer.QueueWeight, "e", 0, 101),
		"-2: want 1 to 100":          set(buffer.QueueWeight, "e", 0, -2),
		"above 100%":                 set(buffer.QueueECNPMax, "e", 0, 10001),
		"needs 4,611,686,018,427,387,904 cells in slice 0": set(buffer.GroupReserved, "e", 0, 1<<62),
		"the pools of slice 1":                             set(buffer.PoolShared, "", 1, 1001),
	} {
		err := a.Apply(t.Context(), []buffer.Step{s})
		require.ErrorIs(t, err, backend.ErrRefused)
		require.ErrorContains(t, err, want)
	}
	require.ErrorContains(t, a.Apply(t.Context(), []buffer.Step{set(buffer.QueueECNMin, "e", 0, 9),
		set(buffer.QueueECNMax, "e", 0, 5)}), "above kmax")
	require.ErrorContains(t, a.Apply(t.Context(), []buffer.Step{set(buffer.PriorityDSCP, "e", 0, 3),
		set(buffer.PriorityDSCP, "e", 1, 2)}), "DSCPs of no other priority; priority 1 has them")
	l, err := a.Observe(t.Context())
	require.NoError(t, err)
	require.Empty(t, l)
}

func TestSharedHeadroomPool(t *testing.T) {
	a := device(t, backendtest.Chip(), sim.Port{Name: "e1", Pipe: 0}, sim.Port{Name: "e2", Pipe: 0})
	require.NoError(t, a.Apply(t.Context(), []buffer.Step{
		set(buffer.PoolShared, "", 0, 600), set(buffer.PoolHeadroom, "", 0, 400),
		set(buffer.GroupHeadroom, "e1", 3, 400), set(buffer.GroupHeadroom, "e2", 3, 400)}),
		"with a headroom pool only the pool is charged")
	err := a.Apply(t.Context(), []buffer.Step{set(buffer.GroupHeadroom, "e2", 4, 401)})
	require.ErrorIs(t, err, buffer.ErrNoFit)
	err = a.Apply(t.Context(), []buffer.Step{set(buffer.GroupReserved, "e2", 4, 1)})
	require.ErrorContains(t, err, "interface e2: group 4 needs 1 cell in slice 0 and has 0",
		"the shared pool's size is a promise too")
	err = a.Apply(t.Context(), []buffer.Step{set(buffer.PoolHeadroom, "", 0, 0)})
	require.ErrorIs(t, err, buffer.ErrNoFit, "without the pool the headroom would be dedicated")
}

func TestNewRefusesWhatIsNotThere(t *testing.T) {
	_, err := sim.New(buffer.Chip{})
	require.ErrorIs(t, err, buffer.ErrInvalid)
	_, err = sim.New(backendtest.Chip(), sim.Port{Name: "e", Pipe: 2})
	require.ErrorContains(t, err, "want 0 to 1")
}

// FuzzApply turns bytes into steps. No slice ever has more cells granted than it has, and a refusal changes nothing.
func FuzzApply(f *testing.F) {
	f.Add([]byte{0, 0, 255, 2, 0, 10, 5, 1, 200, 6, 3, 9})
	f.Add([]byte{1, 0, 100, 5, 3, 200, 5, 3, 100, 1, 0, 0})
	f.Fuzz(func(t *testing.T, ops []byte) {
		chip := backendtest.Chip()
		a := device(t, chip)
		for ; len(ops) >= 3; ops = ops[3:] {
			kind := buffer.Kinds()[int(ops[0])%len(buffer.Kinds())]
			s := set(kind, fmt.Sprintf("e%d", ops[1]>>6), int(ops[1]&15)-1, int64(ops[2])*8-64)
			if kind == buffer.PoolShared || kind == buffer.PoolHeadroom {
				s.Port = ""
			}
			before := a.String()
			if a.Apply(t.Context(), []buffer.Step{s}) != nil {
				require.Equal(t, before, a.String())
			}
			l, err := a.Observe(t.Context())
			require.NoError(t, err)
			var reserved int64
			for _, x := range l {
				if x.Kind == buffer.GroupReserved || x.Kind == buffer.PoolShared || x.Kind == buffer.PoolHeadroom {
					reserved += x.Value
				}
			}
			require.LessOrEqual(t, reserved, int64(chip.TotalCells()))
		}
	})
}

func TestMostHeadroomOfAPort(t *testing.T) {
	a, err := sim.New(buffer.Chip{Name: "x", Cell: 256, Groups: 8, MinAlpha: -7, MaxAlpha: 3,
		Slices: []buffer.Slice{{Cells: 1000}}, MaxPortHeadroom: 100})
	require.NoError(t, err)
	require.NoError(t, a.Apply(t.Context(), []buffer.Step{set(buffer.GroupHeadroom, "e1", 3, 60),
		set(buffer.GroupHeadroom, "e2", 3, 100)}))
	err = a.Apply(t.Context(), []buffer.Step{set(buffer.GroupHeadroom, "e1", 4, 41)})
	require.ErrorIs(t, err, buffer.ErrNoFit)
	require.ErrorContains(t, err,
		"interface e1: group 4 needs 41 cells of the headroom that the chip gives one port and has 40: 1 short")
}
