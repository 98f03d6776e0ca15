package golden_test

import (
	"fmt"
	"testing"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/golden"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// large is a switch of 512 ports with 8 groups each.
func large() buffer.Intent {
	in := buffer.Intent{
		Chip: buffer.Chip{Name: "large", Cell: 254, Groups: 8, MinAlpha: -7, MaxAlpha: 3,
			Slices: []buffer.Slice{{Cells: 341080}, {Cells: 341080}}, Pipes: [][]int{{0}, {1}}},
		Sizing: thresholds.IEEE{},
		Pool:   buffer.Pool{Size: 100 << 20, SharedHeadroom: 30 << 20},
	}
	for p := range 8 {
		in.Classes = append(in.Classes, buffer.Class{Name: fmt.Sprint("class", p), Priorities: []int{p},
			Lossless: p == 3 || p == 4, Reserved: unit.Given[unit.Bytes](254)})
	}
	for i := range 512 {
		in.Ports = append(in.Ports, buffer.Port{Name: fmt.Sprintf("Ethernet1/%d", i+1), Rate: 100 * unit.Gbps,
			Cable: 40 * unit.Metre, MTU: 9216})
	}
	return in
}

// BenchmarkBesideTheSlowModel times the operations of a controller with 512
// ports, and the slow model with the same result in the same run.
func BenchmarkBesideTheSlowModel(b *testing.B) {
	in := large()
	far := in.Ports[100]
	far.Cable = 300 * unit.Metre
	b.Run("plan/slow", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if !golden.Admit(in).Fits() {
				b.Fatal("does not fit")
			}
		}
	})
	b.Run("plan/from nothing", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := buffer.NewAdmission(in); err != nil {
				b.Fatal(err)
			}
		}
	})
	a, err := buffer.NewAdmission(in)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("plan/again", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			a.Replan()
		}
	})
	b.Run("change/slow", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if !golden.WhatIf(in, 100, far).Admitted {
				b.Fatal("does not fit")
			}
		}
	})
	m, err := buffer.NewManager(in)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("change/manager", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if m.Change(far.Name, far) != nil || m.Change(far.Name, in.Ports[100]) != nil {
				b.Fatal("does not fit")
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(2*b.N), "ns/change")
	})
	have := m.Layout()
	if err := m.Change(far.Name, far); err != nil {
		b.Fatal(err)
	}
	want := m.Layout()
	b.Run("diff/slow", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if golden.Differences(have, want) == 0 {
				b.Fatal("no difference")
			}
		}
	})
	b.Run("diff/fast", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if len(buffer.Diff(have, want)) == 0 {
				b.Fatal("no difference")
			}
		}
	})
}

// The slow way of counting differences agrees with the number of steps.
func TestDifferences(t *testing.T) {
	in := large()
	in.Ports = in.Ports[:20]
	one, err := buffer.New(in)
	if err != nil {
		t.Fatal(err)
	}
	in.Ports[7].Cable = 300 * unit.Metre
	other, err := buffer.New(in)
	if err != nil {
		t.Fatal(err)
	}
	if have, want := golden.Differences(one.Layout(), other.Layout()),
		len(buffer.Diff(one.Layout(), other.Layout())); have != want || have == 0 {
		t.Fatalf("%d differences, %d steps", have, want)
	}
}
