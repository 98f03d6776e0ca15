package fabric

import (
	"errors"
	"fmt"
)

// egress configures when and how the ports of the switches send: their
// schedulers and their marking.
func (b *build) egress() error {
	var bad []error
	for i := range b.s.ports {
		p := &b.s.ports[i]
		if !p.isSwitch {
			continue
		}
		config := &b.n.Switches[p.node].Ports[p.number]
		if err := b.schedule(p, &config.ETS); err != nil {
			bad = append(bad, fmt.Errorf("switches[%d].ports[%d].ets: %w", p.node, p.number, err))
		}
		if err := b.marking(i, p, &config.ECN); err != nil {
			bad = append(bad, fmt.Errorf("switches[%d].ports[%d]: %w", p.node, p.number, err))
		}
		p.setElidable()
	}
	return errors.Join(bad...)
}

// schedule gives a switch's port its scheduler. Round robin by packets needs
// none.
func (b *build) schedule(p *port, config *Scheduler) error {
	if err := config.Validate(); err != nil || !p.linked {
		return err
	}
	c, err := schedulerFor(*config, p.rate)
	p.ets = c
	return err
}

// checkEgress returns an error if a port's queues contradict its other state.
func (s *Sim) checkEgress() error {
	var bad []error
	var marked int64
	for i := range s.ports {
		p := &s.ports[i]
		for q := range p.queues {
			marked += p.past().Marked[q]
			if waits := p.waiting>>q&1 != 0; p.isSwitch && waits != (p.queues[q].Len > 0) {
				bad = append(bad, fmt.Errorf("port %d: queue %d holds %d frames, waiting %v", i, q,
					p.queues[q].Len, waits))
			}
		}
		if p.isSwitch && p.linked && !p.busy && p.waiting&^p.paused != 0 &&
			!s.partOf(int32(i)).Pending(int32(i)*perPort+onReady) {
			bad = append(bad, fmt.Errorf("port %d is idle, but queues %08b may send", i, p.waiting&^p.paused))
		}
	}
	if all := s.totals().Marked; marked != all {
		bad = append(bad, fmt.Errorf("%d frames marked in all, %d in the queues", all, marked))
	}
	return errors.Join(bad...)
}
