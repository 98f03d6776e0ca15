package shipped

import (
	"cmp"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/pools"
	"github.com/cellwarden/cellwarden/internal/unnamed"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

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
		k := slices.IndexFunc(q.Ports, func(o pools.Ports) bool { o.Count = 0; return o == kind })
		if k < 0 {
			k, q.Ports = len(q.Ports), append(q.Ports, kind)
			// A link that the method cannot size is an error only where its row counts: for lossless ports of a chip of
			// SONiC.
			if err := addRow(q.Table, sizer, in, p); err != nil && !kind.Lossy && chip.Name != "" {
				return nil, err
			}
		}
		q.Ports[k].Count++
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
