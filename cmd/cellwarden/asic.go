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

func asicCommand() *cobra.Command {
	c := &cobra.Command{Use: "asic", Short: "The chip catalogue: what is known of each chip's memory, with its sources"}
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
				s.row(c.Name, c.Title, count(int64(c.Cell)), count(len(c.Slices)), count(c.TotalCells()), count(c.Cell.Bytes(c.TotalCells())))
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
		Use: "show NAME", Short: "Show a chip's numbers and their sources; -o json prints a chip file",
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

// failure marks an error of output as such.
func failure(err error) error {
	if err != nil {
		return exit{exitFailure, err}
	}
	return nil
}

// loadChip finds a chip by name, or reads a chip file if the name looks like
// one.
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

func chipReport(c *buffer.Chip) *report {
	sourced := func(s string) string {
		if s == "" {
			return "not sourced"
		}
		return s
	}
	s := section{title: "Numbers", columns: []string{"what", "value", "source"}}
	s.row("cell", fmt.Sprintf("%d bytes", c.Cell), sourced(c.Sources.Cell))
	s.row("stored with each packet", c.Overhead.String(), sourced(c.Sources.Overhead))
	s.row("cells in all", string(count(c.TotalCells())), sourced(c.Sources.Slices))
	for i := range c.Slices {
		s.row(fmt.Sprintf("slice %d", i), fmt.Sprintf("%s cells", count(c.Slices[i].Cells)), sourced(c.Sources.Slices))
		for _, t := range c.Slices[i].Takes {
			s.row(fmt.Sprintf("slice %d, chip's own: %s", i, t.Item), fmt.Sprintf("%s cells", count(t.Cells)), sourced(t.Source))
		}
	}
	for _, p := range foldPipes(c.Pipes) {
		s.row("pipes "+buffer.FoldPorts(p.names), "slices "+p.slices, sourced(c.Sources.Pipes))
	}
	s.row("alpha", fmt.Sprintf("%v to %v (dynamic_th %d to %d)", c.MinAlpha, c.MaxAlpha, c.MinAlpha, c.MaxAlpha), sourced(c.Sources.Alpha))
	s.row("groups of a port", fmt.Sprint(c.Groups), sourced(c.Sources.Groups))
	r := &report{head: []string{fmt.Sprintf("%s: %s", c.Name, c.Title)}, sections: []section{s}}
	for _, n := range c.Notes {
		r.foot = append(r.foot, "- "+n)
	}
	return r
}

// pipes are ingress pipes whose ports are charged in the same slices.
type pipes struct {
	names  []string
	slices string
}

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
