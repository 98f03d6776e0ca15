package reference

import (
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/spf13/cobra"
)

// version says which cellwarden this is. The Go toolchain writes it into the program.

// versionCommand prints what the toolchain has written into the program: see cli.ReadVersion.
func versionCommand() *cobra.Command {
	var format cli.Output
	c := &cobra.Command{
		Use:     "version",
		Example: "  cellwarden version",
		Short:   "Print the version of the module, the commit and the version of Go",
		Long:    "version prints the version of the module, the commit and the version of Go.",
		Args:    cli.Args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := cli.ReadVersion()
			return (&cli.Screen{Head: []string{v.String()}}).Print(cmd, format, v, cli.ExitFine)
		},
	}
	cli.OutputFlag(c, &format)
	return c
}
