// Package shipped computes the pools that a device folder of SONiC would ship: plan --sonic-pools FOLDER, and the same
// for a topology.
package shipped

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/internal/devicetree"
	"github.com/cellwarden/cellwarden/internal/pools"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// Flags are the flags of a folder's pools. The ports, their lanes and the headroom table are the folder's; the roles
// are the caller's, or those that shipped folders have.
type Flags struct {
	roles      string
	topologies []string
	ratio      int
	tunnel     bool
}

// names are the topologies of SONiC's folders.
var names = []string{"t0", "t1", "t2", "lt2", "ft2", "def"}

// Register adds the flags to a command.
func (f *Flags) Register(c *cobra.Command) {
	c.Flags().StringVar(&f.roles, "roles", "", "with --sonic-pools and a hwsku folder: its ports by role, such as "+
		"8x100G@300m,48x50G@40m (default: the splits that shipped folders have)")
	c.Flags().StringSliceVar(&f.topologies, "topology", nil,
		"read hwsku folders for these topologies only: t0, t1, t2, lt2, ft2, def")
	c.Flags().IntVar(&f.ratio, "ratio", 2, "with --sonic-pools and a hwsku folder: headroom of all groups to xoff")
	c.Flags().BoolVar(&f.tunnel, "dual-tor", false, "with --sonic-pools, a hwsku folder and --roles: four lossless "+
		"groups on the ports between the ToR switches (tunnel_qos_remap)")
}

// Run prints the pools of a folder.
func (f *Flags) Run(cmd *cobra.Command, path string, out cli.Output) error {
	doc, err := f.document(cmd.Context(), path)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	return cli.Failure(Screen(doc).Answer(cmd, out, *doc))
}

// document computes the pools of a folder.
func (f *Flags) document(ctx context.Context, path string) (*report.PoolsDocument, error) {
	roles, err := pools.ParsePorts(f.roles)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--roles: %w", err)
	case f.ratio < 1 || f.ratio > 1000:
		return nil, fmt.Errorf("--ratio %d (want 1 to 1000)", f.ratio)
	case slices.ContainsFunc(f.topologies, func(t string) bool { return !slices.Contains(names, t) }):
		return nil, fmt.Errorf("--topology %q (want %s)", f.topologies, strings.Join(names, ", "))
	case f.tunnel && len(roles) == 0:
		return nil, errors.New("--dual-tor (want --roles too)")
	}
	for _, r := range roles {
		if r.Cable == 0 {
			return nil, fmt.Errorf("--roles: %v has no cable (want such as 8x100G@300m)", r)
		}
	}
	tree, below, err := devicetree.Open(path)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	folders, _, err := tree.Folders(ctx, below)
	if err != nil {
		return nil, err
	}
	// A folder may have profiles below it (HWSKU/BALANCED), which are folders of their own.
	if at := slices.IndexFunc(folders, func(f devicetree.Folder) bool { return f.Path == below }); at >= 0 {
		folders = folders[at : at+1]
	}
	if len(folders) != 1 {
		return nil, fmt.Errorf("%s: %d hwsku folders (want one: device/VENDOR/PLATFORM/HWSKU)", path, len(folders))
	}
	folder := &folders[0]
	q, err := questionOf(ctx, tree, folder)
	if err != nil {
		return nil, err
	}
	q.Ratio = f.ratio
	doc := &report.PoolsDocument{Schema: report.Schema("pools"), Folder: folder.Path, Chip: q.Chip, Memory: q.Memory,
		Ports: listed(q.Ports), Notes: []string{}}
	if number := pools.Number(q.Ports); len(roles) > 0 && pools.Number(roles) != number {
		doc.Notes = append(doc.Notes, fmt.Sprintf("the roles are of %d ports, and the folder has %d", pools.Number(roles),
			number))
	}
	wanted := f.topologies
	for _, t := range folder.Topologies {
		if len(f.topologies) == 0 {
			wanted = append(wanted, t.Name)
		}
	}
	unnamed.List(&doc.Pools, 0)
	for _, name := range wanted {
		with := *q
		with.Topology = name
		if len(roles) > 0 {
			var others []unit.BitRate
			if with.Ports, others = pools.Given(roles, q.Ports); len(others) > 0 {
				doc.Notes = append(doc.Notes, fmt.Sprintf("the folder has no ports of %v: taken as ports of up to four lanes",
					others))
			}
			if f.tunnel {
				pools.Tunnel(name, with.Ports)
			}
		}
		if err := addPools(doc, &with, folder.Vendor, folder.Platform); err != nil {
			return nil, fmt.Errorf("%s, %s: %w", folder.Path, name, err)
		}
	}
	return doc, nil
}

// questionOf is what the pools of a folder are computed from.
func questionOf(ctx context.Context, tree *devicetree.Tree, folder *devicetree.Folder) (*pools.Question, error) {
	chip := devicetree.Identify(*folder)
	if !chip.Known() {
		return nil, fmt.Errorf("%s: the chip is %s", folder.Path, chip.How)
	}
	q := &pools.Question{Chip: chip.Name, Memory: chip.Memory(), Cell: unit.Bytes(chip.Cell()),
		DropOverMax: folder.DropOverMax.Or(false), HwSKU: folder.SKU}
	if s, known := method.LookupSONiCChip(chip.Name); known {
		q.Memory -= s.Descriptors // the egress pool of Spectrum-6's folders lacks them
	}
	ports, err := tree.Ports(ctx, folder)
	if err != nil {
		return nil, err
	}
	if q.Ports, err = kindsOf(ports); err != nil {
		return nil, err
	}
	if folder.Lookup != "" {
		data, err := tree.Read(ctx, folder.Lookup)
		if err != nil {
			return nil, err
		}
		q.Table, _ = table.Scan(folder.Lookup, strings.NewReader(string(data)))
	}
	switch at := slices.IndexFunc(pools.Known(), func(f pools.Folder) bool { return f.HwSKU == folder.SKU }); {
	case at >= 0:
		q.Kind = pools.Known()[at].Kind()
	case strings.HasPrefix(folder.SKU, "ACS-"):
		q.Kind = pools.Two
	case q.Table == nil || len(q.Table.Rows) == 0:
		q.Kind = pools.Lossy
	}
	return q, nil
}

// kindsOf counts the ports of a folder by speed, lanes and role.
func kindsOf(ports devicetree.Ports) (out []pools.Ports, err error) {
	for i := range ports.Ports {
		p := &ports.Ports[i]
		speed, _ := p.Get("speed")
		lanes, _ := p.Get("lanes")
		role, _ := p.Get("role")
		kind := pools.Ports{Lanes: strings.Count(lanes, ",") + 1, Lossy: role == "Dpc"}
		kind.Inside = p.Internal() && !kind.Lossy
		if speed != "" {
			if kind.Speed, err = unit.ParseBitRate(speed + "M"); err != nil {
				return nil, fmt.Errorf("%s line %d: port %s: %w", ports.File, p.Line, p.Name, err)
			}
		}
		k := slices.IndexFunc(out, func(o pools.Ports) bool { o.Count = 0; return o == kind })
		if k < 0 {
			k, out = len(out), append(out, kind)
		}
		out[k].Count++
	}
	if len(out) == 0 {
		return nil, errors.New("the folder has no ports (want port_config.ini, or platform.json and hwsku.json)")
	}
	return out, nil
}

func listed(all []pools.Ports) string {
	var out []string
	for _, p := range all {
		out = append(out, p.String())
	}
	return strings.Join(out, " ")
}

// addPools adds the pools for one topology.
func addPools(doc *report.PoolsDocument, q *pools.Question, vendor, platform string) error {
	if !strings.HasPrefix(q.Chip, "spectrum-") {
		e, err := pools.Expect(q, pools.Known(), vendor, platform)
		if err != nil {
			return err
		}
		row := unnamed.Add(&doc.Pools)
		row.Topology, row.Sum = q.Topology, fmt.Sprintf("%s (%d known)", e.How, e.From)
		row.IngressLossless, row.XOFF = e.Size.Point, e.XOFF.Point
		row.IngressLossy, row.EgressLossless, row.EgressLossy = e.IngressLossy, e.EgressLossless, e.EgressLossy
		if row.Allowed = []unit.Bytes{e.Size.Low, e.Size.High}; e.Size.Low == e.Size.High {
			row.Allowed = nil
		}
		unnamed.List(&row.Items, 0)
		for _, i := range e.Parts(q) {
			item := unnamed.Add(&row.Items)
			item.What, item.Count, item.Each, item.Source = i.What, i.Count, i.Each, i.Source
		}
		if e.XOFF.Low != e.XOFF.High {
			doc.Notes = append(doc.Notes, fmt.Sprintf("%s: no sum of xoff is known: it is that of the nearest "+
				"folder; others have %s to %s", cmp.Or(q.Topology, "xoff"), cli.Count(e.XOFF.Low), cli.Count(e.XOFF.High)))
		}
		return nil
	}
	choices, err := q.Choices(pools.Known())
	if err != nil {
		return err
	}
	for _, c := range choices {
		row := unnamed.Add(&doc.Pools)
		row.Topology, row.Sum, row.Roles = q.Topology, c.Workbook, listed(c.Roles)
		row.IngressLossless, row.XOFF, row.EgressLossless, row.EgressLossy = c.Size, c.XOFF, q.Memory, c.Size
		switch q.Kind {
		case pools.Shared:
			row.Ratio = q.Ratio
		case pools.Two:
			row.IngressLossy = c.Size
		}
		for _, i := range slices.Concat(c.Items, c.Headroom) {
			item := unnamed.Add(&row.Items)
			item.What, item.Count, item.Each, item.Source = i.What, i.Count, i.Each, i.Source
		}
		if row.Running, err = running(q, c.Roles); err != nil {
			return err
		}
	}
	return nil
}

// running computes the pool of a running switch in the dynamic model for the same ports. Without roles it has no
// lossless groups.
func running(q *pools.Question, roles []pools.Ports) (*report.SONiCPools, error) {
	chip, known := method.LookupSONiCChip(q.Chip)
	if !known {
		return nil, nil
	}
	p := sonic.PoolInputs{Memory: q.Memory + chip.Descriptors, Cell: unit.Bytes(chip.Cell), Pools: 1,
		Latency: unit.Bytes(chip.PipelineLatency) * unit.KiB / 100, Descriptors: chip.Descriptors}
	if q.Kind == pools.Two {
		p.Pools = 2
	}
	if q.Kind == pools.Shared {
		p.Ratio = q.Ratio
	}
	for _, kind := range q.Ports {
		if kind.Inside {
			continue
		}
		p.Ports += kind.Count
		if kind.Lanes == 8 {
			p.WidePorts, p.WideLossy = p.WidePorts+kind.Count, p.WideLossy+kind.Count
		}
	}
	p.Profiles = []sonic.PoolProfile{{Size: 9 * unit.KiB, Count: p.Ports}, {Lossy: true, Count: p.Ports}}
	formula := method.SONiC{Chip: chip, Exact: true}
	for _, r := range roles {
		if r.Lossy {
			continue
		}
		h, err := formula.Size(thresholds.Link{Rate: r.Speed, Cable: r.Cable, Lanes: r.Lanes, MTU: 9100, LosslessMTU: 1024},
			thresholds.Memory{Cell: chip.Cell, SharedHeadroom: q.Kind == pools.Shared})
		if err != nil {
			return nil, err
		}
		p.LosslessPorts += r.Count
		p.Profiles = append(p.Profiles, sonic.PoolProfile{Size: h.Size, XON: h.XON, XOFF: h.XOFF,
			Count: r.Count * cmp.Or(r.Groups, 2)})
	}
	s := p.Sizes()
	two := p
	two.Pools = 2
	return &report.SONiCPools{Memory: p.Memory, Reserved: s.Reserved, Pool: s.Pool, EachOfTwo: two.Sizes().Pool,
		SharedHeadroom: s.SharedHeadroom, Overcommits: s.Overcommits()}, nil
}

// Pools computes what a folder would ship for the ports of an intent, which have their cables.
func Pools(in *buffer.Intent) (*report.PoolsDocument, error) {
	q := &pools.Question{Chip: in.Chip.Name, Memory: in.Memory().Cell.Bytes(in.Chip.TotalCells()), Cell: unit.Bytes(in.Chip.Cell),
		Ratio: cmp.Or(in.Pool.SharedHeadroomRatio, 2), Kind: pools.Lossy,
		Table: &table.Table{Name: "the method of the topology"}}
	chip, _ := method.LookupSONiCChip(in.Chip.Name)
	q.Memory -= chip.Descriptors
	sizer := in.Sizing
	if _, tabled := sizer.(thresholds.Discrete); !tabled {
		sizer = method.SONiC{Chip: chip, Exact: true}
	}
	for i := range in.Ports {
		p := &in.Ports[i]
		kind := pools.Ports{Speed: p.Rate, Lanes: method.SONiC{Chip: chip}.LanesOf(p.Link(p.MTU)), Cable: p.Cable,
			Lossy: true}
		for k := range in.Classes {
			if c := &in.Classes[k]; c.Lossless && p.Classes.Has(k) {
				kind.Lossy, kind.Groups = false, kind.Groups+len(c.Priorities)
			}
		}
		if !kind.Lossy && q.Kind == pools.Lossy {
			q.Kind = pools.Two
		}
		k := slices.IndexFunc(q.Ports, func(o pools.Ports) bool { o.Count = 0; return o == kind })
		if k < 0 {
			k, q.Ports = len(q.Ports), append(q.Ports, kind)
			if err := addRow(q.Table, sizer, in, p); err != nil && !kind.Lossy && chip.Name != "" {
				return nil, err
			}
		}
		q.Ports[k].Count++
	}
	if q.Kind == pools.Two && (in.Pool.SharedHeadroom > 0 || in.Pool.SharedHeadroomRatio > 0) {
		q.Kind = pools.Shared
	}
	doc := &report.PoolsDocument{Schema: report.Schema("pools"), Chip: q.Chip, Memory: q.Memory, Ports: listed(q.Ports),
		Notes: []string{}}
	unnamed.List(&doc.Pools, 0)
	err := addPools(doc, q, "", "")
	for i := range doc.Pools {
		doc.Pools[i].Running = nil // the topology's own is computed of all that it says
	}
	return doc, err
}

// addRow adds the headroom of a port's link to a table.
func addRow(t *table.Table, sizer thresholds.Sizer, in *buffer.Intent, p *buffer.Port) error {
	for k := range in.Classes {
		c := &in.Classes[k]
		if !c.Lossless || !p.Classes.Has(k) {
			continue
		}
		h, err := sizer.Size(p.Link(c.Frame(p)), in.Memory())
		if err != nil {
			return err
		}
		row := table.Row{Rate: p.Rate, Cable: p.Cable, Size: h.Size, XON: h.XON, XOFF: h.XOFF}
		if s := h.Profile; s.Stated {
			row.Size, row.XON, row.XOFF = s.Size, s.XON, s.XOFF
		}
		t.Rows = append(t.Rows, row)
		return nil
	}
	return nil
}

// sized prints a size; nothing where there is no such pool, or none of an interval is the likeliest.
func sized(b unit.Bytes) cli.Number {
	if b == 0 {
		return ""
	}
	return cli.Count(b)
}

// Screen lists the pools of a folder, and the sum of the first of them. Columns that no line fills are left out.
func Screen(doc *report.PoolsDocument) *cli.Screen {
	t := cli.Section{Title: "Pools that a device folder would ship, in bytes", Name: "shipped",
		Columns: []string{"topology", "sum", "roles", "ingress_lossless", "xoff", "ingress_lossy", "egress_lossless",
			"egress_lossy"}}
	items := cli.Section{Title: "The sum of the first line, in bytes", Name: "items",
		Columns: []string{"item", "count", "each", "in all", "source"}}
	allowed, runs := false, false
	for i := range doc.Pools {
		r := &doc.Pools[i]
		allowed, runs = allowed || len(r.Allowed) > 0, runs || r.Running != nil
		t.Row(r.Topology, r.Sum, r.Roles, sized(r.IngressLossless), cli.Count(r.XOFF), sized(r.IngressLossy),
			sized(r.EgressLossless), sized(r.EgressLossy))
		for _, item := range r.Items {
			if i == 0 {
				items.Row(item.What, cli.Count(item.Count), cli.Count(item.Each), cli.Count(unit.Bytes(item.Count)*item.Each),
					item.Source)
			}
		}
	}
	bounds := func(of func([]unit.Bytes) unit.Bytes) func(int) cli.Number {
		return func(row int) cli.Number {
			if all := doc.Pools[row].Allowed; len(all) > 0 {
				return cli.Count(of(all))
			}
			return ""
		}
	}
	if allowed {
		t.Beside("at least", bounds(slices.Min[[]unit.Bytes]))
		t.Beside("at most", bounds(slices.Max[[]unit.Bytes]))
	}
	out := &cli.Screen{Head: []string{fmt.Sprintf("pools of %s: %s, memory %d bytes, %s", doc.Folder, doc.Chip, doc.Memory,
		doc.Ports)}}
	if runs {
		t.Beside("running size", func(row int) cli.Number {
			if doc.Pools[row].IngressLossy > 0 {
				return cli.Count(doc.Pools[row].Running.EachOfTwo)
			}
			return cli.Count(doc.Pools[row].Running.Pool)
		})
		t.Beside("running xoff", func(row int) cli.Number { return cli.Count(doc.Pools[row].Running.SharedHeadroom) })
		out.Foot = append(out.Foot,
			"the running size is what the dynamic buffer manager of a switch computes for the same ports")
	}
	out.Sections = append(out.Sections, t)
	if len(items.Rows) > 0 {
		out.Sections = append(out.Sections, items)
	}
	out.Foot = append(out.Foot, doc.Notes...)
	return out
}
