// Package reference has the verbs that look things up: explain, asic, schema, serve, man and version.
package reference

import "github.com/spf13/cobra"

// Commands are the verbs of this group.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		explainCommand(), asicCommand(), schemaCommand(), serveCommand(), manCommand(), versionCommand(),
	}
}
