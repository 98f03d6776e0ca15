package measured

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/calibrate"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Schema is the name of the format of a file.
const Schema = "cellwarden.measurements/v1"

// reader reads one file of measurements.
type reader struct {
	*document.Reader
	file File
}

// root reads a file, or the items of JSON lines.
func (r *reader) root(v *document.Value) {
	if v.IsMapping() {
		r.whole(v)
		return
	}
	each(v, r.whole)
}

// whole reads a single measurement, or lists of measurements.
func (r *reader) whole(v *document.Value) {
	if r.one(v) {
		return
	}
	f := v.Fields("schema", "known", "fill", "fills", "point", "points", "stored", "link", "links")
	if s := f["schema"]; s != nil && s.Text() != Schema {
		s.Refuse(Schema)
	}
	for _, name := range []string{"fill", "point", "link"} {
		if f[name] != nil {
			f[name].Refuse("alone in its line, or a list: " + name + "s")
		}
	}
	if f["known"] != nil {
		r.known(f["known"])
	}
	each(f["fills"], r.fill)
	each(f["points"], r.point)
	each(f["stored"], r.stored)
	each(f["links"], r.link)
}

// one reads a single measurement. false: the value is not valid.
func (r *reader) one(v *document.Value) bool {
	keys := v.Keys()
	if !v.IsMapping() || len(keys) != 1 {
		return false
	}
	read := map[string]func(*document.Value){"known": r.known, "fill": r.fill, "point": r.point, "stored": r.stored,
		"link": r.link}[keys[0]]
	item := v.Field(keys[0])
	if read == nil || keys[0] == "stored" && !item.IsMapping() {
		return false
	}
	read(item)
	return true
}

// each reads the items of a list that may be absent.
func each(v *document.Value, read func(*document.Value)) {
	for _, item := range v.Items() {
		read(item)
	}
}

// at returns the file and the line of a value.
func (r *reader) at(v *document.Value) string { return fmt.Sprintf("%s:%d", r.File, v.Line) }

// knowns are the keys of known, with the parameter of each and what reads it. Where cells is set, the parameter counts
// cells, and the value is their bytes in one slice.
var knowns = []struct {
	key, parameter string
	read           func(*document.Value) calibrate.Range
	cells          bool
}{
	{"shared_cells", calibrate.Shared, countRange, false},
	{"reserved_cells", calibrate.ReservedCells, countRange, false},
	{"headroom_pool_cells", calibrate.HeadroomPool, countRange, false},
	{"xon_offset_cells", calibrate.XONOffset, countRange, false},
	{"dynamic_th", calibrate.DynamicTh, countRange, false}, {"leak_out_packets", calibrate.LeakOut, countRange, false},
	{"cell", calibrate.Cell, exactly(unit.ParseBytes), false},
	{"overhead", calibrate.Overhead, exactly(unit.ParseBytes), false},
	{"shared", calibrate.Shared, exactly(unit.ParseBytes), true},
	{"reserved", calibrate.ReservedCells, exactly(unit.ParseBytes), true},
	{"headroom_pool", calibrate.HeadroomPool, exactly(unit.ParseBytes), true},
	{"xon_offset", calibrate.XONOffset, exactly(unit.ParseBytes), true},
	{calibrate.LimitRule, calibrate.LimitRule, rule("before", "after"), false},
	{calibrate.XOFFRule, calibrate.XOFFRule, rule("refused", "full"), false},
	{calibrate.XONRule, calibrate.XONRule, rule("current", "latched"), false},
	{"response", calibrate.Response, exactly(unit.ParseTime), false},
	{"interfaces", calibrate.Interfaces, exactly(unit.ParseTime), false},
	{"propagation_per_metre", calibrate.Propagation, exactly(unit.ParseTime), false},
	{"alpha", calibrate.DynamicTh, exactly(thresholds.ParseAlpha), false},
}

// known reads what is known of the configuration and the chip.
func (r *reader) known(v *document.Value) {
	keys := make([]string, len(knowns))
	for i := range knowns {
		keys[i] = knowns[i].key
	}
	f := v.Fields(keys...)
	for _, x := range knowns {
		if v := f[x.key]; v != nil {
			r.file.Known = append(r.file.Known,
				calibrate.Assumption{Parameter: x.parameter, Is: x.read(v), Bytes: x.cells, Source: r.at(v)})
		}
	}
}

// exactly reads a quantity with its unit.
func exactly[T ~int8 | ~int | ~int64](parse func(string) (T, error)) func(*document.Value) calibrate.Range {
	return func(v *document.Value) calibrate.Range { return calibrate.Exactly(int64(document.Quantity(v, parse))) }
}

// rule reads one of the two values that a rule has in a chip file: the first is 0, and the second 1.
func rule(first, second string) func(*document.Value) calibrate.Range {
	return func(v *document.Value) calibrate.Range {
		switch v.Text() {
		case first:
			return calibrate.Exactly(0)
		case second:
			return calibrate.Exactly(1)
		case "unknown":
		default:
			v.Refuse(first + ", " + second + ", unknown")
		}
		return calibrate.Range{Lo: 0, Hi: 1}
	}
}

// countRange reads a whole number, or what is known of one: "20030..20040", "5000+" (a count that was capped),
// "unknown".
func countRange(v *document.Value) calibrate.Range {
	is, err := parseRange(v.Raw())
	if err != nil || len(v.Raw()) == 0 {
		v.Refuse("a whole number, FROM..TO, NUMBER+ or unknown")
	}
	return is
}

// errRange says that a text is no range.
var errRange = errors.New("want a whole number, FROM..TO, NUMBER+ or unknown")

// parseRange reads a range.
func parseRange(text string) (calibrate.Range, error) {
	text = strings.TrimSpace(text)
	if text == "unknown" {
		return calibrate.AtLeast(0), nil
	}
	if lo, capped := strings.CutSuffix(text, "+"); capped {
		n, err := parseCount(lo)
		return calibrate.AtLeast(n), err
	}
	if lo, hi, isRange := strings.Cut(text, ".."); isRange {
		from, err := parseCount(lo)
		to, second := parseCount(hi)
		if err != nil || second != nil || from > to {
			return calibrate.Range{}, errRange
		}
		return calibrate.Range{Lo: from, Hi: to}, nil
	}
	if n, negative := strings.CutPrefix(text, "-"); negative { // a dynamic_th
		k, err := parseCount(n)
		return calibrate.Exactly(-k), err
	}
	n, err := parseCount(text)
	return calibrate.Exactly(n), err
}

// parseCount reads a whole number.
func parseCount(text string) (int64, error) {
	n, err := strconv.ParseUint(text, 10, 41)
	if err != nil || text == "" || text[0] == '+' {
		return 0, errRange
	}
	return int64(n), nil
}

// orders are the values of order.
var orders = map[string]struct{ inTurn, toDrop bool }{"together": {}, "in-turn": {true, false},
	"each-to-drop": {true, true}}

// readings are the keys of a fill that are lists of readings.
var readings = []calibrate.Quantity{calibrate.XOFF, calibrate.Drop, calibrate.XONBelow, calibrate.SharedMark,
	calibrate.HeadroomMark}

// withReadings adds the keys of readings to others.
func withReadings(keys ...string) []string {
	return append(keys, grouped.Each(readings, calibrate.Quantity.String)...)
}

// fill reads a fill. Its readings are lists with a value for each group, or one value for the first group; or a list of
// groups with their values.
func (r *reader) fill(v *document.Value) {
	f := v.Fields(withReadings("packet", "groups", "order", "lossless", "profile", "headroom", "within", "read")...)
	v.Need(f, "packet")
	out := calibrate.Fill{From: r.at(v), Packet: document.Quantity(f["packet"], unit.ParseBytes), Groups: 1,
		Profile: f["profile"].Label(), Lossy: f["lossless"] != nil && !f["lossless"].Boolean()}
	if f["groups"] != nil {
		out.Groups = int(f["groups"].Integer(1, calibrate.MaxGroups))
	}
	if o := f["order"]; o != nil {
		order, ok := orders[o.Text()]
		if !ok {
			o.Refuse("together, in-turn, each-to-drop")
		}
		out.InTurn, out.ToDrop = order.inTurn, order.toDrop
	} else if out.Groups > 1 {
		v.Need(f, "order")
	}
	out.Headroom = document.Optional(f["headroom"], unit.ParseBytes)
	within := f["within"].Integer(0, 1<<20)
	for _, q := range readings {
		if list := f[q.String()]; list != nil {
			r.list(list, q, within, &out)
		}
	}
	each(f["read"], func(item *document.Value) { r.group(item, within, &out) })
	if len(out.Readings) == 0 {
		v.Refuse("a fill with a reading: xoff, drop, xon_below, a watermark")
	}
	r.file.Fills = append(r.file.Fills, out)
}

// list reads the values of one quantity: of the first group, or of all groups in their order.
func (r *reader) list(v *document.Value, what calibrate.Quantity, within int64, out *calibrate.Fill) {
	if v.Raw() != "" {
		r.reading(v, 0, what, within, out)
		return
	}
	items := v.Items()
	if len(items) > out.Groups {
		v.Refuse(fmt.Sprintf("at most %d values: one for each group that was filled", out.Groups))
		return
	}
	for g, item := range items {
		r.reading(item, g, what, within, out)
	}
}

// group reads the values of one group, which are counted from 1.
func (r *reader) group(v *document.Value, within int64, out *calibrate.Fill) {
	f := v.Fields(withReadings("group")...)
	v.Need(f, "group")
	g := int(f["group"].Integer(1, int64(out.Groups))) - 1
	for _, q := range readings {
		if x := f[q.String()]; x != nil {
			r.reading(x, g, q, within, out)
		}
	}
}

// reading reads one value; "unknown" is not a value. A watermark is cells, or bytes if it has their unit.
func (r *reader) reading(v *document.Value, group int, what calibrate.Quantity, within int64, out *calibrate.Fill) {
	if v.Raw() == "unknown" {
		return
	}
	x := calibrate.FillReading{Group: group, What: what}
	if what == calibrate.SharedMark || what == calibrate.HeadroomMark {
		x.Is, x.Bytes = markRange(v)
	} else {
		x.Is = countRange(v).Widen(within)
	}
	if x.Is.Hi < 0 {
		v.Refuse("0 or more")
		return
	}
	out.Readings = append(out.Readings, x)
}

// markRange reads a watermark: cells, or bytes with their unit.
func markRange(v *document.Value) (calibrate.Range, bool) {
	if is, err := parseRange(v.Raw()); err == nil {
		return is, false
	}
	return calibrate.Exactly(int64(document.Quantity(v, unit.ParseBytes))), true
}

// point reads a point.
func (r *reader) point(v *document.Value) {
	f := v.Fields("packet", "group", "held", "used", "refused")
	v.Need(f, "packet", "held", "used", "refused")
	r.file.Points = append(r.file.Points, calibrate.Point{From: r.at(v), Group: f["group"].Label(),
		Packet: document.Quantity(f["packet"], unit.ParseBytes), Held: f["held"].Integer(0, 1<<26),
		Used: f["used"].Integer(0, 1<<26), Refused: f["refused"].Boolean()})
}

// stored reads a number of stored packets.
func (r *reader) stored(v *document.Value) {
	f := v.Fields("packet", "packets", "watermark")
	v.Need(f, "packet", "packets", "watermark")
	s := calibrate.Stored{From: r.at(v), Packet: document.Quantity(f["packet"], unit.ParseBytes),
		Packets: f["packets"].Integer(1, 1<<26)}
	if f["watermark"] != nil {
		s.Mark, s.Bytes = markRange(f["watermark"])
	}
	r.file.Stored = append(r.file.Stored, s)
}

// link reads a link.
func (r *reader) link(v *document.Value) {
	f := v.Fields("speed", "cable", "headroom", "drops", "frames", "headroom_watermark")
	v.Need(f, "speed", "cable", "headroom", "drops")
	r.file.Links = append(r.file.Links, calibrate.PausedLink{From: r.at(v),
		Rate:     document.Quantity(f["speed"], unit.ParseBitRate),
		Cable:    document.Quantity(f["cable"], unit.ParseLength),
		Headroom: document.Quantity(f["headroom"], unit.ParseBytes), Drops: f["drops"].Integer(0, 1<<40),
		Frames: document.Optional(f["frames"], unit.ParseBytes),
		Mark:   document.Optional(f["headroom_watermark"], unit.ParseBytes)})
}
