package report

import "fmt"

// VersionDocument says which cellwarden a program is.
type VersionDocument struct {
	Schema   string `json:"schema"`
	Module   string `json:"module"`
	Version  string `json:"version"` // of the module; "(devel)" if it was built from a checkout without a tag
	Commit   string `json:"commit"`  // empty: not known
	Modified bool   `json:"modified"`
	Time     string `json:"commit_time,omitempty"`
	Go       string `json:"go"`
}

// String prints "cellwarden v1.2.3, commit 0123456789ab of 2026-01-31T12:00:00Z, go1.26".
func (v VersionDocument) String() string {
	commit := "commit not known"
	if v.Commit != "" {
		commit = "commit " + v.Commit
	}
	if v.Time != "" {
		commit += " of " + v.Time
	}
	if v.Modified {
		commit += " with changes"
	}
	return fmt.Sprintf("cellwarden %s, %s, %s", v.Version, commit, v.Go)
}
