// Package sweep makes grids of topologies: every combination of some values of some keys.
//
//	axis, err := sweep.ParseAxis("cable=5m..10km:4")
//
// An axis names a key and lists values, or spans them: with equal ratios (5m..10km:4 has 5m, 63m, 794m, 10km) or with
// equal steps (5m..20m/5m). A point of a grid is a list of changes for topology.Read.
package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// Axis is a key and its values.
type Axis struct {
	Name   string   // as it was written: cable, ports[1].cable
	Values []string // as a topology has them

	path string // with [*] for every entry of ports
}

// short are names for keys that are often varied.
var short = map[string]string{
	"cable": "ports[*].cable", "speed": "ports[*].speed", "mtu": "ports[*].mtu", "peer": "ports[*].peer",
	"response_delay": "ports[*].response_delay", "frame": "headroom.frame", "delays": "headroom.delays",
	"ratio": "pool.shared_headroom_ratio", "floor": "shared_floor",
}

// maxValues is the largest number of values of an axis, and maxPoints of the points of a grid.
const (
	maxValues = 10_000
	maxPoints = 100_000_000
)

// ParseAxis reads "KEY=VALUES". KEY is a path as in the file, where ports[*] is every entry of the ports, or one of the
// short names cable, speed, mtu, peer, response_delay, frame, delays, ratio and floor. VALUES is a list with commas,
// whose items are values or spans: FIRST..LAST:N is N values with equal ratios, FIRST..LAST/STEP has equal steps. A
// value with a comma in it needs brackets or braces.
func ParseAxis(text string) (Axis, error) {
	key, list, ok := strings.Cut(text, "=")
	if !ok || key == "" || list == "" {
		return Axis{}, fmt.Errorf("%.200q (want <key>=<values>, such as cable=5m..10km:12 or headroom.frame=64B,1500B)", text)
	}
	a := Axis{Name: key, path: key}
	if path, is := short[key]; is {
		a.path = path
	}
	for _, item := range split(list) {
		values, err := span(item)
		if err != nil {
			return Axis{}, fmt.Errorf("%s=%.200s: %w", key, item, err)
		}
		if a.Values = append(a.Values, values...); len(a.Values) > maxValues {
			return Axis{}, fmt.Errorf("%s: more than %d values", key, maxValues)
		}
	}
	for i, v := range a.Values {
		if slices.Contains(a.Values[:i], v) {
			return Axis{}, fmt.Errorf("%s: %s is there twice", key, v)
		}
	}
	if _, err := topology.ParseOverride(strings.ReplaceAll(a.path, "[*]", "[0]") + "=" + a.Values[0]); err != nil {
		return Axis{}, err
	}
	if n := strings.Count(a.path, "[*]"); n > 1 || n == 1 && !strings.HasPrefix(a.path, every) {
		return Axis{}, fmt.Errorf("%s: want ports[*] at the beginning, once", key)
	}
	return a, nil
}

// every is the path of every entry of the ports.
const every = "ports[*]"

// split splits at commas that are not in brackets or braces.
func split(list string) (out []string) {
	depth, start := 0, 0
	for i, c := range list {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 0 {
				out, start = append(out, list[start:i]), i+1
			}
		}
	}
	return append(out, list[start:])
}

// span returns the values of an item: itself, or those of a span.
func span(item string) ([]string, error) {
	first, rest, is := strings.Cut(item, "..")
	if !is {
		if strings.TrimSpace(item) == "" {
			return nil, errors.New("an empty value")
		}
		return []string{item}, nil
	}
	last, number, ratios := strings.Cut(rest, ":")
	if ratios {
		n, err := strconv.Atoi(number)
		if err != nil || n < 2 || n > maxValues {
			return nil, fmt.Errorf("%q values: want 2 to %d", number, maxValues)
		}
		return between(first, last, func(k kind, a, b int64) ([]int64, error) { return equalRatios(k, a, b, n) })
	}
	last, step, steps := strings.Cut(rest, "/")
	if !steps {
		return nil, errors.New("want FIRST..LAST:NUMBER with equal ratios, or FIRST..LAST/STEP")
	}
	return between(first, last, func(k kind, a, b int64) ([]int64, error) {
		by, err := k.parse(step)
		if err != nil || by < 1 {
			return nil, fmt.Errorf("step %q: want more than nothing, with the unit of the values", step)
		}
		var out []int64
		for v := a; len(out) <= maxValues; v += by {
			if out = append(out, v); by > b-v {
				break
			}
		}
		return out, nil
	})
}

// kind is a quantity that can be spanned.
type kind struct {
	parse func(string) (int64, error)
	text  func(int64) string
	grain func(int64) int64 // to which a value between is rounded
}

// kinds are tried in this order.
var kinds = []kind{
	of(unit.ParseLength, int64(unit.Metre)), of(unit.ParseBytes, 1), of(unit.ParseBitRate, int64(unit.Gbps)),
	of(unit.ParseTime, int64(unit.Nanosecond)), of(unit.ParsePercent, int64(unit.OnePercent)),
	{
		func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) },
		func(n int64) string { return strconv.FormatInt(n, 10) },
		func(int64) int64 { return 1 },
	},
}

// of makes a kind of a quantity. Values between are rounded to its grain, or, if they are smaller, to the base unit.
func of[T interface {
	~int64
	fmt.Stringer
}](parse func(string) (T, error), grain int64) kind {
	return kind{
		func(s string) (int64, error) { v, err := parse(s); return int64(v), err },
		func(n int64) string { return T(n).String() },
		func(n int64) int64 {
			if n < grain {
				return 1
			}
			return grain
		},
	}
}

// between reads the ends of a span and fills it.
func between(first, last string, fill func(k kind, a, b int64) ([]int64, error)) ([]string, error) {
	for _, k := range kinds {
		a, err1 := k.parse(first)
		b, err2 := k.parse(last)
		if err1 != nil || err2 != nil {
			continue
		}
		if a < 0 || b < a {
			return nil, fmt.Errorf("%s..%s: want it from the smaller to the larger", first, last)
		}
		numbers, err := fill(k, a, b)
		if err != nil {
			return nil, err
		}
		var out []string
		for _, n := range numbers {
			if text := k.text(n); len(out) == 0 || out[len(out)-1] != text {
				out = append(out, text)
			}
		}
		return out, nil
	}
	return nil, fmt.Errorf("%q and %q: want two quantities of one kind, with units, or two whole numbers", first, last)
}

// equalRatios returns n values from a to b with equal ratios, each rounded to three digits and to the grain of the
// quantity. Three digits are the same on every machine.
func equalRatios(k kind, a, b int64, n int) ([]int64, error) {
	if a < 1 {
		return nil, errors.New("equal ratios begin above zero: want FIRST..LAST/STEP, or another first value")
	}
	out := make([]int64, n)
	for i := range out {
		v := float64(a) * math.Pow(float64(b)/float64(a), float64(i)/float64(n-1))
		digits := math.Pow(10, math.Floor(math.Log10(v))-2)
		whole := int64(math.Round(v/digits) * digits)
		grain := k.grain(whole)
		out[i] = (whole + grain/2) / grain * grain
	}
	out[0], out[n-1] = a, b
	return out, nil
}

// Grid is every combination of the values of its axes.
type Grid struct{ Axes []Axis }

// Parse reads the axes of a grid. A repeated key, or a grid of more than maxPoints, is refused.
func Parse(texts ...string) (Grid, error) {
	var g Grid
	points := 1
	for _, text := range texts {
		a, err := ParseAxis(text)
		if err != nil {
			return Grid{}, err
		}
		if slices.ContainsFunc(g.Axes, func(o Axis) bool { return o.path == a.path }) {
			return Grid{}, fmt.Errorf("%s: varied twice", a.Name)
		}
		if g.Axes = append(g.Axes, a); points > maxPoints/len(a.Values) {
			return Grid{}, fmt.Errorf("more than %d points", maxPoints)
		}
		points *= len(a.Values)
	}
	if len(g.Axes) == 0 {
		return Grid{}, errors.New("nothing varies (want at least one KEY=VALUES)")
	}
	return g, nil
}

// Len returns the number of points.
func (g Grid) Len() int {
	n := 1
	for _, a := range g.Axes {
		n *= len(a.Values)
	}
	return n
}

// At returns the values of the i-th point, one of each axis. The last axis varies fastest.
func (g Grid) At(i int) []string {
	out := make([]string, len(g.Axes))
	for k, a := range slices.Backward(g.Axes) {
		out[k] = a.Values[i%len(a.Values)]
		i /= len(a.Values)
	}
	return out
}

// JSON returns the values of the i-th point as an object, in the order of the axes. They are texts, as an axis has
// them: 100G is no number.
func (g Grid) JSON(i int) json.RawMessage {
	var pairs []string
	for k, value := range g.At(i) {
		pair, _ := json.Marshal(map[string]string{g.Axes[k].Name: value})
		pairs = append(pairs, strings.Trim(string(pair), "{}"))
	}
	return json.RawMessage("{" + strings.Join(pairs, ",") + "}")
}

// Changes returns the changes of a topology with this number of entries of ports, for the i-th point.
func (g Grid) Changes(i, entries int) (out []topology.Override) {
	for k, value := range g.At(i) {
		rest, all := strings.CutPrefix(g.Axes[k].path, every)
		if !all {
			out = append(out, topology.NewChange(g.Axes[k].path, value))
			continue
		}
		for e := range entries {
			out = append(out, topology.NewChange(fmt.Sprintf("ports[%d]%s", e, rest), value))
		}
	}
	return out
}
