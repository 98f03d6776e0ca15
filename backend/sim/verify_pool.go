package sim

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// pool fills the headroom pool of a slice, if it has one. Every port that can send into the slice fills all its
// lossless groups. The groups of a port are filled one after another, and a group that has filled its headroom keeps
// it, because nothing leaves. Reserved cells and the shared pool are full from the start.
//
// This is the worst case of a pool: all senders of a slice congest at the same
// time, to egress ports that do not drain. Slices that are alike are run once.
func (v *verifier) pool(slice int) error {
	granted := headroomPool(v.values, slice)
	if granted == unlimited {
		return nil
	}
	s := worstCase{v: v, slice: slice, shortest: v.shortest(), pool: granted}
	s.ports = v.sending(slice, func(filledGroup) bool { return true })
	if len(s.ports) == 0 {
		return nil
	}
	key := s.poolKey()
	out, known := v.filled[key]
	if !known {
		var err error
		if out, err = s.fillPool(); err != nil {
			return err
		}
		v.filled[key] = out
	}
	out.Slice = slice
	v.out.Pools = append(v.out.Pools, out)
	return nil
}

// sending lists the ports that can send into a slice, with those of their lossless groups that are to be filled.
func (v *verifier) sending(slice int, fills func(filledGroup) bool) (out []sendingPort) {
	for i := range v.in.Ports {
		p := &v.in.Ports[i]
		groups, _ := v.lossless(p)
		groups = slices.DeleteFunc(groups, func(g filledGroup) bool { return !fills(g) })
		if len(groups) > 0 && v.asic.feeds(v.asic.pipes[p.Name], slice) {
			out = append(out, sendingPort{p, groups})
		}
	}
	return out
}

// poolKey is everything on which the result of a pool depends: its size, and
// the links and headroom of its groups, port by port, in any order.
func (s *worstCase) poolKey() string {
	ports := make([]string, len(s.ports))
	for i, p := range s.ports {
		ports[i] = fmt.Sprint(p.groups)
	}
	slices.Sort(ports)
	return fmt.Sprint(s.pool, ports)
}

// fillPool runs the worst case of a pool.
func (s *worstCase) fillPool() (report.VerifiedPool, error) {
	out := report.VerifiedPool{Granted: s.pool}
	sim, err := s.run()
	if err != nil {
		return out, err
	}
	out.Peak = s.peak(sim.MMU(0))
	out.FirstDropBelow, out.Drops = out.Peak, sim.MMU(0).Drops(mmu.CauseHeadroomPool)
	if out.Drops > 0 {
		// The groups keep their own limits: what a group refuses does not come into the pool.
		all := *s
		all.pool = unlimited
		if sim, err = all.run(); err != nil {
			return out, err
		}
		out.FirstDropBelow = all.peak(sim.MMU(0))
	}
	out.Margin = out.Granted - out.FirstDropBelow
	return out, s.sufficient(&out)
}

// sufficient says what the pool is enough for.
func (s *worstCase) sufficient(out *report.VerifiedPool) error {
	all := map[thresholds.WorstCase]int64{}
	var needs []cells.Count
	for _, p := range s.ports {
		for _, g := range p.groups {
			w, err := s.v.worstCaseOf(g.link)
			if err != nil {
				return err
			}
			all[w]++
			needs = append(needs, min(w.Need(s.v.shortest(), w.Ends), g.headroom))
		}
	}
	out.Groups = len(needs)
	slices.Sort(needs)
	left := out.Granted
	for _, need := range slices.Backward(needs) {
		if left -= need; left < 0 {
			break
		}
		out.AtOnce++
	}
	out.Sufficient.Delays = thresholds.HoldDelays(all, out.Granted)
	trial := s.withoutLimits()
	trial.pool = s.pool
	var err error
	out.Sufficient.Frames, err = s.v.simulated(thresholds.HoldFrames(all, out.Granted), thresholds.MaxFrameSize,
		func(f unit.Bytes) (int64, error) {
			trial.shortest = f
			sim, err := trial.run()
			if err != nil {
				return 0, err
			}
			return sim.Summary().Drops, nil
		})
	return err
}

// peak returns the most cells that the headroom pool held.
func (s *worstCase) peak(m *mmu.MMU) cells.Count {
	return m.Watermarks(s.slice, s.ports[0].groups[0].group).HeadroomPool
}

// withoutLimits is the same case with a pool and groups that take everything, to measure what they need.
func (s *worstCase) withoutLimits() *worstCase {
	out := *s
	out.pool = unlimited
	out.ports = make([]sendingPort, len(s.ports))
	for i, p := range s.ports {
		out.ports[i] = sendingPort{p.port, slices.Clone(p.groups)}
		for j := range p.groups {
			out.ports[i].groups[j].headroom = unlimited
		}
	}
	return &out
}

// lossless lists the port's groups that are lossless in both the intent and the
// layout. missing tells whether one is so in the intent alone. A class without an MTU of its own has the port's.
func (v *verifier) lossless(p *buffer.Port) (out []filledGroup, missing bool) {
	for i := range v.in.Classes {
		c := &v.in.Classes[i]
		if !p.Classes.Has(i) || !c.Lossless || c.CreditsOn(p) {
			continue
		}
		for _, g := range c.Groups() {
			if v.values.of(buffer.GroupLossless, p.Name, g) == 0 {
				missing = true
				continue
			}
			out = append(out, filledGroup{g, c.Name, p.Link(c.Frame(p)),
				cells.Count(v.values.of(buffer.GroupHeadroom, p.Name, g))})
		}
	}
	return out, missing
}
