package golden_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/capacity"
	"github.com/cellwarden/cellwarden/capacity/risk"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// told is all that the commands say of one topology.
type told struct {
	in      buffer.Intent
	a       *buffer.Admission
	p       *buffer.Plan
	entries []capacity.Entry
	answers []capacity.Answer
	v       *report.Verification // nil: the plan is refused
	pools   []risk.Pool
	// defaults: the standard's method as it is without parameters
	defaults bool
}

// need is what a lossless group of a port asks for, by the plan.
type need struct {
	buffer.PortGroup
	port string
}

// lossless returns the lossless groups of the plan, in verify's order.
func (x *told) lossless() (out []need) {
	for i := range x.in.Ports {
		for _, g := range x.a.GroupsOf(i) {
			if g.Lossless {
				out = append(out, need{g, x.in.Ports[i].Name})
			}
		}
	}
	slices.SortFunc(out, func(a, b need) int {
		if c := buffer.ComparePorts(a.port, b.port); c != 0 {
			return c
		}
		return a.Group.Group - b.Group.Group
	})
	return out
}

// poolDrops tells whether verify loses frames in a headroom pool.
func poolDrops(v *report.Verification) bool {
	return slices.ContainsFunc(v.Pools, func(p report.VerifiedPool) bool { return p.Drops > 0 })
}

// overflows tells whether all groups together bring more than a pool has.
func overflows(pools []risk.Pool) bool {
	return slices.ContainsFunc(pools, func(p risk.Pool) bool { return p.All() > p.Cells })
}

// agreements are what may follow from what. Each returns how often it had something to compare.
var agreements = []struct {
	rule  string
	holds func(t *testing.T, x *told, name string) int
}{
	{"a plan has one verdict, in its document, its head and the document of capacity", agreeOnVerdict},
	{"a refused plan is refused in all, with the same first port and numbers", agreeOnRefusal},
	{"the need of a group in verify is the worst case in its plan, to the cell, with its frames and delays", agreeOnNeed},
	{"a group alone loses nothing in verify exactly where the plan finds its headroom enough", agreeOnEnough},
	{"a headroom holds the same frames and delays in the plan and in verify", agreeOnLimits},
	{"the plan says that a headroom is too small exactly where verify loses frames of a group alone", agreeOnNotes},
	{"the verdict of verify follows from the plan, with the largest frames of all groups", agreeOnProof},
	{"the defaults with headroom of their own have margin 0 before the chip rounds, and no loss", agreeOnDefaults},
	{"a headroom pool loses frames in verify exactly where risk has an overflow", agreeOnPools},
	{"what capacity finds fits, and one step more is refused", agreeOnSteps},
	{"capacity's ratio is the largest with which verify and risk lose nothing in a pool", agreeOnRatio},
	{"with frames of capacity's size and more verify loses nothing", agreeOnFrame},
	{"explain has the numbers of the plan", agreeOnExplained},
	{"the plan warns of marking where ecn says PFC FIRST, and there burst says it too", agreeOnMarking},
}

// No command says of a topology what another one denies: 500 random topologies over all seeds, on random chips of the
// catalogue, with every method that is made for the chip, and with the defaults for every second one.
func TestNoTwoCommandsContradict(t *testing.T) {
	first, end := effort.Seeds(500)
	chips, compared := plannable(), make([]int, len(agreements))
	var lock sync.Mutex
	t.Run("topologies", func(t *testing.T) {
		for w := range uint64(workers) {
			t.Run(fmt.Sprint("worker ", w), func(t *testing.T) {
				t.Parallel()
				for seed := first + w; seed < end; seed += workers {
					rng := rand.New(rand.NewPCG(23, seed))
					chip := chips[rng.IntN(len(chips))]
					x := tellAll(t, rng, chip, fmt.Sprintf("seed %d, %s", seed, chip.Name))
					for i, r := range agreements {
						n := r.holds(t, x, fmt.Sprintf("seed %d, %s, %s: %s", seed, chip.Name, x.in.Sizing.Method(), r.rule))
						lock.Lock()
						compared[i] += n
						lock.Unlock()
					}
				}
			})
		}
	})
	for i, r := range agreements {
		t.Logf("%6d times: %s", compared[i], r.rule)
		require.GreaterOrEqual(t, compared[i], int(end-first)/20, r.rule)
	}
}

// tellAll draws a topology, and asks every command about it.
func tellAll(t *testing.T, rng *rand.Rand, chip buffer.Chip, name string) *told {
	t.Helper()
	x := &told{}
	x.in, x.defaults = modest(t, rng, chip)
	var err error
	x.p, err = buffer.New(x.in)
	require.NoError(t, err, name)
	x.a = admission(t, x.in, name)
	x.entries = []capacity.Entry{{Text: x.in.Ports[0].Name, First: 0, Count: 1}}
	if n := len(x.in.Ports); n > 1 {
		x.entries = append(x.entries, capacity.Entry{Text: "the others", First: 1, Count: n - 1})
	}
	x.answers, err = capacity.Ask(x.in, x.entries, capacity.Cable, capacity.CableAll, capacity.Ratio, capacity.Frame)
	require.NoError(t, err, name)
	x.pools, err = risk.Pools(x.in)
	require.NoError(t, err, name)
	if x.p.Fits {
		x.v = verified(t, x.in, sim.VerifyOptions{}, name)
	}
	return x
}

// modest is a random plan of few frames, which can be simulated: one in ten has a cable of 2 km.
func modest(t *testing.T, rng *rand.Rand, chip buffer.Chip) (in buffer.Intent, defaults bool) {
	t.Helper()
	in = buffer.Intent{Chip: chip, Classes: classesOf(rng, &chip), Ports: portsOf(rng, &chip)}
	in.Ports = in.Ports[:min(len(in.Ports), pickOf(rng, 2, 4, 8, 16))]
	for i := range in.Ports {
		in.Ports[i].Cable = min(in.Ports[i].Cable, 301*unit.Metre)
	}
	if oneIn(rng, 10) {
		in.Ports = in.Ports[:min(len(in.Ports), 4)]
		in.Ports[0].Cable = 2 * unit.Kilometre
	}
	if len(in.Ports) > 4 { // many links are simulated at once: short ones
		for i := range in.Ports {
			p := &in.Ports[i]
			p.Delay, p.Response, p.Extra = unit.Optional[unit.Time]{}, unit.Optional[unit.Time]{}, 0
			p.Cable = min(p.Cable, 100*unit.Metre)
		}
	}
	in.Sizing, defaults = thresholds.IEEE{}, true
	if oneIn(rng, 2) {
		in.Sizing, defaults = sizerOf(t, rng, in), false
	}
	if !oneIn(rng, 3) {
		poolsOf(rng, &in)
	}
	if chip.Deep() || !oneIn(rng, 4) { // all of the shared memory is filled before the egress is full
		in = withoutEgress(in)
	}
	if oneIn(rng, 8) { // most of these are refused
		in.SharedFloor = 97 * unit.OnePercent
	}
	for i := range in.Ports {
		if in.CheckPort(i) != nil { // the method has no number for this speed
			in.Sizing, defaults = thresholds.IEEE{}, true
		}
	}
	return in, defaults
}

// withoutEgress is an intent whose egress accepts every packet: filling it takes most of a verification's time.
func withoutEgress(in buffer.Intent) buffer.Intent {
	in.EgressPools, in.Classes = nil, slices.Clone(in.Classes)
	for i := range in.Classes {
		in.Classes[i].Egress.Pool = ""
	}
	return in
}

func verified(t *testing.T, in buffer.Intent, o sim.VerifyOptions, name string) *report.Verification {
	t.Helper()
	v, err := sim.Verify(t.Context(), in, layoutOf(t, in, name), o)
	require.NoError(t, err, name)
	return v
}

func agreeOnVerdict(t *testing.T, x *told, name string) int {
	doc, far := report.Plan(x.p), report.Capacity(x.in, x.a, x.answers)
	require.Equal(t, report.PlanVerdict(x.p), doc.Verdict, name)
	require.Equal(t, doc.Verdict, far.Verdict, name)
	require.Equal(t, doc.HeadroomShared, far.HeadroomShared, name)
	require.Equal(t, doc.Fits, far.Fits, name)
	require.Equal(t, doc.Fits, doc.Verdict != report.DoesNotFit, name)
	head := report.PlanHead(x.p)[0].Text
	require.Equal(t, doc.Fits, strings.HasPrefix(head, "FITS"), name)
	require.Equal(t, doc.Verdict == report.FitsAsPlaced, strings.HasPrefix(head, "FITS IF "), name)
	if doc.Fits {
		require.Equal(t, doc.HeadroomShared != "", strings.Contains(head, "shared "+doc.HeadroomShared), name)
	}
	require.Equal(t, x.p.SizeNotes(), doc.Sizing.SizeNotes, name)
	return 1
}

func agreeOnRefusal(t *testing.T, x *told, name string) int {
	denied, refused := x.a.FirstDenied()
	require.Equal(t, refused, !x.p.Fits, name)
	_, err := capacity.Bursts(x.in, x.entries, []int{0}, 0)
	if !refused {
		require.NoError(t, err, name)
		require.Empty(t, x.p.Refusals, name)
		return 0
	}
	require.ErrorIs(t, err, buffer.ErrNoFit, name)
	require.Contains(t, err.Error(), denied.Port+": "+denied.Shortfall.String(), name)
	r := x.p.Refusals[0]
	require.Len(t, x.p.Refusals, len(x.a.Denied()), name)
	require.Equal(t, denied.Port, r.Port, name)
	require.Equal(t, denied.Shortfall, buffer.Shortfall{Reason: r.Reason, Group: r.Group, Slice: r.Slice, Needed: r.Needed,
		Available: r.Available, Short: r.Short, Limit: denied.Limit}, name)
	doc := report.Plan(x.p)
	require.Equal(t, denied.Port, doc.Refusals[0].Port, name)
	require.Equal(t, denied.Short, doc.Refusals[0].Short, name)
	for i := range x.in.Ports {
		d := x.explain(i)
		switch own := slices.IndexFunc(x.a.Denied(), func(d buffer.Denied) bool { return d.Index == i }); {
		case own < 0:
			require.Contains(t, d.PlanRefused, "first "+denied.Port+": "+denied.Shortfall.String(), name)
		default:
			require.Equal(t, x.a.Denied()[own].Shortfall.String(), d.Refused, name)
		}
	}
	return 1
}

func agreeOnNeed(t *testing.T, x *told, name string) int {
	if x.v == nil {
		return 0
	}
	needs := x.lossless()
	for i, g := range x.v.Groups {
		n := needs[slices.IndexFunc(needs, func(n need) bool { return n.port == g.Port && n.Group.Group == g.Group })]
		require.Equal(t, n.Headroom, g.Granted, name)
		require.Equal(t, n.Worst.Cells, g.FirstDropBelow, "%s: group %d: %s over %s", name, i, g.Port, g.Cable)
		require.Equal(t, n.Worst.Frame, g.Frame, name)
		require.Equal(t, n.Worst.Sum, g.Delays, name)
		require.Equal(t, n.Worst.Ends, g.Assumed, name)
		require.True(t, slices.ContainsFunc(x.p.Sizing.Kinds, func(k buffer.Sized) bool {
			return k.Class == g.Class && k.Rate == g.Speed && k.Granted == g.Granted && k.Worst == n.Worst
		}), "%s: the plan has this kind", name)
	}
	return len(x.v.Groups)
}

func agreeOnEnough(t *testing.T, x *told, name string) int {
	if x.v == nil {
		return 0
	}
	for _, g := range x.v.Groups {
		n := x.needOf(g)
		judged := n.Worst.Judge(g.Granted, x.in.Chip.Cell)
		require.Equal(t, judged == thresholds.Enough, g.Granted >= g.FirstDropBelow, "%s: %+v", name, g)
		require.Equal(t, judged == thresholds.Enough, g.Drops == 0, "%s: %+v", name, g)
	}
	return len(x.v.Groups)
}

// needOf returns what the plan says of a group of verify.
func (x *told) needOf(g report.VerifiedGroup) need {
	all := x.lossless()
	return all[slices.IndexFunc(all, func(n need) bool { return n.port == g.Port && n.Group.Group == g.Group })]
}

func agreeOnLimits(t *testing.T, x *told, name string) (n int) {
	if x.v == nil {
		return 0
	}
	for _, g := range x.v.Groups {
		frames, ends := x.needOf(g).Worst.Holds(g.Granted)
		require.Equal(t, report.Sufficiency{Frames: frames, Delays: ends}, g.Sufficient, "%s: %+v", name, g)
		if g.Drops > 0 && frames > 0 {
			n++
		}
	}
	return n
}

func agreeOnNotes(t *testing.T, x *told, name string) int {
	if x.v == nil {
		return 0
	}
	notes := strings.Join(x.p.SizeNotes(), "\n")
	loses := map[string]bool{}
	for _, g := range x.v.Groups {
		loses[g.Class] = loses[g.Class] || g.Drops > 0
	}
	for class, lost := range loses {
		require.Equal(t, lost, strings.Contains(notes, "class "+class+" at "), "%s: %s", name, notes)
	}
	for i := range x.p.Sizing.Kinds {
		k := &x.p.Sizing.Kinds[i]
		note := k.Worst.Note(k.Granted, x.in.Chip.Cell)
		require.Equal(t, k.Enough == thresholds.Enough, note == "", name)
		if frames, _ := k.Worst.Holds(k.Granted); frames > 0 && k.Enough == thresholds.LessThanWorstCase {
			require.Contains(t, note, fmt.Sprintf("frames of %v and more", frames), name)
		}
	}
	return len(loses)
}

func agreeOnProof(t *testing.T, x *told, name string) int {
	if x.v == nil || len(x.v.Groups) == 0 {
		return 0
	}
	frames, none, short := unit.Bytes(0), false, false
	for _, n := range x.lossless() {
		holds, _ := n.Worst.Holds(n.Headroom)
		frames, none = max(frames, holds), none || holds == 0
		short = short || n.Worst.Judge(n.Headroom, x.in.Chip.Cell) != thresholds.Enough
	}
	egress := slices.ContainsFunc(x.p.Egress, func(r buffer.EgressRow) bool { return r.Egress < r.Ingress })
	switch v := x.v.Verdict; {
	case none || overflows(x.pools):
		require.Equal(t, report.NotLossless, v, name)
	case v == report.NotLossless && egress:
		require.NotEmpty(t, x.p.ShortEgress(), name)
	case v == report.NotLossless && x.in.Chip.Deep():
		require.Contains(t, x.v.Conditions[0], "packets move to the memory beside the chip", name)
	case short:
		require.Equal(t, report.LosslessFrames, v, name)
		require.Equal(t, frames, x.v.Sufficient.Frames, name)
	default:
		require.Contains(t, []report.Verdict{report.Lossless, report.LosslessIf}, v, "%s: %v", name, x.v.Conditions)
		require.Equal(t, v == report.LosslessIf, len(x.v.Conditions) > 0, name)
	}
	return 1
}

func agreeOnDefaults(t *testing.T, x *told, name string) int {
	if !x.defaults || x.v == nil {
		return 0
	}
	require.Empty(t, x.p.SizeNotes(), name)
	for i := range x.p.Sizing.Kinds {
		k := &x.p.Sizing.Kinds[i]
		require.Equal(t, k.Worst.Cells, k.Cells, "%s: before the chip rounds", name)
		require.Equal(t, thresholds.Enough, k.Enough, name)
	}
	for _, g := range x.v.Groups {
		require.Zero(t, g.Drops, name)
	}
	if len(x.pools)+len(x.in.EgressPools) == 0 && !x.in.Chip.Deep() && len(x.v.Groups) > 0 {
		require.Equal(t, report.Lossless, x.v.Verdict, name)
		return 1
	}
	return 0
}
