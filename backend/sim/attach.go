package sim

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// Traffic names a simulation in which the ASIC is one of the switches: see [ASIC.Attach].
type Traffic struct {
	Sim       *fabric.Sim
	Node      int              // index of the switch in the simulation
	Ports     []string         // names of the switch's ports, as they were given to Switch
	Behaviour behaviour.Family // the family that was given to Switch; zero: the chip's own

	// PFC lists the priorities that have PFC on each port. A priority of a lossy group in this list keeps PFC to honour
	// the neighbour's pause frames. nil: only the priorities of lossless groups have PFC, as Switch sets it.
	PFC []pfc.Priorities

	// StepDelay is the model time that passes before every step of an Apply.
	// Packets arrive during it. 0: all steps are made at once.
	StepDelay unit.Time
	// MaxWait is how long a step waits for a group in use to drain, because a group changes between lossless and lossy
	// only while it holds nothing. 0: the step is refused at once.
	MaxWait unit.Time
}

// Attach connects the ASIC to a switch of a running simulation. It writes the registers to the switch's MMU now, and
// from now on it also writes every step that Apply makes. The checks of Apply and the result of Observe stay as they
// were.
//
// The steps of one Apply are made one after another, with [Traffic].StepDelay between them. So a wrong order drops
// packets here as on a device, for example a group that becomes lossless before it has headroom, and [fabric.Sim]
// counts the drops. If a step cannot be made, the steps before it are undone. A step cannot be undone if packets have
// arrived in its group meanwhile. It then stays, and the error does not wrap backend.ErrRefused: the caller has to
// observe the registers.
//
// The assignment of priorities to groups stays as Switch made it. Weights, DSCP maps, and the marking of queues without
// marking registers stay until a step writes them. The minima of egress queues are not written, because an egress
// without limits does not use them.
//
// From now on the switch counts by group and by queue: see [fabric.Tally].
func (a *ASIC) Attach(t Traffic) error {
	switch {
	case t.Sim == nil || t.Sim.MMU(t.Node) == nil:
		return errors.New("no simulation, or a switch without an MMU")
	case len(t.Ports) != t.Sim.Ports(t.Node):
		return fmt.Errorf("%d names for a switch with %d ports", len(t.Ports), t.Sim.Ports(t.Node))
	case t.PFC != nil && len(t.PFC) != len(t.Ports):
		return fmt.Errorf("PFC of %d ports for a switch with %d ports", len(t.PFC), len(t.Ports))
	case t.StepDelay < 0 || t.MaxWait < 0:
		return fmt.Errorf("each %v, wait %v: want 0ps and more", t.StepDelay, t.MaxWait)
	}
	t.Behaviour = a.Family(t.Behaviour)
	live := &attachment{Traffic: t, cell: a.chip.Cell, portNumber: map[string]int{}, values: a.values()}
	for i, p := range t.Ports {
		live.portNumber[p] = i
		if t.PFC != nil {
			live.extraPFC = append(live.extraPFC, t.PFC[i]&^live.values.lossless(p))
		}
	}
	if err := a.tune(live.mmu(), live.values); err != nil {
		return err
	}
	for _, p := range t.Ports {
		if err := live.writePort(p); err != nil {
			return err
		}
	}
	t.Sim.CountQueues(t.Node)
	a.attached = live
	a.attached.resume(len(a.chip.Slices))
	return nil
}

// Traffic returns the attached simulation, or false.
func (a *ASIC) Traffic() (t Traffic, ok bool) {
	if a.attached == nil {
		return t, false
	}
	return a.attached.Traffic, true
}

// Clone returns an ASIC with the same registers and without traffic.
func (a *ASIC) Clone() *ASIC {
	return &ASIC{chip: a.chip, pipes: maps.Clone(a.pipes), next: a.next, registers: a.registers}
}

// attachment is the traffic of an ASIC, and the register values that the running switch has now. During an Apply these
// are ahead of the ASIC's registers.
type attachment struct {
	Traffic
	cell       cells.Size
	portNumber map[string]int // index of each port in the switch
	// priorities of each port with PFC beside those of lossless groups; nil: none
	extraPFC []pfc.Priorities
	values   registers
}

// mmu returns the running MMU of the switch.
func (l *attachment) mmu() *mmu.MMU { return l.Sim.MMU(l.Node) }

// resume resumes the paused groups that may send again after a limit has changed.
func (l *attachment) resume(slices int) {
	for s := range slices {
		l.Sim.Resume(l.Node, s)
	}
}

// advance lets model time pass.
func (l *attachment) advance(t unit.Time) {
	if t > 0 {
		l.Sim.Advance(l.Sim.Now() + t)
	}
}

// applyLive makes the steps on the running switch, all or none. stuck lists the
// steps that could not be undone after a later one failed.
func (a *ASIC) applyLive(steps []buffer.Step) (stuck []buffer.Step, err error) {
	before := maps.Clone(a.attached.values)
	for i, s := range steps {
		a.attached.advance(a.attached.StepDelay)
		a.attached.values.set(s.Register, s.To)
		if err := a.writeOrWait(s.Register); err != nil {
			a.attached.values.restore(s.Register, before)
			return a.undo(steps[:i], before),
				&backend.RegisterError{Register: s.Register, Err: fmt.Errorf("%v: %w", s, err)}
		}
	}
	return nil, nil
}

// undo takes back steps, the last one first, and returns those that it could not take back.
func (a *ASIC) undo(steps []buffer.Step, before registers) (stuck []buffer.Step) {
	for _, s := range slices.Backward(steps) {
		a.attached.values.restore(s.Register, before)
		if err := a.writeOrWait(s.Register); err != nil {
			a.attached.values.set(s.Register, s.To)
			stuck = append(stuck, s)
		}
	}
	return stuck
}

// restore gives a register the value that it had before.
func (r registers) restore(reg buffer.Register, before registers) {
	if was, ok := before[reg]; ok {
		r[reg] = was
	} else {
		delete(r, reg)
	}
}

// set writes a register. The empty value of its kind removes the register: see
// configured. An alpha of 0 is a factor of 1, and stays.
func (r registers) set(reg buffer.Register, v int64) {
	if r[reg] = v; v == reg.Kind.Empty() {
		delete(r, reg)
	}
}

// writeOrWait writes a register to the switch. If the group is in use, it tries
// again at regular times until MaxWait is over.
func (a *ASIC) writeOrWait(r buffer.Register) error {
	err := a.write(r)
	const looks = 1 << 12
	for i := 0; i < looks && a.attached.MaxWait > 0 && errors.Is(err, mmu.ErrInUse); i++ {
		a.attached.advance(max(a.attached.MaxWait/looks, 1))
		err = a.write(r)
	}
	return err
}

// write brings the running switch to the value of a register.
func (a *ASIC) write(r buffer.Register) error {
	err := a.attached.writeRegister(r)
	if err == nil {
		err = a.writePools(r)
	}
	a.attached.resume(len(a.chip.Slices))
	return err
}

// writePools writes the sizes of the pools that a register changes: its own
// pool, or every pool that takes the rest of a slice.
func (a *ASIC) writePools(r buffer.Register) error {
	for s := range a.chip.Slices {
		own := r.Port == "" && r.Index == s
		rest := r.Kind.Allocates() && a.attached.values.of(buffer.PoolShared, "", s) == 0
		if !own && !rest {
			continue
		}
		if err := a.tunePool(a.attached.mmu(), a.attached.values, s); err != nil {
			return err
		}
	}
	return nil
}

// writeRegister writes a port's register to the running switch.
func (l *attachment) writeRegister(r buffer.Register) error {
	i, ok := l.portNumber[r.Port]
	if !ok {
		return nil
	}
	switch r.Kind {
	case buffer.QueueReserved:
		return nil
	case buffer.QueueECNMin, buffer.QueueECNMax, buffer.QueueECNPMax:
		return l.Sim.SetMarking(l.Node, i, r.Index, l.values.marking(l.cell, r.Port, r.Index))
	case buffer.QueueWeight, buffer.QueueClass, buffer.QueueShare, buffer.ClassBandwidth, buffer.ClassIdleSlope:
		return l.Sim.SetSchedule(l.Node, i, l.values.schedule(r.Port))
	case buffer.PriorityDSCP:
		trust, code := l.values.trust(r.Port)
		l.Sim.SetTrust(l.Node, i, trust, code)
		return nil
	case buffer.PortMinimum:
		return l.mmu().SetPortPool(i, mmu.PortPool{Reserved: cells.Count(l.values.of(buffer.PortMinimum, r.Port, 0))})
	}
	for g := range pg.PerPort {
		if g == r.Index || r.Kind.OfCredits() { // the groups in which channels are counted
			if err := l.writeGroup(r.Port, i, g); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeGroup writes a group, and which priorities of the port have PFC.
func (l *attachment) writeGroup(port string, i, group int) error {
	if err := l.mmu().SetGroup(i*pg.PerPort+group, l.values.group(port, i, group, l.Behaviour)); err != nil {
		return err
	}
	mask := l.values.lossless(port)
	if l.extraPFC != nil {
		mask |= l.extraPFC[i]
	}
	return l.Sim.SetPFC(l.Node, i, mask)
}

// writePort writes all registers of a port of the switch. A queue's marking is written only if it has a curve, so that
// the marking of other queues stays as the network had it.
func (l *attachment) writePort(port string) error {
	err := l.writeRegister(buffer.Register{Kind: buffer.PortMinimum, Port: port})
	for g := 0; g < pg.PerPort && err == nil; g++ {
		err = l.writeRegister(buffer.Register{Kind: buffer.GroupReserved, Port: port, Index: g})
		if err == nil && l.values.marking(l.cell, port, g) != (ecn.Thresholds{}) {
			err = l.writeRegister(buffer.Register{Kind: buffer.QueueECNMax, Port: port, Index: g})
		}
	}
	return err
}
