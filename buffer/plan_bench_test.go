package buffer_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/unit"
)

func TestReplanningAllocatesNothing(t *testing.T) {
	a, err := buffer.NewAdmission(dedicated(32, 300*unit.Metre))
	require.NoError(t, err)
	p := ports(32, 300*unit.Metre)[3]
	far := p
	far.Cable = 20 * unit.Kilometre
	_, err = a.WhatIf(3, far) // sizes the kind once
	require.NoError(t, err)
	require.Zero(t, testing.AllocsPerRun(100, a.Replan))
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = a.WhatIf(3, p) }))
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = a.WhatIf(3, far) }), "a refusal costs nothing either")
}

// intent512 is a switch of 512 ports x 8 groups.
func intent512() buffer.Intent {
	in := dedicated(512, 40*unit.Metre)
	in.Chip.Slices = []buffer.Slice{{Cells: 341080}, {Cells: 341080}}
	in.Chip.Pipes = [][]int{{0}, {1}}
	in.Classes = nil
	for p := range 8 {
		in.Classes = append(in.Classes, buffer.Class{Name: fmt.Sprint("class", p), Priorities: []int{p},
			Lossless: p == 3 || p == 4, Reserved: unit.Given[unit.Bytes](254)})
	}
	in.Pool = buffer.Pool{Size: 100 << 20, SharedHeadroom: 30 << 20}
	return in
}

// BenchmarkPlan plans 512 ports x 8 groups from nothing to the printed plan.
func BenchmarkPlan(b *testing.B) {
	in := intent512()
	b.ReportAllocs()
	for b.Loop() {
		if p, err := buffer.New(in); err != nil || !p.Fits {
			b.Fatal(err, p.Err())
		}
	}
}

// BenchmarkReplan admits 512 ports x 8 groups again in place.
func BenchmarkReplan(b *testing.B) {
	a, err := buffer.NewAdmission(intent512())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		a.Replan()
	}
}

// BenchmarkWhatIf asks for one port of 512 with another cable.
func BenchmarkWhatIf(b *testing.B) {
	in := intent512()
	a, err := buffer.NewAdmission(in)
	if err != nil {
		b.Fatal(err)
	}
	p := in.Ports[100]
	p.Cable = 300 * unit.Metre
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.WhatIf(100, p); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDiff compares two layouts of 512 ports x 8 groups.
func BenchmarkDiff(b *testing.B) {
	in := intent512()
	p, err := buffer.New(in)
	if err != nil {
		b.Fatal(err)
	}
	have := p.Layout()
	in.Ports[100].Cable = 300 * unit.Metre
	q, err := buffer.New(in)
	if err != nil {
		b.Fatal(err)
	}
	want := q.Layout()
	b.ReportAllocs()
	for b.Loop() {
		buffer.Diff(have, want)
	}
}

// A plan from nothing of 512 ports x 8 groups takes few allocations, because fleets plan from nothing.
func TestPlanAllocations(t *testing.T) {
	in := intent512()
	require.Less(t, testing.AllocsPerRun(5, func() {
		p, err := buffer.New(in)
		require.NoError(t, err)
		require.True(t, p.Fits)
	}), 100.0)
}
