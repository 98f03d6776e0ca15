package buffer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// The egress counts the packets that the ingress has admitted once more, by the queue from which they leave. Its pools
// take no cells of their own. But a packet of a lossless class that the egress refuses is lost, whatever headroom it
// has: on an Arista 7050CX3 the egress pool was smaller than the ingress pool, and lossless traffic was dropped at the
// egress (sonic-buildimage issue 21320).
//
// Egress pools are what the switch has. A plan is checked against them, and they are not registers of a layout.

// EgressPool is a pool in which packets are counted until they have left.
type EgressPool struct {
	Name string
	// Size is for the whole chip, as Pool.Size is: each slice has an equal part. 0: not known, because the switch computes
	// it; then nothing is compared with the pool.
	Size unit.Bytes
}

// Egress is what the egress queues of a class may hold. The zero Egress is not stated: nothing is checked.
type Egress struct {
	Pool  string            // name of an EgressPool; empty: not stated
	Alpha *thresholds.Alpha // a queue's limit on the pool's shared cells; nil: none
	// Limit is a queue's limit in place of Alpha, in bytes for the whole chip; each slice has an equal part. 0: none.
	Limit unit.Bytes
}

// NotWritten names what an intent has and no layout has, because it is no register: the
// pools of the egress and limits of queues, and packet trimming. No push and no
// rendering carries it, but that SONiC's has trimming. It returns "" if the intent has nothing of it, and whether a
// class that loses nothing depends on it: the switch itself has to have these values.
func (in *Intent) NotWritten() (what string, lossless bool) {
	var pools, limited []string
	for _, p := range in.EgressPools {
		if p.Size == 0 {
			pools = append(pools, p.Name+" of unknown size")
			continue
		}
		pools = append(pools, fmt.Sprintf("%s of %v", p.Name, p.Size))
	}
	for i := range in.Classes {
		c := &in.Classes[i]
		lossless = lossless || c.ownGroups() && c.Egress.Pool != ""
		if c.Egress.Alpha != nil || c.Egress.Limit > 0 {
			limited = append(limited, c.Name)
		}
	}
	if len(pools) > 0 {
		what = "egress pools (" + strings.Join(pools, ", ") + ")"
		if len(limited) > 0 {
			what += ", limits of the egress queues (" + strings.Join(limited, ", ") + ")"
		}
	}
	if trims := in.Trims(); len(trims) > 0 {
		if what != "" {
			what += ", "
		}
		what += "packet trimming (" + strings.Join(trims, ", ") + ")"
	}
	return what, lossless && what != ""
}

// EgressNotWritten is why what NotWritten names is in no push.
const EgressNotWritten = "cellwarden plans with them and does not write them: the switch has to have them"

// EgressRow compares what the ingress of a slice can hold for a lossless class
// with what one egress queue of the class takes.
type EgressRow struct {
	Class string
	Pool  string
	Slice int
	// Ingress is the most that the ingress can hold of packets that count in this pool, all of them on their way to one
	// queue: the shared pool, the reserved cells and headroom of all groups, and the cells behind all credits. What single
	// groups may take of the shared pool is not looked at.
	Ingress cells.Count
	Egress  cells.Count // the most that one queue takes: what its limit and its pool allow
}

// Short returns the cells that the egress lacks, 0 if none. Packets of the class can then be dropped at the egress.
func (r *EgressRow) Short() cells.Count { return max(0, r.Ingress-r.Egress) }

// EgressPoolOf returns the egress pool of a class; false if it is not stated.
func (in *Intent) EgressPoolOf(c *Class) (EgressPool, bool) {
	i := slices.IndexFunc(in.EgressPools, func(p EgressPool) bool { return p.Name == c.Egress.Pool })
	if i < 0 {
		return EgressPool{}, false
	}
	return in.EgressPools[i], true
}

// PerSlice returns the cells of a slice in a size that is for the whole chip.
func (c *Chip) PerSlice(b unit.Bytes) cells.Count {
	return c.Cell.Within(b) / cells.Count(len(c.Slices))
}

// QueueLimit returns the limit of each egress queue of a class in a slice.
func (c *Chip) QueueLimit(e Egress) thresholds.Limit {
	switch {
	case e.Limit > 0:
		return thresholds.Static(c.Rounding.limit(c.PerSlice(e.Limit)))
	case e.Alpha != nil:
		return thresholds.Dynamic(*e.Alpha)
	}
	return thresholds.Unlimited()
}

// egress compares the lossless classes' groups with their egress, slice by slice.
func (a *Admission) egress() []EgressRow {
	out := []EgressRow{}
	for i := range a.in.Classes {
		c := &a.in.Classes[i]
		pool, stated := a.in.EgressPoolOf(c)
		if !c.ownGroups() || !stated || pool.Size == 0 {
			continue
		}
		for s := range a.pools {
			if ingress := a.ingressFor(pool.Name, s); ingress > 0 {
				out = append(out, EgressRow{c.Name, pool.Name, s, ingress, a.queueTakes(c, pool)})
			}
		}
	}
	return out
}

// ingressFor returns the most cells that the ingress of a slice can hold of
// packets that count in an egress pool; 0 if those of no lossless class do.
func (a *Admission) ingressFor(pool string, slice int) cells.Count {
	held, headroom, lossless := a.pools[slice].Shared(), cells.Count(0), false
	for i := range a.ports {
		e := &a.ports[i]
		if !e.short.Fits() || !slices.Contains(a.slices[e.pipe], slice) {
			continue
		}
		held += e.demand.port
		for j := range e.demand.groups {
			if g := &e.demand.groups[j]; g.class.Egress.Pool == pool {
				held += g.Reserved
				headroom += g.Headroom
				lossless = lossless || g.Lossless
			}
		}
		credits := false
		for j := range e.demand.channels {
			if c := &e.demand.channels[j]; c.class.Egress.Pool == pool {
				held += c.reserved
				credits = true
			}
		}
		if credits {
			held, lossless = held+e.demand.shared, true
		}
	}
	if !lossless {
		return 0
	}
	if a.shared > 0 {
		headroom = min(headroom, a.pools[slice].Headroom())
	}
	return held + headroom
}

// queueTakes returns the most cells that one queue of a class takes of a slice. Alone in its pool, a queue with a
// dynamic limit gets the fraction alpha/(1+alpha) of it.
func (a *Admission) queueTakes(c *Class, pool EgressPool) cells.Count {
	size := a.in.Chip.PerSlice(pool.Size)
	limit := a.in.Chip.QueueLimit(c.Egress)
	switch limit.Mode() {
	case thresholds.StaticLimit:
		size = min(size, limit.Cells())
	case thresholds.DynamicLimit:
		if n := limit.Alpha(); n >= 0 {
			size = size << n / (1 + 1<<n)
		} else {
			size /= 1 + 1<<-n
		}
	}
	return size + a.in.Chip.Cell.Holding(c.QueueReserved)
}

// warnEgress says which lossless packets can be lost behind the ingress.
func (p *Plan) warnEgress(warn func(string)) {
	for _, r := range p.ShortEgress() {
		warn(fmt.Sprintf("class %s: lossless packets can be dropped at the egress: a queue takes at most %d cells "+
			"of slice %d in egress pool %s, and the ingress can hold %d", r.Class, r.Egress, r.Slice, r.Pool, r.Ingress))
	}
}

// ShortEgress returns for each class whose packets can be dropped at the egress the slice that lacks most cells.
func (p *Plan) ShortEgress() (out []EgressRow) {
	for _, r := range p.Egress {
		k := slices.IndexFunc(out, func(o EgressRow) bool { return o.Class == r.Class })
		switch {
		case r.Short() == 0:
		case k < 0:
			out = append(out, r)
		case r.Short() > out[k].Short():
			out[k] = r
		}
	}
	return out
}

// validateEgressPools refuses pools without a name of their own, and sizes that the chip's memory does not have.
func (in *Intent) validateEgressPools(bad *fielderr.List) {
	names := map[string]bool{}
	if most := in.Chip.EgressPools; most > 0 && len(in.EgressPools) > most {
		bad.Add("egress_pools", fmt.Sprint(len(in.EgressPools)), fmt.Sprintf("at most %d: %s has no more", most,
			in.Chip.Name))
	}
	for i, p := range in.EgressPools {
		path := fmt.Sprintf("egress_pools[%d]", i)
		if p.Name == "" || names[p.Name] {
			bad.Add(path+".name", fmt.Sprintf("%q", p.Name), "a name that no other egress pool has")
		}
		names[p.Name] = true
		if p.Size != 0 {
			in.withinMemory(p.Size, path+".size", bad)
		}
	}
}

// withinMemory refuses a size without a cell in each slice, or above the chip's memory.
func (in *Intent) withinMemory(b unit.Bytes, path string, bad *fielderr.List) {
	if in.Chip.Cell <= 0 || len(in.Chip.Slices) == 0 {
		return // refused already
	}
	least := in.Chip.Cell.Bytes(cells.Count(len(in.Chip.Slices)))
	if most := in.Chip.Cell.Bytes(in.Chip.TotalCells()); b < least || b > most {
		bad.Add(path, b.String(), fmt.Sprintf("%v (a cell in each slice) to %v (the chip's memory)", least, most))
	}
}

// validateEgress refuses a pool that is not there, and limits of no pool.
func (in *Intent) validateEgress(c *Class, path string, bad *fielderr.List) {
	e := c.Egress
	if e.Pool == "" {
		if e.Alpha != nil || e.Limit != 0 {
			bad.Add(path+".egress_pool", "none", "the egress pool of the queues that have a limit")
		}
		return
	}
	if _, ok := in.EgressPoolOf(c); !ok {
		bad.Add(path+".egress_pool", fmt.Sprintf("%q", e.Pool), "the name of one of the egress pools")
	}
	if e.Alpha != nil && !in.Chip.AllowsAlpha(*e.Alpha) {
		bad.Add(path+".queue_alpha", fmt.Sprintf("%v (dynamic_th %d)", *e.Alpha, e.Alpha.DynamicTh()),
			in.Chip.alphaRange())
	}
	if e.Alpha != nil && e.Limit != 0 {
		bad.Add(path+".queue_limit", e.Limit.String(), "no queue_alpha beside it")
	}
	if e.Limit != 0 {
		in.withinMemory(e.Limit, path+".queue_limit", bad)
	}
}

// Packet trimming is what fabrics do that are not lossless: of a packet that a queue refuses, the beginning goes on
// over another queue, so that the receiver learns at once what is lost (SAI pull 2077; SONiC, doc/packet_trimming).

// Trimming is how a switch trims packets. The zero Trimming is none.
type Trimming struct {
	// Size is how many bytes are left of a packet, from destination address on (SAI_SWITCH_ATTR_PACKET_TRIM_SIZE). A
	// shorter packet goes on whole.
	Size unit.Bytes
	// Queue is the egress queue, 0 to 7, that they leave by (PACKET_TRIM_QUEUE_INDEX). It may be in a class, which loses
	// packets and does not trim.
	Queue int
	DSCP  int // of what is left, 0 to 63 (PACKET_TRIM_DSCP_VALUE)
}

// longestTrim is more than any switch leaves of a packet.
const longestTrim = unit.Bytes(16384)

// Trims names the classes whose packets are trimmed.
func (in *Intent) Trims() (classes []string) {
	for i := range in.Classes {
		if in.Classes[i].Trim {
			classes = append(classes, in.Classes[i].Name)
		}
	}
	return classes
}

// validateTrimming refuses numbers that no switch has, a class that trims and must not, and a queue for the rest that
// trims itself or loses nothing.
func (in *Intent) validateTrimming(bad *fielderr.List) {
	t := in.Trimming
	if t.Size < 0 || t.Size > longestTrim {
		bad.Add("trimming.size", t.Size.String(), fmt.Sprintf("0B (no trimming) to %v", longestTrim))
	}
	if t.Queue < 0 || t.Queue >= pg.PerPort || t.Size == 0 && t.Queue != 0 {
		bad.Add("trimming.queue", fmt.Sprint(t.Queue), fmt.Sprintf("0 to %d, beside a size", pg.PerPort-1))
	}
	if t.DSCP < 0 || t.DSCP > 63 || t.Size == 0 && t.DSCP != 0 {
		bad.Add("trimming.dscp", fmt.Sprint(t.DSCP), "0 to 63, beside a size")
	}
	for i := range in.Classes {
		c := &in.Classes[i]
		own := t.Size > 0 && slices.Contains(c.Priorities, t.Queue)
		switch refuse := func(want string) { bad.Add(classPath(i)+".trim", "true", want) }; {
		case own && c.ownGroups():
			bad.Add("trimming.queue", fmt.Sprint(t.Queue), fmt.Sprintf("a queue of no lossless class; class %q has this one",
				c.Name))
		case !c.Trim:
		case t.Size == 0:
			refuse("trimming, with a size and a queue, beside it")
		case c.ownGroups():
			refuse("false: a lossless class drops nothing that could be trimmed")
		case own:
			refuse("false: the rests leave by one of its queues")
		}
	}
}

// trimRow is what the rests of trimmed packets are for ports of one speed, if all other ports send to one of them.
type trimRow = struct {
	Speed unit.BitRate
	Ports int
	// Minimum is the cells of the queue for the rests that nothing else uses, in each slice: those of its class. They are
	// among the reserved cells of the bill.
	Minimum cells.Count
	Rest    cells.Count // what is left of one packet
	// AtOnce is the rests of a packet from every other port that are refused at one time.
	AtOnce cells.Count
	// Load is the rests of the longest packets of all other ports, at full rate, as a share of the port's rate: above
	// 100% its queue for the rests grows until it refuses some.
	Load unit.Percent
}

// wireOverhead is preamble and gap of IEEE 802.3.
const wireOverhead = 20

// trimRows counts the cells of the queues for the rests, by the speeds of the ports.
func (a *Admission) trimRows() (out []trimRow) {
	if a.in.Trimming.Size == 0 || len(a.in.Trims()) == 0 {
		return nil
	}
	chip, minimum := &a.in.Chip, cells.Count(0)
	if i := a.in.classOf(a.in.Trimming.Queue); i >= 0 {
		minimum = chip.Cell.Holding(a.in.Classes[i].QueueReserved)
	}
	rest := chip.Cell.Packet(a.in.Trimming.Size, chip.Overhead)
	var all int64 // bit/s of the rests of all ports
	var senders int
	for i := range a.in.Ports {
		if frame := a.in.trimmedFrame(&a.in.Ports[i]); frame > 0 {
			senders++
			all += restsOf(&a.in.Ports[i], frame, a.in.Trimming.Size)
		}
	}
	for i := range a.in.Ports {
		p := &a.in.Ports[i]
		frame := a.in.trimmedFrame(p)
		if frame == 0 {
			continue
		}
		k := slices.IndexFunc(out, func(r trimRow) bool { return r.Speed == p.Rate })
		if k < 0 {
			k, out = len(out), append(out, trimRow{Speed: p.Rate, Minimum: minimum, Rest: rest,
				AtOnce: cells.Count(senders-1) * rest})
		}
		out[k].Ports++
		others := all - restsOf(p, frame, a.in.Trimming.Size)
		out[k].Load = max(out[k].Load, unit.Percent(others/max(int64(p.Rate)/int64(unit.Whole), 1)))
	}
	return out
}

// trimmedFrame is the longest frame of a port of a class that trims; 0: it carries none.
func (in *Intent) trimmedFrame(p *Port) (longest unit.Bytes) {
	for i := range in.Classes {
		if c := &in.Classes[i]; c.Trim && in.carries(p, i) {
			longest = max(longest, c.frame(p.MTU))
		}
	}
	return longest
}

// restsOf is the rate of the rests of frames that arrive at the full rate of a port, preamble and gap included, in
// bit/s.
func restsOf(p *Port, frame, size unit.Bytes) int64 {
	return int64(p.Rate) / int64(frame+wireOverhead) * int64(min(size, frame)+wireOverhead)
}

// classOf is the index of the class of a priority; -1: it is in none.
func (in *Intent) classOf(priority int) int {
	return slices.IndexFunc(in.Classes, func(c Class) bool { return slices.Contains(c.Priorities, priority) })
}

// warnTrimming says where rests are lost, or wait behind other packets.
func (a *Admission) warnTrimming(p *Plan, warn func(string)) {
	if len(p.Trim) == 0 {
		return
	}
	queue := a.in.Trimming.Queue
	switch i := a.in.classOf(queue); {
	case i < 0:
		warn(fmt.Sprintf("trimming: no class has priority %d: the plan has no minimum and no schedule for the queue of the "+
			"rests", queue))
	case !a.in.Classes[i].Strict:
		warn(fmt.Sprintf("trimming: class %s is not strict: the rests of queue %d wait while other queues send",
			a.in.Classes[i].Name, queue))
	}
	worst := slices.MaxFunc(p.Trim, func(r, s trimRow) int { return cmp.Compare(r.Load, s.Load) })
	if worst.Load > unit.Whole {
		warn(fmt.Sprintf("trimming: if all other ports send at full rate to one of %v, the rests of their longest packets are "+
			"%v of its rate, and queue %d loses some; a shorter rest or longer packets lessen that", worst.Speed, worst.Load,
			queue))
	}
}
