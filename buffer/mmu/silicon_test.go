package mmu_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// siliconCase is one measured number of a real switch.
type siliconCase struct {
	Name, Source, Param string
	Inputs, Why         string          // where the probe's numbers are from; why the model's number is another
	Hardware            json.RawMessage // a number, or one per group
	Agrees              bool            // the model comes within one cell
	Model, Margin       int64           // if not: the model's number, and how many packets the source's own test allows
	Interval            []int64         // what a setting or a search window says, if that is not the number and its margin
	Decides             string          // the probe that would tell, where no interval has the model's number
	Probe               struct {
		Cell              cells.Size
		Overhead, Packet  unit.Bytes
		Slices            int
		Pool              unit.Bytes
		SharedHeadroom    unit.Bytes  `json:"shared_headroom"`
		Includes          bool        `json:"size_includes_headroom"`
		ReservedElsewhere cells.Count `json:"reserved_elsewhere_cells"`
		Reserved          unit.Bytes
		siliconLimit
		Lossy     bool
		Headroom  unit.Bytes
		XONOffset unit.Bytes `json:"xon_offset"`
		Groups    int
		Order     string
		Egress    struct {
			Pool, Reserved unit.Bytes
			siliconLimit
		}
	}
}

// siliconLimit is a limit as SONiC writes it, in bytes of the whole chip.
type siliconLimit struct {
	DynamicTh thresholds.Alpha `json:"dynamic_th"`
	StaticTh  unit.Bytes       `json:"static_th"`
}

func (l siliconLimit) of(cell cells.Size, slices int) thresholds.Limit {
	if l.StaticTh > 0 {
		return thresholds.Static(cell.Within(l.StaticTh) / cells.Count(slices))
	}
	return thresholds.Dynamic(l.DynamicTh)
}

// siliconCases reads the measurements that the rule was inferred from, those that were looked at afterwards, and those
// of chips that count bytes.
func siliconCases(t *testing.T) (all, more, deep []siliconCase) {
	data, err := os.ReadFile(filepath.Join("testdata", "silicon", "vectors.json"))
	require.NoError(t, err)
	var file struct{ Cases, More, Deep []siliconCase }
	require.NoError(t, json.Unmarshal(data, &file))
	require.Len(t, file.Cases, 52)
	require.NotEmpty(t, file.More)
	require.NotEmpty(t, file.Deep)
	return file.Cases, file.More, file.Deep
}

// hardware returns the measured numbers.
func (c *siliconCase) hardware(t *testing.T) []int64 {
	var one int64
	if json.Unmarshal(c.Hardware, &one) == nil {
		return []int64{one}
	}
	var many []int64
	require.NoError(t, json.Unmarshal(c.Hardware, &many))
	return many
}

func (c *siliconCase) probe(rule mmu.Rule, latched bool) mmu.Probe {
	p := &c.Probe
	out := mmu.Probe{Cell: p.Cell, Overhead: p.Overhead, Slices: p.Slices, Pool: p.Pool, SharedHeadroom: p.SharedHeadroom,
		SizeIncludesHeadroom: p.Includes,
		ReservedElsewhere:    p.ReservedElsewhere, Reserved: p.Reserved, Limit: p.of(p.Cell, p.Slices), Lossy: p.Lossy,
		Headroom:  p.Headroom,
		XONOffset: p.XONOffset, Packet: cmp.Or(p.Packet, 64), Groups: p.Groups, InTurn: p.Order == "in-turn", Rule: rule,
		Latched: latched}
	if p.Egress.Pool > 0 {
		out.Egress = mmu.ProbeEgress{Pool: p.Egress.Pool, Reserved: p.Egress.Reserved,
			Limit: p.Egress.of(p.Cell, p.Slices)}
	}
	return out
}

// model returns the model's numbers for what was measured.
func (c *siliconCase) model(t *testing.T, rule mmu.Rule, latched bool) []int64 {
	p := c.probe(rule, latched)
	a, err := p.Run()
	require.NoError(t, err, c.Name)
	var out []int64
	for _, g := range a.Groups {
		switch c.Param {
		case "trace_xoff", "trace_drop":
			out = append(out, map[string]int64{"trace_xoff": g.XOFF, "trace_drop": g.Drop}[c.Param])
		case "pkts_num_trig_pfc", "pkts_num_trig_pfc_multi":
			out = append(out, g.XOFF)
		case "pkts_num_trig_ingr_drp", "pkts_num_trig_egr_drp":
			out = append(out, g.Drop)
		case "pkts_num_hdrm_full", "pkts_num_hdrm_partial", "ingr_drp-trig_pfc":
			out = append(out, g.Headroom)
		case "pkts_num_dismiss_pfc":
			out = append(out, g.XONBelow)
		}
	}
	require.NotEmpty(t, out, "%s: unknown parameter %s", c.Name, c.Param)
	return out
}

// fewMore is how many packets sonic-mgmt's HdrmPoolSizeTest sends to each of several groups at most, one by one until
// XOFF, after as many as its setting says. That number is thus no count of packets, but where it begins to look: the
// model may be so many above it. It is not counted among the values within one cell unless it is.
const fewMore = 9

// begins tells whether the value is one where a test begins to look.
func (c *siliconCase) begins() bool { return c.Param == "pkts_num_trig_pfc" && c.Probe.Groups > 1 }

// chip returns the case's chip of the catalogue.
func (c *siliconCase) chip(t *testing.T) buffer.Chip {
	name, _, _ := strings.Cut(c.Source, "/")
	chip, err := asic.Load(map[string]string{"th": "tomahawk", "th2": "tomahawk2", "th5": "tomahawk5",
		"th6": "tomahawk6",
		"td2": "trident2", "td3": "trident3",
		"q3d": "qumran3d", "jr2": "jericho2", "j2c": "jericho2cplus"}[name])
	require.NoError(t, err)
	return chip
}

// rule returns how the case's chip compares, as the catalogue has it.
func (c *siliconCase) rule(t *testing.T) (rule mmu.Rule, latched bool) {
	chip := c.chip(t)
	rule, latched, ok := behaviour.RuleOf(&chip)
	require.True(t, ok)
	return rule, latched
}

// A plan for a chip with memory beside it counts as the values of its tests were computed: the cell, what a packet
// takes beside its bytes, the cores, and a pool that is no larger than the chip's.
func TestDeepChipsCountAsTheirTests(t *testing.T) {
	_, _, deep := siliconCases(t)
	for _, c := range deep {
		chip := c.chip(t)
		require.True(t, chip.Deep(), c.Name)
		require.Equal(t, chip.Cell, c.Probe.Cell, c.Name)
		require.Equal(t, chip.Overhead, c.Probe.Overhead, c.Name)
		require.Len(t, chip.Slices, c.Probe.Slices, c.Name)
		require.Equal(t, chip.Cell.Bytes(chip.TotalCells()), c.Probe.Pool, c.Name)
	}
}

// off returns by how much the model misses at most, and its number there. Of groups that are filled together the last
// is the one with part of its headroom, else each counts.
func (c *siliconCase) off(t *testing.T, rule mmu.Rule, latched bool) (worst, model int64) {
	hardware, numbers := c.hardware(t), c.model(t, rule, latched)
	switch c.Param {
	case "pkts_num_hdrm_partial":
		numbers = numbers[len(numbers)-1:]
	case "pkts_num_hdrm_full":
		numbers = numbers[:1]
	case "trace_xoff", "trace_drop": // the source prints these of 21
		numbers = []int64{numbers[0], numbers[1], numbers[19], numbers[20]}
	}
	for i, got := range numbers {
		d := got - hardware[min(i, len(hardware)-1)]
		if c.begins() && d < 0 {
			d = math.MaxInt32 // the test would have found the pause before it looks
		}
		if d = max(d, -d); d >= worst {
			worst, model = d, got
		}
	}
	return worst, model
}

// check returns by how many packets the model misses, and fails if the file says otherwise: that it comes within one
// cell, or at most fewMore above the value where a test begins to look. Where neither is so, the file has the model's
// number and the reason, so that neither changes unnoticed.
func (c *siliconCase) check(t *testing.T) (off int64) {
	rule, latched := c.rule(t)
	off, model := c.off(t, rule, latched)
	if c.Agrees {
		most := int64(1)
		if c.begins() {
			most = fewMore
		}
		require.LessOrEqual(t, off, most, "%s (%s): measured %s, model %d", c.Name, c.Source, c.Hardware, model)
		if off > 1 {
			t.Logf("where a test begins to look: %s: %s, model %d", c.Name, c.Hardware, model)
		}
		return off
	}
	require.Greater(t, off, int64(1), "%s is explained by now: mark it", c.Name)
	require.Equal(t, c.Model, model, c.Name)
	require.NotEmpty(t, c.Why, c.Name)
	require.Positive(t, c.Margin, c.Name)
	inside := "more than"
	if off <= c.Margin {
		inside = "inside"
	}
	t.Logf("not explained: %s: measured %s, model %d, off by %d, %s the %d that the measuring test allows: %s",
		c.Name, c.Hardware, model, off, inside, c.Margin, c.Why)
	return off
}

// Every measurement that public parameters explain comes out within one cell,
// by the chip's own rule. docs/readings.md lists all.
func TestSilicon(t *testing.T) {
	cases, more, deep := siliconCases(t)
	for name, list := range map[string][]siliconCase{"inferred from": cases, "looked at afterwards": more,
		"in bytes": deep} {
		t.Run(name, func(t *testing.T) {
			within, exact, begins := 0, 0, 0
			page, err := os.ReadFile("../../docs/simulator.md")
			require.NoError(t, err)
			for _, c := range list {
				switch off := c.check(t); {
				case off <= 1:
					within++
					if off == 0 {
						exact++
					}
				case c.Agrees:
					begins++
				}
			}
			t.Logf("%d within one cell, %d of them exact; %d where a test begins to look; %d not explained", within, exact,
				begins, len(list)-within-begins)
			says := fmt.Sprintf(`(?s)\b%d (of|values).{1,80}, %d come out within one (cell|packet)`, len(list), within)
			require.Regexp(t, says, string(page))
			if name == "inferred from" { // docs/state.md says so
				state, err := os.ReadFile("../../docs/state.md")
				require.NoError(t, err)
				says := fmt.Sprintf("%d of %d public test values within one cell, %d of them exactly", within, len(list), exact)
				require.Contains(t, string(state), says)
			}
		})
	}
}

// The results of the other readings of a chip's rule: each differs more from some measurement.
func TestSiliconOtherRules(t *testing.T) {
	cases, more, deep := siliconCases(t)
	all := slices.DeleteFunc(slices.Concat(cases, more, deep), func(c siliconCase) bool { return !c.Agrees })
	sum := func(change func(r *mmu.Rule, latched *bool)) (total int64) {
		for _, c := range all {
			rule, latched := c.rule(t)
			change(&rule, &latched)
			off, _ := c.off(t, rule, latched)
			total += off
		}
		return total
	}
	own := sum(func(*mmu.Rule, *bool) {})
	for name, change := range map[string]func(*mmu.Rule, *bool){
		"one rule for all chips":      func(r *mmu.Rule, latched *bool) { *r, *latched = mmu.SiliconRule(), true },
		"the limit at the other time": func(r *mmu.Rule, _ *bool) { r.LimitAfter = !r.LimitAfter },
		"XOFF at first refusal":       func(r *mmu.Rule, _ *bool) { r.PauseAtLimit = false },
		"reference rule":              func(r *mmu.Rule, latched *bool) { *r, *latched = mmu.Rule{}, false },
		"XON by the limit of now":     func(_ *mmu.Rule, latched *bool) { *latched = false },
	} {
		other := sum(change)
		t.Logf("%s: %d packets off in all; the chips' own rules: %d", name, other, own)
		require.Greater(t, other, own, name)
	}
}

// The rule of a chip is as certain as the catalogue states.
func TestRulesAreAsSureAsTheCatalogueSays(t *testing.T) {
	cases, more, deep := siliconCases(t)
	count := func(prefix string, rule *mmu.Rule) (values, exact int) {
		for _, c := range slices.Concat(cases, more, deep) {
			name, _, _ := strings.Cut(c.Source, "/")
			if c.Probe.Lossy || c.Param == "pkts_num_trig_egr_drp" || name != prefix && c.Source != prefix {
				continue
			}
			own, latched := c.rule(t)
			if rule != nil {
				own = *rule
			}
			n := len(c.hardware(t))
			values += n
			if off, _ := c.off(t, own, latched); off == 0 {
				exact += n
			}
		}
		return values, exact
	}
	for prefix, want := range map[string][2]int{"th": {16, 13}, "td2": {3, 3},
		"th2/MMU_Threshold_Probing_Design.md": {8, 8}} {
		values, exact := count(prefix, nil)
		require.Equal(t, want, [2]int{values, exact}, prefix)
	}
	// Both limit rules give Trident 2's values.
	_, exact := count("td2", new(mmu.SiliconRule()))
	require.Equal(t, 3, exact)
	// The default is one early for the switch of the trace.
	_, exact = count("th2/MMU_Threshold_Probing_Design.md", new(mmu.SiliconRule()))
	require.Zero(t, exact)
	for _, c := range slices.Concat(cases, more) {
		if strings.HasPrefix(c.Source, "th5/") && c.Param == "pkts_num_trig_pfc_multi" {
			rule, latched := c.rule(t)
			off, _ := c.off(t, rule, latched)
			require.Zero(t, off, c.Source)
			rule.LimitAfter = false
			off, _ = c.off(t, rule, latched)
			require.Positive(t, off, c.Source)
		}
	}
}

// A lossy group is dropped where the limit of the egress queue is reached, although the ingress has room. A lossless
// group whose egress limit is reached first is dropped without having paused.
func TestProbeEgress(t *testing.T) {
	p := mmu.Probe{Cell: 100, Pool: 100000, Lossy: true, Limit: thresholds.Unlimited(), Packet: 64,
		Rule:   mmu.SiliconRule(),
		Egress: mmu.ProbeEgress{Pool: 30000, Reserved: 500, Limit: thresholds.Dynamic(1)}}
	run := func() mmu.ProbeAnswer {
		a, err := p.Run()
		require.NoError(t, err)
		return a
	}
	a := run()
	require.Equal(t, []mmu.ProbedGroup{{Drop: 206, Cause: mmu.CauseQueueLimit}}, a.Groups,
		"2/3 of 300 cells, 5 reserved, the next")
	require.EqualValues(t, 1000, a.Shared)
	require.EqualValues(t, 300, a.EgressShared)

	p.Lossy, p.Limit, p.Headroom, p.XONOffset = false, thresholds.Dynamic(0), 2000, 300
	require.Equal(t, []mmu.ProbedGroup{{Drop: 206, Cause: mmu.CauseQueueLimit}}, run().Groups,
		"the ingress would pause at 500")
	p.Egress.ReservedElsewhere, p.Egress.Limit = 100, thresholds.Unlimited()
	require.Equal(t, []mmu.ProbedGroup{{Drop: 206, Cause: mmu.CauseEgressPool}}, run().Groups)

	p.Egress = mmu.ProbeEgress{}
	a = run()
	require.Equal(t, []mmu.ProbedGroup{{XOFF: 500, Drop: 521, XONBelow: 2, Headroom: 20, Cause: mmu.CauseHeadroom}},
		a.Groups)
	require.Zero(t, a.EgressShared)

	p.Lossy, p.Headroom, p.XONOffset = true, 0, 0
	require.Equal(t, []mmu.ProbedGroup{{Drop: 501, Cause: mmu.CauseGroupLimit}}, run().Groups)

	// Two groups share the queue: together they get what one had.
	p.Egress, p.Groups = mmu.ProbeEgress{Pool: 30000, Limit: thresholds.Static(200)}, 2
	require.Equal(t, []int64{101, 101}, []int64{run().Groups[0].Drop, run().Groups[1].Drop})
	p.InTurn = true
	require.Equal(t, []int64{201, 1}, []int64{run().Groups[0].Drop, run().Groups[1].Drop})
}
