package qos

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/unit"
)

// Compatibility is what a kind of switch can hold of a plan over OpenConfig. It lists
// every register of the plan, in the plan's order.
type Compatibility struct {
	Profile   *nos.Profile
	Registers []RegisterOutcome
	// Layout is what the switch shall hold: the values are rounded, and registers that
	// cannot be expressed are left out. This is the layout to converge to.
	Layout buffer.Layout
}

// RegisterOutcome is one register of a plan and what is sent for it.
type RegisterOutcome struct {
	buffer.Setting         // as the plan has it
	Outcome        Outcome // never empty
	Critical       bool    // without this register a lossless group may lose packets

	Path   string // of the leaf; for DSCPs the one of IPv4; empty: not expressible
	Unit   string // of Wanted and Value: bytes, exponent, percent, weight, dscp
	Wanted string // the value of the leaf if it could hold every value
	Value  string // the value of the leaf that is sent

	Why   string // why it is rounded, or not expressible
	Where string // where else it can be configured, if not expressible; empty: not known
}

// Outcome is what becomes of one register of a plan.
type Outcome string

// The outcomes.
const (
	Sent          Outcome = "sent"            // with the value of the plan
	Rounded       Outcome = "rounded"         // to a value that the leaf can hold
	Inexpressible Outcome = "not expressible" // the switch has no leaf for it: it is not sent
)

// CheckCompatibility computes what a switch of this profile can hold of a layout. It needs no connection. A value that
// is out of reach of the profile's leaf, so that no rounding helps, is refused with ErrInexpressible.
func CheckCompatibility(l buffer.Layout, cell cells.Size, p *nos.Profile) (*Compatibility, error) {
	if err := ValidateCell(cell); err != nil {
		return nil, err
	}
	t := target{cell: cell, Profile: p}
	rounded := t.round(l)
	ports, err := portsOf(rounded, t)
	if err != nil {
		return nil, err
	}
	out := &Compatibility{Profile: p, Layout: rounded, Registers: make([]RegisterOutcome, len(l))}
	for i, s := range l {
		out.Registers[i] = t.outcome(s, rounded, ports)
		out.Registers[i].Critical = l.Critical(s.Register)
	}
	return out, nil
}

// Lossless tells whether every register is sent that the lossless groups of the plan need.
func (c *Compatibility) Lossless() bool {
	return !slices.ContainsFunc(c.Registers, func(r RegisterOutcome) bool {
		return r.Critical && r.Outcome == Inexpressible
	})
}

// Count counts the registers with an outcome.
func (c *Compatibility) Count(o Outcome) int {
	n := 0
	for i := range c.Registers {
		if c.Registers[i].Outcome == o {
			n++
		}
	}
	return n
}

// round rounds a layout to what the target can hold, in cells. Rounding it again
// changes nothing, because no quantum of bytes is smaller than a cell.
func (t target) round(l buffer.Layout) buffer.Layout {
	out := make([]buffer.Setting, 0, len(l))
	for _, setting := range l {
		if r := t.Rule(setting.Kind); r.Expressible() {
			if setting.Value = t.leafValue(l, setting); r.Unit == nos.LeafBytes { // what it is read as
				setting.Value = int64(t.cell.Within(unit.Bytes(setting.Value)))
			}
			out = append(out, setting)
		}
	}
	return buffer.NewLayout(out)
}

// leafValue is the value of the leaf for a setting, in the leaf's unit; percents in hundredths.
func (t target) leafValue(l buffer.Layout, setting buffer.Setting) int64 {
	r := t.Rule(setting.Kind)
	if r.Unit != nos.LeafBytes {
		return r.Fit(setting.Value)
	}
	v := t.bytes(setting.Kind, setting.Value)
	// Where the switch wants a distance between kmin and kmax, kmax is raised.
	if q, found := t.Quirk(nos.ThresholdsApart); found && setting.Kind == buffer.QueueECNMax {
		setting.Kind = buffer.QueueECNMin
		v = max(v, r.Fit(t.bytes(setting.Kind, l.Value(setting.Register))+q.Value))
	}
	return v
}

// outcome is what becomes of a setting of the plan.
func (t target) outcome(setting buffer.Setting, rounded buffer.Layout, ports map[string]port) RegisterOutcome {
	r := t.Rule(setting.Kind)
	if !r.Expressible() {
		return RegisterOutcome{Setting: setting, Outcome: Inexpressible, Why: r.Why, Where: r.Where}
	}
	wanted := setting.Value
	if r.Unit == nos.LeafBytes {
		wanted = int64(t.cell.Bytes(cells.Count(wanted)))
	}
	sent := buffer.Setting{Register: setting.Register, Value: rounded.Value(setting.Register)}
	value := t.leafValue(rounded, sent)
	out := RegisterOutcome{Setting: setting, Outcome: Sent, Unit: string(r.Unit),
		Path:   t.leafPath(setting.Register, ports[setting.Port]),
		Wanted: valueText(r.Unit, wanted), Value: valueText(r.Unit, value)}
	if wanted != value {
		out.Outcome, out.Why = Rounded, t.roundingReason(r, wanted, value)
	}
	return out
}

// roundingReason says why a leaf cannot hold a value.
func (t target) roundingReason(r *nos.Rule, wanted, value int64) string {
	switch q, found := t.Quirk(nos.ThresholdsApart); {
	case found && r.Kind == buffer.QueueECNMax && value != r.Fit(wanted): // moved away from kmin
		return q.Text
	case r.Most > 0 && wanted > r.Most:
		return "the leaf holds at most " + valueText(r.Unit, r.Most) + " " + string(r.Unit)
	default:
		return fmt.Sprintf("the leaf holds multiples of %s %s; rounded %s", valueText(r.Unit, r.Quantum), r.Unit, r.Round)
	}
}

// valueText prints the value of a leaf. Percents are given in hundredths.
func valueText(u nos.LeafUnit, v int64) string {
	switch {
	case u == nos.LeafWeight && v == buffer.Strict:
		return priorityStrict.String()
	case u == nos.LeafDSCP:
		return buffer.PriorityDSCP.Text(v)
	case u != nos.LeafPercent:
		return strconv.FormatInt(v, 10)
	case v%100 == 0:
		return strconv.FormatInt(v/100, 10)
	default:
		return fmt.Sprintf("%d.%02d", v/100, v%100)
	}
}

// leafPath is the path of the leaf of a register, with the names of the profile and of the queue. A strict queue has no
// weight: the leaf is the priority of its scheduler.
func (t target) leafPath(r buffer.Register, p port) string {
	template, queue, s := t.Rule(r.Kind).Path, strconv.Itoa(r.Index), slotOf(r)
	switch name := p.names[slices.Index(slots[:], s)]; {
	case s.family == curves:
		return pathText(template, name)
	case s.family != policies:
		return pathText(template, name, queue)
	case p.weights[r.Index] == buffer.Strict:
		return pathText(pathScheduler, name, strconv.Itoa(sequenceStrict)) + "/config/priority"
	default:
		return pathText(template, name, strconv.Itoa(sequenceOf(p.weights[r.Index])), queue)
	}
}

// BindingPath returns the path of the leaf that binds the port of a register to the
// profile that carries it; for DSCPs the one of IPv4. The register takes effect there.
func (c *Compatibility) BindingPath(r buffer.Register) string {
	t := target{cell: 1, Profile: c.Profile}
	return t.bindingPath(t.interfaceID(r.Port), slotOf(r))
}

// Prerequisites returns what has to be configured on the switch besides, for what is
// sent to take effect: a push does not configure it.
func (c *Compatibility) Prerequisites() (out []nos.Quirk) {
	sent := func(kinds ...buffer.Kind) bool {
		return slices.ContainsFunc(c.Layout, func(s buffer.Setting) bool { return slices.Contains(kinds, s.Kind) })
	}
	marking := sent(buffer.QueueECNMin, buffer.QueueECNMax, buffer.QueueECNPMax)
	weights := sent(buffer.QueueWeight)
	for _, q := range c.Profile.Quirks {
		switch q.ID {
		case nos.AllocationNeeded, nos.QueueNames:
			if marking || weights {
				out = append(out, q)
			}
		case nos.SchedulerNeeded:
			if marking && !weights {
				out = append(out, q)
			}
		}
	}
	return out
}

// Expressible tells whether the published models of OpenConfig have a leaf for
// registers of this kind. A kind of switch may have fewer leaves: see package nos.
func Expressible(k buffer.Kind) bool { return plain().Rule(k).Expressible() }

// Missing returns the kinds of registers that have no leaf, with the reason.
func Missing() map[buffer.Kind]string { return plain().Missing() }

// ErrInexpressible says that OpenConfig has no leaf for a value.
var ErrInexpressible = errors.New("openconfig cannot express it")

// maxCell is the most bytes that a cell may have: more than any chip's.
const maxCell = 1 << 20

// AcceptedCells says which sizes of cells ValidateCell accepts.
const AcceptedCells = "1 to 1048576 bytes"

// ValidateCell returns nil, or a *buffer.InvalidError if no chip has cells of this size.
func ValidateCell(cell cells.Size) error {
	var bad fielderr.List
	bad.Check(cell >= 1 && cell <= maxCell, "cell", int64(cell), AcceptedCells)
	return buffer.Invalid(bad)
}
