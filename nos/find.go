package nos

import (
	"errors"
	"fmt"
	"strings"
	"sync"
)

// Model is a model that a switch lists in its Capabilities.
type Model struct{ Name, Organization, Version string }

// FindProfile returns the profile of a switch that lists these models, and the reason. If no
// model is a vendor's, it is the profile OpenConfig.
func FindProfile(models []Model) (*Profile, string) {
	for n, p := range known() {
		for _, m := range models {
			if why := p.matches(m); why != "" {
				return makers[n](), why
			}
		}
	}
	p, _ := LoadProfile(OpenConfig)
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

// makers make the profiles, in the order in which Find compares them.
var makers = []func() *Profile{simulated, arista, srlinux, juniper, cisco, sonic, openconfig}

// known are the profiles that are compared and never handed out: a caller gets one of its own, and
// one alone is made for it.
var known = sync.OnceValue(Profiles)

// Profiles returns the profiles, in the order in which Find compares them. Each call makes new
// ones.
func Profiles() []*Profile {
	var out []*Profile
	for _, made := range makers {
		out = append(out, made())
	}
	return out
}

// ProfileNames returns the names of the profiles.
func ProfileNames() []string {
	var out []string
	for _, p := range known() {
		out = append(out, p.Name)
	}
	return out
}

// ErrUnknownProfile says that there is no profile with a name.
var ErrUnknownProfile = errors.New("no such profile")

// LoadProfile returns the profile with a name, or an ErrUnknown.
func LoadProfile(name string) (*Profile, error) {
	for n, p := range known() {
		if p.Name == name {
			return makers[n](), nil
		}
	}
	return nil, fmt.Errorf("%w: %q: accepted: %s", ErrUnknownProfile, name, strings.Join(ProfileNames(), ", "))
}
