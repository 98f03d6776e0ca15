package diagnosis

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/unit"
)

// The bounds of a dump. A chassis has some thousand groups.
const (
	maxDump   = 16 << 20 // the length of a dump
	maxGroups = 1 << 17  // groups and ports in a dump
	maxName   = 256      // bytes of the name of a port
)

// CounterOptions are what a dump does not say.
type CounterOptions struct {
	// Cell is the size of a cell, for watermarks in cells (SAI_..._CELLS, columns that end in _cells). 0: such
	// values are refused.
	Cell unit.Bytes
}

// ErrNoCell says that a dump has watermarks in cells, and that the size of a cell was not given.
var ErrNoCell = errors.New("a watermark in cells: the size of a cell is not known")

// ReadCounters reads a dump. The error names what is wrong with it and where.
func ReadCounters(data []byte, opt CounterOptions) (Sample, error) {
	if len(data) > maxDump {
		return Sample{}, fmt.Errorf("%d bytes: want at most %d", len(data), maxDump)
	}
	c := newCollector(opt)
	var err error
	switch trimmed := bytes.TrimSpace(data); {
	case len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '['):
		err = c.readJSON(trimmed)
	case isCSV(trimmed):
		err = c.readCSV(trimmed)
	default:
		err = c.readShow(data)
	}
	switch {
	case err != nil:
		return Sample{}, err
	case c.read == 0:
		return Sample{}, errors.New("no counter of a port or priority group was found: want SONiC's show priority-group " +
			"watermark, show priority-group drop counters, show pfc counters, show pfcwd stats, a JSON dump of COUNTERS_DB, " +
			"or CSV with the columns port and group")
	}
	return c.sample(), nil
}

// collector collects the counters of a dump.
type collector struct {
	opt    CounterOptions
	groups map[groupKey]*GroupSample
	ports  map[string]*PortSample
	pool   unit.Optional[unit.Bytes]
	read   int // values that were read
}

func newCollector(opt CounterOptions) *collector {
	return &collector{opt: opt, groups: map[groupKey]*GroupSample{}, ports: map[string]*PortSample{}}
}

// sampleOf returns the sample of a port or a group, whose port has this name. It refuses a text that is no name, and
// one more group or port than a dump may have.
func sampleOf[K comparable, T any](c *collector, all map[K]*T, key K, name string) (*T, error) {
	switch {
	case all[key] != nil:
	case name == "" || len(name) > maxName:
		return nil, fmt.Errorf("a port name of %d bytes: want 1 to %d", len(name), maxName)
	case len(c.groups)+len(c.ports) >= maxGroups:
		return nil, fmt.Errorf("more than %d groups and ports", maxGroups)
	default:
		all[key] = new(T)
	}
	return all[key], nil
}

// quantity is a counter or watermark of a group or port.
type quantity int

const (
	headroomMark quantity = iota
	sharedMark
	totalMark
	drops
	pauseSent
	pauseReceived
	pausedTime
	storms
	poolMark // of a headroom pool: the names of port and group are not looked at
	bytesIn
	bytesOut
	quantities
)

// set writes a value, and refuses a second one that is different. Of several watermarks of one group the
// largest counts, because each is the largest of its own time.
func (c *collector) set(port string, group int, q quantity, value int64) error {
	c.read++
	switch q {
	case poolMark:
		return put(&c.pool, unit.Bytes(value), true)
	case bytesIn, bytesOut:
		p, err := sampleOf(c, c.ports, port, port)
		if err != nil {
			return err
		}
		if q == bytesIn {
			return put(&p.BytesIn, unit.Bytes(value), false)
		}
		return put(&p.BytesOut, unit.Bytes(value), false)
	}
	// Groups above 7 are those of switches with more priority groups than PFC has priorities; they are not lossless.
	g, err := sampleOf(c, c.groups, groupKey{port, group}, port)
	if err != nil {
		return err
	}
	switch q {
	case headroomMark:
		return put(&g.Headroom, unit.Bytes(value), true)
	case sharedMark:
		return put(&g.Shared, unit.Bytes(value), true)
	case totalMark:
		return put(&g.Total, unit.Bytes(value), true)
	case drops:
		return put(&g.Drops, value, false)
	case pauseSent:
		return put(&g.PauseSent, value, false)
	case pauseReceived:
		return put(&g.PauseReceived, value, false)
	case storms:
		return put(&g.Storms, value, false)
	default:
		if value > most/int64(unit.Microsecond) {
			return fmt.Errorf("%d us: want at most %d", value, most/int64(unit.Microsecond))
		}
		return put(&g.Paused, unit.Time(value)*unit.Microsecond, false)
	}
}

// put writes a value that is not there yet, or that is larger where the largest counts.
func put[T cmp.Ordered](to *unit.Optional[T], value T, largest bool) error {
	before, there := to.Get()
	if there && !largest && before != value {
		return fmt.Errorf("%v and %v for the same counter: want one dump in a file", before, value)
	}
	if !there || value > before {
		*to = unit.Given(value)
	}
	return nil
}

// setText writes a value that is a text, if it is known.
func (c *collector) setText(port string, group int, q quantity, text string, inCells bool) error {
	n, known, err := c.number(text, inCells)
	if err == nil && known {
		err = c.set(port, group, q, n)
	}
	return err
}

// sample returns what was collected, sorted by port and group.
func (c *collector) sample() Sample {
	out := Sample{HeadroomPool: c.pool}
	byKey := func(a, b groupKey) int { return cmp.Or(cmp.Compare(a.port, b.port), cmp.Compare(a.group, b.group)) }
	for _, key := range slices.SortedFunc(maps.Keys(c.groups), byKey) {
		g := *c.groups[key]
		g.Port, g.Group = key.port, key.group
		out.Groups = append(out.Groups, g)
	}
	for _, name := range slices.Sorted(maps.Keys(c.ports)) {
		p := *c.ports[name]
		p.Port = name
		out.Ports = append(out.Ports, p)
	}
	return out
}

// number reads a counter; one in cells becomes one in bytes. Commas part the thousands in SONiC's tables. known is
// false for N/A.
func (c *collector) number(text string, inCells bool) (n int64, known bool, err error) {
	text = strings.TrimSpace(text)
	if text == "N/A" || text == "" {
		return 0, false, nil
	}
	n, err = strconv.ParseInt(strings.ReplaceAll(text, ",", ""), 10, 64)
	if err != nil || n < 0 || n > most {
		return 0, false, fmt.Errorf("%q: want a whole number, 0 to %d, or N/A", text[:min(len(text), 40)], int64(most))
	}
	switch size := int64(c.opt.Cell); {
	case !inCells:
		return n, true, nil
	case size <= 0:
		return 0, false, ErrNoCell
	case n > most/size:
		return 0, false, fmt.Errorf("%d cells: want at most %d", n, most/size)
	default:
		return n * size, true, nil
	}
}
