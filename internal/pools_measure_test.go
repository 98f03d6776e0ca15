package internal_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/pools"
	"github.com/cellwarden/cellwarden/unit"
)

var rewrite = flag.Bool("rewrite", false, "write the figures of docs/sonic.md")

// score counts predictions of pools. Exact is size and xoff within a KiB; inside is a size in the predicted interval.
type score struct{ all, exact, inside, refused int }

func (s *score) add(exact, inside bool, err error) {
	s.all++
	if err != nil {
		s.refused++
		return
	}
	if exact {
		s.exact++
	}
	if exact || inside {
		s.inside++
	}
}

func near(a, b unit.Bytes) bool { return max(a-b, b-a) < unit.KiB }

// distinct returns the first folder of each set of values that a chip's folders have.
func distinct(of func(*pools.Folder) bool) (out []*pools.Folder) {
	seen := map[string]bool{}
	for i := range pools.Known() {
		f := &pools.Known()[i]
		k := fmt.Sprint(f.Chip, f.Vendor == "mellanox", f.Size, f.XOFF)
		if of(f) && f.Size > 0 && !seen[k] {
			seen[k] = true
			out = append(out, f)
		}
	}
	return out
}

// without returns the folders that are known but for one, for all of its topologies.
func without(f *pools.Folder) []pools.Folder {
	return slices.DeleteFunc(slices.Clone(pools.Known()), func(o pools.Folder) bool {
		return o.Platform == f.Platform && o.HwSKU == f.HwSKU
	})
}

// predicted scores choices: the first of them, or one of the first nine, is exact; all of them are the interval.
func predicted(f *pools.Folder, choices []pools.Choice, first int) (exact, inside bool) {
	low, high := unit.Bytes(1<<62), unit.Bytes(0)
	for i, c := range choices {
		exact = exact || i < first && near(c.Size, f.Size) && near(c.XOFF, f.XOFF)
		low, high = min(low, c.Size-c.Port), max(high, c.Size+c.Port)
	}
	return exact, low-unit.KiB < f.Size && f.Size < high+unit.KiB
}

// twoRoles are the roles of the folders with two pools, which are the same for all of a topology: 28 and 4 ports of
// 32 for t0, 16 and 16 for t1.
func twoRoles(f *pools.Folder) []pools.Ports {
	fast := slices.MaxFunc(f.Ports, func(a, b pools.Ports) int { return int(a.Speed/unit.Mbps - b.Speed/unit.Mbps) })
	split := map[bool][2]int64{true: {28, 5}, false: {16, 40}}[f.For("t0")]
	up := map[bool]int64{true: 40, false: 300}[f.For("t0")]
	a, b := fast, fast
	a.Count, a.Cable = int(split[0]), unit.Length(split[1])*unit.Metre
	b.Count, b.Cable = 32-a.Count, unit.Length(up)*unit.Metre
	return []pools.Ports{a, b}
}

func early(f *pools.Folder) bool {
	return slices.Contains([]string{"spectrum-1", "spectrum-2", "spectrum-3"}, f.Chip)
}

// measure predicts the pools of folders of NVIDIA's, each without itself.
func measure(t *testing.T, of func(*pools.Folder) bool, withRoles bool) (s score) {
	t.Helper()
	known := roles(t)
	for _, f := range distinct(of) {
		r := known[key(f)]
		q, first := question(f, r), 9
		if withRoles || f.Kind() == pools.Lossy {
			given := r.ports
			if f.Kind() == pools.Two {
				given = twoRoles(f)
			}
			if len(given) > 0 {
				q.Ports, _ = pools.Given(given, f.Ports)
				q.Ratio = r.ratio
			}
			first = 1
		}
		choices, err := q.Choices(without(f))
		exact, inside := predicted(f, choices, first)
		s.add(exact, inside, err)
		if testing.Verbose() {
			fmt.Println(withRoles, f.Chip, f.HwSKU, f.Topologies, f.Kind(), f.Size, f.XOFF, exact, inside, len(choices), err)
		}
	}
	return s
}

// expected predicts the sizes of folders of other vendors, each without itself.
func expected(of func(*pools.Folder) bool) (s score) {
	for _, f := range distinct(of) {
		q := &pools.Question{Chip: f.Chip, Topology: f.Topologies[0], Ports: f.Ports, HwSKU: f.HwSKU}
		e, err := pools.Expect(q, without(f), f.Vendor, f.Platform)
		s.add(e.Size.Point == f.Size, e.Size.Low <= f.Size && f.Size <= e.Size.High, err)
		if testing.Verbose() {
			fmt.Println(f.Chip, f.Vendor, f.HwSKU, f.Topologies, f.Size, e.Size, err)
		}
	}
	return s
}

// sibling is the baseline: the pools of the folder of the chip whose ports are the nearest, by the bits that differ.
func sibling(of func(*pools.Folder) bool) (s score) {
	for _, f := range distinct(of) {
		var best *pools.Folder
		least := int64(-1)
		for _, o := range without(f) {
			if o.Chip != f.Chip || o.Size == 0 || o.Kind() != f.Kind() {
				continue
			}
			if d := distance(f.Ports, o.Ports); least < 0 || d < least {
				least, best = d, &o
			}
		}
		s.add(best != nil && best.Size == f.Size && best.XOFF == f.XOFF, false, nil)
	}
	return s
}

func distance(a, b []pools.Ports) (d int64) {
	bits := map[unit.BitRate]int64{}
	for _, p := range a {
		bits[p.Speed] += int64(p.Count) * int64(p.Speed/unit.Mbps)
	}
	for _, p := range b {
		bits[p.Speed] -= int64(p.Count) * int64(p.Speed/unit.Mbps)
	}
	for _, v := range bits {
		d += max(v, -v)
	}
	return d
}

// TestPoolsMeasured predicts the pools of each folder from all others, and compares the figures with those of docs/sonic.md.
func TestPoolsMeasured(t *testing.T) {
	chips := func(names ...string) func(*pools.Folder) bool {
		return func(f *pools.Folder) bool { return slices.Contains(names, f.Chip) }
	}
	nvidia := func(f *pools.Folder) bool { return strings.HasPrefix(f.Chip, "spectrum-") }
	late := func(f *pools.Folder) bool { return nvidia(f) && !early(f) }
	var b strings.Builder
	b.WriteString("\n| folders | values | exact | exact or inside the interval | refused | what is given |\n" +
		"|---|---|---|---|---|---|\n")
	for _, row := range []struct {
		name  string
		score score
		given string
	}{
		{"Spectrum 1 to 3", measure(t, early, true), "ports, roles and ratio, chosen by hand"},
		{"Spectrum 1 to 3", measure(t, early, false), "ports; one of the first nine choices is exact"},
		{"Spectrum 4 to 6, lossy only", measure(t, func(f *pools.Folder) bool { return late(f) && f.Kind() == pools.Lossy },
			false), "name, ports and sai.profile"},
		{"Spectrum 4 to 6, lossless", measure(t, func(f *pools.Folder) bool { return late(f) && f.Kind() != pools.Lossy },
			true), "ports, roles and ratio, chosen by hand"},
		{"Tomahawk 5 of Arista, size", expected(func(f *pools.Folder) bool {
			return f.Chip == "tomahawk5" && f.Vendor == "arista"
		}), "ports and platform"},
		{"Tomahawk, Tomahawk 2, Trident 2, Tofino, Jericho 2, size", expected(chips("tomahawk", "tomahawk2", "trident2",
			"tofino1", "jericho2", "jericho2cplus")), "vendor, platform and topology"},
		{"other chips, size", expected(func(f *pools.Folder) bool {
			return !nvidia(f) && f.Chip != "" && !(f.Chip == "tomahawk5" && f.Vendor == "arista") && !chips("tomahawk",
				"tomahawk2", "trident2", "tofino1", "jericho2", "jericho2cplus")(f)
		}), "vendor, platform and topology"},
		{"baseline: the nearest folder of the chip, Spectrum", sibling(nvidia), "ports"},
		{"baseline: the nearest folder of the chip, others", sibling(func(f *pools.Folder) bool {
			return !nvidia(f) && f.Chip != ""
		}), "ports"},
	} {
		s := row.score
		fmt.Fprintf(&b, "| %s | %d | %d (%d %%) | %d (%d %%) | %d | %s |\n", row.name, s.all, s.exact, 100*s.exact/s.all,
			s.inside, 100*s.inside/s.all, s.refused, row.given)
	}
	b.WriteString("\n")
	const begin, end, page = "<!-- measured: made by go test ./internal -run PoolsMeasured -rewrite -->\n", "<!-- measured end -->",
		"../docs/sonic.md"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, there := strings.Cut(string(text), begin)
	old, after, closed := strings.Cut(rest, end)
	require.True(t, there && closed, "%s has no place for the figures", page)
	if *rewrite {
		require.NoError(t, os.WriteFile(page, []byte(before+begin+b.String()+end+after), 0o600))
		return
	}
	require.Equal(t, old, b.String(), "%s is out of date: go test ./internal -run PoolsMeasured -rewrite", page)
}
