package asic

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/once"
)

// errUnknown is the error for a name that is not in the catalogue.
var errUnknown = errors.New("unknown chip")

// Load returns the chip with this name, in upper or lower case. A chip without slices cannot be planned with, as its
// notes say. The value is the caller's own: a change to it, or to its slices, changes nothing here. For any other name
// the error is errUnknown with the names that are accepted.
func Load(name string) (buffer.Chip, error) {
	all := catalogue()
	for i := range all {
		if strings.EqualFold(all[i].Name, strings.TrimSpace(name)) {
			return copied(all[i]), nil
		}
	}
	return buffer.Chip{}, unknown(name)
}

// catalogue is every chip, made once: a caller that plans many switches loads a chip for each.
var catalogue = once.Value(func() []buffer.Chip {
	all := slices.Concat(xgs(), dnx(), spectrum(), siliconOne(), cloudScale(), marvell(), tofino())
	complete(all)
	return all
})

// copied returns a chip that shares nothing with the catalogue.
func copied(c buffer.Chip) buffer.Chip {
	out := c
	out.Slices = slices.Clone(c.Slices)
	for i := range out.Slices {
		out.Slices[i].Takes = slices.Clone(c.Slices[i].Takes)
	}
	out.Pipes, out.EgressPipes = copiedPipes(c.Pipes), copiedPipes(c.EgressPipes)
	out.HeadroomDefaults, out.Notes = slices.Clone(c.HeadroomDefaults), slices.Clone(c.Notes)
	return out
}

func copiedPipes(pipes [][]int) [][]int {
	out := slices.Clone(pipes)
	for i := range out {
		out[i] = slices.Clone(pipes[i])
	}
	return out
}

// Names returns the names that Load accepts: family by family, the older chip first.
func Names() []string {
	return grouped.Each(catalogue(), func(c buffer.Chip) string { return c.Name })
}

// All returns every chip, in the order of Names. Each call makes new values, because callers may change them.
func All() []buffer.Chip { return grouped.Each(catalogue(), copied) }

func unknown(name string) error {
	hint := ""
	if near := Nearest(name); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "? "
	}
	return fmt.Errorf("%w %.40q: %sthe catalogue has %s", errUnknown, name, hint, strings.Join(Names(), ", "))
}

// Nearest returns the names of the catalogue that are the fewest typing errors away, if that is two or less. The
// vendor's
// name, spaces and signs do not count: "Broadcom Tomahawk 4" is near to tomahawk4. A name much longer than any in the
// catalogue has none: the distance takes time in proportion to the length, and the name comes from a file.
func Nearest(name string) []string {
	const farthest = 2
	name = strings.ToLower(strings.TrimSpace(name))
	if len(name) > 32 {
		return nil
	}
	var near []string
	best := farthest
	short := bare(name)
	for _, n := range Names() {
		d := min(distance(name, n), distance(short, bare(n)))
		if d < best {
			near, best = nil, d
		}
		if d == best {
			near = append(near, n)
		}
	}
	return near
}

// vendors are the words before the names of chips in data sheets.
var vendors = []string{"broadcom", "nvidia", "mellanox", "cisco", "marvell", "intel"}

// bare returns a name without vendor and signs.
func bare(name string) string {
	for _, v := range vendors {
		name = strings.TrimPrefix(name, v)
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" -_", r) {
			return -1
		}
		return r
	}, name)
}

// distance counts the letters to insert, remove or replace to get from a to b
// (Levenshtein's distance), one row of the table at a time.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// keepsNotSourced is the note of a chip without a source for the cells that it keeps for itself.
const keepsNotSourced = "what the chip keeps for itself (CPU, management, replication) is not sourced: no cells are " +
	"charged for it"

// same returns n slices of equal size. Each has takes of its own, so that a change to one slice leaves the others as
// they are.
func same(n int, size cells.Count, takes ...buffer.Take) []buffer.Slice {
	all := make([]buffer.Slice, n)
	for i := range all {
		all[i] = buffer.Slice{Cells: size, Takes: slices.Clone(takes)}
	}
	return all
}
