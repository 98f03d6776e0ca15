package calibrate

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// ErrNoChip says that too little is known for a chip file.
var ErrNoChip = errors.New("too little is known for a chip file")

// Chip returns a chip with what was measured. base is the chip that was assumed, or nil; date is the day of the
// measurement, for the sources. A number that is not exact is not taken: it stays that of the base, and a note says
// what was measured. Without a base, the chip has one slice with the cells that were measured, which is a lower bound
// of what the chip has, and a note says so. Measurements that contradict each other give no chip.
func (r *Result) Chip(base *buffer.Chip, name, date string) (buffer.Chip, error) {
	if !r.Agrees {
		return buffer.Chip{}, fmt.Errorf("%w: the measurements and the assumptions contradict each other", ErrNoChip)
	}
	var c buffer.Chip
	if base != nil {
		c = *base
		c.Notes = append([]string(nil), base.Notes...)
	}
	c.Name = name
	take := func(parameter string, set func(n int64), source *string) {
		p, _ := r.Parameter(parameter, "")
		switch {
		case p.Exact() && p.Measured():
			set(p.Is.Lo)
			*source = r.source(p, date)
		case p.Measured():
			c.Notes = append(c.Notes, fmt.Sprintf("%s: %s is %s; not exact, so that it is not taken", r.source(p, date),
				parameter, p.Value()))
		}
	}
	take(Cell, func(n int64) { c.Cell = cells.Size(n) }, &c.Sources.Cell)
	take(Overhead, func(n int64) { c.Overhead = unit.Bytes(n) }, &c.Sources.Overhead)
	take(LeakOut, func(n int64) { c.LeakOut = n }, &c.Sources.LeakOut)
	if c.LeakOut == 0 && base != nil {
		c.Sources.LeakOut = base.Sources.LeakOut // a chip file has no sources of a zero
	} else if c.LeakOut == 0 {
		c.Sources.LeakOut = ""
	}
	r.rules(&c, date)
	r.notes(&c, date)
	if base == nil {
		if err := r.alone(&c, date); err != nil {
			return buffer.Chip{}, err
		}
	}
	return c, c.Validate()
}

// source is the source of a number that was measured.
func (r *Result) source(p Parameter, date string) string {
	from := p.Basis
	rest := ""
	if len(from) > 3 {
		from, rest = from[:3], fmt.Sprintf(" and %d more", len(p.Basis)-3)
	}
	return fmt.Sprintf("measured %s: %s%s", date, strings.Join(from, ", "), rest)
}

// rules takes the rules that were measured. A chip has all three or none, so that they are taken together: those that
// were not measured are the base's.
func (r *Result) rules(c *buffer.Chip, date string) {
	names := [3]string{LimitRule, XOFFRule, XONRule}
	values := [3]string{string(c.LimitRule), string(c.XOFFRule), string(c.XONRule)}
	measured := ""
	for i, name := range names {
		p, _ := r.Parameter(name, "")
		if p.Exact() && p.Measured() {
			values[i] = ruleNames[name][p.Is.Lo]
			if measured == "" {
				measured = r.source(p, date) + ":"
			}
			measured += " " + name
		}
	}
	if measured == "" {
		return
	}
	if values[0] == "" || values[1] == "" || values[2] == "" {
		c.Notes = append(c.Notes, measured+"; not taken, because the other rules are not known")
		return
	}
	c.LimitRule, c.XOFFRule, c.XONRule = buffer.LimitRule(values[0]), buffer.XOFFRule(values[1]),
		buffer.XONRule(values[2])
	c.Sources.Rules = cmp.Or(strings.TrimSuffix(measured+"; the others: "+c.Sources.Rules, "; the others: "), measured)
}

// notes adds what was measured and is no number of a chip, but of its configuration.
func (r *Result) notes(c *buffer.Chip, date string) {
	for _, p := range r.Parameters {
		switch p.Name {
		case Shared, ReservedCells, DynamicTh, HeadroomPool, HeadroomCells, XONOffset, delaysName, Response, Interfaces,
			Propagation:
			if p.Measured() {
				c.Notes = append(c.Notes, fmt.Sprintf("%s: %s is %s (the configuration, not the chip)", r.source(p, date),
					strings.TrimSpace(p.Name+" "+p.Of), p.Value()))
			}
		}
	}
}

// alone fills in what a chip needs without a base.
func (r *Result) alone(c *buffer.Chip, date string) error {
	shared, _ := r.Parameter(Shared, "")
	alpha, _ := r.Parameter(DynamicTh, "")
	switch {
	case c.Cell == 0:
		return fmt.Errorf("%w: the size of a cell is not exact: want --chip, or a measurement of it", ErrNoChip)
	case !shared.Known || shared.Is.Lo == 0:
		return fmt.Errorf("%w: nothing is known of the pool: want --chip, or a measurement of it", ErrNoChip)
	case !alpha.Exact():
		return fmt.Errorf("%w: the dynamic threshold is not exact: want --chip, or a measurement of it", ErrNoChip)
	}
	n := shared.Is.Lo
	if p, _ := r.Parameter(HeadroomPool, ""); p.Known {
		n += p.Is.Lo
	}
	c.Slices = []buffer.Slice{{Cells: cells.Count(n)}}
	c.MinAlpha, c.MaxAlpha = thresholds.Alpha(alpha.Is.Lo), thresholds.Alpha(alpha.Is.Lo)
	c.Groups = 8
	c.Sources.Slices = r.source(shared, date)
	c.Sources.Alpha = r.source(alpha, date)
	c.Sources.Groups = "assumed: one for each priority"
	c.Notes = append(c.Notes, "slices: the shared cells and the headroom pool that were measured, in one slice; the chip "+
		"has at least as many, and more slices are not seen by filling one",
		"min_dynamic_th and max_dynamic_th: the one that was measured; the chip may have others")
	return nil
}
