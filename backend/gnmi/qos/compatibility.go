package qos

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/cellwarden/cellwarden/backend/gnmi/profile"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// Outcome is what becomes of one number of a plan on a target.
type Outcome string

// The fates.
const (
	Sent          Outcome = "sent"            // as it is
	Rounded       Outcome = "rounded"         // to what the target can hold
	Inexpressible Outcome = "not expressible" // the target has no words for it: it is not sent
)

// RegisterOutcome is one register of a plan, and what becomes of it on a target.
type RegisterOutcome struct {
	buffer.Setting         // what was asked
	Outcome        Outcome // never empty
	Critical       bool    // without it a group that should lose nothing may lose packets

	Path   string // of the leaf, for DSCPs the one of IPv4; empty: not expressible
	Unit   string // of Asked and Value: bytes, exponent, percent, weight, dscp
	Wanted string // the leaf's value if it could hold everything
	Value  string // the leaf's value

	Why   string // it is rounded, or not expressible
	Where string // what is not expressible could go; empty: nowhere that is known
}

// Compatibility is what becomes of every number of a plan on a target. Nothing is
// left out: Numbers has the registers of the plan, in their order.
type Compatibility struct {
	Profile   *profile.Profile
	Registers []RegisterOutcome
	Layout    buffer.Layout // what the target shall hold: rounded, and without what cannot be expressed
}

// CheckCompatibility says, without asking anybody, what becomes of a layout on a target of
// this profile. It refuses, with ErrInexpressible, values that no target of the
// profile could be near to.
func CheckCompatibility(l buffer.Layout, cell cells.Size, p *profile.Profile) (*Compatibility, error) {
	if err := ValidateCell(cell); err != nil {
		return nil, err
	}
	t := target{cell: cell, Profile: p}
	held := t.fit(l)
	ports, err := portsOf(held, t)
	if err != nil {
		return nil, err
	}
	out := &Compatibility{Profile: p, Layout: held, Registers: make([]RegisterOutcome, len(l))}
	for i, s := range l {
		out.Registers[i] = t.outcome(s, held, ports)
		out.Registers[i].Critical = l.Critical(s.Register)
	}
	return out, nil
}

// Lossless tells whether everything is sent that the groups of the plan need to
// lose nothing.
func (s *Compatibility) Lossless() bool { return s.Count(Inexpressible, true) == 0 }

// Count counts the numbers of a fate; critical ones alone if only is true.
func (s *Compatibility) Count(f Outcome, only bool) int {
	n := 0
	for i := range s.Registers {
		if s.Registers[i].Outcome == f && (s.Registers[i].Critical || !only) {
			n++
		}
	}
	return n
}

// fit rounds a layout to what the target can hold, in cells. What is fit once
// stays as it is: a quantum of bytes is no smaller than a cell.
func (s target) fit(l buffer.Layout) buffer.Layout {
	out := make([]buffer.Setting, 0, len(l))
	for _, setting := range l {
		if r := s.Rule(setting.Kind); r.Expressible() {
			setting.Value = s.registerValue(setting.Kind, s.leafValue(l, setting))
			out = append(out, setting)
		}
	}
	return buffer.NewLayout(out)
}

// leafValue returns the value that is sent for a setting, in the leaf's unit, or in
// hundredths of a percent.
func (s target) leafValue(l buffer.Layout, setting buffer.Setting) int64 {
	r := s.Rule(setting.Kind)
	if r.Unit != profile.Bytes {
		return r.Fit(setting.Value)
	}
	v := s.bytes(setting.Kind, setting.Value)
	if q, found := s.Quirk(profile.ThresholdsApart); found && setting.Kind == buffer.QueueECNMax {
		setting.Kind = buffer.QueueECNMin
		v = max(v, r.Fit(s.bytes(setting.Kind, l.Value(setting.Register))+q.Value))
	}
	return v
}

// registerValue returns in the register's unit what a leaf's value is read as.
func (s target) registerValue(k buffer.Kind, v int64) int64 {
	if s.Rule(k).Unit != profile.Bytes {
		return v
	}
	return int64(s.cell.Within(unit.Bytes(v)))
}

// outcome says what becomes of a setting.
func (s target) outcome(setting buffer.Setting, held buffer.Layout, ports map[string]port) RegisterOutcome {
	r := s.Rule(setting.Kind)
	if !r.Expressible() {
		return RegisterOutcome{Setting: setting, Outcome: Inexpressible, Why: r.Why, Where: r.Where}
	}
	n := RegisterOutcome{Setting: setting, Outcome: Sent, Unit: string(r.Unit), Path: s.leafPath(setting.Register, ports[setting.Port])}
	asked, value := setting.Value, s.leafValue(held, buffer.Setting{Register: setting.Register, Value: held.Value(setting.Register)})
	if r.Unit == profile.Bytes {
		asked = int64(s.cell.Bytes(cells.Count(asked)))
	}
	n.Wanted, n.Value = valueText(r.Unit, asked), valueText(r.Unit, value)
	if asked != value {
		n.Outcome, n.Why = Rounded, s.roundingReason(r, asked, value)
	}
	return n
}

// roundingReason says why a value is not sent as it was asked for.
func (s target) roundingReason(r *profile.Rule, asked, value int64) string {
	switch q, found := s.Quirk(profile.ThresholdsApart); {
	case found && r.Kind == buffer.QueueECNMax && value != r.Fit(asked):
		return q.Text
	case r.Most > 0 && asked > r.Most:
		return "the leaf holds at most " + valueText(r.Unit, r.Most) + " " + string(r.Unit)
	default:
		return fmt.Sprintf("the leaf holds multiples of %s %s; rounded %s", valueText(r.Unit, r.Quantum), r.Unit, r.Round)
	}
}

// valueText prints a leaf's value; hundredths of a percent as percents.
func valueText(u profile.Unit, v int64) string {
	switch {
	case u == profile.Weight && v == buffer.Strict:
		return priorityStrict.String()
	case u == profile.DSCP:
		return buffer.PriorityDSCP.Text(v)
	case u != profile.Percent:
		return strconv.FormatInt(v, 10)
	case v%100 == 0:
		return strconv.FormatInt(v/100, 10)
	default:
		return fmt.Sprintf("%d.%02d", v/100, v%100)
	}
}

// leafPath fills in the names of a leaf: of the profile of the port, and of the
// queue. What makes a queue strict is the priority of its scheduler.
func (s target) leafPath(r buffer.Register, p port) string {
	template := s.Rule(r.Kind).Path
	queue := strconv.Itoa(r.Index)
	switch r.Kind {
	case buffer.GroupReserved, buffer.GroupAlpha, buffer.GroupStatic:
		return pathText(template, p.allocationName, queue)
	case buffer.QueueReserved:
		return pathText(template, p.minimaName, queue)
	case buffer.QueueWeight:
		if p.weights[r.Index] == buffer.Strict {
			return pathText(pathScheduler, p.policyName, strconv.Itoa(sequenceStrict)) + "/config/priority"
		}
		return pathText(template, p.policyName, strconv.Itoa(sequenceOf(p.weights[r.Index])), queue)
	case buffer.PriorityDSCP:
		return pathText(template, p.classifierNames[ipv4], queue)
	default:
		return pathText(template, p.curveNames[r.Index])
	}
}

// Prerequisites returns what the switch has to have, that this push does not bring, for
// what is sent to take effect.
func (s *Compatibility) Prerequisites() (out []profile.Quirk) {
	sent := func(kinds ...buffer.Kind) bool {
		return slices.ContainsFunc(s.Layout, func(s buffer.Setting) bool { return slices.Contains(kinds, s.Kind) })
	}
	marks, weighs := sent(buffer.QueueECNMin, buffer.QueueECNMax, buffer.QueueECNPMax), sent(buffer.QueueWeight)
	for _, q := range s.Profile.Quirks {
		switch q.ID {
		case profile.AllocationNeeded, profile.QueueNames:
			if marks || weighs {
				out = append(out, q)
			}
		case profile.SchedulerNeeded:
			if marks && !weighs {
				out = append(out, q)
			}
		}
	}
	return out
}

// BindingPath returns the paths by which a port's registers of this kind take
// effect: the leaf that names the profile; for DSCPs the one of IPv4.
func (s *Compatibility) BindingPath(r buffer.Register) string {
	t := target{cell: 1, Profile: s.Profile}
	switch r.Kind {
	case buffer.GroupReserved, buffer.GroupAlpha, buffer.GroupStatic:
		return pathText(pathInput, t.interfaceID(r.Port))
	case buffer.QueueReserved:
		return pathText(pathOut, t.interfaceID(r.Port))
	case buffer.QueueWeight:
		return pathText(pathSchedule, t.interfaceID(r.Port))
	case buffer.PriorityDSCP:
		return pathText(pathClassifyName, t.interfaceID(r.Port), versionNames[ipv4])
	default:
		return pathText(pathOutput, t.interfaceID(r.Port), strconv.Itoa(r.Index))
	}
}
