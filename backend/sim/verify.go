package sim

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// VerifyOptions says how the worst case is built. The zero options are the worst case that is known.
type VerifyOptions struct {
	// Frame is the shortest of the frames that fill the headroom, in the worst mixture of this size and of longer ones. 0:
	// 64 bytes, Ethernet's shortest. A size below that is refused, and one above the longest frame of every lossless
	// class. One above the longest of a class is cut to it there.
	Frame unit.Bytes
	// Alone fills each group alone and leaves out that all groups of a shared headroom pool can pause at once. Where there
	// is such a pool, the verdict is then at most [report.LosslessIf].
	Alone bool
	// Delays is how the delays of both ends of a link add up. Not given: both ends at their value of 31B.3.7. Where the
	// plan's IEEE method gives an interface delay there is one sum, that of the texts.
	Delays unit.Optional[thresholds.DelaySum]
	// Behaviour is the chip family, which decides how counters are compared with limits. Zero is the chip's own, or
	// [behaviour.Reference] where that is not known.
	Behaviour behaviour.Family
	// Progress, if not nil, is told how far the work is: done of whole, which only grows, and is whole at the end. It is
	// called from the goroutine that called Verify.
	Progress func(done, whole int)
}

// Verify runs the worst case of every lossless group of a layout. The layout is that of a plan of the intent, or one
// that a device holds. The links are the intent's: a caller can change the cables after planning and learn whether the
// planned headroom still suffices. Groups that are alike are run once.
//
// Verify returns an error for an intent that is not valid, for a layout that does not fit the chip, and for a speed
// without a known response time. Lost frames are a result, not an error. When the context ends, Verify stops within a
// fraction of a second and returns the context's error.
func Verify(ctx context.Context, in buffer.Intent, layout buffer.Layout,
	o VerifyOptions) (*report.Verification, error) {
	if err := in.Validate(); err != nil {
		return nil, err
	}
	if o.Frame != 0 && (o.Frame < thresholds.MinFrame || o.Frame > thresholds.MaxFrameSize) {
		return nil, fmt.Errorf("%w: frame: %v: want %v to %v", buffer.ErrInvalid, o.Frame, thresholds.MinFrame,
			thresholds.MaxFrameSize)
	}
	if longest := longestLossless(&in); longest > 0 && o.Frame > longest {
		return nil, fmt.Errorf("%w: frame: %v: want %v to %v, the longest frame of a lossless class", buffer.ErrInvalid,
			o.Frame, thresholds.MinFrame, longest)
	}
	v, err := newVerifier(ctx, in, layout, o)
	if err != nil {
		return nil, err
	}
	v.parts = v.allParts()
	for ; v.part < len(v.parts); v.part++ {
		v.progress(0)
		if err := v.parts[v.part](); err != nil {
			return nil, err
		}
	}
	v.progress(0)
	slices.SortFunc(v.out.Groups, func(a, b report.VerifiedGroup) int {
		return cmp.Or(buffer.ComparePorts(a.Port, b.Port), cmp.Compare(a.Group, b.Group))
	})
	v.conclude()
	return v.out, nil
}

// longestLossless returns the longest frame that any lossless class has on any port; 0 without lossless classes.
func longestLossless(in *buffer.Intent) (longest unit.Bytes) {
	for i := range in.Ports {
		for j := range in.Classes {
			if c := &in.Classes[j]; c.Lossless && !c.CreditsOn(&in.Ports[i]) && in.Ports[i].Classes.Has(j) {
				longest = max(longest, c.Frame(&in.Ports[i]))
			}
		}
	}
	return longest
}

// partSize is how much a part, a port or a slice, counts in what Progress is told.
const partSize = 1000

// progress tells the caller how far the part is. A part can have several runs; those after the first tell nothing new.
func (v *verifier) progress(within int) {
	if done := v.part*partSize + within; v.o.Progress != nil && done >= v.told {
		v.told = done
		v.o.Progress(done, len(v.parts)*partSize)
	}
}

// allParts lists the work: ports, slices whose headroom pools are run, and slices whose egress is.
func (v *verifier) allParts() (all []func() error) {
	for i := range v.in.Ports {
		all = append(all, func() error {
			if err := v.port(&v.in.Ports[i]); err != nil {
				return v.failed(err, "port %s", v.in.Ports[i].Name)
			}
			return v.credits(i)
		})
	}
	for s := range v.in.Chip.Slices {
		if !v.o.Alone {
			all = append(all, func() error { return v.failed(v.pool(s), "headroom pool of slice %d", s) })
		}
	}
	for s := range v.in.Chip.Slices {
		if len(v.in.EgressPools) > 0 {
			all = append(all, func() error { return v.failed(v.egress(s), "egress of slice %d", s) })
		}
	}
	return all
}

// failed says what failed, or returns the context's error where the context has ended: what was under
// way then has no error of its own.
func (v *verifier) failed(err error, format string, args ...any) error {
	if ended := v.ctx.Err(); err != nil && ended != nil {
		return ended
	} else if err != nil {
		return fmt.Errorf(format+": %w", append(args, err)...)
	}
	return nil
}

// verifier is a verification in progress.
type verifier struct {
	ctx    context.Context
	in     *buffer.Intent
	o      VerifyOptions
	asic   *ASIC
	values registers
	delays thresholds.IEEE                   // only the delays of this method are used
	known  map[groupKey]report.VerifiedGroup // results by all that they depend on
	filled map[string]report.VerifiedPool    // results of pools, likewise
	parts  []func() error
	part   int // that is under way
	told   int // the number that Progress received last
	out    *report.Verification
	// speeds at which the worst case has a delay that is scaled from another speed
	inferred map[unit.BitRate]bool
}

// groupKey is everything on which the result of a group's worst case depends.
// Groups with equal keys have equal results, so one run serves them all.
type groupKey struct {
	link                thresholds.Link
	group               mmu.Group
	minimum             cells.Count // reserved cells of the port
	shared, pool, slice cells.Count
}

// newVerifier applies the layout to a simulated ASIC, which refuses a layout that the chip cannot hold.
func newVerifier(ctx context.Context, in buffer.Intent, layout buffer.Layout, o VerifyOptions) (*verifier, error) {
	a, err := New(in.Chip, Ports(in)...)
	if err != nil {
		return nil, err
	}
	if err := a.Apply(ctx, buffer.Diff(nil, layout)); err != nil {
		return nil, err
	}
	o.Behaviour = a.Family(o.Behaviour)
	v := &verifier{ctx: ctx, in: &in, o: o, asic: a, values: a.values(), known: map[groupKey]report.VerifiedGroup{},
		filled: map[string]report.VerifiedPool{}, inferred: map[unit.BitRate]bool{}}
	v.out = &report.Verification{Schema: report.Schema("verify"), Chip: in.Chip.Name, RestsOn: in.Chip.RestsOn(),
		Method:    in.Sizing.Method(),
		Behaviour: o.Behaviour.Name, Rule: o.Behaviour.Compares(), RuleSource: o.Behaviour.Source, Groups: []report.VerifiedGroup{},
		Pools:      []report.VerifiedPool{},
		Conditions: []string{}, NotVerified: []string{}}
	if in.Chip.PortOwnsHeadroom() && !in.Pool.SharesHeadroom() {
		v.out.HeadroomOf = in.Chip.HeadroomRule
	}
	unnamed.List(&v.out.Egress, 0)
	if own, ok := in.Sizing.(thresholds.IEEE); ok {
		v.out.PlanDelays = own.Delays.Sum.String()
	}
	v.delays = thresholds.WorstDelays(in.Sizing)
	v.delays.Delays.Sum = o.Delays.Or(thresholds.SumOfEnds)
	if err := v.delays.Validate(); err != nil {
		return nil, fmt.Errorf("%w: delays: %w", buffer.ErrInvalid, err)
	}
	return v, nil
}

// delaysText says how the delays of the groups add up: by which sum at which speeds, if there are several, and at
// which speeds a delay is inferred.
func (v *verifier) delaysText() string {
	bySum, inferred := map[thresholds.DelaySum][]unit.BitRate{}, []unit.BitRate{}
	for i := range v.out.Groups {
		g := &v.out.Groups[i]
		bySum[g.Delays] = append(bySum[g.Delays], g.Speed)
		if v.inferred[g.Speed] {
			inferred = append(inferred, g.Speed)
		}
	}
	var parts []string
	for _, sum := range slices.Sorted(maps.Keys(bySum)) {
		text := sum.How()
		if len(bySum) > 1 {
			text += " at " + rateList(bySum[sum])
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		parts = []string{v.delays.Delays.Sum.How()}
	}
	text := strings.Join(parts, "; ")
	if len(inferred) > 0 {
		text += "; inferred at " + rateList(inferred)
	}
	return text
}

// rateList lists speeds, each once, in ascending order.
func rateList(rates []unit.BitRate) string {
	slices.Sort(rates)
	return strings.Join(grouped.Each(slices.Compact(rates), unit.BitRate.String), ", ")
}

// port verifies the lossless groups of one port. Ports whose groups the layout
// has not made lossless are listed as not verified, unless they are down.
func (v *verifier) port(p *buffer.Port) error {
	groups, missing := v.lossless(p)
	for _, g := range groups {
		if err := v.group(p, g); err != nil {
			return err
		}
	}
	if missing && p.State == buffer.PortUp {
		v.out.NotVerified = append(v.out.NotVerified, p.Name)
	}
	return nil
}

// group verifies one group, or takes the result of an equal group.
func (v *verifier) group(p *buffer.Port, g filledGroup) error {
	slice := v.asic.chip.SlicesOf(v.asic.pipes[p.Name])[0]
	t := groupRun{v: v, port: p, filledGroup: g, slice: slice}
	like := groupKey{t.link, v.values.group(p.Name, 0, g.group, v.o.Behaviour),
		cells.Count(v.values.of(buffer.PortMinimum, p.Name, 0)),
		v.asic.shared(v.values, slice), headroomPool(v.values, slice), cells.Count(slice)}
	// The priority is the group's number. It does not change the result.
	like.group.Priority = 0
	if v.asic.sameSlices() {
		like.slice = 0
	}
	found, ok := v.known[like]
	if !ok {
		var err error
		if found, err = t.verify(); err != nil {
			return err
		}
		v.known[like] = found
	}
	found.Port, found.Group, found.Class, found.Speed, found.Cable = p.Name, g.group, g.class, p.Rate, p.Cable
	if found.Path = ""; p.Delay.IsGiven() {
		link := p.Link(p.MTU)
		found.Path = link.Path()
	}
	v.out.Groups = append(v.out.Groups, found)
	return nil
}

// sameSlices tells whether all slices have the same size. Then it does not matter in which slice a group is.
func (a *ASIC) sameSlices() bool {
	for i := range a.chip.Slices {
		if a.chip.Slices[i].Cells != a.chip.Slices[0].Cells || a.chip.Slices[i].Taken() != a.chip.Slices[0].Taken() {
			return false
		}
	}
	return true
}
