package dial

import (
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
)

// NamedProfile loads the profile of --profile; none is nil.
func NamedProfile(name string) (*nos.Profile, error) {
	if name == "" {
		return nil, nil
	}
	return registry.LoadProfile(name)
}
