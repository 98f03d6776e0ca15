package sonic

import "github.com/cellwarden/cellwarden/unit"

// PoolInputs is what SONiC's dynamic buffer manager computes the size of
// ingress_lossless_pool from, on Mellanox and virtual switches
// (sonic-swss cfgmgr/buffer_pool_mellanox.lua and buffer_pool_vs.lua). It is a
// remainder: memory less all that is reserved. Nothing refuses a remainder below
// zero: by then the profiles have been written, and the switch keeps the size
// that the pool had before.
type PoolInputs struct {
	Memory   unit.Bytes // mmu_size
	Cell     unit.Bytes
	Latency  unit.Bytes // pipeline latency, which every lossy group gets on top of its size
	Profiles []PoolProfile

	Ports         int // that are up: each has a management group and room for mirroring
	WidePorts     int // of these, ports of eight lanes, which have twice the latency less 1024 bytes
	WideLossy     int // lossy groups on ports of eight lanes
	LosslessPorts int // ports with lossless groups
	Pools         int // ingress pools that have no fixed size; 0 counts as 1

	Ratio          int        // over_subscribe_ratio; 0: none
	SharedHeadroom unit.Bytes // configured xoff of the pool; 0: none
	// Descriptors is the memory for modification descriptors, which a chip keeps in
	// place of room for mirroring; 0: none. method.SONiCChip has it.
	Descriptors unit.Bytes
}

// PoolProfile is a buffer profile and how many groups, queues and port profile
// lists have it.
type PoolProfile struct {
	Size, XON, XOFF unit.Bytes
	Lossy           bool // of ingress groups
	Count           int
}

// PoolSizes is what SONiC would write.
type PoolSizes struct {
	Reserved       unit.Bytes // everything that is subtracted, the shared headroom too
	Pool           unit.Bytes // size of each ingress pool; negative: SONiC writes it all the same
	SharedHeadroom unit.Bytes // xoff of the pool; 0: none
}

// Overcommits tells whether the pool's size is negative, which SONiC does not
// notice.
func (s PoolSizes) Overcommits() bool { return s.Pool < 0 }

// The constants of the plug-in.
const (
	mirrorBytes     unit.Bytes = 10240  // for each port that is up
	managementBytes unit.Bytes = 262144 // the management pool
	privateHeadroom unit.Bytes = 10240  // headroom that each lossless port has to itself
	leastPoolXOFF   unit.Bytes = 655360 // where headroom is shared but nothing says how much
	latencyGrain    unit.Bytes = 1024
)

// Sizes computes the sizes as the plug-in does.
func (p PoolInputs) Sizes() PoolSizes {
	wide := 2*p.Latency - latencyGrain
	times := func(n int, b unit.Bytes) unit.Bytes { return unit.Bytes(n) * b }
	reserved := managementBytes + times(p.Ports-p.WidePorts, p.Latency) + times(p.WidePorts, wide) +
		times(p.WideLossy, wide-p.Latency)
	if p.Descriptors > 0 {
		reserved += p.Descriptors
	} else {
		reserved += times(p.Ports, mirrorBytes)
	}
	for _, f := range p.Profiles {
		reserved += times(f.Count, f.Size)
		if f.Lossy {
			reserved += times(f.Count, p.Latency)
		}
	}
	shared := p.sharedHeadroom()
	if shared > 0 {
		reserved += shared + times(p.LosslessPorts, privateHeadroom)
	}
	each := p.Memory - reserved
	if p.Pools > 1 {
		each /= 2 // the plug-in halves it, whatever their number
	}
	return PoolSizes{reserved, min(each, p.Memory/p.Cell*p.Cell), shared}
}

// sharedHeadroom is the configured size, else what the profiles keep outside
// their own sizes, less what ports have to themselves, by the ratio.
func (p PoolInputs) sharedHeadroom() unit.Bytes {
	if p.SharedHeadroom > 0 {
		return p.SharedHeadroom
	}
	var outside unit.Bytes
	for _, f := range p.Profiles {
		outside += unit.Bytes(f.Count) * max(0, f.XON+f.XOFF-f.Size)
	}
	switch {
	case p.Ratio == 0 && outside == 0:
		return 0
	case p.Ratio == 0:
		return leastPoolXOFF
	}
	ratio := unit.Bytes(p.Ratio)
	if size := (max(0, outside-unit.Bytes(p.LosslessPorts)*privateHeadroom) + ratio - 1) / ratio; size > 0 {
		return size
	}
	return leastPoolXOFF
}
