package registry

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/internal/profiles"
)

// makers make the profiles, in the order in which FindProfile compares them: a simulated switch first, because it may
// list the models of the switch that it stands for, and last what accepts all of OpenConfig, which no model shows.
func makers() []func() *nos.Profile {
	out := []func() *nos.Profile{profiles.Simulated}
	for _, s := range systems {
		if s.Profile != nil {
			out = append(out, s.Profile)
		}
	}
	return append(out, profiles.OpenConfig)
}

// known are the profiles that are compared and never handed out: a caller gets one of its own, which it may change.
var known = once.Value(Profiles)

// Profiles returns the profiles, in the order in which FindProfile compares them. Each call makes new ones.
func Profiles() []*nos.Profile {
	var out []*nos.Profile
	for _, made := range makers() {
		out = append(out, made())
	}
	return out
}

// FindProfile returns the profile of a switch that lists these models, and the reason. If no model is a vendor's, it is
// the profile of all of OpenConfig.
func FindProfile(models []nos.Model) (*nos.Profile, string) {
	for n, p := range known() {
		for _, m := range models {
			if why := p.Matches(m); why != "" {
				return makers()[n](), why
			}
		}
	}
	return profiles.OpenConfig(), "no model of a vendor is listed"
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

// LoadProfile returns the profile with a name, or an ErrUnknownProfile.
func LoadProfile(name string) (*nos.Profile, error) {
	for n, p := range known() {
		if p.Name == name {
			return makers()[n](), nil
		}
	}
	return nil, fmt.Errorf("%w: %q (want %s)", ErrUnknownProfile, name, strings.Join(ProfileNames(), ", "))
}
