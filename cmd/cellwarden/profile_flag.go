package main

import "github.com/cellwarden/cellwarden/nos"

// namedProfile loads the profile of --profile; none is nil.
func namedProfile(name string) (*nos.Profile, error) {
	if name == "" {
		return nil, nil
	}
	return nos.LoadProfile(name)
}
