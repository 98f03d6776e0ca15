package profile

import (
	"errors"
	"fmt"
	"strings"
)

// Model is a model that a switch lists in its Capabilities.
type Model struct{ Name, Organization, Version string }

// Find returns the profile of a switch that lists these models, and the reason. If no
// model is a vendor's, it is the profile OpenConfig.
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

// matches says why a model shows that a switch has this profile; empty if it does not.
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

// All returns the profiles, in the order in which Find compares them. Each call makes new
// ones.
func All() []*Profile {
	return []*Profile{simulated(), arista(), srlinux(), juniper(), cisco(), sonic(), openconfig()}
}

// Names returns the names of the profiles.
func Names() []string {
	var out []string
	for _, p := range All() {
		out = append(out, p.Name)
	}
	return out
}

// ErrUnknown says that there is no profile with a name.
var ErrUnknown = errors.New("no such profile")

// Load returns the profile with a name, or an ErrUnknown.
func Load(name string) (*Profile, error) {
	for _, p := range All() {
		if p.Name == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%w: %q: accepted: %s", ErrUnknown, name, strings.Join(Names(), ", "))
}
