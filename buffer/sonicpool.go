package buffer

import "github.com/cellwarden/cellwarden/unit"

// SONiCPool is what SONiC's dynamic buffer manager computes the size of
// ingress_lossless_pool from, on Mellanox and virtual switches
// (sonic-swss cfgmgr/buffer_pool_mellanox.lua and buffer_pool_vs.lua). It is a
// remainder: memory less all that is reserved. Nothing refuses a remainder below
// zero: by then the profiles have been written, and the switch keeps the size
// that the pool had before.
type SONiCPool struct {
	Memory   unit.Bytes // mmu_size
	Cell     unit.Bytes
	Latency  unit.Bytes // pipeline latency, which every lossy group gets on top of its size
	Profiles []SONiCProfile

	Ports         int // that are up: each has a management group and room for mirroring
	WidePorts     int // of these, ports of eight lanes, which have twice the latency less 1024 bytes
	WideLossy     int // lossy groups on ports of eight lanes
	LosslessPorts int // ports with lossless groups
	Pools         int // ingress pools that have no fixed size; 0 counts as 1

	Ratio          int        // over_subscribe_ratio; 0: none
	SharedHeadroom unit.Bytes // configured xoff of the pool; 0: none
	SN6000         bool       // SN6000 and later: no mirroring, but modification descriptors
}

// SONiCProfile is a buffer profile and how many groups, queues and port profile
// lists have it.
type SONiCProfile struct {
	Size, XON, XOFF unit.Bytes
	Lossy           bool // of ingress groups
	Count           int
}

// SONiCSizes is what SONiC would write.
type SONiCSizes struct {
	Reserved       unit.Bytes // everything that is subtracted, the shared headroom too
	Pool           unit.Bytes // size of each ingress pool; negative: SONiC writes it all the same
	SharedHeadroom unit.Bytes // xoff of the pool; 0: none
}

// Overcommits tells whether the pool's size is negative, which SONiC does not
// notice.
func (s SONiCSizes) Overcommits() bool { return s.Pool < 0 }

// The constants of the plug-in.
const (
	sonicMirror       unit.Bytes = 10240    // for each port that is up
	sonicManagement   unit.Bytes = 262144   // the management pool
	sonicDescriptors  unit.Bytes = 33554432 // SN6000: modification descriptors
	sonicPrivate      unit.Bytes = 10240    // headroom that each lossless port has to itself
	sonicLeastXOFF    unit.Bytes = 655360   // where headroom is shared but nothing says how much
	sonicLatencyGrain unit.Bytes = 1024
)

// Sizes computes them.
func (p SONiCPool) Sizes() SONiCSizes {
	wide := 2*p.Latency - sonicLatencyGrain
	times := func(n int, b unit.Bytes) unit.Bytes { return unit.Bytes(n) * b }
	reserved := sonicManagement + times(p.Ports-p.WidePorts, p.Latency) + times(p.WidePorts, wide) +
		times(p.WideLossy, wide-p.Latency)
	if p.SN6000 {
		reserved += sonicDescriptors
	} else {
		reserved += times(p.Ports, sonicMirror)
	}
	for _, f := range p.Profiles {
		reserved += times(f.Count, f.Size)
		if f.Lossy {
			reserved += times(f.Count, p.Latency)
		}
	}
	shared := p.sharedHeadroom()
	if shared > 0 {
		reserved += shared + times(p.LosslessPorts, sonicPrivate)
	}
	each := p.Memory - reserved
	if p.Pools > 1 {
		each /= 2 // whatever their number
	}
	return SONiCSizes{reserved, min(each, p.Memory/p.Cell*p.Cell), shared}
}

// sharedHeadroom is the configured size, else what the profiles keep outside
// their own sizes, less what ports have to themselves, by the ratio.
func (p SONiCPool) sharedHeadroom() unit.Bytes {
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
		return sonicLeastXOFF
	}
	ratio := unit.Bytes(p.Ratio)
	if size := (max(0, outside-unit.Bytes(p.LosslessPorts)*sonicPrivate) + ratio - 1) / ratio; size > 0 {
		return size
	}
	return sonicLeastXOFF
}
