package buffer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// Manager keeps a switch's admitted ports for a controller that changes them one by one. Every port that it has is
// admitted: a request that does not fit is refused with a *Refusal and leaves no trace.
//
// Cells follow configuration: a port holds its own until it is released or changed, whether its link is up or not, as
// the switches do that refuse by configuration. Where Chip.Reclaims says otherwise, a port that SetState sets to down
// gives its cells back, and may be refused when it comes up.
//
// The cost of a request grows with the ports that it names, not with those that the Manager has. A request allocates
// nothing unless it has a kind of port (speed, cable, MTU) for the first time, needs a longer list, or is refused: a
// refusal collects the largest consumers of the slice. It collects no remedies: Remedies searches for them on demand.
// WhatIf answers without a change, and allocates nothing even if the answer is no. With Pool.SharedHeadroomRatio the
// headroom pool itself depends on the ports, so every request admits all ports again.
//
// A Manager has no lock and no goroutine. Its reading methods (Len, Port, Intent, Slices, Plan, Layout, Hash, Clone)
// change nothing, so any number of readers may call them at once while there is no writer. For readers beside a writer,
// publish what the writer no longer changes: a Plan, a Layout or a Clone.
type Manager struct {
	a     *Admission
	index map[string]int // the place of each port
	pipes []int          // 0, 1, 2: what the ports' Pipe point to; never written
	next  int            // ports met so far, for those that do not say their pipe
}

// ErrNoPort says that a Manager has no port of that name.
var ErrNoPort = errors.New("no such port")

// NewManager admits an intent, which may have no ports yet. The error is a
// *Refusal with its remedies if a port does not fit, or says that the intent is
// malformed (errors.Is ErrInvalid).
func NewManager(in Intent) (*Manager, error) {
	if err := in.validate(0); err != nil {
		return nil, err
	}
	a, err := newAdmission(in)
	if err != nil {
		return nil, err
	}
	if !a.Fits() {
		return nil, a.Plan().Err()
	}
	m := &Manager{a: a, index: make(map[string]int, len(in.Ports)), next: len(in.Ports)}
	for pipe := range in.Chip.PipeCount() {
		m.pipes = append(m.pipes, pipe)
	}
	for i := range a.ports {
		a.in.Ports[i].Pipe = &m.pipes[a.ports[i].pipe]
		m.index[a.in.Ports[i].Name] = i
	}
	return m, nil
}

// Admit takes more ports, all of them or none. A port that says no pipe takes the next in turn and stays there. The
// error is the *Refusal of the first port that does not fit, or says which port is malformed or there already.
func (m *Manager) Admit(ports ...Port) error {
	before, next := len(m.a.ports), m.next
	for i := range ports {
		if err := m.admit(&ports[i]); err != nil {
			m.takeBack(before, next)
			return err
		}
	}
	if m.rederive(); !m.a.Fits() {
		why := m.blame(before, len(ports))
		m.takeBack(before, next)
		m.rederive()
		return m.refusal(why)
	}
	return nil
}

// blamed is for which port a request is refused, and why; the zero value: it is not. With a headroom pool by ratio it
// may be that the port itself has its cells, and another one no longer fits beside it.
type blamed struct {
	port, other string
	short       Shortfall
}

// blame finds for which of n ports from the i-th, which a request names, it is refused: the first that does not fit, or
// the one with most headroom where the pool itself does not fit and all ports are refused; else the first of them,
// beside which another port no longer fits.
func (m *Manager) blame(i, n int) blamed {
	asked := m.a.ports[i : i+n]
	k := slices.IndexFunc(asked, func(e entry) bool { return !e.short.Fits() })
	if k < 0 {
		other := m.a.refused()
		return blamed{m.a.in.Ports[i].Name, m.a.in.Ports[other].Name, m.a.ports[other].short}
	}
	if !m.a.blocked.Fits() {
		for j := range asked {
			if asked[j].demand.headroom > asked[k].demand.headroom {
				k = j
			}
		}
	}
	return blamed{port: m.a.in.Ports[i+k].Name, short: asked[k].short}
}

// takeBack drops the ports after the first n.
func (m *Manager) takeBack(n, next int) {
	for len(m.a.ports) > n {
		m.drop(len(m.a.ports) - 1)
	}
	m.next = next
}

// byRatio tells whether the headroom pool depends on the ports.
func (a *Admission) byRatio() bool { return a.in.Pool.SharedHeadroomRatio > 0 }

// rederive lays out a headroom pool by ratio for the ports that there are now and admits them again.
func (m *Manager) rederive() {
	if m.a.byRatio() {
		m.a.placePools()
		m.a.Replan()
	}
}

// admit takes one more port. With a headroom pool by ratio it only puts the port on the
// list: the caller admits all ports again when the list is complete.
func (m *Manager) admit(p *Port) error {
	a := m.a
	if err := m.validateNew(p); err != nil {
		return err
	}
	d, err := m.demand(p)
	if err != nil {
		return err
	}
	e := entry{demand: d, pipe: m.next % len(m.pipes), assumed: p.Pipe == nil}
	if p.Pipe != nil {
		e.pipe = *p.Pipe
	}
	if m.a.byRatio() {
		e.short = Shortfall{Reason: pending}
	} else if e.short = a.admit(d, e.pipe); !e.short.Fits() {
		return m.refusal(blamed{port: p.Name, short: e.short})
	}
	m.next++
	m.index[p.Name] = len(a.ports)
	a.ports = append(a.ports, e)
	a.in.Ports = append(a.in.Ports, *p)
	a.in.Ports[len(a.in.Ports)-1].Pipe = &m.pipes[e.pipe]
	return nil
}

// pending is the state of a port that is on the list and was not served yet.
const pending Reason = "pending"

// validateNew refuses a port that cannot be added, whatever cells are left.
func (m *Manager) validateNew(p *Port) error {
	var bad fielderr.List
	if _, twice := m.index[p.Name]; twice {
		bad.Add("port.name", fmt.Sprintf("%q", p.Name), "a name that no other port has")
	} else if !ValidPortName(p.Name) {
		bad.Add("port.name", strconv.Quote(p.Name), portNameForm)
	}
	most := MaxPorts
	if n := m.a.in.Chip.Ports; n > 0 {
		most = min(most, n)
	}
	if len(m.a.ports) >= most {
		bad.Add("ports", fmt.Sprint(most+1), fmt.Sprintf("at most %d ports", most))
	}
	m.a.in.validatePort(p, "port", &bad)
	m.a.in.validateSum(m.a.in.Ports, -1, p, &bad)
	return Invalid(bad)
}

// mostIdleKinds bounds how many kinds of ports are remembered that no port is.
const mostIdleKinds = 1024

// demand sizes a port; kinds that are no longer used are forgotten in time.
func (m *Manager) demand(p *Port) (*demand, error) {
	a := m.a
	if len(a.demands) > len(a.ports)+mostIdleKinds {
		clear(a.demands)
		a.last = nil
		for i := range a.ports {
			a.demands[a.ports[i].demand.kind] = a.ports[i].demand
		}
	}
	return a.demand(p)
}

// refusal says why a request was refused, in the state that it left.
func (m *Manager) refusal(why blamed) *Refusal {
	r := NewRefusal(why.port, why.short)
	if why.other != "" {
		r.Detail = "with it " + why.other + " no longer fits: " + r.Detail
	}
	r.Consumers = m.a.consumers(why.short.Slice)
	return r
}

// Release gives back what the ports hold. An unknown name is ErrNoPort, a name
// given twice too, and nothing is released then.
func (m *Manager) Release(names ...string) error {
	for k, name := range names {
		if _, known := m.index[name]; !known || slices.Contains(names[:k], name) {
			return fmt.Errorf("%w: %s", ErrNoPort, name)
		}
	}
	for _, name := range names {
		m.drop(m.index[name])
	}
	m.rederive()
	return nil
}

// drop takes out the i-th port; the last one takes its place.
func (m *Manager) drop(i int) {
	a, last := m.a, len(m.a.ports)-1
	a.release(a.ports[i])
	delete(m.index, a.in.Ports[i].Name)
	if i != last {
		a.ports[i], a.in.Ports[i] = a.ports[last], a.in.Ports[last]
		m.index[a.in.Ports[i].Name] = i
	}
	a.ports[last], a.in.Ports[last] = entry{}, Port{}
	a.ports, a.in.Ports = a.ports[:last], a.in.Ports[:last]
}

// Change makes a port what p says: another speed, cable, MTU, set of classes, state or pipe. Without a pipe it stays on
// its own, and keeps its name. The error is a *Refusal, after which the port holds its former cells, or ErrNoPort, or
// says what is malformed.
func (m *Manager) Change(name string, p Port) error {
	i, now, err := m.prepare(name, &p)
	if err != nil {
		return err
	}
	if why := m.change(i, now, p); !why.short.Fits() {
		return m.refusal(why)
	}
	return nil
}

// WhatIf answers what Change would: the zero Shortfall if the port can be p.
// Nothing changes, and a refusal costs no more than a change.
func (m *Manager) WhatIf(name string, p Port) (Shortfall, error) {
	i, now, err := m.prepare(name, &p)
	if err != nil {
		return Shortfall{}, err
	}
	e, old := m.a.ports[i], m.a.in.Ports[i]
	short := m.change(i, now, p).short
	if short.Fits() {
		if back := m.change(i, e, old); !back.short.Fits() {
			panic(fmt.Sprintf("buffer: port %d no longer fits where it was: %+v", i, back))
		}
	}
	return short, nil
}

// SetClasses makes a port carry these classes: see Change.
func (m *Manager) SetClasses(name string, s ClassSet) error {
	p := m.configured(name)
	p.Classes = s
	return m.Change(name, p)
}

// SetState says whether a port is in use: see Change. It changes cells only
// where the chip reclaims them; else every state is granted.
func (m *Manager) SetState(name string, s PortState) error {
	p := m.configured(name)
	p.State = s
	return m.Change(name, p)
}

// configured returns a port as it is, on its pipe; the zero Port if there is none of that name.
func (m *Manager) configured(name string) (p Port) {
	if i, known := m.index[name]; known {
		p = m.a.in.Ports[i]
	}
	return p
}

// prepare sizes what the port of this name is to be.
func (m *Manager) prepare(name string, p *Port) (int, entry, error) {
	a := m.a
	i, known := m.index[name]
	if !known {
		return 0, entry{}, fmt.Errorf("%w: %s", ErrNoPort, name)
	}
	var bad fielderr.List
	a.in.validatePort(p, "port", &bad)
	if a.in.validateSum(a.in.Ports, i, p, &bad); len(bad) > 0 {
		return 0, entry{}, Invalid(bad)
	}
	p.Name = cmp.Or(p.Name, name)
	if p.Name != name {
		wrong := Complaint{"port.name", p.Name, "the name that the port has; release it and admit another"}
		return 0, entry{}, &InvalidError{[]Complaint{wrong}}
	}
	d, err := m.demand(p)
	if err != nil {
		return 0, entry{}, err
	}
	e := a.ports[i]
	now := entry{demand: d, pipe: e.pipe, assumed: e.assumed && (p.Pipe == nil || p.Pipe == a.in.Ports[i].Pipe)}
	if p.Pipe != nil {
		now.pipe = *p.Pipe
	}
	p.Pipe = &m.pipes[now.pipe]
	return i, now, nil
}

// change puts an entry in the place of the i-th, or returns why that is refused.
func (m *Manager) change(i int, now entry, p Port) blamed {
	a := m.a
	e, old := a.ports[i], a.in.Ports[i]
	if m.a.byRatio() { // the headroom pool changes with it
		a.ports[i], a.in.Ports[i] = now, p
		if m.rederive(); !m.a.Fits() {
			why := m.blame(i, 1)
			a.ports[i], a.in.Ports[i] = e, old
			m.rederive()
			return why
		}
		return blamed{}
	}
	a.release(e)
	if now.short = a.admit(now.demand, now.pipe); !now.short.Fits() {
		a.mustAdmit(i, e)
		return blamed{port: old.Name, short: now.short}
	}
	a.ports[i], a.in.Ports[i] = now, p
	return blamed{}
}

// WhatIfAdmit answers what [Manager.Admit] would: nil if the ports fit, else the same error. Nothing changes. It costs
// a copy of the Manager, so that it may be called beside readers, as they may.
func (m *Manager) WhatIfAdmit(ports ...Port) error { return m.Clone().Admit(ports...) }
