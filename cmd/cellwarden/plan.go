package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	publish "github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
)

func planCommand() *cobra.Command {
	var format output
	var units string
	var all, sonic bool
	c := &cobra.Command{
		Use:   "plan FILE",
		Short: "Size the headroom of a switch and admit it into the chip's cells, or refuse it",
		Long: "plan reads a topology (YAML or JSON; - is standard input), sizes the headroom of every lossless group, admits all of it\n" +
			"into the chip's cell pools and prints where every cell is. Nothing is sent anywhere. docs/topology.md lists the keys.\n\n" + exitCodes,
		Example: "  cellwarden plan examples/arista-7060cx-32s.yaml\n  cellwarden plan -o json - < topology.yaml",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(checkFormat(format), checkUnits(units)); err != nil {
				return err
			}
			plan, in, err := loadPlan(cmd, args[0])
			if err != nil {
				return err
			}
			doc, r := planDocument{PlanDocument: publish.Plan(plan)}, &report{}
			if sonic {
				if doc.SONiC, err = sonicPools(in); err != nil {
					return exit{exitUsage, err}
				}
				r = sonicReport(doc.SONiC)
			}
			full := planReport(plan, units, all)
			full.sections, full.foot = append(full.sections, r.sections...), append(full.foot, r.foot...)
			if err := full.write(cmd.OutOrStdout(), format, doc); err != nil {
				return failure(err)
			}
			if !plan.Fits {
				return silent(exitNoFit)
			}
			return nil
		},
	}
	outputFlag(c, &format)
	c.Flags().BoolVar(&all, "all", false, "list every port that is refused, not only the first")
	c.Flags().BoolVar(&sonic, "sonic-pools", false,
		"show what SONiC's dynamic buffer manager would size its pools to (NVIDIA's chips)")
	c.Flags().StringVar(&units, "units", "cells", "unit of the tables: cells or bytes")
	return c
}

func checkUnits(units string) error {
	if units != "cells" && units != "bytes" {
		return fmt.Errorf("units %q: accepted: cells, bytes", units)
	}
	return nil
}

// loadPlan reads a topology and plans it.
func loadPlan(cmd *cobra.Command, file string) (*buffer.Plan, buffer.Intent, error) {
	name, data, err := readInput(cmd.InOrStdin(), file)
	if err != nil {
		return nil, buffer.Intent{}, exit{exitUsage, err}
	}
	in, err := topology.Parse(name, data, os.ReadFile)
	if err != nil {
		return nil, in, exit{exitUsage, err}
	}
	plan, err := buffer.New(in)
	if err != nil {
		return nil, in, exit{exitUsage, fmt.Errorf("%s: %w", name, err)}
	}
	return plan, in, nil
}

// readInput reads a file, or standard input for "-".
func readInput(stdin io.Reader, file string) (string, []byte, error) {
	if file == "-" {
		data, err := io.ReadAll(stdin)
		return "standard input", data, err
	}
	data, err := os.ReadFile(file)
	return file, data, err
}
