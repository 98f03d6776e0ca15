package behaviour

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

// JunosBuffer is the memory of a QFX switch as Junos configures it. Ingress and egress each divide the whole memory: a
// dedicated part for ports, and partitions of the rest in percent.
//
// Source: Junos, class-of-service shared-buffer; the values of a QFX3500, people.ucsc.edu/~warner/Bufs/QFX3500.html.
type JunosBuffer struct {
	Memory           unit.Bytes // of the whole switch
	IngressDedicated unit.Bytes
	EgressDedicated  unit.Bytes

	Lossless, LosslessHeadroom, Lossy            unit.Percent // of the shared part of the ingress
	EgressLossless, EgressMulticast, EgressLossy unit.Percent // of the shared part of the egress
}

// The pools of [JunosBuffer.Config], by their index in Pools and EgressPools.
// The partition lossless-headroom is its only headroom pool.
const (
	JunosLossless = iota // ingress and egress
	JunosLossy           // ingress
)

// The egress partitions that have no ingress partition of the same number.
const (
	junosEgressMulticast = 1 + iota
	junosEgressLossy
)

// QFX3500 returns the memory of a QFX3500 with Junos's default partitions: 9, 45 and 46 % of the ingress and 50, 19 and
// 31 % of the egress (Junos CLI reference, buffer-partition for ingress and egress: the defaults of the QFX Series).
// The memory is that of a switch whose output is published, people.ucsc.edu/~warner/Bufs/QFX3500.html. The default
// dynamic-threshold of the partitions, and what a fill-level is a share of, were not found.
func QFX3500() JunosBuffer {
	const kib, percent = 1024, unit.OnePercent
	return JunosBuffer{
		Memory: 9360 * kib, IngressDedicated: 2158 * kib, EgressDedicated: 2704 * kib,
		Lossless: 9 * percent, LosslessHeadroom: 45 * percent, Lossy: 46 * percent,
		EgressLossless: 50 * percent, EgressMulticast: 19 * percent, EgressLossy: 31 * percent,
	}
}

// Ingress returns the bytes that the ingress shares.
func (b JunosBuffer) Ingress() unit.Bytes { return b.Memory - b.IngressDedicated }

// Egress returns the bytes that the egress shares.
func (b JunosBuffer) Egress() unit.Bytes { return b.Memory - b.EgressDedicated }

// Validate refuses partitions that do not add up to 100 % on either side, and dedicated parts larger than the memory,
// with all complaints at once. That they must add up is inferred: they do on both sides of the one published device.
func (b JunosBuffer) Validate() error {
	var bad fielderr.List
	dedicated := func(side string, n unit.Bytes) {
		if n < 0 || n > b.Memory {
			bad.Add(side+" dedicated buffer", n.String(), fmt.Sprintf("0B to the memory of %v", b.Memory))
		}
	}
	total := func(side string, parts ...unit.Percent) {
		var sum unit.Percent
		for _, p := range parts {
			if p < 0 || p > 100*unit.OnePercent {
				bad.Add(side+" partition", p.String(), "0% to 100%")
				return
			}
			sum += p
		}
		if sum != 100*unit.OnePercent {
			bad.Add("", fmt.Sprintf("%s partitions add up to %v", side, sum), "100%")
		}
	}
	if b.Memory < 0 || b.Memory > 1<<40 {
		bad.Add("memory", b.Memory.String(), fmt.Sprintf("0B to %v", unit.Bytes(1<<40)))
	}
	dedicated("ingress", b.IngressDedicated)
	dedicated("egress", b.EgressDedicated)
	total("ingress", b.Lossless, b.LosslessHeadroom, b.Lossy)
	total("egress", b.EgressLossless, b.EgressMulticast, b.EgressLossy)
	return bad.Err()
}

// Partition returns the cells of a partition, rounded down. The rounding is
// inferred; the switch prints the exact percentage.
func (b JunosBuffer) Partition(shared unit.Bytes, part unit.Percent, cell cells.Size) cells.Count {
	return cell.Within(shared * unit.Bytes(part) / unit.Bytes(100*unit.OnePercent))
}

// Config returns an MMU with these partitions and one slice, without groups and queues. Lossless groups belong to pool
// JunosLossless and headroom pool 1, lossy groups to JunosLossy. Dedicated buffer is the Reserved of a group or queue.
// Counters are compared as on XGS, because a QFX has these chips.
func (b JunosBuffer) Config(cell cells.Size, overhead unit.Bytes) (mmu.Config, error) {
	if err := b.Validate(); err != nil {
		return mmu.Config{}, err
	}
	if cell <= 0 {
		return mmu.Config{}, errors.New("cell: 0 bytes (want 1 or more)")
	}
	in := func(p unit.Percent) cells.Count { return b.Partition(b.Ingress(), p, cell) }
	out := func(p unit.Percent) cells.Count { return b.Partition(b.Egress(), p, cell) }
	return mmu.Config{
		Cell: cell, Overhead: overhead, Rule: mmu.SiliconRule(),
		Pools:         []mmu.Pool{JunosLossless: {Shared: in(b.Lossless)}, JunosLossy: {Shared: in(b.Lossy)}},
		HeadroomPools: []cells.Count{in(b.LosslessHeadroom)},
		EgressPools: []mmu.Pool{JunosLossless: {Shared: out(b.EgressLossless)},
			junosEgressMulticast: {Shared: out(b.EgressMulticast)},
			junosEgressLossy:     {Shared: out(b.EgressLossy)}},
	}, nil
}
