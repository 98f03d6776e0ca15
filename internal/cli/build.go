package cli

import (
	"runtime/debug"

	"github.com/cellwarden/cellwarden/report"
)

// ReadVersion reads what the toolchain wrote. A program that was built without a module or without a checkout has
// "unknown" or no commit: nothing is typed in here, so that no release can forget it. Time is that of the commit, and
// Modified says that the checkout had other changes.
func ReadVersion() report.VersionDocument {
	v := report.VersionDocument{Schema: report.Schema("version"), Version: "unknown"}
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
