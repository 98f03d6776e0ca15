package shipped

import (
	"cmp"

	"github.com/cellwarden/cellwarden/internal/pools"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

// running computes the pool of a running switch in the dynamic model for the same ports. Without roles it has no
// lossless groups. It is computed by the formula of SONiC's buffer manager (nos/sonic), which vendors' workbooks do not
// follow exactly: the difference is what a switch changes when the dynamic model is turned on. nil: SONiC has no
// numbers for the chip.
func running(q *pools.Question, roles []pools.Ports) (*report.SONiCPools, error) {
	chip, known := method.LookupSONiCChip(q.Chip)
	if !known {
		return nil, nil
	}
	// Memory is what the chip has with the descriptors, as the manager subtracts them itself. The pipeline latency is
	// in hundredths of KiB.
	p := sonic.PoolInputs{Memory: q.Memory + chip.Descriptors, Cell: unit.Bytes(chip.Cell), Pools: 1,
		Latency: unit.Bytes(chip.PipelineLatency) * unit.KiB / 100, Descriptors: chip.Descriptors}
	if q.Kind == pools.Two {
		p.Pools = 2
	}
	if q.Kind == pools.Shared {
		p.Ratio = q.Ratio
	}
	for _, kind := range q.Ports {
		// Ports that lead nowhere outside are none of the manager's.
		if kind.Inside {
			continue
		}
		p.Ports += kind.Count
		// A port of eight lanes has two buffers, and so twice the latency: see sonic.PoolInputs.
		if kind.Lanes == 8 {
			p.WidePorts, p.WideLossy = p.WidePorts+kind.Count, p.WideLossy+kind.Count
		}
	}
	// 9 KiB is egress_lossy_profile, which each port has once; its lossy group takes the latency alone.
	p.Profiles = []sonic.PoolProfile{{Size: 9 * unit.KiB, Count: p.Ports}, {Lossy: true, Count: p.Ports}}
	formula := method.SONiC{Chip: chip, Exact: true}
	for _, r := range roles {
		if r.Lossy {
			continue
		}
		// 9100 bytes are the default MTU of a SONiC port, and 1024 the mtu of its LOSSLESS_TRAFFIC_PATTERN.
		h, err := formula.Size(thresholds.Link{Rate: r.Speed, Cable: r.Cable, Lanes: r.Lanes, MTU: 9100, LosslessMTU: 1024},
			thresholds.Memory{Cell: chip.Cell, SharedHeadroom: q.Kind == pools.Shared})
		if err != nil {
			return nil, err
		}
		// Two lossless groups a port unless the role says four: priorities 3 and 4, as SONiC's templates have them.
		p.LosslessPorts += r.Count
		p.Profiles = append(p.Profiles, sonic.PoolProfile{Size: h.Size, XON: h.XON, XOFF: h.XOFF,
			Count: r.Count * cmp.Or(r.Groups, 2)})
	}
	return Running(p), nil
}

// Running are the sizes that SONiC's buffer manager computes, in bytes. EachOfTwo is that of a switch whose template
// has a lossy pool too: the remainder is divided by two (sonic-swss cfgmgr/buffer_pool_mellanox.lua).
func Running(p sonic.PoolInputs) *report.SONiCPools {
	s, two := p.Sizes(), p
	two.Pools = 2
	return &report.SONiCPools{Memory: p.Memory, Reserved: s.Reserved, Pool: s.Pool, EachOfTwo: two.Sizes().Pool,
		SharedHeadroom: s.SharedHeadroom, Overcommits: s.Overcommits()}
}
