// Package profile is what is known of gNMI targets: which registers of a plan
// each of them has words for, how it rounds them, what is peculiar about it, and
// what a change does to traffic. It is data; the gnmi package acts on it.
//
// Every entry names its source. An entry that no source says is marked as
// inferred. A profile describes a vendor's software in one version; other
// versions may take more or less, and the switch itself has the last word.
package profile

import (
	"slices"

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

// Rule returns how the target takes registers of this kind.
func (p *Profile) Rule(k buffer.Kind) *Rule { return &p.Rules[k] }

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

// Quirk returns a quirk and whether the target has it.
func (p *Profile) Quirk(id QuirkID) (Quirk, bool) {
	for _, q := range p.Quirks {
		if q.ID == id {
			return q, true
		}
	}
	return Quirk{}, false
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

// The names of the profiles.
const (
	OpenConfig = "openconfig"
	Simulated  = "simulated"
	Arista     = "arista"
	SRLinux    = "srlinux"
	Juniper    = "juniper"
	Cisco      = "cisco"
	SONiC      = "sonic"
)
