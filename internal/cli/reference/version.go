package reference

import (
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/spf13/cobra"
)

// version says which cellwarden this is. The Go toolchain writes it into the program.

// VersionCommand prints what the toolchain has written into the program: see cli.ReadVersion.
func VersionCommand() *cobra.Command {
	var format cli.Output
	c := cli.Command("version", cli.Args(0, 0), func(cmd *cobra.Command, _ []string) error {
		v := cli.ReadVersion()
		return (&cli.Screen{Head: []string{v.String()}}).Print(cmd, format, v, cli.ExitFine)
	})
	cli.OutputFlag(c, &format)
	return c
}
