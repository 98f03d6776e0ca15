package nos

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
)

// Profile is what one kind of gNMI switch can express of a plan over OpenConfig: the registers that it has leaves for,
// how it rounds their values, its quirks, and what a change of a register does to traffic. It is data.
// Package qos reads and writes by it, and the client acts on the quirks.
//
// Every entry names its source. An entry that no source states is marked as inferred. A profile describes one version
// of a vendor's software. Other versions may accept more or less: the answer of the switch decides.
type Profile struct {
	Name  string `json:"name"`
	Title string `json:"title"` // the vendor, the software and its version

	// Models are the beginnings of the names of models that only this kind of switch
	// lists in its Capabilities. Organizations are words, in lower case, in the names of
	// the organizations of its models. A switch is of this kind if one of them matches.
	Models        []string `json:"models"`
	Organizations []string `json:"organizations"`

	// Dialect is the dialect of cellwarden render that writes what OpenConfig cannot express; empty: none is known.
	Dialect string `json:"dialect"`

	// NoCommit says that a Set is never sent as a commit, because the server of this kind
	// of switch is known to ignore the extension Commit-confirmed.
	NoCommit bool `json:"-"`

	Rules   []Rule   `json:"rules"`  // one for each kind of register, in their order
	Quirks  []Quirk  `json:"quirks"` // sorted by ID
	Changes []Effect `json:"changes"`
}

// Rule returns how the switch takes registers of this kind.
func (p *Profile) Rule(k buffer.Kind) *Rule { return &p.Rules[k] }

// ExpressesAny tells whether the switch has a leaf for any kind of register.
func (p *Profile) ExpressesAny() bool {
	return slices.ContainsFunc(p.Rules, func(r Rule) bool { return r.Expressible() })
}

// Missing returns the kinds of registers that the switch has no leaf for, with the
// reason and the place where they can be configured instead.
func (p *Profile) Missing() map[buffer.Kind]string {
	out := map[buffer.Kind]string{}
	for _, r := range p.Rules {
		if !r.Expressible() {
			out[r.Kind] = r.Reason()
		}
	}
	return out
}

// NativeOnly tells whether a plan has to be sent as native configuration, because no register has a leaf in OpenConfig.
func (p *Profile) NativeOnly() bool { return p.Dialect != "" && !p.ExpressesAny() }

// Quirk returns a quirk, and whether the switch has it.
func (p *Profile) Quirk(id QuirkID) (Quirk, bool) {
	for _, q := range p.Quirks {
		if q.ID == id {
			return q, true
		}
	}
	return Quirk{}, false
}

// Disruption returns what a change of a register of this kind may stop: what the profile
// says, or else the worst that any vendor documents.
func (p *Profile) Disruption(k buffer.Kind) buffer.Disruption {
	for _, c := range p.Changes {
		if slices.Contains(c.Kinds, k) {
			return c.Reach
		}
	}
	return k.Disruption()
}

// Effect is what a change of some kinds of registers does to traffic.
type Effect struct {
	Kinds     []buffer.Kind     `json:"-"`
	Registers []string          `json:"registers"` // the names of Kinds
	Reach     buffer.Disruption `json:"-"`
	MayStop   string            `json:"may_stop"` // the name of Reach
	Text      string            `json:"text"`     // for reports
	Evidence
}

// Model is a model that a switch lists in its Capabilities.
type Model struct{ Name, Organization, Version string }

// Matches says why a model shows that a switch has this profile; empty if it does not.
func (p *Profile) Matches(m Model) string {
	for _, prefix := range p.Models {
		if strings.HasPrefix(strings.ToLower(m.Name), prefix) {
			return "it lists the model " + m.Name
		}
	}
	for _, word := range p.Organizations {
		if strings.Contains(strings.ToLower(m.Organization), word) {
			return fmt.Sprintf("model %s is by %s", m.Name, m.Organization)
		}
	}
	return ""
}

// ChipModel is the beginning of the name of the model by which a simulated switch says which chip
// it has. The rest is the chip's name, and the version is the size of a cell in bytes.
const ChipModel = "cellwarden-chip-"

// ChipOf returns the chip that a switch lists among its models, and the size of its cells; empty
// and 0 if it lists none.
func ChipOf(models []Model) (chip string, cell cells.Size) {
	for _, m := range models {
		name, found := strings.CutPrefix(m.Name, ChipModel)
		if n, err := strconv.ParseInt(m.Version, 10, 32); found && err == nil && n > 0 {
			return name, cells.Size(n)
		}
	}
	return "", 0
}

// QuirkID is the name of a peculiarity of a switch, which the client acts on or reports.
type QuirkID string

// The quirks that decide what is written and read. Those that are only reported are in the profiles.
const (
	QueueID          QuirkID = "queue-id"            // a queue has to be given its number
	InterfaceRef     QuirkID = "interface-ref"       // the port of an interface is in its interface-ref
	SchedulerNeeded  QuirkID = "scheduler-required"  // marking needs a scheduler-policy on the output
	InterfaceUnit    QuirkID = "interface-unit"      // interface-id and interface-ref have unit 0
	ThresholdsApart  QuirkID = "thresholds-apart"    // kmax has to be Value bytes or more above kmin
	AllocationNeeded QuirkID = "allocation-required" // an output needs a buffer-allocation-profile
	QueueNames       QuirkID = "queue-names"         // output queues have the vendor's names
	PhasesApart      QuirkID = "phases-apart"        // each phase is a Set of its own, read back before the next
)

// Quirk is a peculiarity of a switch.
type Quirk struct {
	ID    QuirkID `json:"id"`
	Value int64   `json:"value"` // a number that belongs to it; 0: none
	Text  string  `json:"text"`  // for reports
	Evidence
}

// Evidence is the source of an entry of a profile.
type Evidence struct {
	Source   string `json:"source"`
	Inferred bool   `json:"inferred"` // the source does not state it: it follows from it
}

// Without removes the leaves of some registers.
func (p *Profile) Without(why string, e Evidence, kinds ...buffer.Kind) *Profile {
	for _, k := range kinds {
		r := &p.Rules[k]
		r.Path, r.Unit, r.Quantum, r.Round, r.Most, r.Why, r.Evidence = "", "", 1, RoundExact, 0, why, e
	}
	return p
}

// Elsewhere says where registers without a leaf can be configured.
func (p *Profile) Elsewhere(where string, kinds ...buffer.Kind) *Profile {
	for _, k := range kinds {
		p.Rules[k].Where = where
	}
	return p
}

// MarkingFrom says where it is from that the switch takes the leaves of marking.
func (p *Profile) MarkingFrom(e Evidence) {
	p.from(e, buffer.QueueECNMin, buffer.QueueECNMax, buffer.QueueECNPMax)
}

// QueuingFrom says where it is from that the switch takes the leaves of weights and of DSCPs.
func (p *Profile) QueuingFrom(e Evidence) { p.from(e, buffer.QueueWeight, buffer.PriorityDSCP) }

func (p *Profile) from(e Evidence, kinds ...buffer.Kind) {
	for _, k := range kinds {
		p.Rules[k].Evidence = e
	}
}

// AddQuirk adds a quirk.
func (p *Profile) AddQuirk(id QuirkID, value int64, text string, e Evidence) *Profile {
	p.Quirks = append(p.Quirks, Quirk{ID: id, Value: value, Text: text, Evidence: e})
	slices.SortFunc(p.Quirks, func(a, b Quirk) int { return cmp.Compare(a.ID, b.ID) })
	return p
}

// AddEffect adds what a change of some registers does to traffic.
func (p *Profile) AddEffect(reach buffer.Disruption, text string, e Evidence, kinds ...buffer.Kind) *Profile {
	c := Effect{Kinds: kinds, Reach: reach, MayStop: reach.String(), Text: text, Evidence: e}
	for _, k := range kinds {
		c.Registers = append(c.Registers, k.String())
	}
	p.Changes = append(p.Changes, c)
	return p
}

// The units of leaves.
const (
	LeafBytes    LeafUnit = "bytes"
	LeafExponent LeafUnit = "exponent" // n of 2^n
	LeafPercent  LeafUnit = "percent"
	LeafWeight   LeafUnit = "weight" // of a queue, or strict
	LeafDSCP     LeafUnit = "dscp"
)

// LeafUnit is the unit of a leaf's value.
type LeafUnit string

// Rounding is how a value is rounded that a leaf cannot hold.
type Rounding string

// The directions of rounding.
const (
	RoundExact   Rounding = "exact"   // the leaf can hold every value
	RoundUp      Rounding = "up"      // to the next multiple
	RoundNearest Rounding = "nearest" // to the nearest multiple other than 0
)

// Rule is how a kind of switch takes one kind of register over OpenConfig.
type Rule struct {
	Kind     buffer.Kind `json:"-"`
	Register string      `json:"register"` // the name of Kind
	Path     string      `json:"path"`     // of the leaf, with a star for each key; empty: there is no leaf
	Unit     LeafUnit    `json:"unit"`     // of the leaf

	// Quantum: the leaf holds multiples of it, in the unit of the leaf; percents are in
	// hundredths. 1: the leaf holds every value.
	Quantum int64    `json:"quantum"`
	Round   Rounding `json:"round"`
	Most    int64    `json:"most"` // the largest value of the leaf, in the unit of Quantum; 0: no known limit

	Why   string `json:"why"`   // why there is no leaf
	Where string `json:"where"` // where it can be configured instead; empty: not known
	Evidence
}

// Expressible tells whether the switch has a leaf for the register.
func (r *Rule) Expressible() bool { return r.Path != "" }

// Fit returns the value of the leaf for a value: rounded to a multiple of the quantum, and at most the largest.
func (r *Rule) Fit(v int64) int64 {
	if q := r.Quantum; q > 1 && v > 0 {
		switch whole, rest := v/q*q, v%q; {
		case rest == 0:
		case r.Round == RoundUp, rest*2 >= q, whole == 0:
			v = whole + q
		default:
			v = whole
		}
	}
	if r.Most > 0 && v > r.Most {
		v = r.Most - r.Most%max(r.Quantum, 1)
	}
	return v
}

// Reason says why there is no leaf, and where the register can be configured instead.
func (r *Rule) Reason() string {
	if r.Where == "" {
		return r.Why
	}
	return r.Why + "; " + r.Where
}
