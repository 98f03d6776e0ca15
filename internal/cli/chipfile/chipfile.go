// Package chipfile writes the chip files of the verbs that measure a switch: calibrate and identify.
//
// Both make a buffer.Chip whose numbers have the measurement as their source, with its day. The file is what every verb
// takes with --chip and what a topology names as its chip.
package chipfile

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/once"
)

// Day is the form of --date. A measurement without a day cannot be weighed against a later one.
var Day = once.Pattern(`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$`)

// Write writes a chip file, and to standard output if path is "-". JSON is YAML, so that it can be edited as either. A
// file that exists is kept without --force, and gets its new content as a whole or not at all.
func Write(cmd *cobra.Command, path string, c buffer.Chip) error {
	var text bytes.Buffer
	err := cli.WriteJSON(&text, c)
	if err == nil {
		err = cli.Store(cmd, path, text.Bytes())
	}
	return cli.Failure(err)
}
