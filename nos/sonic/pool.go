package sonic

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

// PoolInputs is what SONiC's dynamic buffer manager computes the size of ingress_lossless_pool from, on Mellanox and
// virtual switches (sonic-swss cfgmgr/buffer_pool_mellanox.lua and buffer_pool_vs.lua). It is a remainder: memory less
// all that is reserved. Nothing refuses a remainder below zero: by then the profiles have been written, and the switch
// keeps the size that the pool had before.
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

// PoolProfile is a buffer profile and how many groups, queues and port profile lists have it.
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

// Overcommits tells whether the pool's size is negative, which SONiC does not notice.
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

// PoolInputsOf returns what SONiC's dynamic buffer manager would size the pools of an intent from: see
// [PoolInputs.Sizes]. Headroom is sized as SONiC does, by its own formula or by the intent's table, whatever other
// method the intent has. The memory is that of the chip's slices; set Memory if the switch has another mmu_size.
//
// A port that is administratively down counts as SONiC counts it: not at all. A port's own minimum, the shared floor
// and a configured pool size have no part in the computation. The error says that the intent is malformed, or that
// SONiC has no numbers of the chip.
func PoolInputsOf(in buffer.Intent) (PoolInputs, error) {
	if err := in.Validate(); err != nil {
		return PoolInputs{}, err
	}
	chip, known := method.LookupSONiCChip(in.Chip.Name)
	if !known {
		return PoolInputs{}, fmt.Errorf("%w: chip %s: SONiC computes pools for NVIDIA's chips alone: "+
			"want spectrum-1 to spectrum-6", buffer.ErrInvalid, in.Chip.Name)
	}
	p := PoolInputs{Memory: in.Chip.Cell.Bytes(in.Chip.TotalCells()), Cell: in.Chip.Cell.Bytes(1),
		Latency: unit.Bytes(chip.PipelineLatency) * unit.KiB / 100, Descriptors: chip.Descriptors,
		Pools: 1, Ratio: in.Pool.SharedHeadroomRatio, SharedHeadroom: in.Pool.SharedHeadroom}
	sizer := sizerOf(&in, chip)
	for i := range in.Ports {
		if in.Ports[i].State == buffer.PortAdminDown {
			continue
		}
		if err := p.addPort(&in, &in.Ports[i], sizer, hasEightLanes(sizer, chip, &in.Ports[i])); err != nil {
			return PoolInputs{}, err
		}
	}
	return p, nil
}

// sizerOf returns how SONiC would size headroom. A table has headroom for some cable lengths only: SONiC looks it up
// there before it computes anything.
func sizerOf(in *buffer.Intent, chip method.SONiCChip) thresholds.Sizer {
	if table, ok := in.Sizing.(thresholds.Discrete); ok {
		return table
	}
	s, ok := in.Sizing.(method.SONiC)
	if !ok {
		s = method.SONiC{Chip: chip}
	}
	s.Exact = !s.Corrected // what the switch itself computes
	return s
}

// hasEightLanes tells whether a port has eight lanes: see [method.SONiC.LanesOf].
func hasEightLanes(sizer thresholds.Sizer, chip method.SONiCChip, p *buffer.Port) bool {
	s, ok := sizer.(method.SONiC)
	if !ok {
		s = method.SONiC{Chip: chip}
	}
	return s.LanesOf(p.Link(p.MTU)) == 8
}

// egressLossyBytes is the size of egress_lossy_profile in SONiC's defaults for
// NVIDIA's switches, which every port has in its list of egress profiles.
const egressLossyBytes unit.Bytes = 9216

func (p *PoolInputs) addPort(in *buffer.Intent, port *buffer.Port, sizer thresholds.Sizer, wide bool) error {
	p.Ports++
	if wide {
		p.WidePorts++
	}
	p.add(PoolProfile{Size: egressLossyBytes})
	lossless := false
	counted := map[int]bool{} // lossy groups: classes may share one
	for i := range in.Classes {
		c := &in.Classes[i]
		if !port.Classes.Has(i) {
			continue
		}
		for range c.Priorities {
			p.add(PoolProfile{Size: c.QueueReserved})
		}
		if !c.Lossless {
			for _, n := range c.Groups() {
				if counted[n] {
					continue
				}
				counted[n] = true
				p.add(PoolProfile{Size: c.Reserved.Or(0), Lossy: true})
				if wide {
					p.WideLossy++
				}
			}
			continue
		}
		lossless = true
		h, err := sizer.Size(port.Link(c.Frame(port)), in.Memory())
		if err != nil {
			return fmt.Errorf("%w: port %s, class %s: %w", buffer.ErrInvalid, port.Name, c.Name, err)
		}
		f := PoolProfile{Size: h.Size, XON: h.XON, XOFF: h.XOFF}
		if stated := h.Profile; stated.Stated {
			f = PoolProfile{Size: stated.Size, XON: stated.XON, XOFF: stated.XOFF}
		}
		for range c.Priorities {
			p.add(f)
		}
	}
	if lossless {
		p.LosslessPorts++
	}
	return nil
}

// add counts one more user of a profile; one that reserves nothing does not count.
func (p *PoolInputs) add(f PoolProfile) {
	if f == (PoolProfile{}) {
		return
	}
	k := slices.IndexFunc(p.Profiles, func(o PoolProfile) bool { o.Count = 0; return o == f })
	if k < 0 {
		k, p.Profiles = len(p.Profiles), append(p.Profiles, f)
	}
	p.Profiles[k].Count++
}
