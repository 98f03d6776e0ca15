package intent

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// A traffic class of SONiC is a priority of a topology: packets of class n have the priority n, wait in queue n, and a
// lossless class n has the group n. What a port does with the packets of one priority is a role. Priorities with one
// role are a class of the topology.

// kind says what the group of a priority is.
type kind int

const (
	bare     kind = iota // it has no buffer
	lossy                // packets are dropped above its limit
	lossless             // it has headroom
)

// threshold is the limit of a group or a queue on shared cells: static_th or dynamic_th.
type threshold struct {
	static bool
	value  int64
}

// thresholdOf is the limit of a profile.
func thresholdOf(p *audit.Profile) threshold {
	if p.StaticTh.Given && !p.DynamicTh.Given {
		return threshold{true, p.StaticTh.Value}
	}
	return threshold{false, p.DynamicTh.Value}
}

// queueing is what a queue has.
type queueing struct {
	buffered bool // it has a profile
	pool     string
	reserved int64
	limit    threshold
	weight   int // buffer.Strict for strict; 0: there is no scheduler
	marking  ecn.Thresholds
	trims    bool // what it refuses is trimmed
}

// role is what a port does with the packets of a priority.
type role struct {
	kind     kind
	group    int
	reserved int64     // of a lossy group; that of a lossless one depends on the link
	limit    threshold // of a lossy group, or a static one of a lossless group
	queue    queueing
}

// priorities finds the role of each priority on each port, and makes classes of them.
func (b *builder) priorities() {
	b.roles, b.carried = map[*audit.Port][priorities]role{}, map[*audit.Port]buffer.ClassSet{}
	for _, p := range b.sw.Ports {
		b.roles[p] = b.rolesOf(p)
	}
	for n := range priorities {
		b.main[n] = b.mostHave(n)
	}
	b.classes()
	b.trimming()
}

// rolesOf returns the roles of the priorities on a port.
func (b *builder) rolesOf(p *audit.Port) (out [priorities]role) {
	groups := p.Maps[audit.ClassToGroup]
	for n := range out {
		group, is := n, p.PFC>>n&1 == 1
		if groups != nil {
			group, is = groups.To[n]
		}
		if !is || group >= priorities {
			continue
		}
		if out[n] = b.roleOf(p, n, group); out[n].kind != bare {
			out[n].queue = b.queueOf(p, n)
		}
	}
	for _, n := range p.LosslessGroups() {
		if out[n].kind == lossless {
			continue
		}
		b.differs(p, p.Groups[n].Object, p.Groups[n].At, "group %d has headroom, and no lossless priority: a topology has "+
			"none for it", n)
	}
	for n := range priorities {
		if p.PFC>>n&1 == 1 && out[n].kind != lossless {
			b.pauses[p] |= 1 << n
		}
	}
	return out
}

// roleOf returns the role of a priority whose packets are counted in a group.
func (b *builder) roleOf(p *audit.Port, n, group int) role {
	bound := p.Groups[group]
	if bound == nil || bound.Profile == nil && !bound.Computed {
		return role{}
	}
	profile := bound.Profile
	if profile != nil {
		b.inPool(p, bound)
	}
	switch has := slices.Contains(p.LosslessGroups(), group); {
	case has && group == n:
		r := role{kind: lossless, group: n}
		if profile != nil && thresholdOf(profile).static {
			r.limit = thresholdOf(profile)
		}
		if p.PFC>>n&1 == 0 {
			b.differs(p, bound.Object, bound.At, "group %d has headroom, and priority %d has no PFC: a lossless class of a "+
				"topology has both", n, n)
		}
		return r
	case has:
		b.differs(p, "TC_TO_PRIORITY_GROUP_MAP", p.MapAt, "traffic class %d is counted in the lossless group %d: a "+
			"lossless class of a topology has the group of its priority", n, group)
		return role{}
	case profile == nil:
		b.differs(p, bound.Object, bound.At, "the buffer manager computes group %d, and priority %d has no PFC", group, n)
		return role{}
	}
	return role{kind: lossy, group: group, reserved: profile.Size.Value, limit: thresholdOf(profile)}
}

// inPool says so if a group counts in another pool than the lossless groups.
func (b *builder) inPool(p *audit.Port, bound *audit.Bound) {
	if q := bound.Profile.Pool; q != b.pool && q != nil {
		b.differs(nil, "BUFFER_POOL|"+q.Name, q.At, "groups with %s are counted in this pool: a topology has one pool of "+
			"the ingress, %s", bound.Profile.Name, b.pool.Name)
	}
}

// queueOf returns what the queue of a priority has on a port.
func (b *builder) queueOf(p *audit.Port, n int) (q queueing) {
	if queues := p.Maps[audit.ClassToQueue]; queues != nil {
		if to, is := queues.To[n]; !is || to != n {
			b.differs(p, queues.Object, queues.At, "traffic class %d does not go to queue %d: priority n has queue n", n, n)
		}
	}
	if bound := p.Queues[n]; bound != nil && bound.Profile != nil {
		q.buffered, q.pool, q.reserved = true, bound.Profile.PoolName, bound.Profile.Size.Value
		q.limit, q.trims = thresholdOf(bound.Profile), bound.Profile.Trims
	}
	scheduler, marking := b.sw.QueueOf(p, n)
	if scheduler != nil {
		q.weight = b.weightOf(scheduler)
	}
	if marking != nil {
		q.marking = b.markingOf(marking)
	}
	return q
}

// weightOf returns the weight of a scheduler, or buffer.Strict.
func (b *builder) weightOf(s *audit.Scheduler) int {
	if s.Shaped {
		b.differs(nil, s.Object, s.At, "the scheduler has a rate: a topology has none")
	}
	switch {
	case s.Type == "STRICT":
		return buffer.Strict
	case s.Weight.Given && s.Weight.Value >= 1 && s.Weight.Value <= buffer.MaxWeight:
		return int(s.Weight.Value)
	}
	b.differs(nil, s.Object, s.At, "the scheduler is neither strict nor has a weight of 1 to %d", buffer.MaxWeight)
	return 0
}

// markingOf returns the thresholds of a marking profile. A topology has one pair for all colours.
func (b *builder) markingOf(m *audit.Marking) ecn.Thresholds {
	green := m.Colours[0]
	switch {
	case m.ECN != "ecn_all":
		b.differs(nil, m.Object, m.At, "ecn is %q: a topology marks all colours", m.ECN)
		return ecn.Thresholds{}
	case !green.Min.Given || !green.Max.Given || !green.Drop.Given:
		b.differs(nil, m.Object, m.At, "it does not say the thresholds and the probability of green packets")
		return ecn.Thresholds{}
	}
	for _, c := range m.Colours[1:] {
		if !c.Min.Given && !c.Max.Given {
			b.note("%s says nothing of some colours: a topology has the thresholds of green packets for all", m.Object)
		} else if c.Min.Value != green.Min.Value || c.Max.Value != green.Max.Value || c.Drop.Value != green.Drop.Value {
			b.differs(nil, m.Object, m.At, "its colours have several thresholds: a topology has those of green packets")
		}
	}
	return ecn.Thresholds{KMin: green.Min.Bytes(), KMax: green.Max.Bytes(),
		PMax: unit.Percent(green.Drop.Value) * unit.OnePercent}
}

// mostHave returns the role of a priority on most ports. A lossless one counts before others, and one with a buffer
// before none.
func (b *builder) mostHave(n int) role {
	count, first := map[role]int{}, map[role]int{}
	for i, p := range b.sw.Ports {
		r := b.roles[p][n]
		if count[r]++; count[r] == 1 {
			first[r] = i
		}
	}
	all := slices.SortedFunc(maps.Keys(count), func(x, y role) int {
		return cmp.Or(int(y.kind)-int(x.kind), count[y]-count[x], first[x]-first[y])
	})
	main := all[0]
	for _, p := range b.sw.Ports {
		r := b.roles[p][n]
		switch {
		case r == main || r.kind == bare:
		case r.kind != main.kind:
			b.differs(p, fmt.Sprintf("priority %d", n), p.MapAt, "it is lossless on other ports, and lossy on these: a "+
				"topology has no group for it here")
		default:
			b.differs(p, fmt.Sprintf("priority %d", n), p.MapAt, "%s: a topology has one treatment of a priority on all ports",
				strings.Join(main.unlike(r), "; "))
		}
	}
	return main
}

// unlike says in what another role of the same kind differs.
func (r role) unlike(o role) (out []string) {
	add := func(is bool, what string, main, other any) {
		if is {
			out = append(out, fmt.Sprintf("%s is %v on most ports and %v here", what, main, other))
		}
	}
	add(r.group != o.group, "the group", r.group, o.group)
	add(r.reserved != o.reserved, "the size of the group", r.reserved, o.reserved)
	add(r.limit != o.limit, "the limit of the group", r.limit, o.limit)
	add(r.queue.pool != o.queue.pool, "the pool of the queue", r.queue.pool, o.queue.pool)
	add(r.queue.reserved != o.queue.reserved, "the size of the queue", r.queue.reserved, o.queue.reserved)
	add(r.queue.limit != o.queue.limit, "the limit of the queue", r.queue.limit, o.queue.limit)
	add(r.queue.weight != o.queue.weight, "the weight", r.queue.weight, o.queue.weight)
	add(r.queue.trims != o.queue.trims, "trimming", r.queue.trims, o.queue.trims)
	add(r.queue.marking != o.queue.marking, "the marking", r.queue.marking, o.queue.marking)
	return out
}

// String writes the limit as CONFIG_DB has it.
func (t threshold) String() string {
	if t.static {
		return fmt.Sprintf("static_th %d", t.value)
	}
	return fmt.Sprintf("dynamic_th %d", t.value)
}

// unlimited tells whether a limit means no limit. NVIDIA's SAI makes 2^7 and more infinite.
func (b *builder) unlimited(t threshold) bool {
	return !t.static && t.value >= 7 && b.reading.Source.Chip.Spectrum()
}

// alpha returns the factor of a dynamic limit that the chip has.
func (b *builder) alpha(object string, t threshold) *thresholds.Alpha {
	a := min(max(t.value, int64(b.Intent.Chip.MinAlpha)), int64(b.Intent.Chip.MaxAlpha))
	if a != t.value {
		b.differs(nil, object, b.reading.Source.Place(), "dynamic_th %d is outside the chip's: %d is the nearest", t.value, a)
	}
	return new(thresholds.Alpha(a))
}
