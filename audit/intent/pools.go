package intent

import (
	"slices"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
)

// pools takes the pools: the one of the lossless groups, and those of the egress.
func (b *builder) pools() {
	b.pool = b.mainPool()
	p := &b.Intent.Pool
	if b.pool == nil {
		b.differs(nil, "BUFFER_POOL", b.reading.Source.Place(), "there is no pool of the ingress: the topology has the "+
			"chip's memory")
		return
	}
	object := "BUFFER_POOL|" + b.pool.Name
	b.source("pool", "%s %v", object, b.pool.At)
	p.Size, p.SharedHeadroom = b.pool.Size.Bytes(), b.pool.XOFF.Bytes()
	if b.reading.PoolIncludes() {
		p.SizeIncludesHeadroom, p.SizeIncludesReserved = true, true
		b.source("pool", "size includes headroom and minima: %s", b.includesHow())
	}
	if !b.pool.Size.Given {
		b.source("pool", "no size: the buffer manager computes it; a plan takes all that the chip leaves")
		b.note("%s has no size: the switch computes it, and the plan's pool is all that the chip leaves", object)
	}
	if b.pool.Mode == "static" {
		b.differs(nil, object, b.pool.At, "its mode is static: the pool of a topology is dynamic")
	}
	if b.pool.Type == "both" {
		b.differs(nil, object, b.pool.At,
			"its type is both: the queues count in it too, and a topology has pools of one side")
	}
	if ratio := b.sw.Computed.Ratio; b.sw.Dynamic && ratio.Given && ratio.Value > 0 && p.SharedHeadroom == 0 {
		if ratio.Value <= buffer.MaxRatio {
			p.SharedHeadroomRatio = int(ratio.Value)
			b.source("pool", "shared_headroom_ratio: over_subscribe_ratio %v", ratio.At)
		} else {
			b.differs(nil, "DEFAULT_LOSSLESS_BUFFER_PARAMETER", ratio.At, "over_subscribe_ratio is above %d", buffer.MaxRatio)
		}
	}
	b.egressPools()
}

// mainPool returns the pool that lossless groups are in: the one of most of them; without any, ingress_lossless_pool,
// else the first of the ingress.
func (b *builder) mainPool() *audit.Pool {
	count := map[*audit.Pool]int{}
	for _, p := range b.sw.Ports {
		for _, n := range p.LosslessGroups() {
			if profile := p.Groups[n].Profile; profile != nil && profile.Pool != nil {
				count[profile.Pool]++
			}
		}
	}
	var best *audit.Pool
	for _, p := range b.sw.Pools {
		switch {
		case p.Type == "egress":
		case best == nil, count[p] > count[best], count[p] == count[best] && p.Name == "ingress_lossless_pool":
			best = p
		}
	}
	return best
}

// egressPools takes the pools of the egress that have a size.
func (b *builder) egressPools() {
	chip := &b.Intent.Chip
	least, most := chip.Cell.Bytes(cells.Count(len(chip.Slices))), chip.Cell.Bytes(chip.TotalCells())
	for _, p := range b.sw.Pools {
		object := "BUFFER_POOL|" + p.Name
		if p.Type != "egress" || !b.holdsQueues(p) {
			if p.Type == "egress" {
				b.note("%s: no queue is counted in it", object)
			}
			continue
		}
		switch size := p.Size.Bytes(); {
		case !p.Size.Given:
			b.note("%s has no size: the switch computes it, and nothing is compared with the pool", object)
			b.Intent.EgressPools = append(b.Intent.EgressPools, buffer.EgressPool{Name: p.Name})
		case size < least:
			b.differs(nil, object, p.At, "size %d is less than a cell in each slice", p.Size.Value)
			continue
		case size > most:
			b.differs(nil, object, p.At, "size %d is above the chip's memory, %d, which the topology has", p.Size.Value,
				int64(most))
			b.Intent.EgressPools = append(b.Intent.EgressPools, buffer.EgressPool{Name: p.Name, Size: most})
		default:
			b.Intent.EgressPools = append(b.Intent.EgressPools, buffer.EgressPool{Name: p.Name, Size: size})
		}
		b.source("egress_pools["+texts([]int{len(b.Intent.EgressPools) - 1})+"]", "%s %v", object, p.At)
	}
}

// holdsQueues tells whether queues are counted in a pool.
func (b *builder) holdsQueues(pool *audit.Pool) bool {
	return slices.ContainsFunc(b.sw.Ports, func(p *audit.Port) bool {
		return slices.ContainsFunc(p.Queues[:], func(q *audit.Bound) bool {
			return q != nil && q.Profile != nil && q.Profile.Pool == pool
		})
	})
}
