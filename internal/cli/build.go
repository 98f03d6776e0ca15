package cli

import (
	"fmt"
	"runtime/debug"
)

// ReadVersion reads what the toolchain wrote.
func ReadVersion() versionJSON {
	v := versionJSON{Schema: "cellwarden.version/v1", Version: "unknown"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Module, v.Version, v.Go = info.Main.Path, info.Main.Version, info.GoVersion
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.time":
			v.Time = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// versionJSON is the version as a document.
type versionJSON struct {
	Schema   string `json:"schema"`
	Module   string `json:"module"`
	Version  string `json:"version"` // of the module; "(devel)" if it was built from a checkout without a tag
	Commit   string `json:"commit"`  // empty: not known
	Modified bool   `json:"modified"`
	Time     string `json:"commit_time,omitempty"`
	Go       string `json:"go"`
}

// String prints "cellwarden v1.2.3, commit 0123456789ab, go1.26".
func (v versionJSON) String() string {
	commit := "commit not known"
	if v.Commit != "" {
		commit = "commit " + v.Commit
	}
	if v.Modified {
		commit += " with changes"
	}
	return fmt.Sprintf("cellwarden %s, %s, %s", v.Version, commit, v.Go)
}
