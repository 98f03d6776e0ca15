package measured

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/calibrate"
	"github.com/cellwarden/cellwarden/unit"
)

// The columns of a CSV file of fills: a line for each group. Lines with the same fill belong together, and the columns
// before group are equal in them.
var fillColumns = []string{"fill", "packet", "groups", "order", "profile", "headroom", "within", "group", "xoff",
	"drop", "xon_below", "shared_watermark", "headroom_watermark"}

// The columns of a CSV file of links.
var linkColumns = []string{"speed", "cable", "headroom", "drops", "frames", "headroom_watermark"}

// header returns the names in the first line of a CSV file.
func header(data []byte) []string {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	return strings.Split(strings.TrimSpace(string(line)), ",")
}

// isOurCSV tells whether a text begins with the names of columns of fills or links.
func isOurCSV(data []byte) bool {
	names := header(data)
	return slices.Contains(names, "fill") && slices.Contains(names, "group") ||
		slices.Contains(names, "speed") && slices.Contains(names, "cable")
}

// row is a line of CSV by the names of its columns.
type row struct {
	fields map[string]string
	from   string
	bad    error
}

// fail keeps the first complaint.
func (r *row) fail(column string, err error) {
	if r.bad == nil {
		text := r.fields[column]
		r.bad = fmt.Errorf("%s: %s: %q: %w", r.from, column, text[:min(len(text), 40)], err)
	}
}

// quantity reads a field with a unit; absent if it is empty.
func quantity[T any](r *row, column string, parse func(string) (T, error)) (out unit.Optional[T]) {
	if r.fields[column] == "" {
		return out
	}
	v, err := parse(r.fields[column])
	if err != nil {
		r.fail(column, err)
	}
	return unit.Given(v)
}

// readCSV reads a file of fills or links.
func readCSV(name string, data []byte) (File, error) {
	columns := fillColumns
	links := slices.Contains(header(data), "cable")
	needed := []string{"fill", "packet", "group"}
	if links {
		columns, needed = linkColumns, []string{"speed", "cable", "headroom", "drops"}
	}
	c := csv.NewReader(bytes.NewReader(data))
	names, err := c.Read()
	if err != nil {
		return File{}, fmt.Errorf("%s:1: %w", name, err)
	}
	for i, n := range names {
		if !slices.Contains(columns, n) || slices.Contains(names[:i], n) {
			return File{}, fmt.Errorf("%s:1: column %q: want each of these at most once: %s", name, n[:min(len(n), 40)],
				strings.Join(columns, ", "))
		}
	}
	for _, n := range needed {
		if !slices.Contains(names, n) {
			return File{}, fmt.Errorf("%s:1: no column %q: want %s and %s", name, n, strings.Join(needed, ", "),
				"those that were measured")
		}
	}
	var out File
	fills := map[string]int{}
	for {
		fields, err := c.Read()
		if errors.Is(err, io.EOF) {
			return out, validate(name, &out)
		}
		if err != nil {
			return File{}, fmt.Errorf("%s: %w", name, err)
		}
		line, _ := c.FieldPos(0)
		r := row{map[string]string{}, fmt.Sprintf("%s:%d", name, line), nil}
		for i, n := range names {
			r.fields[n] = strings.TrimSpace(fields[i])
		}
		if links {
			out.Links = append(out.Links, r.link())
		} else {
			r.fill(&out, fills)
		}
		if r.bad != nil {
			return File{}, r.bad
		}
	}
}

// errMissing says that a field is empty.
var errMissing = errors.New("want a value")

// must reads a field that may not be empty.
func must[T any](r *row, column string, parse func(string) (T, error)) T {
	v, given := quantity(r, column, parse).Get()
	if !given {
		r.fail(column, errMissing)
	}
	return v
}

// link reads a line of links.
func (r *row) link() calibrate.PausedLink {
	return calibrate.PausedLink{From: r.from, Rate: must(r, "speed", unit.ParseBitRate),
		Cable:    must(r, "cable", unit.ParseLength),
		Headroom: must(r, "headroom", unit.ParseBytes), Drops: must(r, "drops", parseCount),
		Frames: quantity(r, "frames", unit.ParseBytes), Mark: quantity(r, "headroom_watermark", unit.ParseBytes)}
}

// fill reads a line of fills, and adds it to its fill.
func (r *row) fill(out *File, fills map[string]int) {
	f := calibrate.Fill{From: r.from, Packet: must(r, "packet", unit.ParseBytes), Profile: r.fields["profile"],
		Headroom: quantity(r, "headroom", unit.ParseBytes), Groups: 1}
	if n, given := quantity(r, "groups", parseCount).Get(); given {
		f.Groups = int(min(n, calibrate.MaxGroups+1))
	}
	if o := r.fields["order"]; o != "" {
		order, ok := orders[o]
		if !ok {
			r.fail("order", errors.New("want together, in-turn, each-to-drop"))
		}
		f.InTurn, f.ToDrop = order.inTurn, order.toDrop
	} else if f.Groups > 1 {
		r.fail("order", errMissing)
	}
	i, there := fills[r.fields["fill"]]
	if !there {
		if i = len(out.Fills); i >= calibrate.MaxFills {
			r.fail("fill", fmt.Errorf("want at most %d fills", calibrate.MaxFills))
			return
		}
		fills[r.fields["fill"]] = i
		out.Fills = append(out.Fills, f)
	}
	first := &out.Fills[i]
	if first.Packet != f.Packet || first.Groups != f.Groups || first.InTurn != f.InTurn || first.ToDrop != f.ToDrop ||
		first.Profile != f.Profile || first.Headroom != f.Headroom {
		r.fail("fill", fmt.Errorf("want lines with one packet, order and number of groups, as in %s", first.From))
	}
	group, err := strconv.Atoi(r.fields["group"])
	if err != nil || group < 1 || group > first.Groups {
		r.fail("group", fmt.Errorf("want 1 to %d", first.Groups))
		return
	}
	within := quantity(r, "within", parseCount).Or(0)
	for _, q := range readings {
		r.reading(first, group-1, q, within)
	}
}

// reading reads a field of a group, if it has a value.
func (r *row) reading(f *calibrate.Fill, group int, what calibrate.Quantity, within int64) {
	text := r.fields[what.String()]
	if text == "" || text == "unknown" {
		return
	}
	x := calibrate.FillReading{Group: group, What: what}
	is, err := parseRange(text)
	x.Is = is
	if what == calibrate.SharedMark || what == calibrate.HeadroomMark {
		if err != nil {
			var n unit.Bytes
			n, err = unit.ParseBytes(text)
			x.Is, x.Bytes = calibrate.Exactly(int64(n)), true
		}
	} else {
		x.Is = is.Widen(within)
	}
	if err == nil && x.Is.Hi < 0 {
		err = errRange
	}
	if err != nil {
		r.fail(what.String(), err)
		return
	}
	f.Readings = append(f.Readings, x)
}
