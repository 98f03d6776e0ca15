package golden_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/golden"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// A caller can put any number into the fields of a struct. What comes of it is an error or a result, never a panic.

// wildInts are the numbers at the edges of what fields accept.
var wildInts = []int64{0, 0, 1, -1, 2, 3, 7, 8, 63, 64, 65, 208, 255, 1 << 10, 9216, 16384, 16385, 1 << 20, 1<<20 + 1,
	1 << 30, 1 << 31, 1 << 40, 1 << 50, 1 << 56, 1 << 62, math.MaxInt64, math.MaxInt64 - 1, math.MinInt64,
	math.MinInt64 + 1,
	math.MinInt32, int64(100 * unit.Gbps), int64(400 * unit.Gbps), int64(100 * unit.Tbps), int64(300 * unit.Metre)}

// wild gives every field of a value a random content, or with odds of one in so many, only some of them.
func wild(rng *rand.Rand, v reflect.Value, one int) {
	if v.Kind() == reflect.Struct {
		for _, f := range v.Fields() {
			if !f.CanSet() { // of a unit.Optional
				f = reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
			}
			wild(rng, f, one)
		}
		return
	}
	if v.Kind() == reflect.Array || v.Kind() == reflect.Slice && v.Len() > 0 && !oneIn(rng, 4*one) {
		for i := range v.Len() {
			wild(rng, v.Index(i), one)
		}
		return
	}
	if !oneIn(rng, one) {
		return
	}
	switch n := pickOf(rng, wildInts...); v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(n)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(n))
	case reflect.Bool:
		v.SetBool(n%2 == 0)
	case reflect.String:
		v.SetString(pickOf(rng, "", "x", "Ethernet0", "latched", "a\x1bb", "Ethernet0..4"))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), int(uint(n)%3), 4))
		for i := range v.Len() {
			wild(rng, v.Index(i), 2)
		}
	case reflect.Pointer:
		v.SetZero()
		if n != 0 {
			v.Set(reflect.New(v.Type().Elem()))
			wild(rng, v.Elem(), 1)
		}
	}
}

// wildly changes a value.
func wildly(rng *rand.Rand, pointer any, one int) { wild(rng, reflect.ValueOf(pointer).Elem(), one) }

func wildSizer(rng *rand.Rand) thresholds.Sizer {
	one := pickOf(rng, 1, 2, 5, 20)
	switch rng.IntN(9) {
	case 0:
		var m thresholds.IEEE
		wildly(rng, &m, one)
		return m
	case 1:
		m := method.SONiC{}
		m.Chip, _ = method.LookupSONiCChip("spectrum-4")
		wildly(rng, &m, one)
		return m
	case 2:
		var m method.BroadcomDelay
		wildly(rng, &m, one)
		return m
	case 3:
		var m method.BroadcomTH3
		wildly(rng, &m, one)
		return m
	case 4:
		var m method.MLXSW
		wildly(rng, &m, one)
		return m
	case 5:
		return method.MLX5{}
	case 6:
		var m method.Juniper
		wildly(rng, &m, one)
		return m
	case 7:
		m := method.CiscoPractical{From: unit.Given(unit.Length(300 * unit.Metre)),
			BufferSize:     unit.Given[unit.Bytes](1 << 18),
			PauseThreshold: unit.Given[unit.Bytes](1 << 15), ResumeThreshold: unit.Given[unit.Bytes](1 << 14)}
		wildly(rng, &m, one)
		return m
	default:
		m := &table.Table{Rows: []table.Row{{Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre, XOFF: 1 << 18, Size: 1 << 18}}}
		wildly(rng, m, one)
		return m
	}
}

// neverPanics runs a check, and says with which values it panicked.
func neverPanics(t *testing.T, name func() string, check func()) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			require.Fail(t, "panic", "%v: %s", p, name())
		}
	}()
	check()
}

func TestAnyLinkAndMethodIsSizedOrRefused(t *testing.T) {
	sized := 0
	first, end := effort.Seeds(20_000)
	for seed := first; seed < end; seed++ {
		rng := source(seed)
		l := thresholds.Link{Rate: 100 * unit.Gbps, Cable: 300 * unit.Metre, MTU: 9216, LosslessMTU: 4096}
		m := thresholds.Memory{Cell: 208, Overhead: 64}
		wildly(rng, &l, pickOf(rng, 1, 4, 20, 100))
		wildly(rng, &m, pickOf(rng, 2, 20))
		s := wildSizer(rng)
		neverPanics(t, func() string { return fmt.Sprintf("seed %d: %+v, %+v, %T%+v", seed, l, m, s, s) }, func() {
			h, err := s.Size(l, m)
			e, explained := s.Explain(l, m)
			require.Equal(t, err == nil, explained == nil, "seed %d: %v, %v", seed, err, explained)
			w := thresholds.WorstCaseOf(s, l, m)
			if i, ok := s.(thresholds.IEEE); ok {
				_, _ = i.LinkDelays(l)
			}
			if err != nil {
				require.NotEmpty(t, err.Error())
				return
			}
			sized++
			require.Equal(t, h, e.Headroom)
			require.GreaterOrEqual(t, h.Cells, cells.Count(0), "seed %d: %+v, %+v, %T%+v", seed, l, m, s, s)
			require.GreaterOrEqual(t, h.XOFF, unit.Bytes(0), "seed %d: %+v, %+v, %T%+v", seed, l, m, s, s)
			_ = w.Note(h.Cells, m.Cell)
		})
	}
	require.Greater(t, uint64(sized), (end-first)/20, "some are valid")
}

func TestAnyIntentIsPlannedOrRefused(t *testing.T) {
	planned := 0
	first, end := effort.Seeds(6_000)
	for seed := first; seed < end; seed++ {
		rng := source(seed)
		in := golden.Random(rng)
		in.Ports = in.Ports[:min(len(in.Ports), 4)]
		one := pickOf(rng, 30, 100, 300)
		wildly(rng, &in, one)
		if oneIn(rng, 3) {
			in.Sizing = wildSizer(rng)
		}
		p := buffer.Port{Name: "Ethernet9", Rate: 100 * unit.Gbps, MTU: 9216}
		wildly(rng, &p, pickOf(rng, 1, 5, 20))
		c := in.Classes
		neverPanics(t, func() string { return fmt.Sprintf("seed %d: %+v", seed, in) }, func() {
			if plan, err := buffer.New(in); err == nil {
				planned++
				plan.SizeNotes()
				plan.MarksFirst()
				plan.Layout()
			} else {
				require.NotEmpty(t, err.Error())
			}
			some := in
			some.Ports = nil
			m, err := buffer.NewManager(some)
			if err != nil {
				return
			}
			for _, port := range append(slices.Clone(in.Ports), p) {
				_ = m.Admit(port)
			}
			_ = m.Change("Ethernet1/1", p)
			_, _ = m.WhatIf("Ethernet1/1", p)
			_ = m.SetClasses("Ethernet1/1", p.Classes)
			_ = m.SetState("Ethernet1/1", p.State)
			if len(c) > 0 {
				class := c[0]
				wildly(rng, &class, 4)
				_ = m.SetClass(c[0].Name, class)
			}
			m.Plan()
			m.Layout()
		})
	}
	require.Greater(t, uint64(planned), (end-first)/12, "some are valid")
}

func TestAnyChipIsValidOrRefused(t *testing.T) {
	all := plannable()
	first, end := effort.Seeds(20_000)
	for seed := first; seed < end; seed++ {
		rng := source(seed)
		c := all[seed%uint64(len(all))]
		wildly(rng, &c, pickOf(rng, 2, 10, 50))
		neverPanics(t, func() string { return fmt.Sprintf("seed %d: %+v", seed, c) }, func() {
			_ = c.Validate()
			c.Unsourced()
		})
	}
}

func TestAnyMMUIsMadeOrRefused(t *testing.T) {
	made := 0
	first, end := effort.Seeds(20_000)
	for seed := first; seed < end; seed++ {
		rng := source(seed)
		c := mmu.Config{Cell: 208, Overhead: 64, Pools: []mmu.Pool{{Shared: 1000}},
			PortPools: []mmu.PortPool{{}}, HeadroomPools: []cells.Count{10},
			Groups:      []mmu.Group{{Lossless: true, Headroom: 5, PortPool: 1}, {}},
			EgressPools: []mmu.Pool{{Shared: 1000}}, Queues: []mmu.Queue{{}}}
		wildly(rng, &c, pickOf(rng, 5, 30, 100))
		if c.Slices > 64 {
			c.Slices = 64
		}
		neverPanics(t, func() string { return fmt.Sprintf("seed %d: %+v", seed, c) }, func() {
			m, err := mmu.New(c)
			if err != nil {
				return
			}
			made++
			for i := range c.Groups {
				g := c.Groups[i]
				wildly(rng, &g, 5)
				_ = m.SetGroup(i, g)
			}
		})
	}
	require.Greater(t, uint64(made), (end-first)/20, "some are valid")
}

func TestAnyClosedFormAnswersOrRefuses(t *testing.T) {
	first, end := effort.Seeds(10_000)
	for seed := first; seed < end; seed++ {
		rng := source(seed)
		one := pickOf(rng, 1, 3, 10)
		curve := ecn.Thresholds{KMin: 1 << 18, KMax: 1 << 20, PMax: unit.OnePercent}
		check := ecn.Check{Sharing: ecn.Sharing{Pool: 13071, Reserved: 6}, Cell: 208, KMin: 1 << 18, Feeding: 1}
		d := ecn.DefaultDCQCN(100*unit.Gbps, 8)
		wildly(rng, &curve, one)
		wildly(rng, &check, one)
		wildly(rng, &d, one)
		n, b := int(pickOf(rng, wildInts...)), unit.Bytes(pickOf(rng, wildInts...))
		neverPanics(t, func() string {
			return fmt.Sprintf("seed %d: n %d, b %d: %+v, %+v, %+v", seed, n, b, curve, check, d)
		}, func() {
			if curve.Validate() == nil {
				_ = curve.Marking(b)
			}
			if check.Validate() == nil && n >= check.Feeding && n <= thresholds.MaxGroups {
				check.PauseThreshold(n)
				check.QueueAtPause(n)
				check.MarksFirst(n)
				check.MaxCongested()
			}
			_, _ = d.FixedPoint(curve)
			_, _ = d.MaxFlows(curve)
			if seed%100 == 0 { // it simulates a loop
				_, _ = d.Stability(curve, unit.Time(b))
			}
		})
	}
}

func TestAnyPauseTimerRunsOrIsRefused(t *testing.T) {
	first, end := effort.Seeds(10_000)
	for seed := first; seed < end; seed++ {
		rng := source(seed)
		var c pfc.Config
		var sc pfc.SenderConfig
		var f pfc.Frame
		wildly(rng, &c, pickOf(rng, 1, 3, 10))
		wildly(rng, &sc, pickOf(rng, 1, 3, 10))
		wildly(rng, &f, 2)
		now := unit.Time(pickOf(rng, wildInts...))
		neverPanics(t, func() string {
			return fmt.Sprintf("seed %d: at %v: %+v, %+v, %+v", seed, now, c, sc, f)
		}, func() {
			if r, err := pfc.NewReceiver(c); err == nil && now >= 0 {
				r.Receive(now, f)
				r.Expire(now)
				r.NextExpiry()
				r.Until(int(pickOf(rng, wildInts...)))
				r.Paused(now, int(pickOf(rng, wildInts...)))
			}
			if s, err := pfc.NewSender(sc); err == nil && now >= 0 {
				s.Set(now, f.Enabled)
				s.Refresh(now)
				s.NextRefresh()
			}
			_ = f.LinkPause()
			f.AppendTo(nil, pfc.FCS(oneIn(rng, 2)))
		})
	}
}
