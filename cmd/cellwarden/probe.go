package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/topology"
)

// probeFlags choose the rule by which the chip compares.
type probeFlags struct{ limit, xoff, xon, format string }

func probeCommand() *cobra.Command {
	var f probeFlags
	c := &cobra.Command{
		Use:   "probe FILE",
		Short: "Fill groups with packets into a blocked egress: when does each pause, drop, resume?",
		Long: "probe asks the packet-level model what a tester asks a switch. FILE, - for standard input, is YAML or JSON:\n\n" +
			"  chip: {cell: 208B, packet_overhead: 0B, slices: 4}\n" +
			"  pool: {size: 10875072B, shared_headroom: 4194112B, size_includes_headroom: false, reserved_elsewhere_cells: 0}\n" +
			"  group: {reserved: 1248B, alpha: 1, headroom: 268736B, xon_offset: 2288B}\n" +
			"  fill: {packet: 64B, groups: 10, order: together}   # or in-turn\n\n" +
			"Sizes are those of the whole chip and divided evenly over the slices; all groups are in one slice. reserved_elsewhere_cells is\n" +
			"taken off each slice's part of the pool; a group's own reserved cells stand beside it. Without shared_headroom each group's\n" +
			"headroom is its own. fill.packet_bytes_charged: 112B charges bytes in place of cells.\n\n" +
			"The flags choose how the chip compares; no vendor publishes it. Their defaults are inferred: of 52 values measured on real chips they\n" +
			"give 42 within one cell, and the project's silicon test lists the others.\n\n" + exitCodes,
		Example: "  cellwarden probe tomahawk.yaml -o json\n  cellwarden probe tomahawk.yaml --xon current",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	c.Flags().StringVar(&f.limit, "limit", "after", "a dynamic limit is read before or after the packet")
	c.Flags().StringVar(&f.xoff, "xoff", "full", "XOFF goes out with the packet that fills the shared part (full), or with the first refused (refused)")
	c.Flags().StringVar(&f.xon, "xon", "latched", "XON is measured from the limit at XOFF (latched) or of now (current)")
	outputFlag(c, &f.format)
	return c
}

func (f *probeFlags) run(cmd *cobra.Command, file string) error {
	if err := checkFormat(f.format); err != nil {
		return err
	}
	name, data, err := readInput(cmd.InOrStdin(), file)
	if err != nil {
		return exit{exitUsage, err}
	}
	p, err := topology.ParseProbe(name, data)
	if err != nil {
		return exit{exitUsage, err}
	}
	if err := f.choose(&p); err != nil {
		return err
	}
	a, err := p.Run()
	if err != nil {
		return exit{exitUsage, err}
	}
	d := probeDocument(a)
	return failure(d.report().write(cmd.OutOrStdout(), f.format, d))
}

// choose sets the probe's rule by the flags.
func (f *probeFlags) choose(p *buffer.MMUProbe) error {
	for _, x := range []struct {
		flag, value string
		accepted    []string
		set         *bool
	}{
		{"limit", f.limit, []string{"before", "after"}, &p.Rule.LimitAfter},
		{"xoff", f.xoff, []string{"refused", "full"}, &p.Rule.PauseAtLimit},
		{"xon", f.xon, []string{"current", "latched"}, &p.Latched},
	} {
		i := slices.Index(x.accepted, x.value)
		if i < 0 {
			return fmt.Errorf("--%s %q: accepted: %s", x.flag, x.value, strings.Join(x.accepted, ", "))
		}
		*x.set = i == 1
	}
	return nil
}

type probeJSON struct {
	Schema       string           `json:"schema"`
	Groups       []probeGroupJSON `json:"groups"`
	HeadroomPool cells.Count      `json:"headroom_pool_cells"`
	Shared       cells.Count      `json:"shared_cells"`
}

type probeGroupJSON struct {
	Index    int   `json:"index"`
	XOFF     int64 `json:"xoff_at_packet"`
	Drop     int64 `json:"drop_at_packet"`
	XONBelow int64 `json:"xon_below_packets"`
	Headroom int64 `json:"headroom_packets"`
}

func probeDocument(a buffer.ProbeAnswer) probeJSON {
	d := probeJSON{Schema: "cellwarden.probe/v1", Groups: []probeGroupJSON{}, HeadroomPool: a.HeadroomPool, Shared: a.Shared}
	for i, g := range a.Groups {
		d.Groups = append(d.Groups, probeGroupJSON{i, g.XOFF, g.Drop, g.XONBelow, g.Headroom})
	}
	return d
}

func (d *probeJSON) report() *report {
	s := section{title: "Groups", columns: []string{"group", "XOFF at packet", "first drop", "XON below", "in headroom"}}
	for _, g := range d.Groups {
		s.row(count(g.Index), count(g.XOFF), count(g.Drop), count(g.XONBelow), count(g.Headroom))
	}
	return &report{head: []string{fmt.Sprintf("%s cells shared in the slice, %s in its shared headroom pool; packets are counted per group from 1",
		count(d.Shared), count(d.HeadroomPool))}, sections: []section{s}}
}
