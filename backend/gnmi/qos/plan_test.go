package qos_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/gnmi/qos"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

const cell = cells.Size(208)

// chip has one slice of so many cells.
func chip(n cells.Count) buffer.Chip {
	return buffer.Chip{Name: "small", Cell: cell, Slices: []buffer.Slice{{Cells: n}}, MinAlpha: -7, MaxAlpha: 3,
		Groups: pg.PerPort}
}

// intent is two lossless priorities and a lossy class on ports of 100G.
func intent(ports ...string) buffer.Intent {
	eighth := thresholds.Alpha(-3)
	in := buffer.Intent{Chip: chip(20000), Sizing: thresholds.IEEE{}, Classes: []buffer.Class{
		{Name: "storage", Priorities: []int{3, 4}, Lossless: true, Reserved: unit.Given[unit.Bytes](1248), Alpha: &eighth,
			ECN: ecn.Thresholds{KMin: 100 * unit.KiB, KMax: 400 * unit.KiB, PMax: 5 * unit.OnePercent}},
		{Name: "rest", Priorities: []int{0, 1}, Reserved: unit.Given[unit.Bytes](416)},
	}}
	for _, name := range ports {
		in.Ports = append(in.Ports, buffer.Port{Name: name, Rate: 100 * unit.Gbps, Cable: 5 * unit.Metre, MTU: 9216})
	}
	return in
}

// planned is the layout of an intent that fits.
func planned(t testing.TB, in buffer.Intent) buffer.Layout {
	t.Helper()
	plan, err := buffer.New(in)
	require.NoError(t, err)
	require.NoError(t, plan.Err())
	return plan.Layout()
}

// carried is what of a layout goes over gNMI.
func carried(l buffer.Layout) buffer.Layout {
	return l.Only(func(r buffer.Register) bool { return qos.Expressible(r.Kind) })
}

// weighed is the intent of intent with weights and DSCPs: the lossless class has
// 60 and DSCPs 24 and 26, the other is strict and has 0 and 46.
func weighed(ports ...string) buffer.Intent {
	in := intent(ports...)
	in.Classes[0].Weight, in.Classes[0].Priorities = 60, []int{3}
	in.Classes[1].Strict, in.Classes[1].QueueReserved = true, 832
	in.DSCP[3], in.DSCP[in.Classes[1].Priorities[0]] = pg.Points(24, 26), pg.Points(0, 46)
	return in
}

func load(t testing.TB, name string) *nos.Profile {
	t.Helper()
	p, err := registry.LoadProfile(name)
	require.NoError(t, err)
	return p
}
