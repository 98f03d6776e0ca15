// Package examples has the topologies of this folder as files inside the program, with the headroom tables and the chip
// files that they name, and the scenarios: what a server offers to choose from, and what a finding is shown by, without
// reading a file.
package examples

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
)

//go:embed *.yaml *.ini scenarios/*.yaml
var files embed.FS

// Topologies returns the names of the topologies, sorted.
func Topologies() []string {
	all, err := fs.Glob(files, "*.yaml") // sorted
	if err != nil {                      // the pattern is correct
		panic(err)
	}
	return slices.DeleteFunc(all, func(name string) bool {
		return strings.HasPrefix(name, "probe-") || strings.HasPrefix(name, "fabric-") ||
			strings.HasSuffix(name, "-chip.yaml")
	})
}

// Read returns the content of a file of the folder. It is a topology.Open that reaches no other files.
func Read(name string) ([]byte, error) { return files.ReadFile(name) }
