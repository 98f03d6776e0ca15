package report_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// compared returns the difference of two intents' plans, with the steps between them.
func compared(t *testing.T, a, b buffer.Intent) report.DiffDocument {
	t.Helper()
	from, to := planned(t, a), planned(t, b)
	x, y := report.Plan(from), report.Plan(to)
	fromFile, err := x.File()
	require.NoError(t, err)
	toFile, err := y.File()
	require.NoError(t, err)
	made, err := from.Diff(to)
	steps := report.Steps(made)
	if err != nil {
		steps = report.UnknownSteps(err.Error())
	}
	return report.Diff(fromFile, toFile, steps)
}

func TestPlansThatAreAlike(t *testing.T) {
	for _, cable := range []unit.Length{5 * unit.Metre, 2 * unit.Kilometre} {
		d := compared(t, intent(6, cable), intent(6, cable))
		require.True(t, d.Alike)
		text, err := json.Marshal(d)
		require.NoError(t, err)
		require.NotContains(t, string(text), "null")
	}
}

// A longer cable: the cells of the bill, of the slice and of the groups change by the same numbers, and the steps make
// the change.
func TestDiffOfALongerCable(t *testing.T) {
	in := intent(4, 5*unit.Metre)
	longer := intent(4, 5*unit.Metre)
	longer.Ports[2].Cable = 300 * unit.Metre
	d := compared(t, in, longer)
	require.False(t, d.Alike)
	var change cells.Count
	for _, g := range d.Groups {
		require.Equal(t, "Ethernet1/3", g.Port)
		if g.Value == "headroom_cells" {
			change = *g.Change
		}
	}
	require.Positive(t, change)
	require.Contains(t, d.Slices, report.SliceChange{Index: 0, Account: "headroom",
		From: d.Slices[0].From, To: d.Slices[0].From + change, Change: change})
	var sum cells.Count
	for _, b := range d.Bill {
		sum += b.Change
	}
	require.Zero(t, sum, "a bill always sums to the chip")
	require.True(t, d.Steps.Known)
	require.Equal(t, "shrink", d.Steps.Steps[0].Phase, "the shared part gives cells back first")
}

func TestDiffOfRefusals(t *testing.T) {
	d := compared(t, intent(2, 5*unit.Metre), intent(6, 2*unit.Kilometre))
	require.NotEmpty(t, d.Refusals)
	require.Equal(t, "new", d.Refusals[0].State)
	require.Contains(t, d.Steps.Why, "the second plan does not fit")
	back := compared(t, intent(6, 2*unit.Kilometre), intent(2, 5*unit.Metre))
	require.Len(t, back.Refusals, len(d.Refusals))
	require.Equal(t, "gone", back.Refusals[0].State)
	require.Contains(t, back.Steps.Why, "the first plan does not fit")
	other := compared(t, intent(6, 2*unit.Kilometre), intent(6, 3*unit.Kilometre))
	require.Equal(t, "changed", other.Refusals[len(other.Refusals)-1].State)
}

// What the documents have beside cells is compared too: a plan that differs in anything is not alike.
func TestDiffNoticesEveryValue(t *testing.T) {
	for what, change := range map[string]func(*buffer.Intent){
		"class":   func(in *buffer.Intent) { in.Classes[1].Name = "other" },
		"alpha":   func(in *buffer.Intent) { in.Classes[0].Alpha = new(thresholds.Alpha(1)) },
		"bytes":   func(in *buffer.Intent) { in.Classes[0].Reserved = unit.Given[unit.Bytes](1247) },
		"weights": func(in *buffer.Intent) { in.Classes[0].Weight, in.Classes[1].Weight = 1, 2 },
		"chip":    func(in *buffer.Intent) { in.Chip.Name = "tiny" },
		"note":    func(in *buffer.Intent) { in.Chip.Notes = []string{"x"} },
		"frame":   func(in *buffer.Intent) { in.Sizing = thresholds.IEEE{Mix: thresholds.Frames(9216)} },
		"mtu":     func(in *buffer.Intent) { in.Ports[0].MTU = 9000 },
	} {
		in := intent(3, 5*unit.Metre)
		change(&in)
		require.False(t, compared(t, intent(3, 5*unit.Metre), in).Alike, what)
	}
}

// A plan is compared alike whether it was written and read before or not: the short way of its long lists changes nothing.
func TestDiffOfFilesAndOfPlans(t *testing.T) {
	var plans, files [2]*report.PlanFile
	for i, in := range []buffer.Intent{intent(2, 5*unit.Metre), intent(300, 300*unit.Metre)} {
		doc := report.Plan(planned(t, in))
		var err error
		plans[i], err = doc.File()
		require.NoError(t, err)
		text, err := json.Marshal(doc)
		require.NoError(t, err)
		files[i], err = report.ReadPlan(text)
		require.NoError(t, err)
	}
	unknown := report.UnknownSteps("x")
	want := report.Diff(files[0], files[1], unknown)
	require.NotEmpty(t, want.Refusals)
	require.Contains(t, fmt.Sprint(want.Other), "headroom.sized[0].")
	for _, pair := range [][2]*report.PlanFile{{plans[0], plans[1]}, {plans[0], files[1]}, {files[0], plans[1]}} {
		require.Equal(t, want, report.Diff(pair[0], pair[1], unknown))
	}
	for i := range plans {
		require.True(t, report.Diff(plans[i], files[i], unknown).Alike)
	}
}

// FuzzReadPlan reads any text as a plan: it is refused or compared, and a plan is like itself.
func FuzzReadPlan(f *testing.F) {
	plan, err := buffer.New(intent(3, 5*unit.Metre))
	require.NoError(f, err)
	text, err := json.Marshal(report.Plan(plan))
	require.NoError(f, err)
	f.Add(text)
	f.Add([]byte(`{"schema": "cellwarden.plan/v1"}`))
	f.Add([]byte(`{"schema": "cellwarden.plan/v1", "groups": [{}, {}], "warnings": ["a", 5], "notes": {"a": null}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := report.ReadPlan(data)
		if err != nil {
			require.ErrorIs(t, err, buffer.ErrInvalid)
			return
		}
		require.True(t, report.IsPlan(data))
		require.True(t, report.Diff(file, file, report.UnknownSteps("x")).Alike)
		empty, err := report.ReadPlan([]byte(`{"schema": "cellwarden.plan/v1"}`))
		require.NoError(t, err)
		report.Diff(file, empty, report.UnknownSteps("x"))
		report.Diff(empty, file, report.UnknownSteps("x"))
	})
}
