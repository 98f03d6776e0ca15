// Package sim is a simulated switch ASIC. It holds a chip's buffer registers in memory, in cells. It checks every write
// as a real device does, and refuses a write that needs more cells than the chip has, in whatever order the writes
// arrive. A controller can be tested against it without hardware: an [ASIC] is a backend.Backend.
//
// Packets run through the ASIC in a simulation of package fabric. [ASIC.Switch] makes a fabric switch from the
// registers. [ASIC.Attach] connects the ASIC to the running simulation: each register that Apply writes then takes
// effect while packets flow.
//
// [Verify] answers another question: is a plan lossless? It runs the worst case of every lossless group of a plan
// through the simulator and reports the headroom that was used, the margin in metres of cable, and the frames that were
// lost.
package sim

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pg"
)

// ASIC is a simulated switch ASIC. It is a backend.Backend. It is not safe for concurrent use.
type ASIC struct {
	chip      buffer.Chip
	pipes     map[string]int // pipe of each port that has one
	next      int            // ports placed so far: the next unplaced port gets pipe next mod the pipe count
	registers buffer.Layout
	attached  *attachment // traffic that runs through the ASIC; nil: none
}

var _ backend.Backend = (*ASIC)(nil)

// Port is a front-panel port and the ingress pipe it is wired to.
type Port struct {
	Name string
	Pipe int
}

// Ports returns an intent's ports with the pipes that its plan gives them. An
// ASIC made with them charges the same slices as the plan.
func Ports(in buffer.Intent) []Port {
	out := make([]Port, len(in.Ports))
	for i := range in.Ports {
		out[i] = Port{in.Ports[i].Name, in.PipeOf(i)}
	}
	return out
}

// New returns an ASIC with empty registers: all cells that the chip does not keep for itself are shared. A port that is
// not given gets a pipe when it is first written to; such ports take the pipes in turn. A chip that is not valid is
// refused.
func New(chip buffer.Chip, ports ...Port) (*ASIC, error) {
	if err := chip.Validate(); err != nil {
		return nil, err
	}
	a := &ASIC{chip: chip, pipes: map[string]int{}}
	for _, p := range ports {
		if p.Pipe < 0 || p.Pipe >= chip.PipeCount() {
			return nil, fmt.Errorf("%w: port %s: pipe %d: want 0 to %d", buffer.ErrInvalid, p.Name, p.Pipe,
				chip.PipeCount()-1)
		}
		a.pipes[p.Name] = p.Pipe
		a.next++
	}
	return a, nil
}

// Name returns "simulated" and the chip's name.
func (a *ASIC) Name() string { return "simulated " + a.chip.Name }

// Chip returns the simulated chip.
func (a *ASIC) Chip() buffer.Chip { return a.chip }

// Capabilities returns the zero value: the ASIC has every register, and takes one phase at a time.
func (a *ASIC) Capabilities(context.Context) (backend.Capabilities, error) {
	return backend.Capabilities{}, nil
}

// Observe returns the registers. The error is always nil.
func (a *ASIC) Observe(context.Context) (buffer.Layout, error) { return a.registers, nil }

// Apply makes all steps or none. It works on a copy of the registers, and the copy replaces them if the chip has every
// register and every slice has enough cells. An error leaves the registers as they were. It wraps backend.ErrRefused,
// and also buffer.ErrNoFit if cells ran out. With traffic attached there is one more outcome, and that error does not
// wrap backend.ErrRefused: see [ASIC.Attach].
func (a *ASIC) Apply(_ context.Context, steps []buffer.Step) error {
	pipes, next := a.placePorts(steps)
	layout := a.registers.With(steps)
	for _, s := range steps {
		if err := a.check(s, layout); err != nil {
			return fmt.Errorf("%w: %w", backend.ErrRefused, &backend.RegisterError{Register: s.Register, Err: err})
		}
	}
	changed := make(map[buffer.Register]bool, len(steps))
	for _, s := range steps {
		changed[s.Register] = true
	}
	for i := range a.chip.Slices {
		if err := a.checkSlice(i, layout, pipes, changed); err != nil {
			return fmt.Errorf("%w: %w", backend.ErrRefused, err)
		}
	}
	// The traffic needs the new pipes: they decide which slices a port is charged in.
	was := a.pipes
	a.pipes = pipes
	if a.attached != nil {
		if stuck, err := a.applyLive(steps); len(stuck) > 0 {
			a.registers, a.next = a.registers.With(stuck), next
			return fmt.Errorf("%w; the changes before it could not be undone: %v", err, stuck)
		} else if err != nil {
			a.pipes = was
			return fmt.Errorf("%w: %w", backend.ErrRefused, err)
		}
	}
	a.registers, a.pipes, a.next = layout, pipes, next
	return nil
}

// placePorts gives a pipe to each port that is written to for the first time.
// The ASIC itself is not changed, because the steps can still be refused.
func (a *ASIC) placePorts(steps []buffer.Step) (map[string]int, int) {
	pipes, next := a.pipes, a.next
	for _, s := range steps {
		if _, known := pipes[s.Port]; known || s.Port == "" {
			continue
		}
		if next == a.next {
			pipes = maps.Clone(a.pipes)
		}
		pipes[s.Port] = next % a.chip.PipeCount()
		next++
	}
	return pipes, next
}

// check refuses a register that the chip does not have and a value that the register cannot hold.
func (a *ASIC) check(s buffer.Step, l buffer.Layout) error {
	indices := pg.PerPort
	switch s.Kind.Scope() {
	case buffer.SliceScope:
		indices = len(a.chip.Slices)
	case buffer.PortScope, buffer.GroupScope:
		indices = a.chip.Groups
	case buffer.ChannelScope:
		indices = cmp.Or(a.chip.Channels, cbfc.MaxChannels)
	}
	if s.Index < 0 || s.Index >= indices {
		return fmt.Errorf("%w: %v: %s has 0 to %d", buffer.ErrInvalid, s.Register, a.chip.Name, indices-1)
	}
	if s.Kind == buffer.GroupAlpha { // the chip's table says which there are
		if s.To == buffer.Unset || s.To >= int64(a.chip.MinAlpha) && s.To <= int64(a.chip.MaxAlpha) {
			return nil
		}
		return fmt.Errorf("%w: %v: dynamic_th %d: want %d to %d", buffer.ErrInvalid, s.Register, s.To,
			a.chip.MinAlpha, a.chip.MaxAlpha)
	}
	if err := s.Kind.Check(s.To); err != nil {
		return fmt.Errorf("%w: %v: %w", buffer.ErrInvalid, s.Register, err)
	}
	switch {
	case s.Kind.Allocates() && cells.Count(s.To) > a.chip.TotalCells():
		return shortage(buffer.Setting{Register: s.Register}, 0, cells.Count(s.To), a.chip.TotalCells())
	case s.Kind == buffer.PriorityDSCP:
		return checkMap(s, l, pg.PerPort, func(v int64) fmt.Stringer { return pg.CodePoints(v) }, "DSCPs", "priority")
	case s.Kind == buffer.ChannelTraffic:
		return checkMap(s, l, cbfc.MaxChannels, func(v int64) fmt.Stringer { return cbfc.TrafficClasses(v) },
			"traffic classes", "channel")
	case s.Kind == buffer.QueueECNMin || s.Kind == buffer.QueueECNMax:
		return checkMarking(s, l)
	}
	return nil
}

// checkMarking refuses thresholds that are out of order. A kmax of 0 marks nothing, whatever kmin is.
func checkMarking(s buffer.Step, l buffer.Layout) error {
	at := func(k buffer.Kind) int64 { return l.Value(buffer.Register{Kind: k, Port: s.Port, Index: s.Index}) }
	if low, high := at(buffer.QueueECNMin), at(buffer.QueueECNMax); low > high && high > 0 {
		return fmt.Errorf("%w: %v: kmin of %d cells is above kmax of %d", buffer.ErrInvalid, s.Register, low, high)
	}
	return nil
}

// checkMap refuses bits of a map, DSCPs or traffic classes, that another register of the port already has: a packet
// has one priority, and one channel. text prints such bits, what names them, and owner whose they are.
func checkMap(s buffer.Step, l buffer.Layout, registers int, text func(int64) fmt.Stringer, what, owner string) error {
	for i := range registers {
		other := buffer.Register{Kind: s.Kind, Port: s.Port, Index: i}
		if both := s.To & l.Value(other); i != s.Index && both != 0 {
			return fmt.Errorf("%w: %v: %v: want %s of no other %s; %s %d has them", buffer.ErrInvalid, s.Register,
				text(both), what, owner, owner, i)
		}
	}
	return nil
}

// checkSlice refuses a layout that needs more cells than a slice has. Registers that did not change are counted first,
// so the refusal names the first changed register that finds no cells. The shared pool takes what is left, unless its
// register is set.
func (a *ASIC) checkSlice(slice int, l buffer.Layout, pipes map[string]int, changed map[buffer.Register]bool) error {
	s := &a.chip.Slices[slice]
	pool := cells.Count(l.Value(buffer.Register{Kind: buffer.PoolHeadroom, Index: slice}))
	left := s.Cells - s.Taken()
	for _, wanted := range []bool{false, true} {
		for _, r := range l {
			if changed[r.Register] != wanted || !a.charged(r.Register, slice, pool > 0, pipes) {
				continue
			}
			if need := cells.Count(r.Value); need > left {
				return shortage(r, slice, need, left)
			}
			left -= cells.Count(r.Value)
		}
	}
	if err := a.checkPorts(slice, l); err != nil {
		return err
	}
	for _, r := range l {
		// With a headroom pool a group's headroom is a limit, not a reservation. A limit above the whole pool cannot be
		// reached, and devices refuse it.
		if need := cells.Count(r.Value); r.Kind == buffer.GroupHeadroom && pool > 0 && need > pool &&
			a.feeds(pipes[r.Port], slice) {
			return shortage(r, slice, need, pool)
		}
	}
	return nil
}

// checkPorts refuses a port whose groups have together more headroom than the chip allows one port. It relies on the
// order of a layout, which is sorted by port.
func (a *ASIC) checkPorts(slice int, l buffer.Layout) error {
	most, port, left := a.chip.MaxPortHeadroom, "", cells.Count(0)
	for _, r := range l {
		if r.Kind != buffer.GroupHeadroom || most == 0 {
			continue
		}
		if r.Port != port {
			port, left = r.Port, most
		}
		need := cells.Count(r.Value)
		if need > left {
			return buffer.NewRefusal(port, buffer.Shortfall{Reason: buffer.PortTooLarge, Group: r.Index, Slice: slice,
				Needed: need, Available: left, Short: need - left})
		}
		left -= need
	}
	return nil
}

// charged tells whether a register takes cells from the slice. Where the slice has a headroom pool, the pool is charged
// and the headroom of the groups is not.
func (a *ASIC) charged(r buffer.Register, slice int, pooled bool, pipes map[string]int) bool {
	if !r.Kind.Allocates() || r.Kind == buffer.GroupHeadroom && pooled {
		return false
	}
	switch r.Kind.Scope() {
	case buffer.SliceScope:
		return r.Index == slice
	case buffer.QueueScope:
		return true
	default:
		return a.feeds(pipes[r.Port], slice)
	}
}

// shortage returns the refusal of a register that needs more cells than are left.
func shortage(r buffer.Setting, slice int, need, left cells.Count) error {
	reason := buffer.NoCells
	switch r.Kind.Scope() {
	case buffer.SliceScope:
		reason = buffer.PoolTooLarge
	case buffer.QueueScope:
		reason = buffer.NoQueueCells
	}
	refusal := buffer.NewRefusal(r.Port, buffer.Shortfall{Reason: reason, Group: r.Index, Slice: slice, Needed: need,
		Available: left, Short: need - left})
	return &backend.RegisterError{Register: r.Register, Err: refusal}
}

// feeds tells whether packets from ports of the pipe are charged in the slice.
func (a *ASIC) feeds(pipe, slice int) bool {
	return slices.Contains(a.chip.SlicesOf(pipe), slice)
}

// String prints the registers, one per line, as a device shows them.
func (a *ASIC) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d slices, %d cells of %d bytes\n", a.Name(), len(a.chip.Slices), a.chip.TotalCells(),
		a.chip.Cell)
	for _, s := range a.registers {
		fmt.Fprintln(&b, s)
	}
	return b.String()
}
