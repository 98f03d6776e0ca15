package pools

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/unit"
)

// home is a size that is one chip's: by its arithmetic, or because other chips cannot hold it.
type home struct {
	chip       string
	size, xoff unit.Bytes // an xoff of 0 stands for any
	why        string
}

// homes are the sizes that folders of other chips carry too.
var homes = []home{
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
}

// Interval is what a size may be. Point is the likeliest; 0: none is.
type Interval struct{ Low, High, Point unit.Bytes }

// Holds tells whether a size is in the interval.
func (i Interval) Holds(b unit.Bytes) bool { return i.Low <= b && b <= i.High }

// with widens the interval to a size.
func (i *Interval) with(b unit.Bytes) {
	if i.High == 0 || b < i.Low {
		i.Low = b
	}
	i.High = max(i.High, b)
}

// Expect returns what the folders of a chip that is not NVIDIA's allow: for Arista's of Tomahawk 5 the memory less the
// base of the board and 14 cells for each port, for others what folders of the same vendor ship, or of any vendor where
// there is none: a constant, or an interval. The error says that there is no folder.
func Expect(q *Question, folders []Folder, vendor, platform string) (Expected, error) {
	alike := slices.DeleteFunc(slices.Clone(folders), func(f Folder) bool { return f.Chip != q.Chip || f.Size == 0 })
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

// remainder replaces the size by the memory less the bases that folders have.
func remainder(q *Question, folders []Folder, platform string, out *Expected) {
	var sizes Interval
	of := func(base int) unit.Bytes {
		return th5Cell * unit.Bytes(th5Cells-base-BasePort*Number(q.Ports))
	}
	for i := range folders {
		if base, known := Base(folders[i].Chip, folders[i].Ports, folders[i].Size); known && folders[i].Vendor == "arista" {
			sizes.with(of(base))
		}
	}
	if sizes.High == 0 {
		return
	}
	out.How = "memory less the base of the board, less 14 cells for each port"
	out.IngressLossy, out.EgressLossless, out.EgressLossy = 0, 0, 0
	if base, _ := BaseOf(folders, platform, "", 0); base > 0 {
		sizes.Point = of(base)
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
