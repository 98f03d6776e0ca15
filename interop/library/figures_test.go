package library

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/internal/library"
	"github.com/cellwarden/cellwarden/topology"
)

// BenchmarkPacket measures a packet that arrives and leaves, the same in Go, in C and in Python: 32 ports of a Tomahawk
// with eight priorities each. The figures are processor time.
func BenchmarkPacket(b *testing.B) {
	path := example(b, "arista-7060cx-32s.yaml")
	asked := question(b, path)
	b.Run("go/mmu", func(b *testing.B) { benchmarkMMU(b, path) })
	b.Run("go/library", func(b *testing.B) {
		text, err := os.ReadFile(asked)
		require.NoError(b, err)
		s, a := library.NewSwitch(text)
		require.Equal(b, library.OK, a.Code, string(a.Text))
		measured(b, func(i int) {
			n := int32(i)
			p := library.Packet{In: n % 32, Out: (n + 1) % 32, Priority: n & 7, Bytes: 1000}
			s.Arrive(p)
			s.Leave(p)
		})
	})
	program := compiled(b, "figures.c", "-O2")
	for _, size := range []int{0, 2, 8, 32, 128, 512} {
		b.Run("c/"+batchName(size), func(b *testing.B) { benchmarkProgram(b, nil, program, asked, size) })
	}
	python := python(b, "numpy")
	env := wheel(b, python)
	for _, size := range []int{0, 512} {
		b.Run("python/"+batchName(size), func(b *testing.B) {
			benchmarkProgram(b, env, python, filepath.Join("testdata", "figures.py"), size, path)
		})
	}
}

func batchName(size int) string {
	if size == 0 {
		return "calls"
	}
	return fmt.Sprintf("batch=%d", size)
}

// benchmarkProgram runs a program that measures itself. Its arguments are the first ones, the size and the number.
func benchmarkProgram(b *testing.B, env []string, program, first string, size int, more ...string) {
	var ns float64
	args := append([]string{first}, more...)
	for b.Loop() {
		out := run(b, "", env, program, append(args, fmt.Sprint(size), fmt.Sprint(packets))...)
		var err error
		ns, err = strconv.ParseFloat(out[0], 64)
		require.NoError(b, err)
	}
	b.ReportMetric(ns, "ns/packet")
	b.ReportMetric(0, "ns/op")
}

// benchmarkMMU measures the MMU without what the library adds.
func benchmarkMMU(b *testing.B, path string) {
	text, err := os.ReadFile(path)
	require.NoError(b, err)
	in, err := topology.Parse(path, text, os.ReadFile)
	require.NoError(b, err)
	plan, err := buffer.New(in)
	require.NoError(b, err)
	asic, err := sim.New(in.Chip, sim.Ports(in)...)
	require.NoError(b, err)
	require.NoError(b, asic.Apply(b.Context(), buffer.Diff(nil, plan.Layout())))
	var names []string
	for i := range in.Ports {
		names = append(names, in.Ports[i].Name)
	}
	made, err := asic.Switch(names, behaviour.Family{})
	require.NoError(b, err)
	m, err := mmu.New(made.MMU)
	require.NoError(b, err)
	require.NoError(b, asic.Tune(m))
	measured(b, func(n int) {
		p := mmu.Packet{Group: made.Ports[n%32].Groups[n&7], Queue: made.Ports[(n+1)%32].Cells[n&7], Bytes: 1000}
		m.Arrive(p)
		m.Leave(p)
	})
}

const packets = 2_000_000

// measured reports the processor time of a packet, which other programs on the machine do not change.
func measured(b *testing.B, do func(n int)) {
	var ns float64
	for b.Loop() {
		start := processorTime(b)
		for n := range packets {
			do(n)
		}
		ns = float64(processorTime(b)-start) / packets
	}
	b.ReportMetric(ns, "ns/packet")
	b.ReportMetric(0, "ns/op")
}

// processorTime is that of this process, in nanoseconds.
func processorTime(b *testing.B) int64 {
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return used.Utime.Nano() + used.Stime.Nano()
}
