// Package push has the verbs that bring a plan to a switch and keep it there: apply, resume, drift and render.
// The verb target is a package of its own beneath the same group.
package push

import (
	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/internal/cli/target"
)

// Commands are the verbs of this group.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		applyCommand(), resumeCommand(), driftCommand(), renderCommand(), target.New(),
	}
}
