// Package unknown has the verb that finds the rules of a switch by probing it: identify.
package unknown

import (
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
)

// Commands are the verbs of this group.
func Commands() []*cobra.Command { return []*cobra.Command{identifyCommand()} }

// day is the form of --date.
var day = regexp.MustCompile(`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$`)

// writeChipFile writes a chip file, or prints it.
func writeChipFile(cmd *cobra.Command, path string, c buffer.Chip) error {
	var text strings.Builder
	if err := cli.WriteJSON(&text, c); err != nil {
		return cli.Failure(err)
	}
	if path == "-" {
		_, err := io.WriteString(cmd.OutOrStdout(), text.String())
		return cli.Failure(err)
	}
	out, err := cli.Create(cmd, path)
	if err != nil {
		return cli.Failure(err)
	}
	if _, err := io.WriteString(out, text.String()); err != nil {
		return cli.Failure(err)
	}
	return cli.Failure(cli.Commit(cmd))
}
