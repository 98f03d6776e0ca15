package topology

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// Written is an intent as files: the topology, and the files that it names.
type Written struct {
	Topology []byte
	// Files belong beside the topology, by name: a chip that is not of the catalogue. Usually empty.
	Files map[string][]byte
}

// chipName is the file beside a topology whose chip is not of the catalogue.
const chipName = "chip.json"

// ErrNotWritable says that no topology gives an intent: it has what only Go can say, such as both a cable and a
// measured delay, or a Sizer of one's own.
var ErrNotWritable = errors.New("no topology says it")

// Write writes an intent as a topology: the inverse of [Parse]. Parse of what it writes gives the intent again; that is
// checked, and an intent for which it is not so is an error that wraps [ErrNotWritable].
func Write(in buffer.Intent) (Written, error) { return WriteCommented(in, Comments{}) }

// WriteCommented writes as [Write] does, with comments.
func WriteCommented(in buffer.Intent, comments Comments) (Written, error) {
	// What no reader would accept is not written: the error is then about the intent, and not about a text that
	// nobody wrote.
	if err := in.Validate(); err != nil {
		return Written{}, err
	}
	w := writer{in: &in, comments: comments, files: map[string][]byte{}}
	// The order is that in which a reader needs the parts: a port names classes, and classes name pools.
	w.comment("", comments.Head)
	if err := errors.Join(w.chip(), w.headroom()); err != nil {
		return Written{}, err
	}
	w.pools()
	w.ets()
	w.classes()
	w.dscp()
	w.ports()
	out := Written{w.out.Bytes(), w.files}
	// A topology that loses a value would plan another switch, and nobody would see it. Reading it back costs less
	// than that.
	again, err := Parse("topology.yaml", out.Topology, func(path string) ([]byte, error) {
		data, ok := out.Files[path]
		if !ok {
			return nil, fmt.Errorf("no file %s", path)
		}
		return data, nil
	})
	if err != nil {
		return Written{}, fmt.Errorf("%w: %w", ErrNotWritable, err)
	}
	if again.Chip.Notes == nil {
		again.Chip.Notes = in.Chip.Notes // none, or an empty list
	}
	if what := different(&in, &again); what != "" {
		return Written{}, fmt.Errorf("%w: %s", ErrNotWritable, what)
	}
	return out, nil
}

// different names a part in which two intents differ; empty: none. Every field of an intent is compared, also one
// that is added later: what Write forgets is an error and no silent loss.
func different(a, b *buffer.Intent) string {
	x, y := reflect.ValueOf(*a), reflect.ValueOf(*b)
	for i := range x.NumField() {
		name := x.Type().Field(i).Name
		switch {
		// No list and an empty one mean the same to a plan.
		case x.Field(i).Kind() == reflect.Slice && x.Field(i).Len() == 0 && y.Field(i).Len() == 0:
		case name == "Sizing" && sameTable(a.Sizing, b.Sizing):
		case !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()):
			return name
		}
	}
	return ""
}

// sameTable tells whether two sizers are tables with the same rows: names of files and lines in them do not matter.
func sameTable(a, b thresholds.Sizer) bool {
	x, ok1 := a.(*table.Table)
	y, ok2 := b.(*table.Table)
	return ok1 && ok2 && slices.EqualFunc(x.Rows, y.Rows, func(r, s table.Row) bool {
		r.Line, s.Line = 0, 0
		return r == s
	})
}

// writer writes one topology. files are those beside the topology, by name; an error of a part ends the writing, and
// nothing of it is returned.
type writer struct {
	in       *buffer.Intent
	comments Comments
	out      bytes.Buffer
	files    map[string][]byte
}

// above writes the comments of a path, above its value.
func (w *writer) above(indent, path string) { w.comment(indent, w.comments.Path[path]) }

// line writes a key and its value.
func (w *writer) line(key, value string) { fmt.Fprintf(&w.out, "%s: %s\n", key, value) }

// pair is a key and a value that is written already.
type pair struct{ key, value string }

// mapping is the pairs of a mapping, in order.
type mapping []pair

// add adds a pair whose value is written as it stands: a text that YAML could read otherwise is quoted by the caller.
func (m *mapping) add(key, value string) { *m = append(*m, pair{key, value}) }

// addIf adds a value that is not the default.
func (m *mapping) addIf(is bool, key string, value any) {
	if is {
		m.add(key, fmt.Sprint(value))
	}
}

// addAlpha adds an alpha, if there is one: its exponent is exact for every alpha, and it is the number that SONiC
// shows.
func (m *mapping) addAlpha(key string, a *thresholds.Alpha) {
	if a != nil {
		m.add(key, strconv.Itoa(a.DynamicTh()))
	}
}

// String writes the mapping on one line.
func (m mapping) String() string {
	parts := grouped.Each(m, func(p pair) string { return p.key + ": " + p.value })
	return "{" + strings.Join(parts, ", ") + "}"
}

// chip names a chip of the catalogue, or writes a file for another one.
func (w *writer) chip() error {
	w.above("", "chip")
	// A chip that was edited keeps its name.
	if line, ok := chipMapping(&w.in.Chip); ok {
		w.line("chip", line)
		return nil
	}
	text, err := json.MarshalIndent(w.in.Chip, "", "  ")
	if err != nil {
		return err
	}
	// JSON is YAML, too, so the reader of chip files takes it as it is.
	name := cmp.Or(w.comments.ChipFile, chipName)
	w.files[name] = append(text, '\n')
	w.line("chip", quoted(name))
	return nil
}

// quoted writes a name as YAML: in quotation marks, unless it has nothing but letters, numbers and marks of names.
func quoted(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") == "" {
		return name
	}
	text, _ := json.Marshal(name) // a text
	return string(text)
}

// headroom writes the method and its parameters, or the rows of a table. A table is not written as a file, so that one
// topology says everything.
func (w *writer) headroom() error {
	w.above("", "headroom")
	if t, ok := w.in.Sizing.(*table.Table); ok {
		fmt.Fprintf(&w.out, "headroom:\n  method: %s\n  rows:\n", t.Method())
		for i := range t.Rows {
			// A row of a topology has no key for a limit in bytes: leaving it out would give the row an alpha of 1.
			if limit, static := t.Rows[i].StaticTh.Get(); static {
				return fmt.Errorf("%w: the row of %v over %v has a limit of %v, for a pool in static mode: a row of a topology "+
					"has dynamic_th", ErrNotWritable, t.Rows[i].Rate, t.Rows[i].Cable, limit)
			}
			w.above("    ", fmt.Sprintf("headroom.rows[%d]", i))
			fmt.Fprintf(&w.out, "    - %v\n", rowMapping(&t.Rows[i]))
		}
		return nil
	}
	name := w.in.Sizing.Method()
	if !slices.Contains(method.Methods(), name) {
		return fmt.Errorf("%w: method %s is not one of %s", ErrNotWritable, name, strings.Join(method.Methods(), ", "))
	}
	options, err := method.OptionsOf(w.in.Sizing, w.in.Chip.Name)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotWritable, err)
	}
	m := mapping{{"method", name}}
	// A map has no order; the text is the same for the same intent.
	for _, key := range slices.Sorted(maps.Keys(options)) {
		m.add(key, strconv.Quote(options[key]))
	}
	w.line("headroom", m.String())
	return nil
}

// pools writes the ingress pool, the pools of the egress and the shared floor. All three are left out where they say
// nothing: a topology without them has one pool of all memory.
func (w *writer) pools() {
	p := &w.in.Pool
	w.above("", "pool")
	var m mapping
	m.addIf(p.Size > 0, "size", p.Size)
	m.addIf(p.SharedHeadroom > 0, "shared_headroom", p.SharedHeadroom)
	m.addIf(p.SharedHeadroomRatio > 0, "shared_headroom_ratio", p.SharedHeadroomRatio)
	m.addIf(p.SizeIncludesHeadroom, "size_includes_headroom", true)
	m.addIf(p.SizeIncludesReserved, "size_includes_reserved", true)
	if len(m) > 0 {
		w.line("pool", m.String())
	}
	if len(w.in.EgressPools) > 0 {
		w.out.WriteString("egress_pools:\n")
		for i, e := range w.in.EgressPools {
			w.above("  ", fmt.Sprintf("egress_pools[%d]", i))
			m := mapping{{"name", strconv.Quote(e.Name)}}
			m.addIf(e.Size > 0, "size", e.Size)
			fmt.Fprintf(&w.out, "  - %v\n", m)
		}
	}
	if t := w.in.Trimming; t.Size > 0 {
		w.above("", "trimming")
		w.line("trimming", mapping{{"size", t.Size.String()}, {"queue", strconv.Itoa(t.Queue)},
			{"dscp", strconv.Itoa(t.DSCP)}}.String())
	}
	if w.in.SharedFloor > 0 {
		w.line("shared_floor", w.in.SharedFloor.String())
	}
}

// classes writes the classes in their order, which is that of the bits of a port's classes.
func (w *writer) classes() {
	w.out.WriteString("classes:\n")
	for i := range w.in.Classes {
		w.above("  ", fmt.Sprintf("classes[%d]", i))
		fmt.Fprintf(&w.out, "  - %v\n", classMapping(&w.in.Classes[i]))
	}
}

// classMapping is a class on one line. Each key is left out where its value is what Parse takes without it.
func classMapping(c *buffer.Class) (m mapping) {
	m.add("name", strconv.Quote(c.Name))
	m.add("priorities", list(c.Priorities))
	m.addIf(c.Lossless, "lossless", true)
	m.addIf(c.Credits, "lossless", "cbfc")
	if len(c.Channels) > 0 {
		var channels mapping
		for _, a := range c.Channels {
			channels.add(strconv.Itoa(a.Traffic), strconv.Itoa(a.Channel))
		}
		m.add("channels", channels.String())
	}
	// 0 is a group, so its presence decides.
	m.addIf(c.Group.IsGiven(), "group", c.Group.Or(0))
	// An explicit 0B is written: it is not the default of the method.
	m.addIf(c.Reserved.IsGiven(), "reserved", c.Reserved)
	m.addAlpha("dynamic_th", c.Alpha)
	m.addIf(c.StaticLimit > 0, "static_limit", c.StaticLimit)
	m.addIf(c.MTU > 0, "mtu", c.MTU)
	m.addIf(c.XONOffset.IsGiven(), "xon_offset", c.XONOffset)
	m.addIf(c.QueueReserved > 0, "queue_reserved", c.QueueReserved)
	m.addIf(c.Egress.Pool != "", "egress_pool", strconv.Quote(c.Egress.Pool))
	m.addAlpha("queue_dynamic_th", c.Egress.Alpha)
	m.addIf(c.Egress.Limit > 0, "queue_limit", c.Egress.Limit)
	m.addIf(c.Trim, "trim", true)
	m.addIf(c.Weight > 0, "weight", c.Weight)
	m.addIf(c.Strict, "strict", true)
	m.addIf(c.ETS.IsGiven(), "ets_group", c.ETS)
	if e := c.ECN; e.KMin != 0 || e.KMax != 0 || e.PMax != 0 {
		m.add("ecn", mapping{{"kmin", e.KMin.String()}, {"kmax", e.KMax.String()}, {"pmax", e.PMax.String()}}.String())
	}
	return m
}

// list writes numbers as a list.
func list(numbers []int) string {
	return "[" + strings.Join(grouped.Each(numbers, strconv.Itoa), ", ") + "]"
}

// dscp writes the DSCPs of each priority, and which of both a switch trusts.
func (w *writer) dscp() {
	var m mapping
	for p, points := range w.in.DSCP {
		if points != 0 {
			m.add(strconv.Itoa(p), "["+points.String()+"]")
		}
	}
	w.above("", "dscp")
	if len(m) > 0 {
		w.line("dscp", m.String())
	}
	if w.in.Trust != pg.TrustUnknown {
		w.line("trust", w.in.Trust.String())
	}
}

// ports writes an entry for each run of ports that differ in their names alone. Runs are of neighbours only: ports
// are admitted in their order, so two runs that are alike may not be joined over another one.
func (w *writer) ports() {
	w.above("", "ports")
	w.out.WriteString("ports:\n")
	for i := 0; i < len(w.in.Ports); {
		n := i + 1
		for n < len(w.in.Ports) && w.alike(i, n) {
			n++
		}
		for ; i < n; i += w.entry(w.in.Ports[i:n]) {
		}
	}
}

// entry writes the first of some ports that differ in their names alone, or the first range of them, and returns how
// many ports that is. Several ranges are several entries: shorter to read.
func (w *writer) entry(alike []buffer.Port) int {
	n := min(3, len(alike))
	for n < len(alike) && rangeOf(alike[n-3:n+1]) != "" { // four names have one step, and so have all
		n++
	}
	for n > 1 && rangeOf(alike[:n]) == "" {
		n--
	}
	m := mapping{{"name", strconv.Quote(alike[0].Name)}}
	if n > 1 {
		m = mapping{{"range", strconv.Quote(rangeOf(alike[:n]))}}
	}
	if w.comments.Ports != nil {
		w.comment("  ", w.comments.Ports(alike[:n]))
	}
	fmt.Fprintf(&w.out, "  - %v\n", append(m, w.portMapping(&alike[0])...))
	return n
}

// alike tells whether two ports differ in their names alone. Pointers are compared by what they point at, so that two
// ports with the same pipe are alike.
func (w *writer) alike(i, j int) bool {
	a, b := w.in.Ports[i], w.in.Ports[j]
	a.Name = b.Name
	return reflect.DeepEqual(a, b)
}

// rangeOf returns a range of exactly these names in this order, or "". A text that would be read as other names, or
// in another order, is not used, whatever FoldPorts made of them.
func rangeOf(ports []buffer.Port) string {
	names := namesOf(ports)
	text := buffer.FoldPorts(names)
	if strings.Contains(text, ",") { // several ranges are several entries: shorter to read
		return ""
	}
	if again, err := ExpandPorts(text); err != nil || !slices.Equal(again, names) {
		return ""
	}
	return text
}

// portMapping is what a port has beside its name. A key is left out where its value is what Parse takes without it; a
// length of 0 is written, because a cable has no default.
func (w *writer) portMapping(p *buffer.Port) (m mapping) {
	m.add("speed", p.Rate.String())
	// A measurement fills Delay too. It is written as what it was: the delay would lose its uncertainty and its
	// source.
	if x := p.Measured; x.IsGiven() {
		m.addIf(p.Cable > 0, "cable", p.Cable)
		m.add("measured_delay", fmt.Sprintf("{round_trip: %v, uncertainty: %v, source: %s, date: %s}", x.RoundTrip,
			x.Uncertainty, strconv.Quote(x.Source), strconv.Quote(x.Date)))
	} else if measured, given := p.Delay.Get(); given {
		m.add("delay", measured.String())
	} else {
		m.add("cable", p.Cable.String())
	}
	m.addIf(p.Medium != thresholds.Fibre, "medium", p.Medium)
	m.addIf(p.Extra > 0, "extra_delay", p.Extra)
	m.addIf(p.MACsec, "macsec", true)
	m.addIf(p.Response.IsGiven(), "response_delay", unit.Optional[unit.Time](p.Response))
	// What is the default of the file is left out, so that a written topology shows what is special about the switch.
	m.addIf(p.MTU != defaultMTU, "mtu", p.MTU)
	m.addIf(p.Reserved > 0, "reserved", p.Reserved)
	m.addIf(p.Credits, "lossless", "cbfc")
	m.addIf(p.SharedCredits > 0, "shared_credits", p.SharedCredits)
	if p.Classes != 0 {
		var names []string
		for i := range w.in.Classes {
			if p.Classes.Has(i) {
				names = append(names, strconv.Quote(w.in.Classes[i].Name))
			}
		}
		m.add("classes", "["+strings.Join(names, ", ")+"]")
	}
	m.addIf(p.State != buffer.PortUp, "state", p.State)
	m.addIf(p.Lanes > 0, "lanes", p.Lanes)
	m.addIf(p.PFCWithoutHeadroom > 0, "pfc_without_headroom", list(p.WithoutHeadroom()))
	if p.Pipe != nil {
		m.add("pipe", strconv.Itoa(*p.Pipe))
	}
	return m
}
