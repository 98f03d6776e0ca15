// Package sim is a switch ASIC that exists in memory only. It holds the buffer
// registers of a chip in cells, checks every write as a device does, and
// refuses what does not fit, in whatever order it arrives. A controller tested
// on it fails on the laptop instead of in the data centre.
//
// Packets move through it if it is attached to a simulation of package fabric:
// see [ASIC.Switch] and [ASIC.Attach]. [Verify] lets the worst case happen to
// every lossless group of a plan and says what came of it.
package sim

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/pg"
)

// ASIC is a simulated switch ASIC. It is a backend.Backend.
type ASIC struct {
	chip  buffer.Chip
	pipes map[string]int // of each port that is known
	next  int            // ports met so far, for those that nobody placed
	now   buffer.Layout
	live  *live // traffic that runs through it; nil: none
}

var _ backend.Backend = (*ASIC)(nil)

// Port is a front-panel port and the ingress pipe it is wired to.
type Port struct {
	Name string
	Pipe int
}

// Ports returns an intent's ports, placed as its plan places them.
func Ports(in buffer.Intent) []Port {
	out := make([]Port, len(in.Ports))
	for i := range in.Ports {
		out[i] = Port{in.Ports[i].Name, in.PipeOf(i)}
	}
	return out
}

// New returns an ASIC with empty registers: all memory that the chip leaves is
// shared. Ports that are not given take the pipes in turn when they are first
// written to. A chip that is not valid is refused.
func New(chip buffer.Chip, ports ...Port) (*ASIC, error) {
	if err := chip.Validate(); err != nil {
		return nil, err
	}
	a := &ASIC{chip: chip, pipes: map[string]int{}}
	for _, p := range ports {
		if p.Pipe < 0 || p.Pipe >= chip.PipeCount() {
			return nil, fmt.Errorf("%w: port %s: pipe %d: accepted: 0 to %d", buffer.ErrInvalid, p.Name, p.Pipe, chip.PipeCount()-1)
		}
		a.pipes[p.Name] = p.Pipe
		a.next++
	}
	return a, nil
}

// Name is "simulated" and the chip's name.
func (a *ASIC) Name() string { return "simulated " + a.chip.Name }

// Chip returns the chip that is simulated.
func (a *ASIC) Chip() buffer.Chip { return a.chip }

// Capabilities: every register, one phase at a time.
func (a *ASIC) Capabilities(context.Context) (backend.Capabilities, error) {
	return backend.Capabilities{}, nil
}

// Observe returns the registers.
func (a *ASIC) Observe(context.Context) (buffer.Layout, error) { return a.now, nil }

// Apply makes the steps on a copy and swaps it in if every register is one
// that the chip has and every slice still holds its cells. A refusal changes
// nothing; it wraps backend.ErrRefused, and buffer.ErrNoFit where cells ran
// out.
func (a *ASIC) Apply(_ context.Context, steps []buffer.Step) error {
	pipes, next := a.place(steps)
	layout := a.now.With(steps)
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
	was := a.pipes
	a.pipes = pipes
	if a.live != nil {
		if stuck, err := a.drive(steps); len(stuck) > 0 {
			a.now, a.next = a.now.With(stuck), next
			return fmt.Errorf("%w; and what was done before could not be undone: %v", err, stuck)
		} else if err != nil {
			a.pipes = was
			return fmt.Errorf("%w: %w", backend.ErrRefused, err)
		}
	}
	a.now, a.pipes, a.next = layout, pipes, next
	return nil
}

// place gives ports that are written to for the first time the next pipe.
func (a *ASIC) place(steps []buffer.Step) (map[string]int, int) {
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

// check refuses a register that the chip has not, and a value that does not
// fit it.
func (a *ASIC) check(s buffer.Step, l buffer.Layout) error {
	indices := pg.PerPort
	switch s.Kind.Scope() {
	case buffer.SliceScope:
		indices = len(a.chip.Slices)
	case buffer.PortScope, buffer.GroupScope:
		indices = a.chip.Groups
	}
	if s.Index < 0 || s.Index >= indices {
		return fmt.Errorf("%w: %v: %s has 0 to %d", buffer.ErrInvalid, s.Register, a.chip.Name, indices-1)
	}
	if s.Kind == buffer.GroupAlpha {
		return a.checkAlpha(s)
	}
	if err := s.Kind.Check(s.To); err != nil {
		return fmt.Errorf("%w: %v: %w", buffer.ErrInvalid, s.Register, err)
	}
	switch {
	case s.Kind.Allocates() && cells.Count(s.To) > a.chip.TotalCells():
		return shortage(buffer.Setting{Register: s.Register}, 0, cells.Count(s.To), a.chip.TotalCells())
	case s.Kind == buffer.PriorityDSCP:
		return checkDSCP(s, l)
	case s.Kind == buffer.QueueECNMin || s.Kind == buffer.QueueECNMax:
		return checkMarking(s, l)
	}
	return nil
}

// checkAlpha refuses an alpha that the chip's table does not have.
func (a *ASIC) checkAlpha(s buffer.Step) error {
	if s.To == buffer.Unset || s.To >= int64(a.chip.MinAlpha) && s.To <= int64(a.chip.MaxAlpha) {
		return nil
	}
	return fmt.Errorf("%w: %v: dynamic_th %d: accepted: %d to %d", buffer.ErrInvalid, s.Register, s.To, a.chip.MinAlpha, a.chip.MaxAlpha)
}

// checkMarking refuses thresholds that are out of order. A kmax of 0 marks
// nothing, whatever kmin is.
func checkMarking(s buffer.Step, l buffer.Layout) error {
	at := func(k buffer.Kind) int64 { return l.Value(buffer.Register{Kind: k, Port: s.Port, Index: s.Index}) }
	if low, high := at(buffer.QueueECNMin), at(buffer.QueueECNMax); low > high && high > 0 {
		return fmt.Errorf("%w: %v: kmin of %d cells is above kmax of %d", buffer.ErrInvalid, s.Register, low, high)
	}
	return nil
}

// checkDSCP refuses a DSCP that is of two priorities.
func checkDSCP(s buffer.Step, l buffer.Layout) error {
	for p := range pg.PerPort {
		other := buffer.Register{Kind: buffer.PriorityDSCP, Port: s.Port, Index: p}
		if both := pg.CodePoints(s.To & l.Value(other)); p != s.Index && both != 0 {
			return fmt.Errorf("%w: %v: %v: accepted: DSCPs of no other priority; priority %d has them", buffer.ErrInvalid, s.Register, both, p)
		}
	}
	return nil
}

// checkSlice refuses a layout whose explicit sizes exceed a slice, and names
// the first changed register that finds no cells. The shared pool takes what
// is left unless its register is set.
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
		if need := cells.Count(r.Value); r.Kind == buffer.GroupHeadroom && pool > 0 && need > pool && a.feeds(pipes[r.Port], slice) {
			return shortage(r, slice, need, pool)
		}
	}
	return nil
}

// checkPorts refuses a port whose groups have more headroom than the chip lets
// one port have. The layout is sorted by port.
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
			return buffer.NewRefusal(port, buffer.Shortfall{Reason: buffer.PortTooLarge, Group: r.Index, Slice: slice, Needed: need, Available: left, Short: need - left})
		}
		left -= need
	}
	return nil
}

// charged tells whether a register takes cells of the slice. A group's
// headroom does not where the slice has a headroom pool: only the pool does.
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

// shortage is the refusal of a register.
func shortage(r buffer.Setting, slice int, need, left cells.Count) error {
	reason := buffer.NoCells
	switch r.Kind.Scope() {
	case buffer.SliceScope:
		reason = buffer.PoolTooLarge
	case buffer.QueueScope:
		reason = buffer.NoQueueCells
	}
	refusal := buffer.NewRefusal(r.Port, buffer.Shortfall{Reason: reason, Group: r.Index, Slice: slice, Needed: need, Available: left, Short: need - left})
	return &backend.RegisterError{Register: r.Register, Err: refusal}
}

// feeds tells whether ports of the pipe are charged in the slice.
func (a *ASIC) feeds(pipe, slice int) bool {
	return slices.Contains(a.chip.SlicesOf(pipe), slice)
}

// String prints every register, one a line, as the device would show them.
func (a *ASIC) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d slices, %d cells of %d bytes\n", a.Name(), len(a.chip.Slices), a.chip.TotalCells(), a.chip.Cell)
	for _, s := range a.now {
		fmt.Fprintln(&b, s)
	}
	return b.String()
}
