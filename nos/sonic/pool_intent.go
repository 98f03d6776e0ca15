package sonic

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

// PoolInputsOf returns what SONiC's dynamic buffer manager would size the pools of
// an intent from: see [PoolInputs.Sizes]. Headroom is sized as SONiC does, by its
// own formula or by the intent's table, whatever other method the intent has. The
// memory is that of the chip's slices; set Memory if the switch has another
// mmu_size.
//
// A port that is administratively down counts as SONiC counts it: not at all. A
// port's own minimum, the shared floor and a configured pool size have no part in
// the computation. The error says that the intent is malformed, or that SONiC has
// no numbers of the chip.
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
