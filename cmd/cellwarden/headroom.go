package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// headroomFlags are the flags of the headroom command, as text.
type headroomFlags struct {
	method, speed, cable, mtu, losslessMTU, cell, overhead, chip, frame, table, format string
}

func headroomCommand() *cobra.Command {
	var f headroomFlags
	c := &cobra.Command{
		Use:     "headroom",
		Short:   "Size the headroom of one lossless group, term by term",
		Long:    "headroom sizes one lossless group at the end of one link, prints every term with its source, and shows the ways to turn\nbytes on the wire into cells of the chip.\n\n" + exitCodes,
		Example: "  cellwarden headroom --method ieee802.1qbb --speed 10G --cable 100m --mtu 9216B --lossless-mtu 2300B --cell 416B --frame 64B\n  cellwarden headroom --speed 100G --cable 300m --chip tomahawk",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	c.Flags().StringVar(&f.method, "method", thresholds.IEEE{}.Method(), "ieee802.1qbb or table")
	c.Flags().StringVar(&f.speed, "speed", "", "speed of the port, such as 100G")
	c.Flags().StringVar(&f.cable, "cable", "", "length of the cable, such as 300m")
	c.Flags().StringVar(&f.mtu, "mtu", "9216B", "longest frame of any class on the port")
	c.Flags().StringVar(&f.losslessMTU, "lossless-mtu", "", "longest frame of the lossless class (default: the port's MTU)")
	c.Flags().StringVar(&f.cell, "cell", "", "size of a cell, such as 416B (or --chip)")
	c.Flags().StringVar(&f.overhead, "overhead", "0B", "bytes that the chip stores with each packet")
	c.Flags().StringVar(&f.chip, "chip", "", "take cell size and overhead from this chip: a name or a chip file")
	c.Flags().StringVar(&f.frame, "frame", "64B", "size of the frames that fill the headroom")
	c.Flags().StringVar(&f.table, "table", "", "pg_profile_lookup.ini, for method table")
	outputFlag(c, &f.format)
	return c
}

func (f *headroomFlags) run(cmd *cobra.Command) error {
	link, memory, sizer, err := f.parse()
	if err = errors.Join(err, checkFormat(f.format)); err != nil {
		return err
	}
	h, err := sizer.Explain(link, memory)
	if err != nil {
		return exit{exitUsage, err}
	}
	if err := headroomReport(h, link, memory).write(cmd.OutOrStdout(), f.format, headroomDocument(h, memory)); err != nil {
		return exit{exitFailure, err}
	}
	return nil
}

// flagValue parses the text of a flag and names the flag if it cannot.
func flagValue[T any](bad *[]error, flag, text string, parse func(string) (T, error)) T {
	v, err := parse(text)
	if err != nil {
		*bad = append(*bad, fmt.Errorf("--%s: %w", flag, err))
	}
	return v
}

// parse makes quantities of the flags, with all complaints at once.
func (f *headroomFlags) parse() (thresholds.Link, thresholds.Memory, thresholds.Sizer, error) {
	var bad []error
	link := thresholds.Link{
		Rate:  flagValue(&bad, "speed", f.speed, unit.ParseBitRate),
		Cable: flagValue(&bad, "cable", f.cable, unit.ParseLength),
		MTU:   flagValue(&bad, "mtu", f.mtu, unit.ParseBytes),
	}
	link.LosslessMTU = link.MTU
	if f.losslessMTU != "" {
		link.LosslessMTU = flagValue(&bad, "lossless-mtu", f.losslessMTU, unit.ParseBytes)
	}
	memory, err := f.memory()
	if err != nil {
		bad = append(bad, err)
	}
	sizer, err := f.sizer()
	if err != nil {
		bad = append(bad, err)
	}
	return link, memory, sizer, errors.Join(bad...)
}

func (f *headroomFlags) memory() (thresholds.Memory, error) {
	if f.chip != "" {
		c, err := loadChip(f.chip)
		return c.Memory(), err
	}
	if f.cell == "" {
		return thresholds.Memory{}, errors.New("--cell or --chip: one of them says how large a cell is")
	}
	var bad []error
	m := thresholds.Memory{
		Cell:     cells.Size(flagValue(&bad, "cell", f.cell, unit.ParseBytes)),
		Overhead: flagValue(&bad, "overhead", f.overhead, unit.ParseBytes),
	}
	return m, errors.Join(bad...)
}

func (f *headroomFlags) sizer() (thresholds.Sizer, error) {
	switch f.method {
	case thresholds.IEEE{}.Method():
		mix, err := thresholds.ParseMix(f.frame)
		if err != nil {
			return nil, fmt.Errorf("--frame: %w", err)
		}
		return thresholds.IEEE{Mix: mix}, nil
	case (&thresholds.Table{}).Method():
		data, err := os.ReadFile(f.table)
		if err != nil {
			return nil, fmt.Errorf("--table: %w", err)
		}
		return thresholds.ReadTable(f.table, bytes.NewReader(data))
	default:
		return nil, fmt.Errorf("--method %q: accepted: ieee802.1qbb, table", f.method)
	}
}

// document is the headroom as JSON.
type headroomJSON struct {
	Schema    string               `json:"schema"`
	Method    string               `json:"method"`
	Frame     unit.Bytes           `json:"frame_bytes"`
	Terms     []thresholds.Term    `json:"terms"`
	BitTimes  int64                `json:"total_bit_times"`
	Wire      unit.Bytes           `json:"wire_bytes"`
	Cells     cells.Count          `json:"xoff_cells"`
	XOFF      unit.Bytes           `json:"xoff_bytes"`
	CellBytes cells.Size           `json:"cell_bytes"`
	Overhead  unit.Bytes           `json:"overhead_bytes"`
	Readings  []thresholds.Reading `json:"readings"`
	Warnings  []string             `json:"warnings"`
}

func headroomDocument(h thresholds.Explanation, m thresholds.Memory) headroomJSON {
	return headroomJSON{"cellwarden.headroom/v1", h.Method, h.Mix.Frame(), h.Terms, h.BitTimes, h.Wire, h.Cells, h.XOFF, m.Cell, m.Overhead,
		h.Readings, append([]string{}, h.Warnings...)}
}

func headroomReport(h thresholds.Explanation, l thresholds.Link, m thresholds.Memory) *report {
	terms := section{title: "Terms", columns: []string{"term", "bit times", "bytes", "source"}}
	for _, t := range h.Terms {
		source := t.Source
		if t.Kind == thresholds.Inferred {
			source = "INFERRED: " + source
		}
		terms.row(t.Name, count(t.BitTimes), count(t.Bytes), source)
	}
	if h.Wire > 0 {
		terms.total = []any{"sum", count(h.BitTimes), count(h.Wire), ""}
	}
	readings := section{title: "In cells", columns: []string{"reading", "cells", "bytes", "", "how"}}
	for _, r := range h.Readings {
		used := ""
		if r.Used {
			used = "USED"
		}
		readings.row(r.Name, count(r.Cells), count(r.Bytes), used, r.How)
	}
	r := &report{
		head: []string{fmt.Sprintf("%s over %s, MTU %v, lossless MTU %v, cells of %d bytes, %v stored with each packet", l.Rate, l.Cable, l.MTU, l.LosslessMTU, m.Cell, m.Overhead),
			headroomSum(h)},
		sections: []section{terms, readings},
	}
	for _, w := range h.Warnings {
		r.foot = append(r.foot, "warning: "+w)
	}
	return r
}

func headroomSum(h thresholds.Explanation) string {
	if h.Wire == 0 {
		return fmt.Sprintf("method %s: %s cells, xoff %s bytes", h.Method, count(h.Cells), count(h.XOFF))
	}
	return fmt.Sprintf("method %s: %s bit times, %s bytes on the wire; %s cells, xoff %s bytes, filled with frames of %v",
		h.Method, count(h.BitTimes), count(h.Wire), count(h.Cells), count(h.XOFF), h.Mix)
}
