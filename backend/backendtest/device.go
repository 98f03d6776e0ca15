package backendtest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/backend"
)

// Plan is a plan of RunDevice.
type Plan int

// The plans of RunDevice.
const (
	Nothing  Plan = iota // the device is emptied
	First                // a plan that fits
	Second               // another one, for the same ports
	TooLarge             // a plan that the device refuses
)

// Subject is a device to be checked, whatever a change of it is.
type Subject[R, C any] struct {
	// Device returns the device with a plan; nil if it cannot have such a plan.
	Device func(*testing.T, Plan) backend.Device[R, C]
	// Content reads everything that the device holds, to be compared.
	Content func(*testing.T) any
}

// RunDevice checks how a device is brought to plans. When something fails on the way, the state has to be true, and
// what the device had has to be restored. The function makes a new device for each subtest. A check that needs a plan
// which the device cannot have is skipped.
func RunDevice[R, C any](t *testing.T, subject func(*testing.T) Subject[R, C]) {
	t.Helper()
	for name, check := range map[string]func(*testing.T, Subject[R, C]){
		"takes a plan once":                            checkOnce[R, C],
		"moves from one plan to another and back":      checkThereAndBack[R, C],
		"empties again":                                checkEmpty[R, C],
		"refuses a plan and keeps its previous values": checkRefused[R, C],
		"shows each phase to its observer":             checkObserved[R, C],
		"is restored after its observer fails":         checkObserverFails[R, C],
	} {
		t.Run(name, func(t *testing.T) { check(t, subject(t)) })
	}
	for _, f := range faults {
		t.Run("is read after a failure: "+f.name, func(t *testing.T) { checkFault(t, subject(t), f) })
	}
}

// look reads the device and compares it with a plan.
func look[R, C any](t *testing.T, s Subject[R, C], plan Plan, f *fault) *backend.Push[R, C] {
	t.Helper()
	d := s.Device(t, plan)
	if d == nil {
		t.Skip("the device cannot have this plan")
	}
	if f != nil {
		d = &faultyDevice[R, C]{Device: d, fault: f}
	}
	now, err := d.Read(t.Context())
	require.NoError(t, err)
	return backend.Compare(d, now)
}

// applied brings the device to a plan.
func applied[R, C any](t *testing.T, s Subject[R, C], plan Plan) {
	t.Helper()
	p := look(t, s, plan, nil)
	require.NotEmpty(t, p.Device.Name())
	require.NotEmpty(t, p.Changes)
	require.NoError(t, p.Run(t.Context()))
	require.Equal(t, backend.Applied, p.State)
	require.Empty(t, p.Differences)
	require.Empty(t, look(t, s, plan, nil).Changes, "it has the plan")
}

func checkOnce[R, C any](t *testing.T, s Subject[R, C]) {
	applied(t, s, First)
	before := s.Content(t)
	p := look(t, s, First, nil)
	require.NoError(t, p.Run(t.Context()))
	require.Equal(t, backend.Unchanged, p.State)
	require.Equal(t, before, s.Content(t))
}

func checkThereAndBack[R, C any](t *testing.T, s Subject[R, C]) {
	applied(t, s, First)
	applied(t, s, Second)
	applied(t, s, First)
}

func checkEmpty[R, C any](t *testing.T, s Subject[R, C]) {
	empty := s.Content(t)
	applied(t, s, First)
	applied(t, s, Nothing)
	require.Equal(t, empty, s.Content(t))
}

func checkRefused[R, C any](t *testing.T, s Subject[R, C]) {
	applied(t, s, First)
	before := s.Content(t)
	p := look(t, s, TooLarge, nil)
	require.Error(t, p.Run(t.Context()))
	require.Equal(t, backend.Refused, p.State)
	require.Equal(t, before, s.Content(t), "a refusal changes nothing")
}

// events is an observer that fails at one event, counted from 1; 0: never.
type events[R, C any] struct {
	seen []string
	fail int
}

func (e *events[R, C]) add(format string, args ...any) error {
	if e.seen = append(e.seen, fmt.Sprintf(format, args...)); len(e.seen) == e.fail {
		return ErrFault
	}
	return nil
}

func (e *events[R, C]) Begin(_ R, changes []C) error { return e.add("begin %d", len(changes)) }
func (e *events[R, C]) Sending(p backend.Phase[C]) error {
	return e.add("sending %d %v", p.Number, p.Restore)
}
func (e *events[R, C]) Sent(p backend.Phase[C], err error) error {
	return e.add("sent %d %v %v", p.Number, p.Restore, err == nil)
}
func (e *events[R, C]) Confirming() error { return e.add("confirming") }
func (e *events[R, C]) Cancelling()       { _ = e.add("cancelling") }

// order is what an observer of a push that is applied sees.
func order[R, C any](p *backend.Push[R, C]) []string {
	want := []string{fmt.Sprintf("begin %d", len(p.Changes))}
	for _, phase := range p.Device.Phases(p.Changes, false) {
		want = append(want, fmt.Sprintf("sending %d false", phase.Number), fmt.Sprintf("sent %d false true", phase.Number))
	}
	if p.Device.Confirmer() != nil {
		want = append(want, "confirming")
	}
	return want
}

func checkObserved[R, C any](t *testing.T, s Subject[R, C]) {
	applied(t, s, First)
	p, e := look(t, s, Second, nil), &events[R, C]{}
	p.Observer = e
	require.NoError(t, p.Run(t.Context()))
	require.Equal(t, order(p), e.seen)
}

// An observer that fails at any event stops the push there, and what was sent by then is restored.
func checkObserverFails[R, C any](t *testing.T, s Subject[R, C]) {
	applied(t, s, First)
	before := s.Content(t)
	for fail, event := range order(look(t, s, Second, nil)) {
		p, f := look(t, s, Second, &fault{}), &events[R, C]{fail: fail + 1}
		p.Observer = f
		require.ErrorIs(t, p.Run(t.Context()), ErrFault, event)
		want := backend.RolledBack
		if fail < 2 { // before the first phase was sent
			want = backend.Unchanged
			require.Zero(t, p.Device.(*faultyDevice[R, C]).sends)
		}
		require.Equal(t, want, p.State, event)
		require.Equal(t, before, s.Content(t), event)
	}
}

// fault is how a device misbehaves when it is sent a phase, and what a push has to make of it.
type fault struct {
	name   string
	at     func(send, phases int) manner // sends are counted from 1
	states []backend.State
}

// manner is what a device does with a phase.
type manner int

const (
	well     manner = iota
	before          // it fails and changes nothing
	after           // it makes the phase and fails
	pretends        // it changes nothing and does not fail
	dies            // it makes the phase and never answers again
	stopped         // it makes the phase, and the caller's context ends
)

// once misbehaves at one send.
func once(n int, how manner) func(int, int) manner {
	return func(send, _ int) manner {
		if send == n {
			return how
		}
		return well
	}
}

// last misbehaves when the last phase is sent.
func last(how manner) func(int, int) manner {
	return func(send, phases int) manner {
		if send == phases {
			return how
		}
		return well
	}
}

var faults = []fault{
	{"nothing was made", once(1, before), []backend.State{backend.Refused}},
	{"all was made", once(1, after), []backend.State{backend.RolledBack}},
	{"the last phase was not made", last(before), []backend.State{backend.Refused, backend.RolledBack}},
	{"the last phase was made", last(after), []backend.State{backend.RolledBack}},
	{"it cannot be restored", func(send, _ int) manner {
		if send == 1 {
			return after
		}
		return before
	}, []backend.State{backend.Partial}},
	{"it answers well and makes nothing", func(send, phases int) manner {
		if send <= phases {
			return pretends
		}
		return well
	}, []backend.State{backend.Refused}},
	{"it dies", once(1, dies), []backend.State{backend.Unknown}},
	{"the caller stops", once(1, stopped), []backend.State{backend.RolledBack}},
}

// faultyDevice is a device that misbehaves on order.
type faultyDevice[R, C any] struct {
	backend.Device[R, C]
	fault  *fault
	sends  int
	phases int
	dead   bool
	stop   func()
}

// Phases counts the phases of the plan.
func (d *faultyDevice[R, C]) Phases(changes []C, restore bool) []backend.Phase[C] {
	out := d.Device.Phases(changes, restore)
	if !restore {
		d.phases = len(out)
	}
	return out
}

// Send misbehaves.
func (d *faultyDevice[R, C]) Send(ctx context.Context, p backend.Phase[C]) error {
	d.sends++
	how := well
	if d.fault.at != nil {
		how = d.fault.at(d.sends, d.phases)
	}
	switch {
	case d.dead, how == before:
		return ErrFault
	case how == pretends:
		return nil
	}
	err := d.Device.Send(ctx, p)
	switch how {
	case dies:
		d.dead = true
	case stopped:
		d.stop()
	case well:
		return err
	}
	return ErrFault
}

// Read fails when the device is dead.
func (d *faultyDevice[R, C]) Read(ctx context.Context) (R, error) {
	if d.dead {
		var none R
		return none, ErrFault
	}
	return d.Device.Read(ctx)
}

// Confirmer returns nothing for a dead device.
func (d *faultyDevice[R, C]) Confirmer() backend.Confirmer {
	if d.dead {
		return nil
	}
	return d.Device.Confirmer()
}

func checkFault[R, C any](t *testing.T, s Subject[R, C], f fault) {
	applied(t, s, First)
	had := s.Content(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := look(t, s, Second, &f)
	p.Device.(*faultyDevice[R, C]).stop = cancel
	err := p.Run(ctx)
	require.Error(t, err)
	states := f.states
	if s.Device(t, Second).Confirmer() != nil {
		states = append(slices.Clone(states), backend.RolledBack) // the device undoes it
	}
	require.Contains(t, states, p.State, "%v", err)
	switch p.State {
	case backend.Refused, backend.RolledBack:
		require.Equal(t, had, s.Content(t), "it has its previous values")
	case backend.Partial:
		require.NotEmpty(t, p.Differences)
		require.NotEqual(t, had, s.Content(t))
	case backend.Unknown:
		require.ErrorContains(t, err, "is unknown, because it cannot be read")
	}
}
