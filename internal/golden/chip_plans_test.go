package golden_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/effort"
	"github.com/cellwarden/cellwarden/internal/golden"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// How many random plans for chips of the catalogue are made, and from which seed:
//
//	CELLWARDEN_SEEDS=all go test ./internal/golden -run RandomPlansOfAllChips -v -plans 100000 -seed 1 -timeout 2h
var (
	planCount = flag.Uint64("plans", 2000, "random plans over all chips that can be planned with")
	planSeed  = flag.Uint64("seed", 1, "seed of the random plans")
)

// tally counts what the random plans were.
type tally struct {
	sync.Mutex
	of map[string]int
}

func (c *tally) add(what string) {
	c.Lock()
	defer c.Unlock()
	c.of[what]++
}

// Random plans over all chips of the catalogue. In each plan the cells add up, longer and faster links with longer
// frames need no fewer cells, each remedy makes the plan fit as it is printed, a Manager that gets the same ports in
// any order has the same state, and no state between two plans over-commits a slice.
func TestRandomPlansOfAllChips(t *testing.T) {
	first, end := effort.Seeds(*planCount)
	chips, count := plannable(), &tally{of: map[string]int{}}
	t.Run("plans", func(t *testing.T) {
		for w := range uint64(workers) {
			t.Run(fmt.Sprint("worker ", w), func(t *testing.T) {
				t.Parallel()
				for i := first + w; i < end; i += workers {
					rng := rand.New(rand.NewPCG(*planSeed, i))
					chip := chips[i%uint64(len(chips))]
					requirePlan(t, rng, chip, count, fmt.Sprintf("seed %d, plan %d, %s", *planSeed, i, chip.Name))
				}
			})
		}
	})
	t.Logf("%d random plans from seed %d over %d chips", count.of["plan"], *planSeed, len(chips))
	for _, what := range slices.Sorted(maps.Keys(count.of)) {
		t.Logf("%-40s %d", what, count.of[what])
	}
	n := end - first
	require.EqualValues(t, n, count.of["plan"])
	for _, what := range []string{"fits", "refused", "remedy ports", "remedy kmin", "monotone in speed"} {
		require.Greater(t, count.of[what], int(n/20), "the plans have little of this: %s", what)
	}
}

func requirePlan(t *testing.T, rng *rand.Rand, chip buffer.Chip, count *tally, name string) {
	t.Helper()
	in := randomPlan(t, rng, chip)
	plan, err := buffer.New(in)
	require.NoError(t, err, "%s: a random intent must be valid", name)
	count.add("plan")
	count.add("method " + in.Sizing.Method())
	if plan.Fits {
		count.add("fits")
	} else {
		count.add("refused")
	}
	if oneIn(rng, 50) {
		again, err := buffer.New(in)
		require.NoError(t, err, name)
		require.Equal(t, jsonOf(t, plan), jsonOf(t, again), "%s: planned twice", name)
	}
	want := golden.Admit(in)
	requireSlices(t, in, want, plan, name)
	requireRefusals(t, in, want, plan, name)
	requireGroupSums(t, in, plan, name)
	requireMonotone(t, rng, in, plan, count, name)
	requireRemedies(t, in, plan, count, name)
	requireMarkingRemedy(t, in, plan, count, name)
	requireManager(t, rng, in, plan, name)
	requireTransitions(t, rng, in, plan, name)
}

// requireGroupSums adds up what the groups of a slice hold: it is what the bill
// of the slice has, beside the minima of ports and queues.
func requireGroupSums(t *testing.T, in buffer.Intent, plan *buffer.Plan, name string) {
	t.Helper()
	reserved, headroom := make([]cells.Count, len(plan.Slices)), make([]cells.Count, len(plan.Slices))
	for _, g := range plan.Groups {
		reserved[g.Slice] += g.Reserved
		headroom[g.Slice] += g.Headroom
	}
	admitted := map[string]bool{}
	for _, g := range plan.Groups {
		admitted[g.Port] = true
	}
	for i, p := range in.Ports {
		if !admitted[p.Name] {
			continue
		}
		for _, s := range in.Chip.SlicesOf(in.PipeOf(i)) {
			reserved[s] += in.Chip.Cell.Holding(p.Reserved)
		}
		for s := range reserved {
			for _, c := range in.Classes {
				reserved[s] += cells.Count(len(c.Priorities)) * in.Chip.Cell.Holding(c.QueueReserved)
			}
		}
	}
	for s, bill := range plan.Slices {
		require.Equal(t, bill.Reserved, reserved[s], "%s: slice %d", name, s)
		if !in.Pool.SharesHeadroom() {
			require.Equal(t, bill.Headroom, headroom[s], "%s: slice %d", name, s)
		}
	}
}

// more returns links that need no less than this one: each is longer, slower to answer, faster, or has longer frames.
func more(l thresholds.Link) map[string]thresholds.Link {
	out := map[string]thresholds.Link{}
	with := func(what string, change func(*thresholds.Link)) {
		longer := l
		change(&longer)
		if longer.Validate() == nil || what == "speed" {
			out[what] = longer
		}
	}
	with("cable", func(l *thresholds.Link) { l.Cable += 7 * unit.Metre })
	with("delay", func(l *thresholds.Link) { l.Delay = unit.Given(l.Delay.Or(unit.Time(l.Cable)*6) + unit.Nanosecond) })
	with("extra delay", func(l *thresholds.Link) { l.Extra += 10 * unit.Nanosecond })
	with("MACsec", func(l *thresholds.Link) { l.MACsec = true })
	with("MTU", func(l *thresholds.Link) { l.MTU++ })
	with("lossless MTU", func(l *thresholds.Link) { l.LosslessMTU++ })
	if t, given := l.Response.Get(); given {
		with("response", func(l *thresholds.Link) { l.Response = unit.Given(t + 10*unit.Nanosecond) })
	}
	if k := slices.Index(speeds, l.Rate); k >= 0 && k+1 < len(speeds) {
		with("speed", func(l *thresholds.Link) { l.Rate = speeds[k+1] })
	}
	return out
}

// requireMonotone compares the headroom of every kind of link with that of links that need more. And what fits does so
// with a shorter cable, what does not fit does not so with a longer one.
func requireMonotone(t *testing.T, rng *rand.Rand, in buffer.Intent, plan *buffer.Plan, count *tally, name string) {
	t.Helper()
	if _, discrete := in.Sizing.(*table.Table); discrete {
		return // a vendor's table is what it is
	}
	mem, seen := in.Chip.Memory(), map[thresholds.Link]bool{}
	for _, p := range in.Ports {
		for _, c := range in.Classes {
			l := p.Link(cmp.Or(c.MTU, p.MTU))
			if !c.Lossless || seen[l] {
				continue
			}
			seen[l] = true
			base, err := in.Sizing.Size(l, mem)
			require.NoError(t, err, name)
			for what, longer := range more(l) {
				h, err := in.Sizing.Size(longer, mem)
				if err != nil {
					continue // a speed that the method does not have
				}
				if what == "speed" && l.Rate == 10*unit.Gbps && l.Response.IsGiven() && byTexts(in.Sizing) {
					continue // the texts' interface delay has fewer bit times at 25G, which their response outweighs
				}
				if what == "lossless MTU" && base.Method == (method.SONiC{}).Method() {
					// Half of SONiC's packets are small. The longer the others are, the smaller is the
					// share of the bytes in small ones, and of the cells that these waste.
					continue
				}
				count.add("monotone in " + what)
				require.GreaterOrEqual(t, h.Cells, base.Cells, "%s: %s, %s: %+v", name, base.Method, what, longer)
			}
			requireWorstFrame(t, in.Sizing, l, mem, count, name)
		}
	}
	other := in
	other.Ports = slices.Clone(in.Ports)
	p := &other.Ports[rng.IntN(len(other.Ports))]
	if plan.Fits {
		p.Cable, p.Extra = p.Cable/2, 0
	} else if p.Cable += 100 * unit.Metre; in.Pool.SharedHeadroomRatio > 0 {
		return // the headroom pool grows with the cable, and may become large enough for a group
	}
	require.Equal(t, plan.Fits, golden.Admit(other).Fits(), "%s: another cable at %s", name, p.Name)
}

// byTexts tells whether the delays of both ends are summed as the texts do.
func byTexts(s thresholds.Sizer) bool {
	m, ok := s.(thresholds.IEEE)
	return ok && (m.Delays.Sum == thresholds.SumOfTexts || m.Delays.EveryInterface.IsGiven())
}

// requireWorstFrame checks that no size of frame needs more cells than the worst.
func requireWorstFrame(t *testing.T, s thresholds.Sizer, l thresholds.Link, mem thresholds.Memory, count *tally,
	name string) {
	t.Helper()
	m, ok := s.(thresholds.IEEE)
	if !ok {
		return
	}
	m.Mix = thresholds.WorstFrames()
	worst, err := m.Size(l, mem)
	require.NoError(t, err, name)
	for _, frame := range []unit.Bytes{64, 65, unit.Bytes(mem.Cell) - mem.Overhead,
		unit.Bytes(mem.Cell) - mem.Overhead + 1,
		2*unit.Bytes(mem.Cell) - mem.Overhead + 1, 1024, l.LosslessMTU} {
		if frame < thresholds.MinFrame || frame > l.LosslessMTU {
			continue
		}
		m.Mix = thresholds.Frames(frame)
		h, err := m.Size(l, mem)
		require.NoError(t, err, name)
		require.LessOrEqual(t, h.Cells, worst.Cells, "%s: frames of %v on %+v, the worst are %v", name, frame, l,
			worst.Mix.Frame())
		count.add("frames compared with the worst")
	}
}

// requireRemedies follows each remedy of a refused plan as it is printed.
func requireRemedies(t *testing.T, in buffer.Intent, plan *buffer.Plan, count *tally, name string) {
	t.Helper()
	if plan.Fits {
		return
	}
	for _, r := range plan.Refusals[0].Remedies {
		name := name + ": " + r.Text
		count.add("remedy " + r.Change)
		require.Contains(t, remade, r.Change, name)
		enough, _ := remade[r.Change](t, in, r.To)
		if r.Change == "ports" {
			enough, _ = keepPorts(t, in, r.Keep)
			if !strings.Contains(r.Text, "each with its pipe given") {
				requireFits(t, onlyNamed(in, r.Keep), name+": without pipes")
			}
		}
		requireFits(t, enough, name)
		if _, from, ok := strings.Cut(r.Text, "one pool for all groups, from "); ok {
			least, _, _ := strings.Cut(from, " ")
			trial := in
			var err error
			trial.Pool.SharedHeadroom, err = unit.ParseBytes(least)
			require.NoError(t, err, name)
			requireFits(t, trial, name+": the smallest pool")
		}
	}
}

func requireFits(t *testing.T, in buffer.Intent, name string) {
	t.Helper()
	plan, err := buffer.New(in)
	require.NoError(t, err, name)
	require.True(t, plan.Fits, name)
}

// onlyNamed is the intent with the ports of these names alone, as it has them.
func onlyNamed(in buffer.Intent, names []string) buffer.Intent {
	in.Ports = slices.DeleteFunc(slices.Clone(in.Ports),
		func(p buffer.Port) bool { return !slices.Contains(names, p.Name) })
	return in
}

// requireMarkingRemedy gives a class that pauses before it marks the kmin that the warning names: then it marks first.
func requireMarkingRemedy(t *testing.T, in buffer.Intent, plan *buffer.Plan, count *tally, name string) {
	t.Helper()
	for _, m := range plan.MarksFirst() {
		if m.First || m.KMin < 0 {
			continue
		}
		trial := in
		trial.Classes = slices.Clone(in.Classes)
		for i := range trial.Classes {
			if c := &trial.Classes[i]; c.Name == m.Class {
				c.ECN.KMin, c.ECN.KMax = m.KMin, max(m.KMin, c.ECN.KMax)
			}
		}
		again, err := buffer.New(trial)
		require.NoError(t, err, "%s: %v", name, m)
		for _, now := range again.MarksFirst() {
			require.True(t, now.Class != m.Class || now.First, "%s: %v: now %v", name, m, now)
		}
		count.add("remedy kmin")
	}
}

// requireManager gives the admitted ports to a Manager in any order, alone and together, and takes them all back.
func requireManager(t *testing.T, rng *rand.Rand, in buffer.Intent, plan *buffer.Plan, name string) {
	t.Helper()
	placed, admitted := in, in
	placed.Ports, admitted.Ports = slices.Clone(in.Ports), nil
	for i := range placed.Ports {
		placed.Ports[i].Pipe = new(in.PipeOf(i))
	}
	refused := map[string]bool{}
	for _, r := range plan.Refusals {
		refused[r.Port] = true
	}
	empty := in
	empty.Ports = nil
	if in.Pool.SharedHeadroomRatio == 0 { // else the headroom pool follows the ports, and refuses others than the plan
		m, err := buffer.NewManager(empty)
		require.NoError(t, err, name)
		for _, p := range placed.Ports {
			require.Equal(t, refused[p.Name], m.Admit(p) != nil, "%s: port %s", name, p.Name)
		}
		require.True(t, m.Len() == 0 || slices.Equal(plan.Layout(), m.Layout()), "%s: in the order of the plan", name)
	}
	for _, p := range placed.Ports {
		if !refused[p.Name] {
			admitted.Ports = append(admitted.Ports, p)
		}
	}
	if len(admitted.Ports) == 0 {
		return
	}
	want, err := buffer.New(admitted)
	require.NoError(t, err, name)
	require.True(t, want.Fits, name)
	m, err := buffer.NewManager(empty)
	require.NoError(t, err, name)
	before := m.Layout()
	left := slices.Clone(admitted.Ports)
	rng.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
	for len(left) > 0 {
		n := 1 + rng.IntN(len(left))
		require.NoError(t, m.Admit(left[:n]...), name)
		left = left[n:]
	}
	require.Equal(t, want.Slices, m.Slices(), "%s: in another order", name)
	require.True(t, slices.Equal(want.Layout(), m.Layout()), "%s: in another order", name)
	names := make([]string, len(admitted.Ports))
	for i, k := range rng.Perm(len(names)) {
		names[i] = admitted.Ports[k].Name
	}
	require.NoError(t, m.Release(names...), name)
	require.True(t, slices.Equal(before, m.Layout()), "%s: after all are released", name)
}

// requireTransitions goes from nothing to the plan, from there to another plan of
// the same switch, and back, step by step.
func requireTransitions(t *testing.T, rng *rand.Rand, in buffer.Intent, plan *buffer.Plan, name string) {
	t.Helper()
	other := randomPlan(t, rng, in.Chip)
	pipes := in.Pipes()
	for i := range other.Ports { // a port is wired to one pipe
		p := &other.Ports[i]
		pipe, known := pipes[p.Name]
		if !known {
			pipe = other.PipeOf(i)
			pipes[p.Name] = pipe
		}
		p.Pipe = &pipe
	}
	want := layoutOf(t, other, name)
	for _, way := range [][2]buffer.Layout{{nil, plan.Layout()}, {plan.Layout(), want}, {want, nil}} {
		require.NoError(t, buffer.CheckTransition(in.Chip, pipes, way[0], way[1]), name)
	}
}
