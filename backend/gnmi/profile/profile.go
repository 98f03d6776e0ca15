// Package profile is what is known of gNMI targets: which registers of a plan
// each of them has words for, how it rounds them, what is peculiar about it, and
// what a change does to traffic. It is data; the gnmi package acts on it.
//
// Every entry names its source. An entry that no source says is marked as
// inferred. A profile describes a vendor's software in one version; other
// versions may take more or less, and the switch itself has the last word.
package profile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
)

// Profile is one kind of target.
type Profile struct {
	Name  string `json:"name"`
	Title string `json:"title"`

	// Models are the beginnings of names of models that only this kind of target
	// lists in its Capabilities; Organizations are words, in lower case, of the
	// organizations that they are from. A target is of this kind if one of them is
	// there.
	Models        []string `json:"models"`
	Organizations []string `json:"organizations"`

	// Dialect is where what OpenConfig cannot say goes, as a dialect of cellwarden
	// render; empty: none is known.
	Dialect string `json:"dialect"`

	// NoCommit says that a Set of this target is not sent as a commit, because its
	// server is known to pass over the extension Commit-confirmed.
	NoCommit bool `json:"-"`

	Rules   []Rule   `json:"rules"`  // one for each kind of register, in their order
	Quirks  []Quirk  `json:"quirks"` // sorted by ID
	Changes []Change `json:"changes"`
}

// Evidence is where an entry is from.
type Evidence struct {
	Source   string `json:"source"`
	Inferred bool   `json:"inferred"` // no source says it
}

// Unit is in what a leaf counts.
type Unit string

// The units of leaves.
const (
	Bytes    Unit = "bytes"
	Exponent Unit = "exponent" // n of 2^n
	Percent  Unit = "percent"
	Weight   Unit = "weight" // of a queue; strict, where it has none
	DSCP     Unit = "dscp"
)

// Direction is where a value goes that a leaf cannot hold.
type Direction string

// The directions of rounding.
const (
	Exact   Direction = "exact" // every value can be held
	Up      Direction = "up"
	Nearest Direction = "nearest" // but not to 0
)

// Rule is how a target takes one kind of register over OpenConfig.
type Rule struct {
	Kind     buffer.Kind `json:"-"`
	Register string      `json:"register"`
	Path     string      `json:"path"`    // empty: it has no words for it
	Unit     Unit        `json:"unit"`    // of the leaf
	Quantum  int64       `json:"quantum"` // the leaf holds multiples of it, in bytes, exponents or hundredths of a percent; 1: all
	Round    Direction   `json:"round"`
	Most     int64       `json:"most"`  // largest value of the leaf, in the same; 0: no limit that is known
	Why      string      `json:"why"`   // it has no words
	Where    string      `json:"where"` // it could go instead; empty: nowhere that is known
	Evidence
}

// Expressible tells whether the target has words.
func (r *Rule) Expressible() bool { return r.Path != "" }

// Fit returns what of a value the leaf can hold. A value above the leaf's
// largest becomes that.
func (r *Rule) Fit(v int64) int64 {
	if q := r.Quantum; q > 1 && v > 0 {
		switch whole, rest := v/q*q, v%q; {
		case rest == 0:
		case r.Round == Up, rest*2 >= q, whole == 0:
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

// QuirkID names something peculiar that the client acts on or tells.
type QuirkID string

// The quirks.
const (
	QueueID          QuirkID = "queue-id"              // a queue has to be given its number
	InterfaceRef     QuirkID = "interface-ref"         // an interface says by an interface-ref which port it is
	SchedulerNeeded  QuirkID = "scheduler-required"    // marking takes a scheduler-policy on the output
	InterfaceUnit    QuirkID = "interface-unit"        // the interface-id is the port and unit 0, with an interface-ref
	ThresholdsApart  QuirkID = "thresholds-apart"      // kmax has to be Value bytes or more above kmin
	WeightsTo        QuirkID = "weights-to"            // scheduler weights are at most Value
	WeightUnset      QuirkID = "weight-unset"          // the weight leaf of wred is refused
	NoState          QuirkID = "no-state"              // state is not echoed: config is read back
	AllocationNeeded QuirkID = "allocation-required"   // an output needs a buffer-allocation-profile
	NoInterfaceRef   QuirkID = "no-interface-ref"      // interface-ref/config is refused
	QueueNames       QuirkID = "queue-names"           // output queues have names of the vendor's
	JSONOnly         QuirkID = "json-ietf-only"        // values other than JSON_IETF are refused
	PoolsRefused     QuirkID = "pools-refused"         // pools cannot be changed over gNMI at all
	NeedsFeature     QuirkID = "feature-flags"         // leaves depend on features of the platform
	MaxBurstNoAlpha  QuirkID = "maximum-burst-size"    // a static limit turns alpha off
	HeadroomByCable  QuirkID = "headroom-from-cable"   // the switch computes the headroom from cable-length and mru
	PhasesApart      QuirkID = "phases-apart"          // each phase is a Set of its own, read back before the next
	CommitUnproved   QuirkID = "commit-not-known"      // whether it implements Commit-confirmed is not known
	PriorityIsQueue  QuirkID = "priority-is-queue"     // priority n is the forwarding group of output queue n: cellwarden's convention
	TwoSchedulers    QuirkID = "two-schedulers"        // the sequence of a scheduler is at most Value
	PriorityGroupIs  QuirkID = "group-is-input-queue"  // priority group n is queue n of the input: cellwarden's convention
	StaticBySlice    QuirkID = "static-limit-by-slice" // a static limit is of each slice: cellwarden's convention
)

// Quirk is something peculiar.
type Quirk struct {
	ID    QuirkID `json:"id"`
	Value int64   `json:"value"` // 0 where there is none
	Text  string  `json:"text"`
	Evidence
}

// Change is what changing registers does to traffic.
type Change struct {
	Kinds     []buffer.Kind     `json:"-"`
	Registers []string          `json:"registers"`
	Reach     buffer.Disruption `json:"-"`
	MayStop   string            `json:"may_stop"`
	Text      string            `json:"text"`
	Evidence
}

// Rule returns how the target takes registers of this kind.
func (p *Profile) Rule(k buffer.Kind) *Rule { return &p.Rules[k] }

// Quirk returns a quirk and whether the target has it.
func (p *Profile) Quirk(id QuirkID) (Quirk, bool) {
	for _, q := range p.Quirks {
		if q.ID == id {
			return q, true
		}
	}
	return Quirk{}, false
}

// ExpressesAny tells whether the target has words for any kind of register.
func (p *Profile) ExpressesAny() bool {
	return slices.ContainsFunc(p.Rules, func(r Rule) bool { return r.Expressible() })
}

// Missing names the kinds of registers that the target has no words for, and
// why.
func (p *Profile) Missing() map[buffer.Kind]string {
	out := map[buffer.Kind]string{}
	for _, r := range p.Rules {
		if !r.Expressible() {
			out[r.Kind] = r.Reason()
		}
	}
	return out
}

// NativeOnly tells whether the target takes nothing of a plan over OpenConfig, and
// native configuration instead.
func (p *Profile) NativeOnly() bool {
	return p.Dialect != "" && !slices.ContainsFunc(p.Rules, func(r Rule) bool { return r.Expressible() })
}

// Reason says why there are no words and where the value could go.
func (r *Rule) Reason() string {
	if r.Where == "" {
		return r.Why
	}
	return r.Why + "; " + r.Where
}

// Disruption returns what a change of a register of this kind may stop: what
// the profile says, else what is the worst among vendors.
func (p *Profile) Disruption(k buffer.Kind) buffer.Disruption {
	for _, c := range p.Changes {
		if slices.Contains(c.Kinds, k) {
			return c.Reach
		}
	}
	return k.Disruption()
}

// Names lists the profiles.
func Names() []string {
	var out []string
	for _, p := range All() {
		out = append(out, p.Name)
	}
	return out
}

// ErrUnknown says that there is no profile of a name.
var ErrUnknown = errors.New("no such profile")

// Load returns a profile by name.
func Load(name string) (*Profile, error) {
	for _, p := range All() {
		if p.Name == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%w: %q: accepted: %s", ErrUnknown, name, strings.Join(Names(), ", "))
}

// Model is a model that a target lists.
type Model struct{ Name, Organization, Version string }

// Find returns the profile of a target that lists these models, and what gave
// it away. A target that nothing gives away is taken by the word of its models:
// OpenConfig.
func Find(models []Model) (*Profile, string) {
	for _, p := range All() {
		for _, m := range models {
			if why := p.matches(m); why != "" {
				return p, why
			}
		}
	}
	p, _ := Load(OpenConfig)
	return p, "no model of a vendor is listed"
}

func (p *Profile) matches(m Model) string {
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
