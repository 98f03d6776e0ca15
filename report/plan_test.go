package report_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// intent is a small switch: a lossless class, one with a static limit, and ports of several kinds.
func intent(n int, cable unit.Length) buffer.Intent {
	in := buffer.Intent{
		Chip: buffer.Chip{Name: "small", Cell: 208, Groups: 8, MinAlpha: -3, MaxAlpha: 3,
			Slices: []buffer.Slice{{Cells: 20000}}},
		Sizing: thresholds.IEEE{},
		Classes: []buffer.Class{
			{Name: "rdma", Priorities: []int{3}, Lossless: true, Reserved: unit.Given[unit.Bytes](1248),
				Alpha: new(thresholds.Alpha(-3))},
			{Name: "rest", Priorities: []int{0}, StaticLimit: 208*1000 + 1},
		},
	}
	for i := range n {
		in.Ports = append(in.Ports, buffer.Port{Name: fmt.Sprintf("Ethernet1/%d", i+1), Rate: 100 * unit.Gbps, Cable: cable,
			MTU: 9216})
	}
	return in
}

func planned(t testing.TB, in buffer.Intent) *buffer.Plan {
	t.Helper()
	p, err := buffer.New(in)
	require.NoError(t, err)
	return p
}

// A plan that does not fit, as another program reads it.
func Example() {
	plan, err := buffer.New(intent(6, 3*unit.Kilometre))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := json.Marshal(report.Plan(plan))
	if err != nil {
		fmt.Println(err)
		return
	}
	var doc struct {
		Schema  string `json:"schema"`
		Fits    bool   `json:"fits"`
		Refused int    `json:"refused_ports"`

		Refusals []struct {
			Port  string `json:"port"`
			Short int64  `json:"short_cells"`
		} `json:"refusals"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(doc.Schema, doc.Fits, doc.Refused)
	for _, r := range doc.Refusals {
		fmt.Println(r.Port, "is", r.Short, "cells short")
	}
	// Output:
	// cellwarden.plan/v1 false 3
	// Ethernet1/4 is 1344 cells short
	// Ethernet1/5 is 1344 cells short
	// Ethernet1/6 is 1344 cells short
}

// The keys, their order and the form of every value are published: the files were
// written by the version that first had them.
func TestPlanDocument(t *testing.T) {
	measured := intent(1, 0)
	measured.Ports[0].Delay, measured.Ports[0].Extra = unit.Given(1500*unit.Nanosecond), unit.Microsecond
	pooled := intent(2, 300*unit.Metre)
	pooled.Pool.SharedHeadroom = unit.MiB
	pooled.Ports[1].Medium = thresholds.Copper
	for name, in := range map[string]buffer.Intent{"fits": pooled, "refused": intent(6, 3*unit.Kilometre),
		"measured": measured} {
		got, err := json.MarshalIndent(report.Plan(planned(t, in)), "", "  ")
		require.NoError(t, err)
		want, err := os.ReadFile("testdata/plan-" + name + ".json")
		require.NoError(t, err)
		require.Equal(t, string(want), string(got)+"\n", name)
	}
}

// Lists without elements are [] in the document, whatever they are in the plan.
func TestEmptyLists(t *testing.T) {
	text, err := json.Marshal(report.Plan(&buffer.Plan{Warnings: []string{}}))
	require.NoError(t, err)
	require.NotContains(t, string(text), "null")
}

// A document has every refusal, and the number of them.
func TestDocumentHasAllRefusals(t *testing.T) {
	plan := planned(t, intent(6, 3*unit.Kilometre))
	doc := report.Plan(plan)
	require.Greater(t, doc.Refused, 1)
	require.Len(t, doc.Refusals, doc.Refused)
	for i, r := range plan.Refusals {
		require.Equal(t, r.Port, doc.Refusals[i].Port)
	}
}

// The head of a plan begins with the verdict, which has no name.
func TestPlanHead(t *testing.T) {
	head := report.PlanHead(planned(t, intent(6, 3*unit.Kilometre)))
	require.Equal(t, report.HeadLine{Text: "DOES NOT FIT: 3 ports are refused, first Ethernet1/4; fits for frames of " +
		"251B and more"}, head[0])
	for _, l := range head[1:] {
		require.NotEmpty(t, l.Name)
	}
	require.Contains(t, head, report.HeadLine{Name: "chip", Text: "small: 20,000 cells of 208 bytes in 1 slice"})
}
