package buffer

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// sonicEgressLossy is the size of egress_lossy_profile in SONiC's defaults for
// NVIDIA's switches, which every port has in its list of egress profiles.
const sonicEgressLossy unit.Bytes = 9216

// SONiCPools returns what SONiC's dynamic buffer manager would size the pools of
// an intent from: see [SONiCPool.Sizes]. Headroom is sized as SONiC does, by its
// own formula or by the intent's table, whatever other method the intent has. Its
// memory is that of the chip's slices; set Memory if the switch says another
// mmu_size.
//
// A port that is administratively down counts as SONiC counts it: not at all. A
// port's own minimum, the shared floor and a configured pool size have no words
// in the computation. The error says that the intent is malformed, or that
// SONiC has no numbers of the chip.
func SONiCPools(in Intent) (SONiCPool, error) {
	if err := in.Validate(); err != nil {
		return SONiCPool{}, err
	}
	chip, known := method.LookupSONiCChip(in.Chip.Name)
	if !known {
		return SONiCPool{}, fmt.Errorf("%w: chip %s: SONiC computes pools for NVIDIA's chips alone: accepted: spectrum-1 to spectrum-6", ErrInvalid, in.Chip.Name)
	}
	p := SONiCPool{Memory: in.Chip.Cell.Bytes(in.Chip.TotalCells()), Cell: in.Chip.Cell.Bytes(1), Latency: unit.Bytes(chip.PipelineLatency) * unit.KiB / 100,
		Pools: 1, Ratio: in.Pool.SharedHeadroomRatio, SharedHeadroom: in.Pool.SharedHeadroom, SN6000: chip.Name == "spectrum-6"}
	sizer, wide := in.sonicSizer(chip)
	for i := range in.Ports {
		if in.Ports[i].State == PortAdminDown {
			continue
		}
		if err := p.addPort(&in, &in.Ports[i], sizer, wide); err != nil {
			return SONiCPool{}, err
		}
	}
	return p, nil
}

// sonicSizer returns how SONiC would size headroom, and whether ports have
// eight lanes.
func (in *Intent) sonicSizer(chip method.SONiCChip) (thresholds.Sizer, bool) {
	if table, ok := in.Sizing.(*table.Table); ok {
		return table, false
	}
	s, ok := in.Sizing.(method.SONiC)
	if !ok {
		s = method.SONiC{Chip: chip}
	}
	s.SharedHeadroom = in.Pool.pooled()
	return s, s.Lanes == 8
}

func (p *SONiCPool) addPort(in *Intent, port *Port, sizer thresholds.Sizer, wide bool) error {
	p.Ports++
	if wide {
		p.WidePorts++
	}
	p.add(SONiCProfile{Size: sonicEgressLossy})
	lossless := false
	for i := range in.Classes {
		c := &in.Classes[i]
		if !port.Classes.Has(i) {
			continue
		}
		for range c.Priorities {
			p.add(SONiCProfile{Size: c.QueueReserved})
		}
		if !c.Lossless {
			p.add(SONiCProfile{Size: c.Reserved, Lossy: true})
			if wide {
				p.WideLossy++
			}
			continue
		}
		lossless = true
		h, err := sizer.Size(port.link(orElse(c.MTU, port.MTU)), in.Chip.Memory())
		if err != nil {
			return fmt.Errorf("%w: port %s, class %s: %w", ErrInvalid, port.Name, c.Name, err)
		}
		f := SONiCProfile{Size: h.Size, XON: h.XON, XOFF: h.XOFF}
		if stated := h.Profile; stated.Stated {
			f = SONiCProfile{Size: stated.Size, XON: stated.XON, XOFF: stated.XOFF}
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

// add counts one more user of a profile; one that reserves nothing is none.
func (p *SONiCPool) add(f SONiCProfile) {
	if f == (SONiCProfile{}) {
		return
	}
	k := slices.IndexFunc(p.Profiles, func(o SONiCProfile) bool { o.Count = 0; return o == f })
	if k < 0 {
		k, p.Profiles = len(p.Profiles), append(p.Profiles, f)
	}
	p.Profiles[k].Count++
}
