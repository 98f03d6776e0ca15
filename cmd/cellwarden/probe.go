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

// probe fills the packet-level model as a tester fills a switch, for comparison with
// public measurements. Package buffer/mmu does the work.

// probeFlags choose how the chip compares.
type probeFlags struct{ limit, xoff, xon, format string }

func probeCommand() *cobra.Command {
	var f probeFlags
	c := &cobra.Command{
		Use:   "probe FILE",
		Short: "Fill groups with packets to find when each one pauses, drops and resumes",
		Long: "probe fills the packet-level model with packets towards a blocked egress, as a tester fills a switch.\n" +
			"FILE is YAML or JSON; - is standard input:\n\n" +
			"  chip: {cell: 208B, packet_overhead: 0B, slices: 4}\n" +
			"  pool: {size: 10875072B, shared_headroom: 4194112B, size_includes_headroom: false, " +
			"reserved_elsewhere_cells: 0}\n" +
			"  group: {reserved: 1248B, alpha: 1, headroom: 268736B, xon_offset: 2288B}\n" +
			"  fill: {packet: 64B, groups: 10, order: together}   # or in-turn\n\n" +
			"Sizes are those of the whole chip and are divided evenly over the slices. All groups are in one slice.\n" +
			"reserved_elsewhere_cells is subtracted from each slice's part of the pool; the reserved cells of a group " +
			"are not part\n" +
			"of the pool. Without shared_headroom, each group has dedicated headroom. fill.packet_bytes_charged: 112B " +
			"charges bytes\n" +
			"in place of cells.\n\n" +
			"The limit on shared cells is one of alpha: 1/8, dynamic_th: -3 and static_th: 2718768B. A static limit is\n" +
			"divided over the slices too (0B: none). A group with group.lossless: false sends no XOFF. The egress " +
			"has no limit,\n" +
			"unless its queue has one:\n\n" +
			"  egress: {size: 9243812B, reserved_elsewhere_cells: 0, reserved: 1518B, alpha: 8}\n\n" +
			"Then the packets of all groups wait in that queue, and the result names the limit that dropped. A group\n" +
			"whose packets the egress drops before it pauses has its XOFF at packet 0.\n\n" +
			"The flags choose how the chip compares. No vendor publishes this. The defaults are inferred: they " +
			"reproduce 44 of 52\n" +
			"values that public tests measured on real chips, within one cell. The project's silicon test lists " +
			"the others.\n\n" + exitCodes,
		Example: "  cellwarden probe tomahawk.yaml -o json\n  cellwarden probe tomahawk.yaml --xon current",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	c.Flags().StringVar(&f.limit, "limit", "after", "when a dynamic limit is computed: before or after the packet is counted")
	c.Flags().StringVar(&f.xoff, "xoff", "full",
		"which packet triggers XOFF: the one that fills the shared part (full), or the first one that it refuses (refused)")
	c.Flags().StringVar(&f.xon, "xon", "latched",
		"limit from which XON is measured: the limit at XOFF (latched) or the present one (current)")
	outputFlag(c, &f.format)
	return c
}

// run fills the model once and prints when each group pauses, drops and resumes.
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

// choose sets the rule of the probe from the flags.
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

type probeJSON struct {
	Schema       string           `json:"schema"`
	Groups       []probeGroupJSON `json:"groups"`
	HeadroomPool cells.Count      `json:"headroom_pool_cells"`
	Shared       cells.Count      `json:"shared_cells"`
	EgressShared cells.Count      `json:"egress_shared_cells,omitempty"`
	egress       bool             // the egress has limits: print which limit dropped
}

type probeGroupJSON struct {
	Index    int    `json:"index"`
	XOFF     int64  `json:"xoff_at_packet"`
	Drop     int64  `json:"drop_at_packet"`
	XONBelow int64  `json:"xon_below_packets"`
	Headroom int64  `json:"headroom_packets"`
	Cause    string `json:"drop_cause,omitempty"` // only where the egress has limits
}

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
