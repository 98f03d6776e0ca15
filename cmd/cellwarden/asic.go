package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/topology"
)

// asic prints the chip catalogue. This file also finds chips by name or file for the
// other verbs.

func asicCommand() *cobra.Command {
	c := &cobra.Command{Use: "asic", Short: "Show the chip catalogue: memory, limits and the source of each number"}
	c.AddCommand(asicListCommand(), asicShowCommand())
	return c
}

func asicListCommand() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use: "list", Short: "List the chips", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkFormat(format); err != nil {
				return err
			}
			s := section{title: "Chips", columns: []string{"name", "chip", "cell bytes", "slices", "cells", "bytes"}}
			chips := asic.All()
			for _, c := range chips {
				memory := c.Cell.Bytes(c.TotalCells())
				if len(c.Slices) == 0 {
					memory = c.MemoryBytes
				}
				s.row(c.Name, c.Title, sourcedCount(int64(c.Cell)), sourcedCount(len(c.Slices)), sourcedCount(c.TotalCells()), sourcedCount(memory))
			}
			return failure((&report{sections: []section{s}}).write(cmd.OutOrStdout(), format, chips))
		},
	}
	outputFlag(c, &format)
	return c
}

func asicShowCommand() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use: "show NAME", Short: "Show the numbers of a chip and their sources; -o json prints a chip file",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(format); err != nil {
				return err
			}
			chip, err := loadChip(args[0])
			if err != nil {
				return exit{exitUsage, err}
			}
			return failure(chipReport(&chip).write(cmd.OutOrStdout(), format, chip))
		},
	}
	outputFlag(c, &format)
	return c
}

// sourcedCount prints a count. Zero means that the number has no source, and prints
// a dash.
func sourcedCount[T ~int | ~int64](n T) number {
	if n == 0 {
		return "-"
	}
	return count(n)
}

// failure marks an error of output as such.
func failure(err error) error {
	if err != nil {
		return exit{exitFailure, err}
	}
	return nil
}

// loadChip finds a chip by name, or reads a chip file if the name contains a dot or
// a slash. No name in the catalogue has one.
func loadChip(name string) (buffer.Chip, error) {
	if !strings.ContainsAny(name, "./") {
		return asic.Load(name)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return buffer.Chip{}, fmt.Errorf("chip file: %w", err)
	}
	chip, err := topology.ParseChip(name, data)
	if err != nil {
		return buffer.Chip{}, errors.Join(buffer.ErrInvalid, err)
	}
	return chip, nil
}

// loadCells finds a chip and refuses one without a cell size. Some chips of the
// catalogue have none, because no public source gives it.
func loadCells(name string) (buffer.Chip, error) {
	chip, err := loadChip(name)
	if err == nil && chip.Cell == 0 {
		err = fmt.Errorf("%w: chip %s: the size of its cells is not sourced: accepted: --cell in its place, or a chip file", buffer.ErrInvalid, chip.Name)
	}
	return chip, err
}

// chipReport lists every number of a chip with its source.
func chipReport(c *buffer.Chip) *report {
	s := section{title: "Numbers", columns: []string{"what", "value", "source"}}
	showMemory(&s, c)
	showLimits(&s, c)
	r := &report{head: []string{fmt.Sprintf("%s: %s", c.Name, c.Title)}, sections: []section{s}}
	if len(c.HeadroomDefaults) > 0 {
		r.sections = append(r.sections, showDefaults(c))
	}
	for _, n := range c.Notes {
		r.foot = append(r.foot, "- "+n)
	}
	return r
}

func sourced(s string) string {
	if s == "" {
		return "not sourced"
	}
	return s
}

// showMemory lists the cells of a chip, slice by slice.
func showMemory(s *section, c *buffer.Chip) {
	s.row("cell", with(c.Cell, "bytes"), sourced(c.Sources.Cell))
	if len(c.Slices) > 0 || c.Overhead > 0 { // a plan takes 0 as none
		s.row("stored with each packet", c.Overhead.String(), sourced(c.Sources.Overhead))
	} else {
		s.row("stored with each packet", "-", sourced(""))
	}
	s.row("kind of memory", orDash(c.MemoryKind), sourced(c.Sources.Memory))
	if c.MemoryBytes > 0 {
		s.row("memory on the chip", with(c.MemoryBytes, "bytes"), sourced(c.Sources.Memory))
	}
	s.row("cells in all", string(sourcedCount(c.TotalCells())), sourced(c.Sources.Slices))
	for i := range c.Slices {
		s.row(fmt.Sprintf("slice %d", i), fmt.Sprintf("%s cells", count(c.Slices[i].Cells)), sourced(c.Sources.Slices))
		for _, t := range c.Slices[i].Takes {
			s.row(fmt.Sprintf("slice %d, chip's own: %s", i, t.Item), fmt.Sprintf("%s cells", count(t.Cells)), sourced(t.Source))
		}
	}
	for _, p := range foldPipes(c.Pipes) {
		s.row("pipes "+buffer.FoldPorts(p.names), "slices "+p.slices, sourced(c.Sources.Pipes))
	}
}

// showLimits lists the limits of the configuration.
func showLimits(s *section, c *buffer.Chip) {
	s.row("alpha", alphaRange(c), sourced(c.Sources.Alpha))
	s.row("ports", string(sourcedCount(c.Ports)), sourced(c.Sources.Ports))
	s.row("groups of a port", string(sourcedCount(c.Groups)), sourced(c.Sources.Groups))
	s.row("ingress pools", string(sourcedCount(c.IngressPools)), sourced(c.Sources.IngressPools))
	s.row("egress pools", string(sourcedCount(c.EgressPools)), sourced(c.Sources.EgressPools))
	s.row("headroom pools", string(sourcedCount(c.HeadroomPools)), sourced(c.Sources.HeadroomPools))
	s.row("largest pool in a slice", with(c.MaxPool, "cells"), sourced(c.Sources.MaxPool))
	s.row("largest headroom pool in a slice", with(c.MaxHeadroomPool, "cells"), sourced(c.Sources.MaxHeadroomPool))
	s.row("most headroom of a port", with(c.MaxPortHeadroom, "cells"), sourced(c.Sources.MaxPortHeadroom))
	s.row("ports that give cells back", reclaims(c.Reclaims), sourced(c.Sources.Reclaims))
	for _, line := range roundings(&c.Rounding) {
		s.row("rounding", line, sourced(c.Sources.Rounding))
	}
}

// reclaims names the ports from which a chip takes cells back.
func reclaims(r buffer.Reclaim) string {
	if r == buffer.ReclaimsNothing {
		return "none"
	}
	return string(r)
}

// showDefaults lists the headroom that the vendor's software reserves by default.
func showDefaults(c *buffer.Chip) section {
	s := section{title: "Default headroom of a lossless group, in cells", columns: []string{"speed", "line rate", "oversubscribed", "source"}}
	for _, d := range c.HeadroomDefaults {
		s.row(d.Speed.String(), sourcedCount(d.LineRate), sourcedCount(d.Oversubscribed), sourced(c.Sources.HeadroomDefaults))
	}
	return s
}

// alphaRange prints the chip's alphas, "-" if none is known.
func alphaRange(c *buffer.Chip) string {
	if c.MinAlpha == 0 && c.MaxAlpha == 0 && c.Sources.Alpha == "" {
		return "-"
	}
	all := make([]string, 0, c.MaxAlpha-c.MinAlpha+1)
	for a := c.MinAlpha; a <= c.MaxAlpha; a++ {
		all = append(all, a.String())
	}
	return fmt.Sprintf("%s (dynamic_th %d to %d)", strings.Join(all, " "), c.MinAlpha, c.MaxAlpha)
}

// roundings describes how the chip rounds limits, one line for each rule.
func roundings(r *buffer.Rounding) []string {
	var lines []string
	add := func(n int64, format string) {
		if n != 0 {
			lines = append(lines, fmt.Sprintf(format, n))
		}
	}
	add(int64(r.Marking), "ECN thresholds: multiples of %d bytes")
	add(int64(r.ResumeOffset), "XON offsets: multiples of %d cells")
	add(int64(r.ColourLimit), "limits by colour: multiples of %d cells")
	add(int64(r.Mantissa), "thresholds: %d bits and an exponent, down")
	add(int64(r.HeadroomMantissa), "headroom: %d bits and an exponent, up")
	if len(lines) == 0 {
		return []string{"-"}
	}
	return lines
}

// with prints a number and its unit, "-" if it is not sourced.
func with[T ~int | ~int64](n T, of string) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%s %s", count(n), of)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// pipes are ingress pipes whose ports are charged in the same slices.
type pipes struct {
	names  []string
	slices string
}

// foldPipes merges pipes that feed the same slices.
func foldPipes(all [][]int) []pipes {
	var out []pipes
	for i, p := range all {
		feeds := join(slices.Clone(p))
		k := slices.IndexFunc(out, func(o pipes) bool { return o.slices == feeds })
		if k < 0 {
			k = len(out)
			out = append(out, pipes{slices: feeds})
		}
		out[k].names = append(out[k].names, fmt.Sprint(i))
	}
	return out
}
