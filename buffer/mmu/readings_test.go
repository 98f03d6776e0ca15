package mmu_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/rules"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// This file writes docs/readings.md: every public reading beside what the one rule of its chip gives.
//
//	go test ./buffer/mmu -run Readings -rewrite
var rewrite = flag.Bool("rewrite", false, "rewrite the tables of docs/readings.md")

// reading is a row: what was read, as an interval, and what the model gives.
type reading struct {
	chip, name, of, source string
	lo, hi, model          int64
	decides                string
}

// residual returns by how much the model is beside the interval, or 0.
func (r *reading) residual() int64 { return min(r.model-r.lo, 0) + max(r.model-r.hi, 0) }

// margins are how many packets a test of sonic-mgmt may miss by if its parameters do not say it: the defaults of
// PFCtest, PFCXonTest and LossyQueueTest in tests/saitests/py3/sai_qos_tests.py. Of a headroom, one packet may be
// counted that was sent to see the pause (a remark in qos_params.th6.yaml).
var margins = map[string]int64{"pkts_num_trig_pfc": 2, "pkts_num_trig_ingr_drp": 2, "pkts_num_trig_egr_drp": 2,
	"pkts_num_dismiss_pfc": 1, "ingr_drp-trig_pfc": 4,
	"pkts_num_hdrm_full": 1, "pkts_num_hdrm_partial": 1}

// row returns a case as a reading. Of several numbers it is the one that the model misses most.
func (c *siliconCase) row(t *testing.T) reading {
	rule, latched := c.rule(t)
	off, model := c.off(t, rule, latched)
	numbers := c.hardware(t)
	chip := c.chip(t)
	r := reading{chip: chip.Name, name: c.Name, source: c.Source, model: model, decides: c.Decides}
	at := numbers[0]
	if len(numbers) > 1 {
		require.Zero(t, off, c.Name)
		at, r.of = model, fmt.Sprintf("%d counts, %d to %d", len(numbers), numbers[0], numbers[len(numbers)-1])
	}
	switch m := cmp.Or(c.Margin, margins[c.Param]); {
	case len(c.Interval) == 2:
		r.lo, r.hi = c.Interval[0], c.Interval[1]
		r.of = fmt.Sprintf("setting or window: %d to %d", r.lo, r.hi)
	case c.begins():
		r.lo, r.hi, r.of = at, at+fewMore, fmt.Sprintf("where a test begins to look: %d to %d", at, at+fewMore)
	case len(numbers) > 1:
		r.lo, r.hi = at, at
	case m > 0:
		r.lo, r.hi, r.of = at-m, at+m, fmt.Sprintf("setting: %d ± %d", at, m)
	default:
		r.lo, r.hi, r.of = at, at, fmt.Sprintf("setting: %d", at)
	}
	return r
}

// sn2700 is a Spectrum-1 as SONiC configures a SN2700 as a T0: 9,595,904 bytes of pool, 19,456 reserved, 23,552 of
// headroom for each of two lossless groups of a port, alpha 1. XOFF is sent by what waits in the headroom, which the
// port owns.
func sn2700(t *testing.T) *rules.Point {
	const cell = cells.Size(96)
	p := &rules.Point{Rule: rules.Rule{rules.XOFF: rules.XOFFHeadroom, rules.Owner: rules.OwnerPort}}
	x := &p.Numbers
	x[rules.Cell], x[rules.Offset] = int64(cell), 1
	x[rules.Shared], x[rules.Reserved] = int64(cell.Within(9595904)), int64(cell.Holding(19456))
	x[rules.Headroom] = 2 * int64(cell.Holding(23552))
	require.NoError(t, p.Valid())
	return p
}

// filled fills a group to its first drop. It returns the packet that pauses, 0 if none does, and the first one that is
// dropped.
func filled(m *rules.Model, port, pg int) (xoff, drop int64) {
	got := m.Send(port, pg, 100, 1<<20, 64)
	return got.XOFF, got.Stored + 1
}

// threads are the readings of sonic-mgmt's issues and of its design document that are no settings of tests.
func threads(t *testing.T) (out []reading) {
	p := sn2700(t)
	m := rules.NewModel(p)
	m.Hold(100)
	xoff, drop := filled(m, 1, 3)
	again, next := filled(m, 1, 4)
	m = rules.NewModel(p)
	m.Hold(100)
	filled(m, 1, 3)
	other, _ := filled(m, 5, 3)
	sum := [2]int64{}
	for i, ports := range []int{3, 7} {
		s := rules.NewModel(p)
		s.Hold(100)
		for port := range ports {
			x, d := filled(s, port, 3)
			sum[i] += d - x
		}
	}
	about := func(name string, at, model int64, source, decides string) {
		out = append(out, reading{chip: "spectrum-1", name: name, of: fmt.Sprintf("about %d", at), lo: at - 1, hi: at + 1,
			model: model, source: source, decides: decides})
	}
	const threadA, threadB = "sonic-mgmt issue 24215", "sonic-mgmt issue 24558"
	x := *p
	x.Alpha = 3
	full := rules.NewModel(&x)
	full.Hold(100)
	filled(full, 1, 3)
	eight, _ := filled(full, 5, 3)
	second := fmt.Sprintf("group 3 of a second port after that of the first one: XOFF at %d with alpha 1, and at %d with "+
		"alpha 8, which contradicts the first XOFF", other, eight)
	about("SN2700 group 3 XOFF", 50183, xoff, threadB, "")
	about("SN2700 group 3, packets from XOFF to the first drop", 493, drop-xoff, threadA, "")
	out = append(out, reading{chip: "spectrum-1", name: "SN2700 group 4 of that port, XOFF (0: none)",
		of: "0 in 9 attempts", model: again, source: threadB},
		reading{chip: "spectrum-1", name: "SN2700 group 4 of that port, packets until the drops", of: "11505, three times",
			lo: 11505, hi: 11505, model: next - 1, source: threadB,
			decides: "group 4 alone on a fresh port: does it take 50,183 packets? Group 4 after group 3 was filled to XOFF " +
				"only. Group 4 to another egress port"})
	about("SN2700 three ports, sum of the same", 987, sum[0], threadA, second)
	about("SN2700 seven ports, sum of the same", 1003, sum[1], threadA, second)

	g200, err := asic.Load("silicon-one-g200")
	require.NoError(t, err)
	buffers := func(mib int64) int64 { return mib << 20 / int64(g200.Cell) }
	want := int64(g200.Rounding.Mantissa.Up(cells.Count((buffers(80) - buffers(12)) * 2 / 3)))
	out = append(out, reading{chip: g200.Name, name: "G200 first drop of a lossy queue, in buffers, beside what the " +
		"pool had before", of: "46 MB: 93184 to 95232", lo: buffers(46) - buffers(1)/2,
		hi: buffers(46) + buffers(1)/2, model: want,
		source: "sonic-mgmt issue 25800 and pull request 25958"})

	th2 := mmu.Probe{Cell: 208, Overhead: 64, Slices: 4, Pool: 33329088, SharedHeadroom: 7827456, Reserved: 1248,
		Limit: thresholds.Dynamic(0), Headroom: 101088, XONOffset: 2496, Packet: 64, Groups: 21, InTurn: true, Latched: true}
	chip, err := asic.Load("tomahawk2")
	require.NoError(t, err)
	th2.Rule, _, _ = behaviour.RuleOf(&chip)
	a, err := th2.Run()
	require.NoError(t, err)
	pool := int64(0)
	for _, g := range a.Groups {
		pool += g.Drop - g.XOFF
	}
	return append(out, reading{chip: "tomahawk2", name: "TH2 7260CX3 headroom pool: from XOFF to the first drop, the " +
		"sum of 21 groups", of: "9429", lo: 9429, hi: 9429, model: pool,
		source: "sonic-mgmt MMU_Threshold_Probing_Design.md"})
}

// bothCounts says why the candidates are none of a rule.
const bothCounts = `Minima of egress queues that are taken from the shared cells would explain three values, each with
another number of ports and queues, and the fourth value needs none. So they are a guess, and no rule of a chip:
`

// candidates are reservations that nobody has published: what they would make of a reading that is not explained.
func candidates(t *testing.T, all []siliconCase) string {
	var b strings.Builder
	for _, x := range []struct {
		name, what string
		more       cells.Count
	}{
		{"TD3 t1-lag trig_pfc", "32 ports x 5 queues x 7 cells (1,518 bytes and 64)", 32 * 5 * 7},
		{"TD3 any trig_pfc", "24 ports x 5 queues x 7 cells", 24 * 5 * 7},
		{"TD3 dualtor trig_pfc", "none", 0},
		{"TH6 Nokia H6-O256 lt2 trig_pfc (upper bound, unknown reserve)", "256 ports x (2 groups x 20 cells + 8 queues x 4)",
			256 * (2*20 + 8*4)},
	} {
		i := slices.IndexFunc(all, func(c siliconCase) bool { return c.Name == x.name })
		c := all[i]
		c.Probe.ReservedElsewhere += x.more
		rule, latched := c.rule(t)
		_, model := c.off(t, rule, latched)
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %d |\n", c.Name, x.what, unit.Thousands(int64(x.more)), c.hardware(t)[0],
			model)
	}
	return b.String()
}

// remarks say what some readings decide, and what stands beside others.
func remarks(t *testing.T, all []siliconCase) string {
	named := func(name string) int64 {
		i := slices.IndexFunc(all, func(c siliconCase) bool { return c.Name == name })
		require.GreaterOrEqual(t, i, 0, name)
		return all[i].hardware(t)[0]
	}
	q3d, err := asic.Load("qumran3d")
	require.NoError(t, err)
	g200, err := asic.Load("silicon-one-g200")
	require.NoError(t, err)
	short, long := named("Q3D 400G trig_pfc"), named("Q3D 400G trig_pfc of 1,246 bytes")
	over := int64(q3d.Overhead)
	a, b := short*(64+over), long*(1246+over)
	require.Less(t, max(a-b, b-a), 1246+over, "the same bytes, to a packet")
	own := sn2700(t)
	port := own.Numbers[rules.Headroom]
	own.Rule[rules.Owner], own.Numbers[rules.Headroom] = rules.OwnerGroup, port/2
	m := rules.NewModel(own)
	m.Hold(100)
	xoff, drop := filled(m, 1, 3)
	again, _ := filled(m, 1, 4)
	require.NotZero(t, again, "group 4 pauses if its headroom is its own")
	return fmt.Sprintf(`- Qumran 3D: %s packets of 64 bytes and %s of 1,246 are %s and %s bytes, with %d bytes a packet in
  one of %d cores. So bytes end a fill there, and no number of packets or descriptors does before.
- Spectrum-1: if each group owned its headroom, %d packets would come between XOFF and the first drop, and group 4 would
  pause. That the port owns it gives %d and no pause of group 4, as it was read on one switch.
- G200: the rule gives what a queue takes of an empty pool. A test reads the watermark of the pool before the fill and
  subtracts it; %d packets leave after a port has stopped.
- Tomahawk 2: 9,429 has a difference of 1 for the last of 21 groups. The framework as it is today leaves that one out
  (interop/probe.sh).
`, unit.Thousands(short), unit.Thousands(long), unit.Thousands(a), unit.Thousands(b), over, len(q3d.Slices), drop-xoff, port,
		g200.LeakOut)
}

// ruleText says the rule of a chip in the words of identify.
func ruleText(t *testing.T, name string) (rule, source string) {
	chip, err := asic.Load(name)
	require.NoError(t, err)
	switch name {
	case "spectrum-1":
		p := sn2700(t)
		return fmt.Sprintf("limit before, xoff headroom, headroom port (%d cells of two groups)", p.Numbers[rules.Headroom]),
			chip.Sources.HeadroomRule
	case "silicon-one-g200":
		return fmt.Sprintf("a limit is rounded up to a mantissa of %d bits", chip.Rounding.Mantissa), chip.Sources.Rounding
	}
	return fmt.Sprintf("limit %s, xoff %s, xon %s, headroom pool where one is configured, else group", chip.LimitRule,
		chip.XOFFRule, chip.XONRule), chip.Sources.Rules
}

// docs/readings.md has every public reading, and what its chip's rule gives.
func TestReadings(t *testing.T) {
	cases, more, deep := siliconCases(t)
	all := slices.Concat(cases, more, deep)
	var rows []reading
	for i := range all {
		rows = append(rows, all[i].row(t))
	}
	rows = append(rows, threads(t)...)
	slices.SortStableFunc(rows, func(a, b reading) int { return cmp.Compare(a.chip, b.chip) })
	var chips, tables, open strings.Builder
	exact, within, left, before := 0, 0, 0, ""
	for _, r := range rows {
		if r.chip != before {
			before = r.chip
			rule, source := ruleText(t, r.chip)
			fmt.Fprintf(&chips, "| %s | %s | %s |\n", r.chip, rule, source)
			fmt.Fprintf(&tables, "\n### %s\n\n| reading | it says | model | residual | source |\n|---|---|---:|---:|---|\n",
				r.chip)
		}
		d := r.residual()
		fmt.Fprintf(&tables, "| %s | %s | %d | %d | %s |\n", r.name, r.of, r.model, d, r.source)
		switch {
		case d != 0:
			left++
			require.NotEmpty(t, r.decides, "%s: want the probe that would decide", r.name)
			fmt.Fprintf(&open, "| %s | %s | %d | %d | %s |\n", r.name, r.of, r.model, d, r.decides)
		case r.lo == r.hi:
			exact++
		default:
			within++
		}
	}
	keep(t, "readings", fmt.Sprintf("\n%d readings: %d are counts and come out exactly, %d are intervals and have the "+
		"model in them, %d are open.\n", len(rows), exact, within, left)+
		"\n## One rule for each chip\n\n| chip | rule | how it is known |\n|---|---|---|\n"+chips.String()+
		"\n## Open\n\n| reading | it says | model | residual | the probe that would decide |\n|---|---|---:|---:|---|\n"+
		open.String()+"\n## Reservations that would explain some\n\n"+bothCounts+"\n| reading | reserved beside what is "+
		"public | cells | it says | model with it |\n|---|---|---:|---:|---:|\n"+candidates(t, all)+
		"\n## What some of them say\n\n"+remarks(t, all)+"\n## All readings\n"+
		tables.String()+"\n")
}

// keep compares the part of docs/readings.md between two marks with what it has to be, or rewrites it.
func keep(t *testing.T, name, want string) {
	const file = "../../docs/readings.md"
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	begin, end := "<!-- "+name+": made by go test ./buffer/mmu -run Readings -rewrite -->\n", "<!-- "+name+" end -->"
	head, rest, ok := strings.Cut(string(page), begin)
	_, tail, ended := strings.Cut(rest, end)
	require.True(t, ok && ended)
	if *rewrite {
		require.NoError(t, os.WriteFile(file, []byte(head+begin+want+end+tail), 0o600))
		return
	}
	require.Equal(t, head+begin+want+end+tail, string(page), "out of date: go test ./buffer/mmu -run Readings -rewrite")
}
