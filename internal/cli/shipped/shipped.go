// Package shipped computes the pools that a device folder of SONiC would ship: plan --sonic-pools FOLDER, and the same
// for a topology.
//
// SONiC ships pool sizes that a vendor's workbook has computed, for each folder and topology role. Package
// internal/pools knows the sums that such sizes come from. Here the question is made of a folder (its chip, ports,
// lanes and headroom table: document and questionOf) or of an intent (Pools), answered for each topology (addPools),
// compared with what the dynamic buffer manager of a running switch would compute (running), and printed (Screen).
//
// All sizes are bytes. A size that no known folder decides is an interval, and its likeliest value a point in it.
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
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/pools"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// Flags are the flags of a folder's pools. The ports, their lanes and the headroom table are the folder's; the roles
// are the caller's, or those that shipped folders have. roles is as on the command line; topologies empty are all that
// the folder has; ratio is the sum of all groups' headroom to the xoff of the pool, 1 to 1000; tunnel is SONiC's
// tunnel_qos_remap.
type Flags struct {
	roles      string
	topologies []string
	ratio      int
	tunnel     bool
}

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

// Run prints the pools of a folder. A folder that cannot be read, and a chip that is not known, are wrong usage:
// nothing was computed.
func (f *Flags) Run(cmd *cobra.Command, path string, out cli.Output) error {
	doc, err := f.document(cmd.Context(), path)
	if err != nil {
		return cli.ExitWith(cli.ExitUsage, err)
	}
	return cli.Failure(Screen(doc).Answer(cmd, out, *doc))
}

// document computes the pools of a folder. Flags are checked before the tree is opened, which takes longest.
func (f *Flags) document(ctx context.Context, path string) (*report.PoolsDocument, error) {
	roles, err := pools.ParsePorts(f.roles)
	names := devicetree.TopologyNames()
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
	// A cable of 0 would be a port without headroom, whose pool nobody asks for.
	for _, r := range roles {
		if r.Cable == 0 {
			return nil, fmt.Errorf("--roles: %v has no cable (want such as 8x100G@300m)", r)
		}
	}
	// The tree is found above the folder, as its files include those of files/build_templates. below is the folder in
	// it.
	tree, below, err := devicetree.Open(path)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	folders, _, err := tree.Folders(ctx, below)
	if err != nil {
		return nil, err
	}
	// A folder may have profiles below it (HWSKU/BALANCED), which are folders of their own. Then the folder itself is
	// meant, and those below it have to be named.
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
	// Notes is [] and not null in JSON.
	doc := &report.PoolsDocument{Schema: report.Schema("pools"), Folder: folder.Path, Chip: q.Chip, Memory: q.Memory,
		Ports: listed(q.Ports), Notes: []string{}}
	// It is a note and no error, because a role may leave out ports that are not cabled.
	if number := pools.Number(q.Ports); len(roles) > 0 && pools.Number(roles) != number {
		doc.Notes = append(doc.Notes, fmt.Sprintf("the roles are of %d ports, and the folder has %d", pools.Number(roles),
			number))
	}
	// Without the flag the topologies are those that the folder has files of.
	wanted := f.topologies
	for _, t := range folder.Topologies {
		if len(f.topologies) == 0 {
			wanted = append(wanted, t.Name)
		}
	}
	unnamed.List(&doc.Pools, 0)
	for _, name := range wanted {
		// A copy: with --roles each topology has ports of its own.
		with := *q
		with.Topology = name
		if len(roles) > 0 {
			var others []unit.BitRate
			// The roles say speeds and cables; lanes are those of the folder's ports of that speed.
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

// questionOf is what the pools of a folder are computed from. A headroom table that the folder lacks leaves the
// question without one, and its groups lossy.
func questionOf(ctx context.Context, tree *devicetree.Tree, folder *devicetree.Folder) (*pools.Question, error) {
	chip := devicetree.Identify(*folder)
	if !chip.Known() {
		return nil, fmt.Errorf("%s: the chip is %s", folder.Path, chip.How)
	}
	// Memory and cell are bytes, and 0 where the folder's chip has no known number.
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
		// A line that is no row is left out: a folder as it is shipped is not refused for it.
		q.Table, _ = table.Scan(folder.Lookup, strings.NewReader(string(data)))
	}
	// The kind is what a known folder of the same name has, else what its name says: ACS- folders have two ingress
	// pools. A folder without a headroom table can have lossy groups alone.
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

// kindsOf counts the ports of a folder by speed, lanes and role. A port without a speed in its file has 0, which is not
// known. A role of Dpc leads to a data processing unit and carries no lossless traffic; other internal ports are in no
// pool.
func kindsOf(ports devicetree.Ports) (out []pools.Ports, err error) {
	for i := range ports.Ports {
		p := &ports.Ports[i]
		// Ports have their speed in Mbit/s and their lanes as a list of numbers, as in port_config.ini.
		speed, _ := p.Get("speed")
		lanes, _ := p.Get("lanes")
		role, _ := p.Get("role")
		// A port without lanes in its file counts as one of one lane.
		kind := pools.Ports{Lanes: strings.Count(lanes, ",") + 1, Lossy: role == "Dpc"}
		kind.Inside = p.Internal() && !kind.Lossy
		if speed != "" {
			if kind.Speed, err = unit.ParseBitRate(speed + "M"); err != nil {
				return nil, fmt.Errorf("%s line %d: port %s: %w", ports.File, p.Line, p.Name, err)
			}
		}
		out, _ = withPort(out, kind)
	}
	if len(out) == 0 {
		return nil, errors.New("the folder has no ports (want port_config.ini, or platform.json and hwsku.json)")
	}
	return out, nil
}

// withPort counts a port among kinds, and tells whether it is the first of its kind. Equal but for their number is of
// one kind.
func withPort(all []pools.Ports, kind pools.Ports) (out []pools.Ports, first bool) {
	k := slices.IndexFunc(all, func(o pools.Ports) bool { o.Count = 0; return o == kind })
	if first = k < 0; first {
		k, all = len(all), append(all, kind)
	}
	all[k].Count++
	return all, first
}

// listed prints kinds of ports as a sentence for heads and tables.
func listed(all []pools.Ports) string {
	return strings.Join(grouped.Each(all, pools.Ports.String), " ")
}

// addPools adds the pools for one topology. Spectrum has a workbook whose sums are known, with a choice of roles for
// each. Other chips are expected by the folders that are known, as an interval with its likeliest point.
func addPools(doc *report.PoolsDocument, q *pools.Question, vendor, platform string) error {
	if !strings.HasPrefix(q.Chip, "spectrum-") {
		e, err := pools.Expect(q, pools.Known(), vendor, platform)
		if err != nil {
			return err
		}
		row := unnamed.Add(&doc.Pools)
		// The number of known folders behind a value says how far it can be trusted.
		row.Topology, row.Sum = q.Topology, fmt.Sprintf("%s (%d known)", e.How, e.From)
		// A point of 0 says that no value of the interval is likelier than another. sized leaves out such a size.
		row.IngressLossless, row.XOFF = e.Size.Point, e.XOFF.Point
		row.IngressLossy, row.EgressLossless, row.EgressLossy = e.IngressLossy, e.EgressLossless, e.EgressLossy
		// One value is no interval, and is then in the other columns alone.
		if row.Allowed = []unit.Bytes{e.Size.Low, e.Size.High}; e.Size.Low == e.Size.High {
			row.Allowed = nil
		}
		unnamed.List(&row.Items, 0)
		for _, i := range e.Parts(q) {
			item := unnamed.Add(&row.Items)
			item.What, item.Count, item.Each, item.Source = i.What, i.Count, i.Each, i.Source
		}
		// The nearest folder's xoff is a guess, so that the range of all is named with it.
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
		// In folders of Spectrum the egress lossless pool is the whole memory, and the egress lossy pool as large as
		// the ingress.
		row.IngressLossless, row.XOFF, row.EgressLossless, row.EgressLossy = c.Size, c.XOFF, q.Memory, c.Size
		// Two pools have the same size each; one pool has a ratio by which its xoff is less than the sum of headrooms.
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

// Pools computes what a folder would ship for the ports of an intent, which have their cables. It is what `plan
// --sonic-pools` adds for a topology. A class with pauses on a port makes it a lossless port.
func Pools(in *buffer.Intent) (*report.PoolsDocument, error) {
	q := &pools.Question{Chip: in.Chip.Name, Memory: in.Memory().Cell.Bytes(in.Chip.TotalCells()), Cell: unit.Bytes(in.Chip.Cell),
		// Without a ratio of the topology it is 2, the default of --ratio. Kind is raised below by the first lossless
		// port.
		Ratio: cmp.Or(in.Pool.SharedHeadroomRatio, 2), Kind: pools.Lossy,
		Table: &table.Table{Name: "the method of the topology"}}
	chip, _ := method.LookupSONiCChip(in.Chip.Name)
	// A chip that SONiC has no numbers for subtracts 0.
	q.Memory -= chip.Descriptors
	sizer := in.Sizing
	// A method that is no table is replaced by SONiC's, since a folder ships a table that its formula filled.
	if _, tabled := sizer.(thresholds.Discrete); !tabled {
		sizer = method.SONiC{Chip: chip, Exact: true}
	}
	for i := range in.Ports {
		p := &in.Ports[i]
		// A port is lossy until a lossless class is found on it.
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
		var first bool
		// A link that the method cannot size is an error only where its row counts: for lossless ports of a chip of SONiC.
		if q.Ports, first = withPort(q.Ports, kind); first {
			if err := addRow(q.Table, sizer, in, p); err != nil && !kind.Lossy && chip.Name != "" {
				return nil, err
			}
		}
	}
	// Lossless groups with a shared headroom pool have one ingress pool, and without it two.
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

// addRow adds the headroom of a port's link to a table. The first lossless class of the port stands for all: a table
// has one row for a speed and a length.
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
		// A method that states the profile of its vendor's file has its numbers there, which differ from the headroom
		// by what the vendor adds.
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

// Screen lists the pools of a folder, and the sum of the first of them. Columns that no line fills are left out. The
// bounds and the running sizes are columns of the first table where any line has them.
func Screen(doc *report.PoolsDocument) *cli.Screen {
	t := cli.Table("shipped", "Pools that a device folder would ship, in bytes", "topology", "sum", "roles",
		"ingress_lossless", "xoff", "ingress_lossy", "egress_lossless", "egress_lossy")
	items := cli.Table("items", "The sum of the first line, in bytes", "item", "count", "each", "in all", "source")
	// Neither is known before all rows were seen, and a column has to be in all of them.
	allowed, runs := false, false
	for i := range doc.Pools {
		r := &doc.Pools[i]
		allowed, runs = allowed || len(r.Allowed) > 0, runs || r.Running != nil
		// An xoff of 0 is printed, because a pool without shared headroom has it; a size of 0 is no pool.
		t.Row(r.Topology, r.Sum, r.Roles, sized(r.IngressLossless), cli.Count(r.XOFF), sized(r.IngressLossy),
			sized(r.EgressLossless), sized(r.EgressLossy))
		// Only the first line's sum is itemised, and the title of the table says so.
		for _, item := range r.Items {
			if i == 0 {
				items.Row(item.What, cli.Count(item.Count), cli.Count(item.Each), cli.Count(unit.Bytes(item.Count)*item.Each),
					item.Source)
			}
		}
	}
	// A row without an interval has an empty cell.
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
	// Running is of the chip, which is one for all rows: either all of them have it or none.
	out := &cli.Screen{Head: []string{fmt.Sprintf("pools of %s: %s, memory %d bytes, %s", doc.Folder, doc.Chip, doc.Memory,
		doc.Ports)}}
	if runs {
		// A folder with two ingress pools is compared with the size of each of two.
		t.Beside("running size", func(row int) cli.Number {
			// Only a folder with two ingress pools has a size here.
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
