package intent

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// classes makes a class of the priorities that have one role on the same ports.
func (b *builder) classes() {
	type key struct {
		role  role
		ports string
	}
	var buffered []int
	for n := range priorities {
		if b.main[n].kind != bare {
			buffered = append(buffered, n)
		}
	}
	of := grouped.Lists(buffered, func(n int) key {
		k := key{b.main[n], b.carriers(n)}
		if k.role.kind == lossless {
			k.role.group = 0 // each has its own
		}
		return k
	})
	for i, numbers := range of {
		c := b.class(numbers, of)
		b.Intent.Classes = append(b.Intent.Classes, c)
		for _, p := range b.sw.Ports {
			if b.roles[p][numbers[0]].kind == b.main[numbers[0]].kind {
				b.carried[p] |= buffer.Classes(i)
			}
		}
	}
	b.schedules()
}

// carriers identifies the ports that carry a priority.
func (b *builder) carriers(n int) string {
	var out strings.Builder
	for _, p := range b.sw.Ports {
		if b.roles[p][n].kind == b.main[n].kind {
			out.WriteByte('1')
		} else {
			out.WriteByte('0')
		}
	}
	return out.String()
}

// class makes the class of some priorities. all are those of all classes, for its name.
func (b *builder) class(numbers []int, all [][]int) buffer.Class {
	r := b.main[numbers[0]]
	c := buffer.Class{Name: b.nameOf(numbers, all), Priorities: numbers, Lossless: r.kind == lossless}
	path := fmt.Sprintf("classes[%d]", len(b.Intent.Classes))
	p := b.example(numbers[0])
	object := "class " + c.Name
	if r.kind == lossy {
		profile := p.Groups[r.group].Profile
		object = "BUFFER_PROFILE|" + profile.Name
		b.source(path, "group %d: %s %v", r.group, object, profile.At)
		c.Reserved = unit.Given(unit.Bytes(r.reserved))
		if r.group != slices.Min(numbers) {
			c.Group = unit.Given(r.group)
		}
	}
	switch {
	case r.limit.static:
		c.StaticLimit = b.static(object, r.limit.value)
	case r.kind == lossy && b.unlimited(r.limit):
		c.StaticLimit = b.wholePool()
		b.note("%s: dynamic_th %d is no limit on %s: the topology has the size of the pool, %d, with the same effect", object,
			r.limit.value, b.Intent.Chip.Name, int64(c.StaticLimit))
	case r.kind == lossy:
		c.Alpha = b.alpha(object, r.limit)
	}
	if b.sw.Dynamic && r.kind == lossless {
		b.computedClass(&c, path)
	}
	b.egress(&c, path, p, numbers[0], r.queue)
	return c
}

// static returns a static limit as a topology accepts it. SAI has 0 for no limit (saibuffer.h, SHARED_STATIC_TH), and a
// limit above the pool has no effect either.
func (b *builder) static(object string, value int64) unit.Bytes {
	most := b.wholePool()
	least := b.Intent.Chip.Cell.Bytes(cells.Count(len(b.Intent.Chip.Slices)))
	switch limit := unit.Bytes(value); {
	case limit == 0, limit > most:
		b.note("%s: static_th %d is no limit: the topology has the size of the pool, %d, with the same effect", object, value,
			int64(most))
		return most
	case limit < least:
		b.differs(nil, object, b.reading.Source.Place(), "static_th %d is less than a cell in each slice: %v", value, least)
		return least
	default:
		return limit
	}
}

// wholePool is the largest static limit of a group.
func (b *builder) wholePool() unit.Bytes {
	most, _ := b.deepest()
	return most
}

// nameOf names a class by its kind, and by its priorities where there are several of a kind.
func (b *builder) nameOf(numbers []int, all [][]int) string {
	name, same := "lossy", 0
	if b.main[numbers[0]].kind == lossless {
		name = "lossless"
	}
	for _, other := range all {
		if b.main[other[0]].kind == b.main[numbers[0]].kind {
			same++
		}
	}
	if same == 1 {
		return name
	}
	return name + " " + texts(numbers)
}

// texts writes numbers with commas.
func texts(numbers []int) string {
	out := make([]string, len(numbers))
	for i, n := range numbers {
		out[i] = strconv.Itoa(n)
	}
	return strings.Join(out, ",")
}

// example returns the first port with the main role of a priority.
func (b *builder) example(n int) *audit.Port {
	i := slices.IndexFunc(b.sw.Ports, func(p *audit.Port) bool { return b.roles[p][n] == b.main[n] })
	return b.sw.Ports[i]
}

// egress gives a class what its queues have.
func (b *builder) egress(c *buffer.Class, path string, p *audit.Port, n int, q queueing) {
	if bound := p.Queues[n]; q.buffered {
		profile := bound.Profile
		b.source(path, "queue: BUFFER_PROFILE|%s %v", profile.Name, profile.At)
		c.QueueReserved = unit.Bytes(q.reserved)
		if c.Trim = q.trims && !c.Lossless; q.trims && c.Lossless {
			b.differs(nil, "BUFFER_PROFILE|"+profile.Name, profile.At, "lossless queues have it, and it trims: a lossless "+
				"class of a topology trims nothing")
		}
		switch pool := slices.IndexFunc(b.Intent.EgressPools, func(e buffer.EgressPool) bool { return e.Name == q.pool }); {
		case pool < 0:
			b.differs(nil, "BUFFER_PROFILE|"+profile.Name, profile.At, "queues with it are counted in %s: a topology has no "+
				"such pool of the egress", q.pool)
		case b.unlimited(q.limit):
			c.Egress = buffer.Egress{Pool: q.pool}
			b.note("BUFFER_PROFILE|%s: dynamic_th %d is no limit on %s", profile.Name, q.limit.value, b.Intent.Chip.Name)
		case q.limit.static:
			c.Egress = buffer.Egress{Pool: q.pool, Limit: b.queueLimit(profile, q.limit.value)}
		default:
			c.Egress = buffer.Egress{Pool: q.pool, Alpha: b.alpha("BUFFER_PROFILE|"+profile.Name, q.limit)}
		}
	}
	scheduler, marking := b.sw.QueueOf(p, n)
	if q.weight == buffer.Strict {
		c.Strict = true
	} else {
		c.Weight = q.weight
	}
	if scheduler != nil {
		b.source(path, "schedule: %s %v", scheduler.Object, scheduler.At)
	}
	if most, name := b.deepest(); q.marking.KMax > most || q.marking.KMin > most {
		b.differs(nil, marking.Object, marking.At, "its thresholds are above %v, %s: no queue is ever so deep", most, name)
	} else if err := q.marking.Validate(); err != nil {
		b.differs(nil, marking.Object, marking.At, "%v", err)
	} else if q.marking != (ecn.Thresholds{}) {
		c.ECN = q.marking
		b.source(path, "ecn: %s %v", marking.Object, marking.At)
		if marking.Colours[0].Enable != "true" {
			b.note("%s marks packets that are ECN-capable and drops no others (wred_green_enable is %q)", marking.Object,
				marking.Colours[0].Enable)
		}
	}
}

// deepest returns how deep a queue can be.
func (b *builder) deepest() (unit.Bytes, string) {
	memory := b.reading.Source.Chip.Memory()
	if size := b.Intent.Pool.Size; size > 0 && size < memory {
		return size, "the pool's size"
	}
	return memory, "the chip's memory"
}

// queueLimit returns a static limit of a queue as a topology accepts it.
func (b *builder) queueLimit(p *audit.Profile, value int64) unit.Bytes {
	memory := b.reading.Source.Chip.Memory()
	if value == 0 || unit.Bytes(value) > memory {
		b.note("BUFFER_PROFILE|%s: static_th %d is no limit: the topology has the chip's memory, %d, with the same effect",
			p.Name, value, int64(memory))
		return memory
	}
	return unit.Bytes(value)
}

// schedules leaves the weights out if not every class has one: the share of the others is not known.
func (b *builder) schedules() {
	var with, without []string
	for i := range b.Intent.Classes {
		if c := &b.Intent.Classes[i]; c.Weight > 0 || c.Strict {
			with = append(with, c.Name)
		} else {
			without = append(without, c.Name)
		}
	}
	if len(with) == 0 || len(without) == 0 {
		return
	}
	b.differs(nil, "QUEUE", b.reading.Source.Place(), "the queues of class %s have no scheduler, and those of others "+
		"have: the topology has no weights", strings.Join(without, ", "))
	for i := range b.Intent.Classes {
		b.Intent.Classes[i].Weight, b.Intent.Classes[i].Strict = 0, false
	}
}

// trimming takes how the switch trims packets. A topology has a queue and a DSCP of its own: what maps of the switch
// say is a difference, and then the topology has no trimming.
func (b *builder) trimming() {
	t, trims := b.sw.Trimming, b.Intent.Trims()
	if t == nil {
		if len(trims) > 0 {
			b.differs(nil, "SWITCH_TRIMMING", b.reading.Source.Place(),
				"queues trim, and the configuration does not say to what length and queue: the topology has no trimming")
			b.trimNothing()
		}
		return
	}
	why := ""
	queue := int(t.Queue.Value)
	switch of := b.classOf(queue); {
	case t.FromClass || t.Dynamic:
		why = "the DSCP or the queue is one of a map"
	case !t.Size.Given || !t.DSCP.Given || !t.Queue.Given:
		why = "a field is missing, or its value is refused"
	case t.Size.Value < 1 || t.Size.Value > mostTrim:
		why = "the size is that of no packet"
	case queue >= priorities:
		why = "the queue is that of no priority"
	case of != nil && (of.Trim || of.Lossless):
		why = "the queue for what is left of packets trims itself, or is lossless"
	}
	if why != "" {
		b.differs(nil, t.Object, t.At, "%s: the topology has no trimming", why)
		b.trimNothing()
		return
	}
	b.Intent.Trimming = buffer.Trimming{Size: unit.Bytes(t.Size.Value), Queue: queue, DSCP: int(t.DSCP.Value)}
	b.source("trimming", "%s %v", t.Object, t.At)
}

// mostTrim is the longest rest of a packet that a topology has.
const mostTrim = 16384

// classOf is the class of a priority; nil: it has none.
func (b *builder) classOf(priority int) *buffer.Class {
	i := slices.IndexFunc(b.Intent.Classes, func(c buffer.Class) bool { return slices.Contains(c.Priorities, priority) })
	if i < 0 {
		return nil
	}
	return &b.Intent.Classes[i]
}

// trimNothing takes trimming from all classes.
func (b *builder) trimNothing() {
	for i := range b.Intent.Classes {
		b.Intent.Classes[i].Trim = false
	}
}
