package dial

import "github.com/cellwarden/cellwarden/nos"

// NamedProfile loads the profile of --profile; none is nil.
func NamedProfile(name string) (*nos.Profile, error) {
	if name == "" {
		return nil, nil
	}
	return nos.LoadProfile(name)
}
