package topology

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/unit"
)

// This file reads and writes what a topology says of the memory beside a chip: chip: {name: jericho4, pool_bytes: ...}.

// The keys of a chip that is a mapping, beside its name. The last three are keys of a chip file too, and mean the same.
const (
	poolBytes = "pool_bytes" // on the chip and beside it, of all cores together
	coresKey  = "cores"      // that share the pool, 1 to 65,536
)

// In bytes; in Gbit/s, from the memory on the chip to that beside it; in bytes of one virtual output queue. Each is 1
// or more where it is given: a 0 of a chip file means that nothing is known, and a topology that gives the key knows.
var besideKeys = []string{"memory_bytes", "offload_gbps", "max_queue_bytes"}

// givenSource is the source of a number that the topology gives.
const givenSource = "given by the topology"

// named loads a chip of the catalogue; nil after a complaint.
func named(v *document.Value) *buffer.Chip {
	before := v.Complaints()
	name := v.Text()
	if v.Complaints() > before {
		return nil
	}
	c, err := asic.Load(name)
	if err != nil {
		// Typing errors are the usual case, and the list of all chips is long: the nearest names stand before it.
		nearest := ""
		if near := asic.Nearest(name); len(near) > 0 {
			nearest = "nearest: " + strings.Join(near, ", ") + "; all: "
		}
		v.Refuse(fmt.Sprintf("a chip of the catalogue (%s%s), or the path of a chip file", nearest,
			strings.Join(asic.Names(), ", ")))
		return nil
	}
	return &c
}

// chipWith reads a chip of the catalogue with what the topology gives of its memory. A chip that is refused is
// returned empty, and its path is noted, so that the zeros in it are not refused once more.
func (r *reader) chipWith(v *document.Value) buffer.Chip {
	f := v.Fields(append([]string{"name", poolBytes, coresKey}, besideKeys...)...)
	v.Need(f, "name")
	if f["name"] == nil {
		r.Refused = append(r.Refused, v.Path())
		return buffer.Chip{}
	}
	c := named(f["name"])
	if c == nil {
		r.Refused = append(r.Refused, v.Path())
		return buffer.Chip{}
	}
	// A number that is refused is 0 here. With it the pool would be called missing, beside the complaint that there is.
	before := v.Complaints()
	pool, cores := f[poolBytes].Integer(1, int64(buffer.MaxCells)), f[coresKey].Integer(1, 1<<16)
	if v.Complaints() > before || !r.pooled(c, v, unit.Bytes(pool), int(cores)) {
		r.Refused = append(r.Refused, v.Path())
		return buffer.Chip{}
	}
	fields := buffer.ChipFields()
	for i := range fields {
		x := &fields[i]
		value := f[x.Key]
		switch {
		case value == nil || !slices.Contains(besideKeys, x.Key):
		case !c.Deep():
			value.Refuse(fmt.Sprintf("no such key: %s is planned with the memory on the chip, unless it has %s", c.Name,
				poolBytes))
		default:
			x.SetNumber(c, value.Integer(max(x.Least, 1), x.Most))
			x.SetSource(c, givenSource)
		}
	}
	return *c
}

// pooled gives a chip of the catalogue the pool that the topology has for it, and tells whether it can be planned with,
// as far as that goes. A pool of 0 bytes and 0 cores are not given: a chip whose catalogue entry has a pool then
// stays as it is, and one without is refused with the keys that it needs. For that reason it is called for a chip
// that is a name alone, too.
func (r *reader) pooled(c *buffer.Chip, v *document.Value, pool unit.Bytes, cores int) bool {
	var invalid *buffer.InvalidError
	if !errors.As(asic.Pooled(c, pool, cores), &invalid) {
		return true
	}
	for _, x := range invalid.Complaints {
		r.Complain(r.lineOf(x.Path), x.Path, x.Value, x.Accepted)
	}
	r.Refused = append(r.Refused, v.Path())
	return false
}

// chipMapping is a chip of the catalogue with what a topology gives of its memory, on one line; ok is false for a chip
// that is none. It tries the keys and compares what they give, because the catalogue computes slices and notes from
// them: nobody needs to know here which.
func chipMapping(c *buffer.Chip) (line string, ok bool) {
	// The name alone would do only if the catalogue still has the same numbers.
	if like, err := asic.Load(c.Name); err == nil && reflect.DeepEqual(like, *c) {
		return c.Name, true
	}
	// The pool is shown as its slices have it: bytes that no slice got are not written.
	pool := c.Cell.Bytes(c.TotalCells())
	for _, give := range []struct {
		pool  unit.Bytes
		cores int
	}{{}, {pool, 0}, {pool, len(c.Slices)}} { // the fewest keys that give the chip
		like, err := asic.Load(c.Name)
		if err != nil || asic.Pooled(&like, give.pool, give.cores) != nil {
			continue
		}
		m := mapping{{"name", c.Name}}
		m.addIf(give.pool > 0, poolBytes, int64(give.pool))
		m.addIf(give.cores > 0, coresKey, give.cores)
		fields := buffer.ChipFields()
		for i := range fields {
			if x := &fields[i]; slices.Contains(besideKeys, x.Key) && x.Source(c) == givenSource {
				m.add(x.Key, strconv.FormatInt(x.Number(c), 10))
				x.SetNumber(&like, x.Number(c))
				x.SetSource(&like, givenSource)
			}
		}
		if reflect.DeepEqual(like, *c) {
			return m.String(), true
		}
	}
	return "", false
}
