package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/grouped"
)

// DiffDocument is what two plans have different. Lists without a difference are [].
type DiffDocument struct {
	Schema string   `json:"schema"`
	Alike  bool     `json:"alike"` // nothing is different, and a device needs no step as far as the steps are known
	From   DiffSide `json:"from"`
	To     DiffSide `json:"to"`

	Bill   []BillChange  `json:"bill"`
	Slices []SliceChange `json:"slices"`
	Groups []GroupChange `json:"groups"` // one for each value of a group, with the slices in which it changes alike
	// Channels are the values of virtual channels (CBFC) that change, likewise; absent without any.
	Channels []ChannelChange `json:"channels,omitempty"`
	// Shares are the groups and queues whose share of a port's bandwidth changes (ETS); absent without any.
	Shares   []ShareChange   `json:"ets,omitempty"`
	Refusals []RefusalChange `json:"refusals"` // that come, go or change
	Other    []OtherChange   `json:"other"`    // everything else in the two documents
	Steps    DiffSteps       `json:"steps"`
}

// DiffSide is one of the two plans.
type DiffSide struct {
	Name    string   `json:"name"`
	Set     []string `json:"set,omitempty"` // changes of the topology
	Verdict string   `json:"verdict"`
	Refused int      `json:"refused_ports"`
}

// BillChange is an item of the bill whose cells or count change. An item that a plan does not have has 0 of both.
type BillChange struct {
	Item      string      `json:"item"`
	FromCount int         `json:"from_count"`
	ToCount   int         `json:"to_count"`
	From      cells.Count `json:"from_cells"`
	To        cells.Count `json:"to_cells"`
	Change    cells.Count `json:"change_cells"`
}

// SliceChange is an account of a slice that changes: total, chip, reserved, headroom, shared or unused.
type SliceChange struct {
	Index   int         `json:"index"`
	Account string      `json:"account"`
	From    cells.Count `json:"from_cells"`
	To      cells.Count `json:"to_cells"`
	Change  cells.Count `json:"change_cells"`
}

// GroupChange is a value of a priority group that changes.
type GroupChange struct {
	Port   string       `json:"port"`
	Group  int          `json:"group"`
	Class  string       `json:"class"`
	Slices []int        `json:"slices"`
	State  string       `json:"state"` // "changed"; "new" or "gone": only one of the plans admits the group there
	Value  string       `json:"value"` // headroom_cells, reserved_cells, xon_offset_cells, limit, ...
	From   string       `json:"from"`  // empty: the plan does not have the group there
	To     string       `json:"to"`
	Change *cells.Count `json:"change_cells,omitempty"` // of a value in cells
}

// RefusalChange is a refusal that only one plan has, or whose numbers change.
type RefusalChange struct {
	Port  string `json:"port"`
	State string `json:"state"` // "new", "gone", "changed"
	From  string `json:"from"`  // in a sentence; empty: the port is not refused
	To    string `json:"to"`
}

// OtherChange is a value of the documents at a path, as JSON; empty: only the other plan has it.
type OtherChange struct {
	Path string `json:"path"`
	From string `json:"from"`
	To   string `json:"to"`
}

// DiffSteps is what a device needs to go from one plan to the other.
type DiffSteps struct {
	Known bool   `json:"known"`
	Why   string `json:"why_not,omitempty"` // why the steps are not known, or not made
	// Reach is how much traffic a step may stop at worst: none, port, switch or reboot.
	Reach string     `json:"reach"`
	Ports string     `json:"ports_that_may_stop,omitempty"` // folded; the whole switch, if Reach is more than port
	Steps []DiffStep `json:"steps"`

	Made []buffer.Step `json:"-"` // the same steps, for a caller in Go
}

// DiffStep is one register's change, in the order in which a device can make it.
type DiffStep struct {
	Phase        string `json:"phase"`
	Register     string `json:"register"`
	From         string `json:"from"`
	To           string `json:"to"`
	Disruption   string `json:"may_stop"`
	Precondition string `json:"precondition,omitempty"`
}

// maxPlanFile is larger than the plan of a switch with buffer.MaxPorts ports.
const maxPlanFile = 256 << 20

// Diff returns what two plans have different. Steps are for the caller, who may have more of the plans than their
// documents: see [Steps].
func Diff(from, to *PlanFile, steps DiffSteps) DiffDocument {
	d := DiffDocument{Schema: Schema("diff"), From: from.side(), To: to.side(), Steps: steps,
		Bill: diffBill(from.Bill, to.Bill), Slices: diffSlices(from.Slices, to.Slices),
		Groups: diffGroups(from.Groups, to.Groups), Channels: diffChannels(from.Channels, to.Channels),
		Shares: diffShares(from.Schedules, to.Schedules), Refusals: diffRefusals(from.Refusals, to.Refusals),
		Other: appendOther([]OtherChange{}, "", from.rest, to.rest)}
	d.Alike = len(d.Bill)+len(d.Slices)+len(d.Groups)+len(d.Channels)+len(d.Shares)+len(d.Refusals)+len(d.Other)+
		len(steps.Steps) == 0
	return d
}

func (f *PlanFile) side() DiffSide {
	return DiffSide{Set: f.Set, Verdict: f.Verdict, Refused: f.Refused}
}

// UnknownSteps are the steps where they cannot be known, or are not made.
func UnknownSteps(why string) DiffSteps {
	return DiffSteps{Why: why, Reach: "unknown", Steps: []DiffStep{}}
}

// Steps says what a device needs for these steps, and how far they reach into traffic by the worst case of all vendors.
func Steps(steps []buffer.Step) DiffSteps {
	d := DiffSteps{Known: true, Made: steps, Steps: grouped.Each(steps, func(s buffer.Step) DiffStep {
		return DiffStep{s.Phase().String(), s.Register.String(), s.Kind.Text(s.From), s.Kind.Text(s.To),
			s.Disruption().String(), s.Precondition()}
	})}
	reach, ports := buffer.DisruptsNothing, map[string]bool{}
	for _, s := range steps {
		if reach = max(reach, s.Disruption()); s.Disruption() == buffer.DisruptsPort {
			ports[s.Port] = true
		}
	}
	if d.Reach = reach.String(); reach == buffer.DisruptsPort {
		d.Ports = buffer.FoldPorts(slices.Collect(maps.Keys(ports)))
	}
	return d
}

// diffBill compares the bills, in the order of the second; items that are gone come last. Items of one name are added.
func diffBill(from, to []BillRow) []BillChange {
	var items grouped.By[string, BillChange]
	for _, r := range to {
		c := items.Of(r.Item)
		c.ToCount, c.To = c.ToCount+r.Count, c.To+r.Cells
	}
	for _, r := range from {
		c := items.Of(r.Item)
		c.FromCount, c.From = c.FromCount+r.Count, c.From+r.Cells
	}
	out := []BillChange{}
	for item, c := range items.All() {
		if c.Item, c.Change = item, c.To-c.From; c.Change != 0 || c.FromCount != c.ToCount {
			out = append(out, *c)
		}
	}
	return out
}

// diffSlices compares the accounts of the slices. A slice that a plan does not have has 0 cells there.
func diffSlices(from, to []Slice) []SliceChange {
	out := []SliceChange{}
	for i := range max(len(from), len(to)) {
		a, b := at(from, i), at(to, i)
		for _, x := range []struct {
			account  string
			from, to cells.Count
		}{{"total", a.Total, b.Total}, {"chip", a.Chip, b.Chip}, {"reserved", a.Reserved, b.Reserved},
			{"headroom", a.Headroom, b.Headroom}, {"shared", a.Shared, b.Shared}, {"unused", a.Unused, b.Unused}} {
			if x.from != x.to {
				out = append(out, SliceChange{i, x.account, x.from, x.to, x.to - x.from})
			}
		}
	}
	return out
}

// at is a value of a list; the zero value if the list is shorter.
func at[T any](list []T, i int) (v T) {
	if i < len(list) {
		v = list[i]
	}
	return v
}

// groupValues are the values of a group that are compared.
var groupValues = []rowValue[Group]{
	{"class", nil, func(g *Group) string { return g.Class }},
	{"lossless", nil, func(g *Group) string { return strconv.FormatBool(g.Lossless) }},
	{"headroom_cells", func(g *Group) cells.Count { return g.Headroom }, nil},
	{"reserved_cells", func(g *Group) cells.Count { return g.Reserved }, nil},
	{"xon_offset_cells", func(g *Group) cells.Count { return g.XONOffset }, nil},
	{"limit", nil, func(g *Group) string {
		if g.Alpha == "static" {
			return "static " + number(g.Static) + " cells"
		}
		return "alpha " + g.Alpha
	}},
	{"headroom_asked_bytes", nil, func(g *Group) string { return number(g.HeadroomAsked) }},
	{"reserved_asked_bytes", nil, func(g *Group) string { return number(g.ReservedAsked) }},
	{"xon_offset_asked_bytes", nil, func(g *Group) string { return number(g.XONOffsetAsked) }},
	{"static_limit_asked_bytes", nil, func(g *Group) string { return number(g.StaticAsked) }},
}

func number[T ~int64](n T) string { return strconv.FormatInt(int64(n), 10) }

// diffGroups compares the groups slice by slice and folds the slices in which a value changes alike. The order is that
// of ports, groups and values.
func diffGroups(from, to []Group) []GroupChange {
	type place struct {
		port         string
		group, slice int
	}
	var rows grouped.By[place, [2]*Group] // of both plans; nil: a plan does not have it
	for side, list := range [2][]Group{from, to} {
		for i := range list {
			g := &list[i]
			rows.Of(place{g.Port, g.Group, g.Slice})[side] = g
		}
	}
	slices.SortFunc(rows.Keys, func(a, b place) int {
		return cmp.Or(buffer.ComparePorts(a.port, b.port), cmp.Compare(a.group, b.group), cmp.Compare(a.slice, b.slice))
	})
	out := []GroupChange{}
	for _, places := range grouped.Lists(rows.Keys, func(at place) place { return place{at.port, at.group, 0} }) {
		start := len(out)
		for k := range groupValues {
			for _, at := range places {
				both := rows.Of(at)
				c, differs := groupValues[k].diff(both[0], both[1], func(g *Group) string { return g.Class })
				if !differs {
					continue
				}
				c.Port, c.Group = at.port, at.group
				i := slices.IndexFunc(out[start:], func(o GroupChange) bool {
					return o.Value == c.Value && o.From == c.From && o.To == c.To && o.Class == c.Class
				})
				if i < 0 {
					i, out = len(out)-start, append(out, c)
				}
				out[start+i].Slices = append(out[start+i].Slices, at.slice)
			}
		}
	}
	return out
}

// diffRefusals compares the refusals by port.
func diffRefusals(from, to []Refusal) []RefusalChange {
	text := func(r *Refusal) string { return r.Message + ": " + r.Detail }
	find := func(list []Refusal, like *Refusal) *Refusal {
		i := slices.IndexFunc(list,
			func(r Refusal) bool { return r.Port == like.Port && (r.Port != "" || r.Slice == like.Slice) })
		if i < 0 {
			return nil
		}
		return &list[i]
	}
	out := []RefusalChange{}
	for i := range to {
		switch old := find(from, &to[i]); {
		case old == nil:
			out = append(out, RefusalChange{to[i].Port, "new", "", text(&to[i])})
		case !sameJSON(old, &to[i]):
			out = append(out, RefusalChange{to[i].Port, "changed", text(old), text(&to[i])})
		}
	}
	for i := range from {
		if find(to, &from[i]) == nil {
			out = append(out, RefusalChange{from[i].Port, "gone", text(&from[i]), ""})
		}
	}
	return out
}

// sameJSON tells whether two values are the same in a document: of a file an empty list may be none.
func sameJSON[T any](a, b *T) bool {
	if reflect.DeepEqual(a, b) {
		return true
	}
	x, bad := json.Marshal(a)
	y, wrong := json.Marshal(b)
	return bad == nil && wrong == nil && string(x) == string(y)
}

// appendOther compares two values of JSON. Mappings are compared key by key and lists item by item; of lists of texts,
// such as warnings, what comes and what goes. The headroom of the kinds of ports, which can be megabytes, is no JSON
// where a plan was not read from a file: only kinds that differ become JSON.
func appendOther(out []OtherChange, path string, from, to any) []OtherChange {
	sized, isSized := from.([]Sized)
	with, too := to.([]Sized)
	if isSized && too {
		for i := range max(len(sized), len(with)) {
			if i >= len(sized) || i >= len(with) || !reflect.DeepEqual(sized[i], with[i]) {
				out = appendOther(out, fmt.Sprintf("%s[%d]", path, i), generic(sized, i), generic(with, i))
			}
		}
		return out
	}
	if isSized {
		from = generics(sized)
	}
	if too {
		to = generics(with)
	}
	a, aMap := from.(map[string]any)
	b, bMap := to.(map[string]any)
	x, xList := from.([]any)
	y, yList := to.([]any)
	switch {
	case aMap && bMap:
		keys := maps.Clone(a)
		maps.Copy(keys, b)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			out = appendOther(out, strings.TrimPrefix(path+"."+key, "."), a[key], b[key])
		}
	case xList && yList && texts(x) && texts(y):
		if slices.Equal(x, y) {
			return out
		}
		before := len(out)
		for _, v := range x {
			if !slices.Contains(y, v) {
				out = append(out, OtherChange{path, shown(v), ""})
			}
		}
		for _, v := range y {
			if !slices.Contains(x, v) {
				out = append(out, OtherChange{path, "", shown(v)})
			}
		}
		if len(out) == before { // the same texts in another order, or another number of times
			out = append(out, OtherChange{path, shown(from), shown(to)})
		}
	case xList && yList:
		for i := range max(len(x), len(y)) {
			out = appendOther(out, fmt.Sprintf("%s[%d]", path, i), at(x, i), at(y, i))
		}
	case !reflect.DeepEqual(from, to):
		out = append(out, OtherChange{path, shown(from), shown(to)})
	}
	return out
}

// generics are values as JSON has them.
func generics[T any](list []T) []any {
	out := make([]any, len(list))
	for i := range list {
		out[i] = generic(list, i)
	}
	return out
}

// generic is a value of a list as JSON has it; nil if the list is shorter.
func generic[T any](list []T, i int) (out any) {
	if i >= len(list) {
		return nil
	}
	data, err := json.Marshal(&list[i])
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		err = d.Decode(&out)
	}
	if err != nil {
		panic(err) // every document has a JSON form
	}
	return out
}

// texts tells whether every item is a text.
func texts(list []any) bool {
	return !slices.ContainsFunc(list, func(v any) bool { _, is := v.(string); return !is })
}

// shown prints a value of JSON; a text without its quotes.
func shown(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
