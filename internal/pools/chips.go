package pools

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// homes are sizes that are one chip's, by its arithmetic or because other chips cannot hold them, and that folders of
// other chips carry too.
var homes = []struct {
	chip       string
	size, xoff unit.Bytes // an xoff of 0 stands for any
	why        string
}{
	{"trident2", 12766208, 0, "the whole memory of it, 61,376 cells of 208 bytes"},
	{"tomahawk", 10875072, 4194112, "shipped for all of its folders but one"},
	{"tomahawk2", 33329088, 7827456, "shipped for the Arista 7260CX3"},
	{"tomahawk5", 161176208, 29520896, "shipped for the Nokia 7220 H5-64D, 634,552 cells of 254 bytes"},
}

// Home returns another chip that a size and an xoff are of, and why; empty: they are of none that is known.
func Home(chip string, size, xoff unit.Bytes) (other, why string) {
	for _, h := range homes {
		if h.size == size && (h.xoff == 0 || h.xoff == xoff) && h.chip != chip {
			return h.chip, h.why
		}
	}
	return "", ""
}

// The remainder that Arista's folders of Tomahawk 5 ship: the memory less a base, which is the board's, less 14 cells
// for each port.
const (
	th5Cell  = unit.Bytes(254)
	th5Cells = 682160
)

// BasePort is the cells that each port of such a folder takes.
const BasePort = 14

// Base returns the cells that a folder of Tomahawk 5 leaves beside the pool and the cells of its ports. It is not known
// if the pool is no whole cells, or if that leaves more than a tenth of the memory: then something else is in it.
func Base(chip string, ports []Ports, size unit.Bytes) (cells int, known bool) {
	if chip != "tomahawk5" || size == 0 || size%th5Cell != 0 {
		return 0, false
	}
	cells = th5Cells - int(size/th5Cell) - BasePort*Number(ports)
	return cells, cells > 0 && cells < th5Cells/10
}

// BaseOf returns the base that most folders of a platform have, and how many; of these those with another pool than
// the named folder. If as many have another one, it is the smaller one, and the number is 0: b31fc22160 corrected the
// larger one.
func BaseOf(folders []Folder, platform, but string, size unit.Bytes) (cells, many int) {
	count := map[int]int{}
	var seen []int
	for i := range folders {
		f := &folders[i]
		base, known := Base(f.Chip, f.Ports, f.Size)
		if !known || f.Platform != platform || f.HwSKU == but && f.Size == size {
			continue
		}
		if count[base]++; count[base] == 1 {
			seen = append(seen, base)
		}
	}
	slices.SortFunc(seen, func(a, b int) int { return cmp.Or(count[b]-count[a], a-b) })
	switch {
	case len(seen) == 0:
		return 0, 0
	case len(seen) > 1 && count[seen[0]] == count[seen[1]]:
		return seen[0], 0
	}
	return seen[0], count[seen[0]]
}

// IsBase tells whether a folder of another name has a base.
func IsBase(folders []Folder, but string, base int) bool {
	return slices.ContainsFunc(folders, func(f Folder) bool {
		of, known := Base(f.Chip, f.Ports, f.Size)
		return known && of == base && f.HwSKU != but
	})
}

// Expected is what the folders of a chip allow for the pools of another one.
type Expected struct {
	Size, XOFF Interval
	// The other pools of the folder whose size is the likeliest; 0: it has none.
	IngressLossy, EgressLossless, EgressLossy unit.Bytes

	How  string
	From int // folders

	base int // cells beside the size and the cells of the ports, of a board of Tomahawk 5; 0: not known
}

// Interval is what a size may be. Point is the likeliest; 0: none is.
type Interval struct{ Low, High, Point unit.Bytes }

// with widens the interval to a size.
func (i *Interval) with(b unit.Bytes) {
	if i.High == 0 || b < i.Low {
		i.Low = b
	}
	i.High = max(i.High, b)
}

// kin are chips with as much memory beside them: folders of one tell of the other where it has none of its own.
var kin = map[string]string{"jericho2": "jericho2cplus", "jericho2cplus": "jericho2"}

// Expect returns what the folders of a chip that is not NVIDIA's allow: for Arista's of Tomahawk 5 the memory less the
// base of the board and 14 cells for each port, for others what folders of the same vendor ship, or of any vendor where
// there is none: a constant, or an interval. The error says that there is no folder.
func Expect(q *Question, folders []Folder, vendor, platform string) (Expected, error) {
	of := func(chip string) []Folder {
		return slices.DeleteFunc(slices.Clone(folders), func(f Folder) bool { return f.Chip != chip || f.Size == 0 })
	}
	alike := of(q.Chip)
	if other := kin[q.Chip]; len(alike) == 0 && other != "" {
		alike = of(other)
	}
	if len(alike) == 0 {
		return Expected{}, fmt.Errorf("chip %s: no folder of it is known whose pools have sizes (want one of %s)", q.Chip,
			strings.Join(chips(folders), ", "))
	}
	closer := func(is func(*Folder) bool) {
		if some := slices.DeleteFunc(slices.Clone(alike), func(f Folder) bool { return !is(&f) }); len(some) > 0 {
			alike = some
		}
	}
	closer(func(f *Folder) bool { return f.Vendor == vendor })
	out := Expected{From: len(alike), How: "what folders of the chip ship"}
	for i := range alike {
		out.Size.with(alike[i].Size)
		out.XOFF.with(alike[i].XOFF)
	}
	closer(func(f *Folder) bool { return f.For(q.Topology) })
	closer(func(f *Folder) bool { return f.Platform == platform })
	closer(func(f *Folder) bool { return f.HwSKU == q.HwSKU })
	count := map[[2]unit.Bytes]int{}
	most := 0
	for i := range alike {
		f := &alike[i]
		k := [2]unit.Bytes{f.Size, f.XOFF}
		if count[k]++; count[k] > most {
			most = count[k]
			out.Size.Point, out.XOFF.Point = f.Size, f.XOFF
			out.IngressLossy, out.EgressLossless, out.EgressLossy = f.IngressLossy, f.EgressLossless, f.EgressLossy
		}
	}
	if q.Chip == "tomahawk5" && vendor == "arista" {
		remainder(q, folders, platform, &out)
	}
	return out, nil
}

// remainder replaces the size by the memory less the bases that folders have. For a topology of which a folder ships
// much less, and nothing says what it keeps apart, the interval goes down to that.
func remainder(q *Question, folders []Folder, platform string, out *Expected) {
	var sizes Interval
	of := func(base int) unit.Bytes {
		return th5Cell * unit.Bytes(th5Cells-base-BasePort*Number(q.Ports))
	}
	for i := range folders {
		f := &folders[i]
		base, known := Base(f.Chip, f.Ports, f.Size)
		apart := base >= th5Cells/10 && len(f.Topologies) == 1 && f.For(q.Topology)
		if f.Vendor == "arista" && (known || apart) {
			sizes.with(of(base))
		}
	}
	if sizes.High == 0 {
		return
	}
	out.How = "memory less the base of the board, less 14 cells for each port"
	out.IngressLossy, out.EgressLossless, out.EgressLossy = 0, 0, 0
	if base, _ := BaseOf(folders, platform, "", 0); base > 0 {
		sizes.Point, out.base = of(base), base
		out.EgressLossless = sizes.Point // in all of them
	}
	out.Size = sizes
}

// chips lists the chips of folders.
func chips(folders []Folder) (out []string) {
	for i := range folders {
		if !slices.Contains(out, folders[i].Chip) && folders[i].Size > 0 && folders[i].Chip != "" {
			out = append(out, folders[i].Chip)
		}
	}
	slices.Sort(out)
	return out
}

// fromAnswer is where the parts of a pool of Broadcom's are from.
const fromAnswer = "Broadcom's answer in sonic-buildimage fe7ea6695d"

// Parts divides the memory of one of Broadcom's chips with all of it on the chip: the ingress pool is a limit of shared
// cells, the limit of the headroom pool, and the minima of groups (fe7ea6695d: 118,212 + 8,040 + 80 x 18 cells of a
// Trident 3). On Tomahawk and Tomahawk 2 the size does not include the headroom. The minima are those of the headroom
// table, for two lossless groups a port and four where a tunnel needs them. What is left of the size is shared, and
// what is left of the memory is not told apart. None: the chip is another one, or its memory does not hold the pool.
func (e *Expected) Parts(q *Question) (out []Item) {
	if !onChip(q.Chip) || q.Memory == 0 || q.Cell == 0 || e.Size.Point == 0 {
		return nil
	}
	limit := Item{"in the size: limit of the headroom pool (xoff)", 1, e.XOFF.Point, fromAnswer + "; value: folders"}
	rest := e.Size.Point
	if excludes(q.Chip) {
		limit.What = "beside the size: limit of the headroom pool (xoff)"
	} else {
		rest -= limit.Each
	}
	if limit.Each > 0 {
		out = append(out, limit)
	}
	for _, p := range outside(q.Ports) {
		if row, known := q.anyRow(&p); known {
			least := row.Size
			if limit.Each == 0 { // each group has its headroom in its size
				out = added(out, Item{"in the size: headroom of a lossless group", p.Count * p.groups(), q.cells(row.XOFF),
					q.Table.Name})
				rest -= unit.Bytes(p.Count*p.groups()) * q.cells(row.XOFF)
				least = max(0, row.Size-row.XOFF)
			}
			out = added(out, Item{"in the size: minimum of a lossless group", p.Count * p.groups(), q.cells(least),
				fromAnswer + "; value: " + q.Table.Name})
			rest -= unit.Bytes(p.Count*p.groups()) * q.cells(least)
		}
	}
	beside := q.Memory - e.Size.Point
	if excludes(q.Chip) {
		beside -= limit.Each
	}
	if rest < 0 || beside < 0 {
		return nil
	}
	out = append(out, Item{"in the size: limit of shared cells, what is left of it", 1, rest, fromAnswer})
	if e.base > 0 && q.Chip == "tomahawk5" {
		ports := unit.Bytes(Number(q.Ports)*BasePort) * th5Cell
		out = append(out, Item{"beside the size: 14 cells of a port", Number(q.Ports), BasePort * th5Cell, fromShipped})
		beside -= ports
		return append(out, Item{"beside the size: base of the board", 1, beside, fromShipped})
	}
	return append(out, Item{"beside the size: what the chip keeps, and what nothing is known of", 1, beside,
		"memory less the rest"})
}

// fromShipped is where the terms of Tomahawk 5 are from.
const fromShipped = "inferred: shipped folders (device/arista)"

// onChip tells whether a chip is one of Broadcom's with all memory on it.
func onChip(chip string) bool {
	return strings.HasPrefix(chip, "tomahawk") || strings.HasPrefix(chip, "trident")
}

// excludes tells whether the size of a pool does not include its headroom: the counts at which switches pause show it
// (sonic-mgmt, tests/qos/files).
func excludes(chip string) bool {
	return chip == "tomahawk" || chip == "tomahawkplus" || chip == "tomahawk2"
}

// cells rounds bytes up to whole cells.
func (q *Question) cells(b unit.Bytes) unit.Bytes { return (b + q.Cell - 1) / q.Cell * q.Cell }

// anyRow returns the row of the headroom table for ports; where their cables are not known, the first of their speed.
func (q *Question) anyRow(p *Ports) (table.Row, bool) {
	if q.Table == nil {
		return table.Row{}, false
	}
	i := slices.IndexFunc(q.Table.Rows, func(r table.Row) bool {
		return r.Rate == p.Speed && (p.Cable == 0 || r.Cable == p.Cable)
	})
	if i < 0 {
		return table.Row{}, false
	}
	return q.Table.Rows[i], true
}

// limits are the largest pools that an SDK takes on switches without lossless groups, as their makers say it: what a
// port of theirs takes is not known. The SDK that takes 608 cells more of each half of the memory left no cell of the
// pools that had been shipped (sonic-buildimage issue 24749; pull request 24750 subtracts them). For the next SDK the
// pools of two folders were made larger by cells that had not been given away (25559): that these are all is inferred.
var limits = map[string]struct {
	size unit.Bytes
	by   string
}{
	"Arista-7060X6-64PE-C224O8":    {166266368 - 2*608*th5Cell, by24750},
	"Arista-7060X6-64PE-C256S2":    {166607744 - 2*608*th5Cell, by24750},
	"Arista-7060X6-64PE-B-C448O16": {164624512, by25559},
	"Arista-7060X6-64PE-B-C512S2":  {165335712, by25559},
}

// Who says so.
const (
	by24750 = "sonic-buildimage pull request 24750, SAI 13.2.1.21"
	by25559 = "sonic-buildimage pull request 25559, SAI 14.1"
)

// Limit returns the largest ingress pool that is known to be taken on a HwSKU without lossless groups, and who says so;
// 0: it is not known.
func Limit(hwsku string) (size unit.Bytes, by string) {
	l := limits[hwsku]
	return l.size, l.by
}
