package sim

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
)

// VerifiedPool is the result of filling all groups of a slice's headroom pool
// at once.
type VerifiedPool struct {
	Slice   int         `json:"slice"`
	Groups  int         `json:"groups"`
	Granted cells.Count `json:"granted_cells"`
	Peak    cells.Count `json:"peak_cells"`
	// what all groups need together; exact, as for a group
	FirstDropBelow cells.Count `json:"first_drop_below_cells"`
	Margin         cells.Count `json:"margin_cells"`
	Drops          int64       `json:"drops"` // frames that the pool refused, not a group's own limit
}

// pool fills the headroom pool of a slice, if it has one. Every port that can
// send into the slice fills all its lossless groups. The groups of a port are
// filled one after another, and a group that has filled its headroom keeps it,
// because nothing leaves. Reserved cells and the shared pool are full from the
// start.
//
// This is the worst case of a pool: all senders of a slice congest at the same
// time, to egress ports that do not drain.
func (v *verifier) pool(slice int) error {
	granted := headroomPool(v.values, slice)
	if granted == unlimited {
		return nil
	}
	s := worstCase{v: v, slice: slice, pool: granted}
	out := VerifiedPool{Slice: slice, Granted: granted}
	for i := range v.in.Ports {
		p := &v.in.Ports[i]
		if groups := v.lossless(p); len(groups) > 0 && v.asic.feeds(v.asic.pipes[p.Name], slice) {
			s.ports = append(s.ports, sendingPort{p, groups})
			out.Groups += len(groups)
		}
	}
	if out.Groups == 0 {
		return nil
	}
	sim, err := s.run()
	if err != nil {
		return err
	}
	out.Peak = s.peak(sim.MMU(0))
	out.FirstDropBelow, out.Drops = out.Peak, sim.MMU(0).Drops(mmu.CauseHeadroomPool)
	if sim.Summary().Drops > 0 {
		s.removeLimits()
		if sim, err = s.run(); err != nil {
			return err
		}
		out.FirstDropBelow = s.peak(sim.MMU(0))
	}
	out.Margin = out.Granted - out.FirstDropBelow
	v.out.Pools = append(v.out.Pools, out)
	return nil
}

// peak returns the most cells that the headroom pool held.
func (s *worstCase) peak(m *mmu.MMU) cells.Count {
	return m.Watermarks(s.slice, s.ports[0].groups[0].group).HeadroomPool
}

// removeLimits makes the pool and the headroom of all groups unlimited, to
// measure what they need.
func (s *worstCase) removeLimits() {
	s.pool = unlimited
	for i := range s.ports {
		for j := range s.ports[i].groups {
			s.ports[i].groups[j].headroom = unlimited
		}
	}
}

// lossless lists the port's groups that are lossless in both the intent and the
// layout.
func (v *verifier) lossless(p *buffer.Port) (out []filledGroup) {
	for i := range v.in.Classes {
		c := &v.in.Classes[i]
		if !p.Classes.Has(i) || !c.Lossless {
			continue
		}
		for _, g := range c.Groups() {
			if v.values.of(buffer.GroupLossless, p.Name, g) > 0 {
				out = append(out,
					filledGroup{g, linkOf(p, c), cells.Count(v.values.of(buffer.GroupHeadroom, p.Name, g))})
			}
		}
	}
	return out
}
