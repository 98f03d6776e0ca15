// Package nos lists what each kind of gNMI switch can express of a plan over
// OpenConfig: which registers it has leaves for, how it rounds their values, its quirks,
// and what a change of a register does to traffic. It is data, a file for each vendor.
// Package qos reads and writes by it, and the client acts on the quirks.
//
// Every entry names its source. An entry that no source states is marked as inferred. A
// profile describes one version of a vendor's software. Other versions may accept more
// or less: the answer of the switch decides.
package nos

import (
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
)

// Profile is one kind of switch.
type Profile struct {
	Name  string `json:"name"`  // one of the constants
	Title string `json:"title"` // the vendor, the software and its version

	// Models are the beginnings of the names of models that only this kind of switch
	// lists in its Capabilities. Organizations are words, in lower case, in the names of
	// the organizations of its models. A switch is of this kind if one of them matches.
	Models        []string `json:"models"`
	Organizations []string `json:"organizations"`

	// Dialect is the dialect of cellwarden render that writes what OpenConfig cannot
	// express; empty: none is known.
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

// NativeOnly tells whether a plan has to be sent as native configuration, because no
// register has a leaf in OpenConfig.
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
