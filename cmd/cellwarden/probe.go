package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer/mmu"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/topology"
)

// probeFlags are the flags of the probe command: the rule by which the chip
// compares counters with limits.
type probeFlags struct{ limit, xoff, xon, format string }

// probeCommand returns the probe command.
func probeCommand() *cobra.Command {
	var f probeFlags
	c := &cobra.Command{
		Use:   "probe FILE",
		Short: "Fill groups with packets into a blocked egress: when does each pause, drop, resume?",
		Long: "probe asks the packet-level model what a tester asks a switch. FILE, - for standard input, is YAML " +
			"or JSON:\n\n" +
			"  chip: {cell: 208B, packet_overhead: 0B, slices: 4}\n" +
			"  pool: {size: 10875072B, shared_headroom: 4194112B, size_includes_headroom: false, " +
			"reserved_elsewhere_cells: 0}\n" +
			"  group: {reserved: 1248B, alpha: 1, headroom: 268736B, xon_offset: 2288B}\n" +
			"  fill: {packet: 64B, groups: 10, order: together}   # or in-turn\n\n" +
			"Sizes are those of the whole chip and divided evenly over the slices; all groups are in one slice. " +
			"reserved_elsewhere_cells is\n" +
			"taken off each slice's part of the pool; a group's own reserved cells stand beside it. Without " +
			"shared_headroom each group's\n" +
			"headroom is its own. fill.packet_bytes_charged: 112B charges bytes in place of cells.\n\n" +
			"The limit on shared cells is one of alpha: 1/8, dynamic_th: -3 and static_th: 2718768B, which the " +
			"slices divide too (0B: none).\n" +
			"group.lossless: false is a group that sends no XOFF. The blocked egress takes everything, unless its " +
			"queue has limits:\n\n" +
			"  egress: {size: 9243812B, reserved_elsewhere_cells: 0, reserved: 1518B, alpha: 8}\n\n" +
			"Then the packets of all groups wait in that one queue, and the answer says what dropped: a group that " +
			"the egress drops before it\n" +
			"could pause has its XOFF at packet 0.\n\n" +
			"The flags choose how the chip compares; no vendor publishes it. Their defaults are inferred: of 52 " +
			"values that public tests have of\n" +
			"real chips they give 44 within one cell, and the project's silicon test lists the others.\n\n" + exitCodes,
		Example: "  cellwarden probe tomahawk.yaml -o json\n  cellwarden probe tomahawk.yaml --xon current",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	c.Flags().StringVar(&f.limit, "limit", "after", "a dynamic limit is read before or after the packet")
	c.Flags().StringVar(&f.xoff, "xoff", "full",
		"XOFF goes out with the packet that fills the shared part (full), or with the first refused (refused)")
	c.Flags().StringVar(&f.xon, "xon", "latched",
		"XON is measured from the limit at XOFF (latched) or of now (current)")
	outputFlag(c, &f.format)
	return c
}

// run reads the probe, runs it and prints the answer.
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
	d := probeDocument(&p, a)
	return failure(d.report().write(cmd.OutOrStdout(), f.format, d))
}

// choose sets the probe's rule. Each flag has two values, of which the second
// sets the rule's field.
func (f *probeFlags) choose(p *mmu.Probe) error {
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

// probeJSON is the answer as a document.
type probeJSON struct {
	Schema       string           `json:"schema"`
	Groups       []probeGroupJSON `json:"groups"`
	HeadroomPool cells.Count      `json:"headroom_pool_cells"`
	Shared       cells.Count      `json:"shared_cells"`
	EgressShared cells.Count      `json:"egress_shared_cells,omitempty"`
	egress       bool             // the egress has limits, so the cause of a drop is printed
}

// probeGroupJSON is the answer for one group.
type probeGroupJSON struct {
	Index    int    `json:"index"`
	XOFF     int64  `json:"xoff_at_packet"`
	Drop     int64  `json:"drop_at_packet"`
	XONBelow int64  `json:"xon_below_packets"`
	Headroom int64  `json:"headroom_packets"`
	Cause    string `json:"drop_cause,omitempty"` // only if the egress has limits
}

// probeDocument converts the answer.
func probeDocument(p *mmu.Probe, a mmu.ProbeAnswer) probeJSON {
	d := probeJSON{Schema: "cellwarden.probe/v1", Groups: []probeGroupJSON{}, HeadroomPool: a.HeadroomPool,
		Shared: a.Shared, EgressShared: a.EgressShared,
		egress: p.Egress.Pool > 0}
	for i, g := range a.Groups {
		j := probeGroupJSON{Index: i, XOFF: g.XOFF, Drop: g.Drop, XONBelow: g.XONBelow, Headroom: g.Headroom}
		if d.egress {
			j.Cause = g.Cause.String()
		}
		d.Groups = append(d.Groups, j)
	}
	return d
}

// report returns the table.
func (d *probeJSON) report() *report {
	s := section{title: "Groups", columns: []string{"group", "XOFF at packet", "first drop", "XON below",
		"in headroom"}}
	head := fmt.Sprintf(
		"%s cells shared in the slice, %s in its shared headroom pool; packets are counted per group from 1",
		count(d.Shared), count(d.HeadroomPool))
	if d.egress {
		s.columns = append(s.columns, "dropped by")
		head = fmt.Sprintf("%s cells shared in the slice, %s in its shared headroom pool, %s at the egress; "+
			"packets are counted per group from 1",
			count(d.Shared), count(d.HeadroomPool), count(d.EgressShared))
	}
	for _, g := range d.Groups {
		row := []any{count(g.Index), count(g.XOFF), count(g.Drop), count(g.XONBelow), count(g.Headroom)}
		if d.egress {
			row = append(row, g.Cause)
		}
		s.row(row...)
	}
	return &report{head: []string{head}, sections: []section{s}}
}
