package buffer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// The egress counts the packets that the ingress has admitted once more, by the
// queue from which they leave. Its pools take no cells of their own. But a packet
// of a lossless class that the egress refuses is lost, whatever headroom it has:
// on an Arista 7050CX3 the egress pool was smaller than the ingress pool, and
// lossless traffic was dropped at the egress (sonic-buildimage issue 21320).
//
// Egress pools are what the switch has. A plan is checked against them, and they
// are not registers of a layout.

// EgressPool is a pool in which packets are counted until they have left.
type EgressPool struct {
	Name string
	// Size is for the whole chip, as Pool.Size is: each slice has an equal part. 0: not known, because the switch computes
	// it; then nothing is compared with the pool.
	Size unit.Bytes
}

// Egress is what the egress queues of a class may hold. The zero Egress is not
// stated: nothing is checked.
type Egress struct {
	Pool  string            // name of an EgressPool; empty: not stated
	Alpha *thresholds.Alpha // a queue's limit on the pool's shared cells; nil: none
	// Limit is a queue's limit in place of Alpha, in bytes for the whole
	// chip; each slice has an equal part. 0: none.
	Limit unit.Bytes
}

// NotWritten names what an intent has and no layout has, because it is no register: the
// pools of the egress and limits of queues, and packet trimming. No push and no
// rendering carries it, but that SONiC's has trimming. It returns "" if the intent has nothing of it, and whether a class that loses
// nothing depends on it: the switch itself has to have these values.
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
	// Ingress is the most that the ingress can hold of packets that count in this
	// pool, all of them on their way to one queue: the shared pool, the reserved
	// cells and headroom of all groups, and the cells behind all credits. What single groups may take of the shared
	// pool is not looked at.
	Ingress cells.Count
	Egress  cells.Count // the most that one queue takes: what its limit and its pool allow
}

// Short returns the cells that the egress lacks, 0 if none. Packets of the class
// can then be dropped at the egress.
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
	for _, i := range a.admitted() {
		e := &a.ports[i]
		if !slices.Contains(a.slices[e.pipe], slice) {
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

// queueTakes returns the most cells that one queue of a class takes of a slice.
// Alone in its pool, a queue with a dynamic limit gets the fraction
// alpha/(1+alpha) of it.
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
	for _, r := range worstEgress(p.Egress) {
		warn(fmt.Sprintf("class %s: lossless packets can be dropped at the egress: a queue takes at most %d cells "+
			"of slice %d in egress pool %s, and the ingress can hold %d", r.Class, r.Egress, r.Slice, r.Pool, r.Ingress))
	}
}

// worstEgress returns the row of each class that lacks most, of those that lack
// any.
func worstEgress(rows []EgressRow) (out []EgressRow) {
	for _, r := range rows {
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

// ShortEgress returns for each class whose packets can be dropped at the egress
// the slice that lacks most cells.
func (p *Plan) ShortEgress() []EgressRow { return worstEgress(p.Egress) }

// validateEgressPools refuses pools without a name of their own, and sizes that
// the chip's memory does not have.
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

// withinMemory refuses a size without a cell in each slice, or above the chip's
// memory.
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
