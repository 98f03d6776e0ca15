package inputs

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// LoadChip finds a chip by name, or reads a chip file if the name contains a dot or
// a slash. No name in the catalogue has one. open decides which files may be read: see Named and Beside.
func LoadChip(open topology.Open, name string) (buffer.Chip, error) {
	if !strings.ContainsAny(name, "./") {
		return asic.Load(name)
	}
	data, err := open(name)
	if err != nil {
		return buffer.Chip{}, fmt.Errorf("chip file: %w", err)
	}
	chip, err := topology.ParseChip(name, data)
	if err != nil {
		return buffer.Chip{}, errors.Join(buffer.ErrInvalid, err)
	}
	return chip, nil
}

// LoadCells finds a chip and refuses one without a cell size. Some chips of the
// catalogue have none, because no public source gives it. The error says what to give instead, so the verb need not.
func LoadCells(open topology.Open, name string) (buffer.Chip, error) {
	chip, err := LoadChip(open, name)
	if err == nil {
		err = HasCells(&chip)
	}
	return chip, err
}

// HasCells refuses a chip without a cell size. A method that counts bytes needs no cell, so the check is the verb's
// and not LoadChip's.
func HasCells(c *buffer.Chip) error {
	if c.Cell > 0 {
		return nil
	}
	return fmt.Errorf("%w: chip %s: the size of its cells is not sourced (want --cell in its place, or a chip file)",
		buffer.ErrInvalid, c.Name)
}

// day is the form of --date.
var day = once.Pattern(`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$`)

// DateFlag adds --date, the day of a measurement. One without a day cannot be weighed against a later one.
func DateFlag(c *cobra.Command, to *string, usage string) {
	cli.TypedFlag(c.Flags(), to, "date", "", func(text string) (string, error) {
		if !day().MatchString(text) {
			return "", fmt.Errorf("%q (want a day such as 2026-11-22)", text)
		}
		return text, nil
	}, usage)
}

// WriteChip writes the chip file of a verb that measures a switch: calibrate and identify. The file is what every verb
// takes with --chip and what a topology names as its chip. JSON is YAML, so that it can be edited as either. Standard
// output is "-". A file that exists is kept without --force, and gets its new content as a whole or not at all.
func WriteChip(cmd *cobra.Command, path string, c buffer.Chip) error {
	var text bytes.Buffer
	err := cli.WriteJSON(&text, c)
	if err == nil {
		err = cli.Store(cmd, path, text.Bytes())
	}
	return cli.Failure(err)
}

// CompleteChips offers the chips of the catalogue. A path is accepted too, so files are offered as well.
// ShellCompDirectiveDefault leaves the shell its own completion of files beside the names.
func CompleteChips(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return asic.Names(), cobra.ShellCompDirectiveDefault
}

// ParseCell reads the size of a cell. Its range is that of the memory of a sizing method.
func ParseCell(text string) (cells.Size, error) {
	b, err := unit.ParseBytes(text)
	if err != nil {
		return 0, err
	}
	m := thresholds.Memory{Cell: cells.Size(b)}
	return m.Cell, m.Validate()
}
