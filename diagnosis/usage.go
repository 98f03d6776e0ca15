package diagnosis

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/unit"
)

// Grant is what a plan gives one lossless priority group of a port.
type Grant struct {
	Port     string
	Group    int    // 0 to 7; the priority of the same number
	Class    string // the name of its class in the plan
	Rate     unit.BitRate
	Headroom unit.Bytes
}

// Sample is what a switch has counted up to one time, as far as it is known. What is not known is
// absent, which is not the same as zero.
type Sample struct {
	At     unit.Optional[unit.Time] // since a moment that the caller chooses, the same for two samples
	Groups []GroupSample
	Ports  []PortSample
	// HeadroomPool is the watermark of the shared headroom pool.
	HeadroomPool unit.Optional[unit.Bytes]
}

// GroupSample is what a switch has counted for one priority group.
type GroupSample struct {
	Port  string
	Group int

	// Watermarks: the most that the group has held since they were cleared.
	Headroom unit.Optional[unit.Bytes] // in its headroom
	Shared   unit.Optional[unit.Bytes] // in the shared part of the pool
	Total    unit.Optional[unit.Bytes] // in all, where the switch does not tell the two apart

	Drops         unit.Optional[int64]     // packets that the group dropped
	PauseSent     unit.Optional[int64]     // PFC frames of the priority
	PauseReceived unit.Optional[int64]     // PFC frames of the priority
	Paused        unit.Optional[unit.Time] // for which the priority was paused by the neighbour
	Storms        unit.Optional[int64]     // that the switch's own PFC watchdog has detected for the priority
}

// PortSample is what a switch has counted for one port.
type PortSample struct {
	Port     string
	BytesIn  unit.Optional[unit.Bytes]
	BytesOut unit.Optional[unit.Bytes]
	// Pause frames of a switch that does not count them by priority.
	PauseSent     unit.Optional[int64]
	PauseReceived unit.Optional[int64]
}

// Use is how a group has used what the plan gives it. Its counters are what was counted between the two samples, or up
// to the only one.
type Use struct {
	Grant Grant
	GroupSample
	State GroupUse
	Share unit.Optional[unit.Percent] // the headroom watermark's part of the grant; absent: it is not known
}

// GroupUse is what a group's counters say in a word.
type GroupUse string

// The states. Those of a fault are the codes of the findings.
const (
	// NotKnown says that it is not known whether the group was used.
	NotKnown GroupUse = "unknown"
	// NeverUsed says that the watermarks of the group are zero, and nothing was paused or dropped.
	NeverUsed GroupUse = "never used"
	// InUse says that the group held something, and paused nobody.
	InUse GroupUse = "in use"
	// PausedWithoutLoss says that the group has paused its neighbour and dropped nothing: it works as it was planned.
	PausedWithoutLoss GroupUse = "pause without loss"
	// LossNotKnown says that the group has paused its neighbour, and that its drops are not known.
	LossNotKnown GroupUse = "pause, loss unknown"
)

// Assessment is what the samples of a switch say of a plan.
type Assessment struct {
	Uses     []Use             // in the order of the grants
	Findings []finding.Finding // the most serious first
	// Pool is the watermark of the shared headroom pool, and PoolGranted its size in the plan;
	// absent: not known, or the plan has none.
	Pool, PoolGranted unit.Optional[unit.Bytes]
	// NotChecked says what was not looked for, and why.
	NotChecked []string
}

// Assess joins what a switch has counted with what a plan gives: see [Limits.Assess].
func Assess(grants []Grant, pool unit.Optional[unit.Bytes], before *Sample, after Sample) (Assessment, error) {
	return Limits{}.Assess(grants, pool, before, after)
}

// Assess joins what a switch has counted with what a plan gives to its lossless groups. pool is the
// size of the shared headroom pool; absent: the plan has none. before is an earlier sample, or nil: then the counters
// are those since the switch began or was cleared. Ports and groups of the switch that the plan does not
// have are passed over. It refuses limits and grants that are not valid, and counters that fell.
func (l Limits) Assess(grants []Grant, pool unit.Optional[unit.Bytes], before *Sample,
	after Sample) (Assessment, error) {
	var bad fielderr.List
	for i, g := range grants {
		path := fmt.Sprintf("grants[%d]", i)
		bad.Check(g.Group >= 0 && g.Group < Classes, path+".group", g.Group, "0 to %d", Classes-1)
		bad.Check(g.Rate > 0, path+".rate", g.Rate, "more than 0")
		bad.Check(g.Headroom >= 0 && g.Headroom <= most, path+".headroom", int64(g.Headroom), "0 to %d bytes", int64(most))
	}
	a := assessor{limits: l.defaults(), grants: grants}
	a.compare(before, after, &bad)
	if err := l.Validate(); err != nil || bad.Err() != nil {
		return Assessment{}, cmp.Or(err, bad.Err())
	}
	out := Assessment{Pool: after.HeadroomPool, PoolGranted: pool}
	for _, g := range grants {
		use, found := a.assess(g)
		out.Uses = append(out.Uses, use)
		out.Findings = append(out.Findings, found...)
	}
	if used, known := after.HeadroomPool.Get(); known {
		if size, has := pool.Get(); has && used > size {
			out.Findings = append(out.Findings, fault("overrun", "", 0, counted("headroom_pool_watermark", int64(used), "bytes"),
				counted("headroom_pool_granted", int64(size), "bytes")))
		}
	}
	slices.SortStableFunc(out.Findings, graver)
	out.NotChecked = a.notChecked(out.Uses, pool, after)
	return out, nil
}

// groupKey names a group.
type groupKey struct {
	port  string
	group int
}

// assessor is an assessment in progress.
type assessor struct {
	limits   Limits
	grants   []Grant
	interval unit.Optional[unit.Time] // between the samples
	groups   map[groupKey]GroupSample // watermarks as they are, counters as differences
	ports    map[string]PortSample    // differences
}

// compare takes the differences of two samples.
func (a *assessor) compare(before *Sample, after Sample, bad *fielderr.List) {
	a.groups, a.ports = after.byName()
	if before == nil {
		return
	}
	if from, known := before.At.Get(); known {
		if to, known := after.At.Get(); known {
			bad.Check(to > from, "after.at", to, "later than %v", from)
			a.interval = unit.Given(to - from)
		}
	}
	earlier, first := before.byName()
	for key, g := range a.groups {
		b, path := earlier[key], "after."+key.port+"."+strconv.Itoa(key.group)+"."
		g.Drops = rise(b.Drops, g.Drops, path+"drops", bad)
		g.PauseSent = rise(b.PauseSent, g.PauseSent, path+"pause_sent", bad)
		g.PauseReceived = rise(b.PauseReceived, g.PauseReceived, path+"pause_received", bad)
		g.Paused = rise(b.Paused, g.Paused, path+"paused", bad)
		g.Storms = rise(b.Storms, g.Storms, path+"storms", bad)
		a.groups[key] = g
	}
	for name, p := range a.ports {
		b, path := first[name], "after."+name+"."
		p.BytesIn = rise(b.BytesIn, p.BytesIn, path+"bytes_in", bad)
		p.BytesOut = rise(b.BytesOut, p.BytesOut, path+"bytes_out", bad)
		p.PauseSent = rise(b.PauseSent, p.PauseSent, path+"pause_sent", bad)
		p.PauseReceived = rise(b.PauseReceived, p.PauseReceived, path+"pause_received", bad)
		a.ports[name] = p
	}
}

// byName returns the groups and the ports of a sample by their names.
func (s *Sample) byName() (map[groupKey]GroupSample, map[string]PortSample) {
	groups, ports := map[groupKey]GroupSample{}, map[string]PortSample{}
	for _, g := range s.Groups {
		groups[groupKey{g.Port, g.Group}] = g
	}
	for _, p := range s.Ports {
		ports[p.Port] = p
	}
	return groups, ports
}

// rise is the difference of a counter; absent if one of the two is not known. A counter that fell was
// cleared meanwhile: then the difference says nothing.
func rise[T ~int64](before, after unit.Optional[T], path string, bad *fielderr.List) unit.Optional[T] {
	was, first := before.Get()
	is, second := after.Get()
	if !first || !second {
		return unit.Optional[T]{}
	}
	if is < was || was < 0 || is > most {
		bad.Add(path, fmt.Sprint(int64(is)), fmt.Sprintf("%d, the earlier value, to %d: a counter that was cleared "+
			"meanwhile cannot be compared", int64(was), int64(most)))
	}
	return unit.Given(is - was)
}

// assess returns how a group has used its grant, and what is wrong with it.
func (a *assessor) assess(g Grant) (Use, []finding.Finding) {
	use := Use{Grant: g, GroupSample: a.groups[groupKey{g.Port, g.Group}]}
	use.Port, use.Group = g.Port, g.Group
	a.portPauses(&use)
	if used, known := use.Headroom.Get(); known && g.Headroom > 0 {
		use.Share = unit.Given(unit.Percent(share(int64(used), int64(g.Headroom))))
	}
	var found []finding.Finding
	add := func(code finding.Code, evidence ...finding.Number) {
		found = append(found, fault(code, g.Port, g.Group, evidence...))
	}
	drops, sent := use.Drops.Or(0), use.PauseSent.Or(0)
	numbers := slices.Concat(known("pause_sent", use.PauseSent, "frames"), known("drops", use.Drops, "packets"),
		known("headroom_watermark", use.Headroom, "bytes"), known("headroom_granted", unit.Given(g.Headroom), "bytes"))
	if paused := a.storm(&use); paused.IsGiven() || use.Storms.Or(0) > 0 {
		add("storm", slices.Concat(known("paused", paused, "bp"), known("storms_detected", use.Storms, "storms"),
			known("pause_received", use.PauseReceived, "frames"))...)
	}
	switch {
	case drops > 0 && sent > 0:
		add("headroom", numbers...)
		// The watermark says that the headroom of the plan was not full: raising it would not help.
		if used, known := use.Headroom.Get(); known && used < g.Headroom-g.Headroom/10 {
			found[len(found)-1].Repair = unfilled
		}
	case drops > 0 && use.PauseSent.IsGiven():
		add("class-map", numbers...)
	case drops > 0: // it is not known if the group paused: a lossless group has lost packets all the same
		add("headroom", numbers...)
	}
	if use.Headroom.Or(0) > g.Headroom {
		add("overrun", numbers...)
	}
	if evidence, is := a.lowUse(g, use); is && drops == 0 {
		add("footroom", evidence...)
	}
	use.State = state(use, found)
	return use, found
}

// unfilled is the advice for loss with pause of a group that has not filled its headroom.
const unfilled = "the headroom of the plan was not full: compare the switch with the plan (drift), because it may " +
	"hold less headroom; see if the watermark was cleared after the loss; look for another limit, such as the size of " +
	"the headroom pool or a limit at the egress"

// known is a number of the evidence, if it is known.
func known[T ~int64](name string, value unit.Optional[T], unit string) []finding.Number {
	n, known := value.Get()
	if !known {
		return nil
	}
	return []finding.Number{counted(name, int64(n), unit)}
}

// portPauses takes the pauses of a port that has one lossless group, if the switch does not count them
// by priority: then they are of this group.
func (a *assessor) portPauses(use *Use) {
	groups := 0
	for _, g := range a.grants {
		if g.Port == use.Port {
			groups++
		}
	}
	p, counted := a.ports[use.Port]
	if !counted || groups != 1 {
		return
	}
	if !use.PauseSent.IsGiven() {
		use.PauseSent = p.PauseSent
	}
	if !use.PauseReceived.IsGiven() {
		use.PauseReceived = p.PauseReceived
	}
}

// storm returns for how much of the interval the neighbour has paused the priority, if it was nearly all of it.
func (a *assessor) storm(u *Use) (paused unit.Optional[int64]) {
	interval, timed := a.interval.Get()
	time, counted := u.Paused.Get()
	if timed && counted && share(int64(time), int64(interval)) >= int64(a.limits.Paused) {
		paused = unit.Given(share(int64(time), int64(interval)))
	}
	return paused
}

// lowUse tells whether a group pauses although its port and every egress are little used: see the code footroom.
// It is not, if an egress whose use is not known may be busy.
func (a *assessor) lowUse(g Grant, use Use) ([]finding.Number, bool) {
	interval, timed := a.interval.Get()
	if !timed || use.PauseSent.Or(0) == 0 {
		return nil, false
	}
	in, told := a.ports[g.Port].BytesIn.Get()
	if !told || interval <= 0 {
		return nil, false
	}
	used := share(int64(g.Rate.TimeFor(8*int64(in))), int64(interval))
	var busiest int64
	for _, o := range a.grants {
		out, told := a.ports[o.Port].BytesOut.Get()
		if !told || a.groups[groupKey{o.Port, g.Group}].PauseReceived.Or(1) > 0 && o.Group == g.Group {
			return nil, false // a busy or a paused egress explains pauses
		}
		busiest = max(busiest, share(int64(o.Rate.TimeFor(8*int64(out))), int64(interval)))
	}
	if used >= int64(a.limits.Low) || busiest >= int64(a.limits.High) {
		return nil, false
	}
	sent := counted("pause_sent", use.PauseSent.Or(0), "frames")
	return []finding.Number{sent, counted("use_in", used, "bp"), counted("busiest_egress", busiest, "bp")}, true
}

// state is the word for a group. A fault is the state; without one, what is known decides.
func state(use Use, found []finding.Finding) GroupUse {
	if len(found) > 0 {
		return GroupUse(slices.MinFunc(found, graver).Code)
	}
	held := use.Headroom.Or(0) + use.Shared.Or(0) + use.Total.Or(0)
	switch {
	case use.PauseSent.Or(0) > 0 && use.Drops.IsGiven():
		return PausedWithoutLoss
	case use.PauseSent.Or(0) > 0:
		return LossNotKnown
	case held > 0:
		return InUse
	case use.Shared.IsGiven() || use.Total.IsGiven() || use.Headroom.IsGiven() && use.PauseSent.IsGiven():
		return NeverUsed // watermarks of zero; headroom that is empty does not say what the shared part has held
	default:
		return NotKnown
	}
}

// notChecked lists what was not looked for. A reason is given once for all groups.
func (a *assessor) notChecked(uses []Use, pool unit.Optional[unit.Bytes], after Sample) (out []string) {
	say := func(what string, missing func(*Use) bool) {
		n := 0
		for i := range uses {
			if missing(&uses[i]) {
				n++
			}
		}
		if n > 0 {
			out = append(out, fmt.Sprintf("%d of %d groups: %s", n, len(uses), what))
		}
	}
	say("the headroom in use is not known: no headroom watermark", func(u *Use) bool { return !u.Headroom.IsGiven() })
	say("loss was not looked for: no counter of dropped packets", func(u *Use) bool { return !u.Drops.IsGiven() })
	say("pauses were not looked for: no counter of sent PFC frames of the priority",
		func(u *Use) bool { return !u.PauseSent.IsGiven() })
	say("storms were not looked for: no counter of the PFC watchdog, and no time for which the priority was paused "+
		"between two readings",
		func(u *Use) bool { return !u.Storms.IsGiven() && !(u.Paused.IsGiven() && a.interval.IsGiven()) })
	if !a.interval.IsGiven() {
		out = append(out, "pauses at low use were not looked for: the time between two readings is not known")
	} else {
		say("pauses at low use were not looked for: no counters of the port's bytes", func(u *Use) bool {
			return !a.ports[u.Port].BytesIn.IsGiven() || !a.ports[u.Port].BytesOut.IsGiven()
		})
	}
	if pool.IsGiven() && !after.HeadroomPool.IsGiven() {
		out = append(out, "the use of the shared headroom pool is not known: no watermark")
	}
	return out
}

// Grants returns what a plan gives the lossless groups of an intent, in the order of the plan. A group that is charged
// in several slices has the same headroom in each, because a packet is in one of them: it is one Grant.
func Grants(plan *buffer.Plan, in buffer.Intent) []Grant {
	rates := map[string]unit.BitRate{}
	for _, p := range in.Ports {
		rates[p.Name] = p.Rate
	}
	var grants grouped.By[groupKey, Grant]
	for _, g := range plan.Groups {
		if g.Lossless {
			to := grants.Of(groupKey{g.Port, g.Group})
			*to = Grant{g.Port, g.Group, g.Class, rates[g.Port], max(to.Headroom, g.HeadroomGranted)}
		}
	}
	return grants.Values()
}
