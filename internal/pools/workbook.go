package pools

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// Question is what a folder's pools are computed from.
type Question struct {
	Chip     string // spectrum-3
	Memory   unit.Bytes
	Cell     unit.Bytes // of the chip; 0: not known. Only [Expected.Parts] reads it
	Kind     Kind
	Topology string  // t0; "": not known
	Ports    []Ports // all of the switch, with the cables of their roles where they are known
	Ratio    int     // of the shared headroom; 0: 2
	Table    *table.Table
	// DropOverMax says that sai.profile has SAI_DROP_OVER_MAX_VALUE_LIST=307200, of which some folders keep 10 MiB.
	DropOverMax bool
	// HwSKU is the name of the folder; "": none. Without lossless groups a sum counts the ports that the name declares
	// where the folder has less.
	HwSKU string
}

// declared returns how many ports a HwSKU declares by the end of its name: 258 of Mellanox-SN5610N-C256S2. 0: its name
// does not.
func declared(hwsku string) (n int) {
	name := hwsku[strings.LastIndexByte(hwsku, '-')+1:]
	for name != "" {
		digits := strings.TrimLeft(name[1:], "0123456789")
		count, err := strconv.Atoi(name[1 : len(name)-len(digits)])
		if name[0] < 'A' || name[0] > 'Z' || err != nil || count > mostPorts {
			return 0
		}
		n, name = n+count, digits
	}
	return n
}

// counted returns the ports that a sum counts.
func (q *Question) counted() []Ports {
	if more := declared(q.HwSKU) - Number(q.Ports); q.Kind == Lossy && more > 0 && more <= mostService {
		return append(slices.Clone(q.Ports), Ports{Count: more, Lanes: 1})
	}
	return q.Ports
}

// mostService is the most ports of service that a folder may lack.
const mostService = 4

// Item is a term of the sum.
type Item struct {
	What   string
	Count  int
	Each   unit.Bytes
	Source string
}

// Total is the bytes of all.
func (i Item) Total() unit.Bytes { return unit.Bytes(i.Count) * i.Each }

// Answer is the pools of a folder, and the sum that they come from.
type Answer struct {
	Workbook string
	Items    []Item // that are subtracted from the memory
	Headroom []Item // that xoff is the sum of; empty: there is none
	Size     unit.Bytes
	XOFF     unit.Bytes
	// Port is the weight of one more or one less port. Folders without lossless groups differ by their service ports,
	// which some count and some do not (sonic-buildimage 608b177eed).
	Port unit.Bytes
}

// Where the terms come from.
const (
	fromLua     = "buffer_pool_mellanox.lua (sonic-swss), shipped folders"
	fromFolders = "inferred: shipped folders (device/mellanox)"
)

// workbook is one of the sums that folders show. Its terms are in KiB: for a port of up to four lanes, and for one of
// eight.
type workbook struct {
	name  string
	kind  Kind
	terms []term
	once  []term // for the switch
	drop  bool   // only where sai.profile has the drop-over-max value
}

type term struct {
	what         string
	narrow, wide int64
	source       string
	group        bool // for each lossless group, which ports to a data processing unit have not
}

// The terms. The Lua doubles both the lossy and the management group of eight lanes, less 1 KiB; the folders double one
// of them.
var (
	ofGroup      = term{"size of a lossless group (xon)", 19, 38, fromLua, true}
	ofLossy      = term{"lossy group: latency of the pipeline", 19, 38, fromLua, false}
	ofManagement = term{"management group: latency of the pipeline", 19, 19, fromLua, false}
	ofMirror     = term{"headroom of egress mirroring", 10, 10, fromLua, false}
	ofEgress     = term{"egress_lossy_profile", 9, 9, fromLua, false}
	ofPrivate    = term{"private headroom", 10, 10, fromLua, false}
	ofUnknown    = term{"1 KiB that nothing is known of", 1, 1, fromFolders, false}
	ofTables     = term{"size of a lossless group (table)", 0, 0, "the headroom table", true}
	managementKB = int64(256)
	privateKB    = int64(10)
)

// Places in workbooks.
const lossySix, twoPools = 4, 5

// workbooks are the sums, the present one of a kind before older ones.
var workbooks = []workbook{
	{name: "shared headroom", kind: Shared,
		terms: []term{ofGroup, ofLossy, ofManagement, ofMirror, ofEgress, ofPrivate, ofUnknown}},
	{name: "shared headroom, before 2022", kind: Shared,
		terms: []term{ofGroup, ofLossy, ofManagement, ofEgress, ofUnknown}},
	{name: "lossy only", kind: Lossy, terms: []term{ofLossy, ofManagement, ofMirror, ofEgress, ofUnknown}},
	{name: "lossy only, 300 KiB over the maximum", kind: Lossy, drop: true,
		terms: []term{ofLossy, ofManagement, ofMirror, ofEgress, ofUnknown},
		once:  []term{{"packets over the maximum (SAI_DROP_OVER_MAX_VALUE_LIST=307200)", 10240, 10240, fromFolders, false}}},
	{name: "lossy only, Spectrum-6", kind: Lossy, terms: []term{
		{"lossy group: latency of the pipeline", 42, 42, fromLua, false}, ofManagement, ofEgress, ofUnknown}},
	{name: "two pools", kind: Two, terms: []term{ofTables,
		{"lossy group: latency of the pipeline", 19, 37, fromLua, false}, ofManagement}},
}

// kib returns the KiB of a term for a port.
func (t *term) kib(p *Ports) int64 {
	if p.Lanes == wide {
		return t.wide
	}
	return t.narrow
}

// kibs returns whole KiB, up: the memory of most chips is none.
func kibs(b unit.Bytes) int64 { return int64((b + unit.KiB - 1) / unit.KiB) }

// items returns what a workbook subtracts for ports.
func (w *workbook) items(q *Question, ports []Ports) ([]Item, error) {
	out := []Item{{"management pool", 1, unit.Bytes(managementKB) * unit.KiB, fromLua}}
	for i := range w.once {
		out = append(out, Item{w.once[i].what, 1, unit.Bytes(w.once[i].narrow) * unit.KiB, w.once[i].source})
	}
	for i := range w.terms {
		t := &w.terms[i]
		for k := range ports {
			p := &ports[k]
			count, each := p.Count, unit.Bytes(t.kib(p))*unit.KiB
			if t.group {
				if count *= p.groups(); p.Lossy {
					continue
				}
			}
			if t.what == ofTables.what {
				row, err := q.row(p)
				if err != nil {
					return nil, err
				}
				each = row.Size
			}
			if !p.Inside {
				out = added(out, Item{t.what, count, each, t.source})
			}
		}
	}
	return out, nil
}

// added adds an item to one of the same kind and size, if there is one.
func added(all []Item, one Item) []Item {
	for i := range all {
		if all[i].What == one.What && all[i].Each == one.Each {
			all[i].Count += one.Count
			return all
		}
	}
	return append(all, one)
}

// sum adds up items.
func sum(all []Item) (out unit.Bytes) {
	for _, i := range all {
		out += i.Total()
	}
	return out
}

// row returns the row of the headroom table for ports.
func (q *Question) row(p *Ports) (table.Row, error) {
	if q.Table == nil {
		return table.Row{}, fmt.Errorf("no headroom table: the headroom of %v is not known", *p)
	}
	if p.Cable == 0 {
		return table.Row{}, fmt.Errorf("the cables of %v are not known (want roles: which ports lead down, which up)", *p)
	}
	if r, known := q.anyRow(p); known {
		return r, nil
	}
	return table.Row{}, fmt.Errorf("%s: no row for %v over %v", q.Table.Name, p.Speed, p.Cable)
}

// headroom returns what xoff is the sum of: the xoff of all groups of a port less its private headroom, by the ratio.
func (q *Question) headroom() (out []Item, err error) {
	ratio := unit.Bytes(cmp.Or(q.Ratio, 2))
	for i := range q.Ports {
		p := &q.Ports[i]
		if p.Lossy || p.Inside {
			continue
		}
		row, err := q.row(p)
		if err != nil {
			return nil, err
		}
		each := (unit.Bytes(p.groups())*row.XOFF - unit.Bytes(privateKB)*unit.KiB) / ratio
		out = added(out, Item{fmt.Sprintf("(%d x %d - %d) / %d, %v over %v", p.groups(), row.XOFF,
			privateKB*int64(unit.KiB), ratio, p.Speed, p.Cable), p.Count, each, fromFolders})
	}
	return out, nil
}

// by computes the pools by one workbook.
func (w *workbook) by(q *Question) (a Answer, err error) {
	a.Workbook = w.name
	if a.Items, err = w.items(q, q.counted()); err != nil {
		return a, err
	}
	left := unit.Bytes(kibs(q.Memory))*unit.KiB - sum(a.Items)
	switch w.kind {
	case Shared:
		if a.Headroom, err = q.headroom(); err != nil {
			return a, err
		}
		a.XOFF = sum(a.Headroom)
		a.Size = left - a.XOFF
	case Two:
		a.Size = left / 2
	default:
		a.Size = left
		a.Port = w.each(q, append(slices.Clone(q.Ports), Ports{Lanes: 1}), len(q.Ports))
	}
	if a.Size <= 0 {
		return a, fmt.Errorf("%s: the ports take %d bytes more than the memory of %d", w.name, -a.Size, q.Memory)
	}
	return a, nil
}

// Static computes the pools by each workbook that folders of the chip show, the one that most of them show first.
// Folders are those that are known ([Known]). The error says which number is missing, or that the sum is not known.
func (q *Question) Static(folders []Folder) ([]Answer, error) {
	used := q.used(folders)
	if len(used) == 0 {
		return nil, fmt.Errorf("chip %s, %s: no sum is known (want spectrum-1 to spectrum-6; two ingress pools: to "+
			"spectrum-3)", q.Chip, q.Kind)
	}
	var out []Answer
	for _, w := range used {
		a, err := w.by(q)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// early tells whether a chip is one of those whose folders with two pools have a sum.
func early(chip string) bool {
	return slices.Contains([]string{"spectrum-1", "spectrum-2", "spectrum-3"}, chip)
}

// used lists the workbooks of the kind that folders of the chip show, the most frequent first; where folders of the
// chip show none, those of NVIDIA's other chips. Where sai.profile has the drop-over-max value, some folders keep
// memory for it and some do not.
func (q *Question) used(folders []Folder) (out []*workbook) {
	if !strings.HasPrefix(q.Chip, "spectrum-") || q.Kind == Two && !early(q.Chip) {
		return nil
	}
	for _, chip := range []string{q.Chip, "spectrum-"} {
		count := map[*workbook]int{}
		for i := range folders {
			f := &folders[i]
			if !strings.HasPrefix(f.Chip, chip) || f.Kind() != q.Kind {
				continue
			}
			for _, w := range q.workbooks() {
				if (!w.drop || q.DropOverMax) && f.shows(w) {
					count[w]++
				}
			}
		}
		for _, w := range q.workbooks() {
			if count[w] > 0 || len(count) > 0 && q.DropOverMax {
				out = append(out, w)
			}
		}
		slices.SortStableFunc(out, func(a, b *workbook) int { return count[b] - count[a] })
		if len(out) > 0 {
			return out
		}
	}
	return out
}
