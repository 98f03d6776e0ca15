package library

import (
	"context"
	"slices"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/backend/sim"
	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/peers"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

// MaxBytes is the longest packet.
const MaxBytes = 1 << 20

// Switch is the MMU of a switch with what its caller need not know: the slice, group and queue of a packet. It signals
// as the simulator does: a group that several slices have paused is paused once, and resumed by the last of them.
type Switch struct {
	names  []string // of the ports; none with a rule
	cell   cells.Size
	mmu    *mmu.MMU
	config mmu.Config
	pools  []cells.Count // shared cells of the pool, by slice
	slices []int16       // by ports in and out; nil: one slice
	groups []int32       // by port and priority
	queues []int32
	paused []uint8 // by group: the slices that have paused it

	rule      peers.Rule // in place of the MMU
	rulePorts int
	reserve   int64    // bytes of each port and priority, with a rule
	counters  Counters // but for the shared cells
}

// newPlanned returns the switch of a plan that fits, as a scenario of the simulator has it: registers written as a push
// writes them, and the limits of the egress.
func newPlanned(in *buffer.Intent, plan *buffer.Plan, family behaviour.Family) (*Switch, error) {
	asic, err := sim.New(in.Chip, sim.Ports(*in)...)
	if err != nil {
		return nil, err
	}
	layout := plan.Layout()
	if err := asic.Apply(context.Background(), buffer.Diff(nil, layout)); err != nil {
		return nil, err
	}
	s := &Switch{cell: in.Chip.Cell}
	for i := range in.Ports {
		s.names = append(s.names, in.Ports[i].Name)
	}
	made, err := asic.Switch(s.names, family)
	if err != nil {
		return nil, err
	}
	sim.LimitEgress(in, &made, 0)
	if s.mmu, err = mmu.New(made.MMU); err != nil {
		return nil, err
	}
	s.config, s.paused = made.MMU, make([]uint8, len(made.MMU.Groups))
	for i := range plan.Slices {
		s.pools = append(s.pools, plan.Slices[i].Shared)
	}
	for _, register := range layout {
		if register.Kind == buffer.PoolShared {
			s.pools[register.Index] = cells.Count(register.Value)
		}
	}
	s.place(&made)
	return s, asic.Tune(s.mmu)
}

// place notes where the packets of each port and priority belong.
func (s *Switch) place(made *fabric.Switch) {
	for i := range made.Ports {
		for p := range fabric.Priorities {
			s.groups = append(s.groups, int32(made.Ports[i].Groups[p]))
			s.queues = append(s.queues, int32(made.Ports[i].Cells[p]))
		}
	}
	if made.MMU.Slices > 1 {
		for in := range s.names {
			for out := range s.names {
				s.slices = append(s.slices, int16(made.Slice(in, out)))
			}
		}
	}
}

// newByRule returns a switch that a rule of another simulator admits to.
func newByRule(rule peers.Rule, ports int, reserve int64) *Switch {
	return &Switch{cell: 1, rule: rule, rulePorts: ports, reserve: reserve, paused: make([]uint8, ports*pg.PerPort)}
}

// Ports returns the number of ports.
func (s *Switch) Ports() int { return len(s.names) + s.rulePorts }

// Port returns the number of a port by its name, or [OutOfRange].
func (s *Switch) Port(name string) Code {
	if i := slices.Index(s.names, name); i >= 0 {
		return Code(i)
	}
	return OutOfRange
}

// Cell returns the bytes of a cell.
func (s *Switch) Cell() Code { return Code(s.cell) }

// Packet is a packet: its ports, its priority and its bytes.
type Packet struct{ In, Out, Priority, Bytes int32 }

// known tells whether a packet can be one of the switch.
func (s *Switch) known(p Packet) bool {
	ports := uint32(s.Ports())
	return uint32(p.In) < ports && uint32(p.Out) < ports && uint32(p.Priority) < pg.PerPort && uint32(p.Bytes)-1 < MaxBytes
}

// charged returns a packet as the MMU knows it.
func (s *Switch) charged(p Packet) (k mmu.Packet) {
	if s.slices != nil {
		k.Slice = int(s.slices[int(p.In)*len(s.names)+int(p.Out)])
	}
	k.Group, k.Queue = int(s.groups[p.In*pg.PerPort+p.Priority]), int(s.queues[p.Out*pg.PerPort+p.Priority])
	k.Bytes = unit.Bytes(p.Bytes)
	return k
}

// Arrive admits a packet or drops it. The result has [Admitted] or the cause of the drop, and [XOFF].
func (s *Switch) Arrive(p Packet) (result Code) {
	if !s.known(p) {
		return OutOfRange
	}
	var v mmu.Verdict
	group := int(p.In*pg.PerPort + p.Priority)
	if s.rule != nil {
		admitted, xoff := s.rule.Arrive(int(p.In), int(p.Out), int(p.Priority), unit.Bytes(p.Bytes))
		if v.XOFF = xoff; !admitted {
			v.Drop = mmu.CauseHeadroom
		}
	} else {
		k := s.charged(p)
		if s.mmu.Take(k) {
			s.counters.Admitted++
			return Admitted
		}
		v, group = s.mmu.Arrive(k), k.Group
	}
	if v.Drop == mmu.CauseNone {
		result = Admitted
		s.counters.Admitted++
	} else {
		result = Code(v.Drop) << causeShift
		s.counters.Dropped[0]++
		s.counters.Dropped[v.Drop]++
	}
	if v.XOFF {
		if s.paused[group]++; s.paused[group] == 1 {
			s.counters.XOFF++
			result |= XOFF
		}
	}
	return result
}

// Leave gives back the cells of an admitted packet. The result has [XON] and [Room].
func (s *Switch) Leave(p Packet) (result Code) {
	if !s.known(p) {
		return OutOfRange
	}
	var r mmu.Release
	group := int(p.In*pg.PerPort + p.Priority)
	if s.rule != nil {
		held, n := s.held(p), int64(p.Bytes)
		if n > held[0]+held[1] || n > held[4] {
			return NotHeld
		}
		r.XON = s.rule.Leave(int(p.In), int(p.Out), int(p.Priority), unit.Bytes(p.Bytes))
	} else {
		k := s.charged(p)
		if !s.mmu.Holds(k) {
			return NotHeld
		}
		r, group = s.mmu.Leave(k), k.Group
	}
	s.counters.Left++
	if r.XON && s.resumed(group) {
		result = XON
	}
	if r.Room {
		result |= Room
	}
	return result
}

// resumed notes that a slice has resumed a group, and tells whether it was the last.
func (s *Switch) resumed(group int) bool {
	s.paused[group]--
	if s.paused[group] > 0 {
		return false
	}
	s.counters.XON++
	return true
}

// Resume resumes one group that may resume because others gave back cells.
func (s *Switch) Resume() (port, priority int32, ok bool) {
	for slice := range s.pools {
		for {
			group, ok := s.mmu.Resume(slice)
			if !ok {
				break
			}
			// A lossless group carries the one priority of its own number: see sim.ASIC.Switch.
			if s.resumed(group) {
				return int32(group / pg.PerPort), int32(group % pg.PerPort), true
			}
		}
	}
	return 0, 0, false
}

// held returns the columns of a rule's log.
func (s *Switch) held(p Packet) [6]int64 {
	return s.rule.Columns(int(p.In), int(p.Out), int(p.Priority))
}

// Operation is one of a batch, in the form of cellwarden_operation.
type Operation struct {
	Leave int32
	Packet
	Result int32
}

// Signal is a pause signal, in the form of cellwarden_signal.
type Signal struct{ Operation, Port, Priority, XOFF int32 }

// Batch makes operations in their order, up to the first that is wrong. It returns how many it made, and how many
// signals there were; those for which there is no room are not written.
func (s *Switch) Batch(operations []Operation, signals []Signal) (done, signalled int32) {
	signal := func(port, priority, xoff int32) {
		if int(signalled) < len(signals) {
			signals[signalled] = Signal{done, port, priority, xoff}
		}
		signalled++
	}
	for i := range operations {
		o := &operations[i]
		if o.Leave == 0 {
			if o.Result = s.Arrive(o.Packet); o.Result == Admitted {
				done++
				continue
			}
		} else {
			o.Result = s.Leave(o.Packet)
		}
		if o.Result < 0 {
			return done, signalled
		}
		if o.Result&(XOFF|XON) != 0 {
			signal(o.In, o.Priority, o.Result&XOFF/XOFF)
		}
		if o.Leave != 0 && o.Result&Room != 0 {
			for port, priority, ok := s.Resume(); ok; port, priority, ok = s.Resume() {
				signal(port, priority, 0)
			}
		}
		done++
	}
	return done, signalled
}

// Group is what a group holds, in the form of cellwarden_group.
type Group struct{ Reserved, Shared, Headroom, PeakShared, PeakHeadroom, Limit, Paused int64 }

// Group returns what the group of a port and priority holds.
func (s *Switch) Group(port, priority int32) (g Group, code Code) {
	if !s.known(Packet{port, port, priority, 1}) {
		return g, OutOfRange
	}
	g.Limit = -1
	if s.rule != nil {
		return s.groupOfRule(Packet{port, port, priority, 1}), OK
	}
	group := int(s.groups[port*pg.PerPort+priority])
	for slice, size := range s.pools {
		state, peak := s.mmu.GroupState(slice, group), s.mmu.Watermarks(slice, group)
		g.Reserved += int64(state.Held.Reserved + state.Held.Port)
		g.Shared += int64(state.Held.Shared)
		g.Headroom += int64(state.Held.Headroom + state.Held.Global)
		g.PeakShared += int64(peak.GroupShared)
		g.PeakHeadroom += int64(peak.GroupHeadroom)
		limit := s.config.Groups[group].Limit.At(size - s.mmu.PoolUsed(slice, 0))
		if n := int64(limit); n < 1<<62 && (g.Limit < 0 || n < g.Limit) {
			g.Limit = n
		}
	}
	g.Paused = int64(min(s.paused[group], 1))
	return g, OK
}

// groupOfRule is Group with a rule. A rule keeps no watermarks.
func (s *Switch) groupOfRule(p Packet) Group {
	held := s.held(p)
	reserved := min(held[0], s.reserve)
	return Group{Reserved: reserved, Shared: held[0] - reserved, Headroom: held[1], Limit: held[5],
		Paused: int64(s.paused[p.In*pg.PerPort+p.Priority])}
}

// Counters are the packets and signals of a switch, in the form of cellwarden_counters.
type Counters struct {
	Admitted, Left int64
	Dropped        [10]int64 // by cause; of all causes at 0
	XOFF, XON      int64
	Shared         int64
}

// Counters returns the counters.
func (s *Switch) Counters() Counters {
	c := s.counters
	if s.rule != nil {
		c.Shared = s.held(Packet{})[2]
	}
	for slice := range s.pools {
		c.Shared += int64(s.mmu.PoolUsed(slice, 0))
	}
	return c
}
