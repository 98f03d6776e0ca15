package report

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/asic/behaviour"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
	"github.com/cellwarden/cellwarden/unit"
)

// This file makes the question of a shared pool that is said in place of a plan: its size, limit and marking, or the
// default partitions of a Junos switch.

// mostSlices is more slices than any chip of the catalogue has.
const mostSlices = 64

// OfPool takes Check, Curve and Slices of Pool, with all complaints at once. The groups that feed the queue stay. Load
// finds a chip by its name, and refuses one without a cell size unless Pool has a cell.
func (q *ECNQuestion) OfPool(load func(name string) (buffer.Chip, error)) error {
	p := ecnPool{q: q, of: maps.Clone(q.Pool)}
	groups, feeding := q.Groups.Or(1), q.Check.Feeding
	if groups < 1 || groups > thresholds.MaxGroups {
		p.complain("%s %d (want 1 to %d)", q.name("groups"), groups, thresholds.MaxGroups)
	}
	if feeding < 1 || feeding > thresholds.MaxGroups {
		p.complain("%s %d (want 1 to %d)", q.name("feeding"), feeding, thresholds.MaxGroups)
	}
	// The groups that feed the queue are congested themselves, so there are at least as many.
	q.Groups = unit.Given(max(groups, feeding))
	_, junos := p.of["junos"]
	if junos {
		if err := p.junos(); err != nil {
			return errors.Join(append(p.bad, err)...)
		}
	}
	c := &q.Check
	p.memory(load)
	p.factor()
	pool, reserved, static := p.bytes("pool"), unit.Bytes(0), unit.Bytes(0)
	if p.has("reserved") {
		reserved = p.bytes("reserved")
	}
	c.KMin = p.fill("kmin")
	if p.has("static") {
		static = p.bytes("static")
		if p.has("alpha") || p.has("dynamic-th") {
			p.complain("%s with %s or %s (want one of them)", q.name("static"), q.name("alpha"), q.name("dynamic-th"))
		}
	}
	if p.has("kmax") || p.has("pmax") {
		q.Curve = ecn.Thresholds{KMin: c.KMin, KMax: p.fill("kmax"),
			PMax: value(q, &p.bad, "pmax", p.of["pmax"], unit.ParsePercent)}
	}
	if len(p.bad) > 0 {
		return errors.Join(p.bad...)
	}
	// The pool rounds down and the reserved part up, as a chip grants them: the limit is then never larger than that
	// of the chip.
	c.Pool, c.Reserved = c.Cell.Within(pool/unit.Bytes(q.Slices)), c.Cell.Holding(reserved)
	if p.has("static") {
		c.Static = unit.Given(c.Cell.Within(static))
	}
	if err := errors.Join(c.Validate(), q.Curve.Validate()); err != nil {
		return err
	}
	if junos && !p.has("static") && !p.has("alpha") && !p.has("dynamic-th") {
		return q.anyAlpha()
	}
	return nil
}

// WithoutPool refuses values of Pool, for a question about a plan.
func (q *ECNQuestion) WithoutPool() error {
	for _, name := range slices.Sorted(maps.Keys(q.Pool)) {
		return fmt.Errorf("%s (want it without a topology, which gives this value)", q.name(name))
	}
	return nil
}

// ecnPool reads the values of a pool.
type ecnPool struct {
	q   *ECNQuestion
	of  map[string]string
	bad []error
}

func (p *ecnPool) complain(text string, values ...any) {
	p.bad = append(p.bad, fmt.Errorf(text, values...))
}

// has tells whether a value is given.
func (p *ecnPool) has(name string) bool {
	_, given := p.of[name]
	return given
}

// bytes reads a size.
func (p *ecnPool) bytes(name string) unit.Bytes {
	return value(p.q, &p.bad, name, p.of[name], unit.ParseBytes)
}

// whole reads a whole number within bounds.
func (p *ecnPool) whole(name string, least, most int) int {
	n, err := strconv.Atoi(p.of[name])
	if err != nil || n < least || n > most {
		p.complain("%s %.100s (want %d to %d)", p.q.name(name), p.of[name], least, most)
		return least
	}
	return n
}

// memory finds the cell size and the number of slices: those of the chip, unless they are given.
func (p *ecnPool) memory(load func(name string) (buffer.Chip, error)) {
	c := &p.q.Check
	p.q.Slices = 1
	if p.has("chip") {
		chip, err := load(p.of["chip"])
		if err != nil {
			p.complain("%s: %w", p.q.name("chip"), err)
			return
		}
		c.Cell, p.q.Slices = chip.Cell, len(chip.Slices)
	}
	if p.has("slices") {
		p.q.Slices = p.whole("slices", 1, mostSlices)
	} else if p.q.Slices < 1 {
		p.complain("%s: chip %.100s has no slices that are sourced (want 1 to %d)", p.q.name("slices"), p.of["chip"],
			mostSlices)
	}
	if p.has("cell") {
		c.Cell = cells.Size(p.bytes("cell"))
	} else if !p.has("chip") {
		p.complain("%s or %s: needed for the size of a cell", p.q.name("cell"), p.q.name("chip"))
	}
	if p.has("cell") && c.Cell < 1 {
		p.complain("%s %.100q: a cell has at least one byte", p.q.name("cell"), p.of["cell"])
	}
}

// factor finds the alpha, which has two names; 1 if none is given.
func (p *ecnPool) factor() {
	// The range of all chips. What one of them accepts, its file says.
	if p.has("dynamic-th") {
		p.q.Check.Alpha = thresholds.Alpha(p.whole("dynamic-th", int(thresholds.MinAlpha), int(thresholds.MaxAlpha)))
		if p.has("alpha") {
			p.complain("%s and %s (want one of them)", p.q.name("alpha"), p.q.name("dynamic-th"))
		}
	} else if p.has("alpha") {
		p.q.Check.Alpha = value(p.q, &p.bad, "alpha", p.of["alpha"], thresholds.ParseAlpha)
	}
}

// fill returns kmin or kmax: bytes, or a share of the queue's limit.
func (p *ecnPool) fill(name string) unit.Bytes {
	if !strings.HasSuffix(p.of[name], "%") {
		return p.bytes(name)
	}
	// Some command lines state it as a share of the queue's limit. It becomes bytes here, because the check compares
	// bytes.
	fill := value(p.q, &p.bad, name, p.of[name], unit.ParsePercent)
	if fill < 0 || fill > unit.Whole {
		p.complain("%s %v: a fill level is 0%% to 100%%", p.q.name(name), fill)
	}
	return ecn.FillLevel(p.bytes("queue-limit"), fill)
}

// junosCell is the cell of a QFX3500: every size that its owner published is a whole number of them.
const junosCell = "208B"

// junos gives the values of a Junos switch: the lossless partition of the ingress is the pool, and that of the egress
// the most that a lossless queue can have.
func (p *ecnPool) junos() error {
	q := p.q
	for _, name := range []string{"pool", "chip", "slices"} {
		if p.has(name) {
			return fmt.Errorf("%s (want it without %s, which gives this value)", q.name(name), q.name("junos"))
		}
	}
	b, err := readJunos(p.of["junos"])
	if err != nil {
		return fmt.Errorf("%s %.200q: %w", q.name("junos"), p.of["junos"], err)
	}
	// The partitions are in bytes; cells come later, as for any pool.
	p.of["pool"] = (b.Ingress() * unit.Bytes(b.Lossless) / unit.Bytes(unit.Whole)).String()
	q.Notes = append(q.Notes, fmt.Sprintf("Junos: the pool is %v of the ingress, %v of %v", b.Lossless, p.of["pool"],
		b.Ingress()))
	if !p.has("queue-limit") {
		p.of["queue-limit"] = (b.Egress() * unit.Bytes(b.EgressLossless) / unit.Bytes(unit.Whole)).String()
		q.Notes = append(q.Notes, fmt.Sprintf("assumed: a fill level is a share of the egress partition lossless, %v "+
			"of %v, %s; a queue limit says another", b.EgressLossless, b.Egress(), p.of["queue-limit"]))
	}
	if !p.has("cell") {
		p.of["cell"] = junosCell
	}
	return nil
}

// readJunos reads a switch and changes of its partitions: "qfx3500",
// "qfx3500,lossless=66%,lossless-headroom=24%,lossy=10%".
func readJunos(text string) (behaviour.JunosBuffer, error) {
	b := behaviour.QFX3500()
	parts := strings.Split(text, ",")
	if parts[0] != "qfx3500" {
		return b, fmt.Errorf("no switch %.100q (want qfx3500, the only one whose memory is published, and the keys "+
			"of another: qfx3500,memory=32MiB,ingress-dedicated=4MiB,egress-dedicated=4MiB)", parts[0])
	}
	var bad []error
	for _, part := range parts[1:] {
		name, value, _ := strings.Cut(part, "=")
		if size := map[string]*unit.Bytes{"memory": &b.Memory, "ingress-dedicated": &b.IngressDedicated,
			"egress-dedicated": &b.EgressDedicated}[name]; size != nil {
			n, err := unit.ParseBytes(value)
			*size, bad = n, append(bad, err)
			continue
		}
		share := map[string]*unit.Percent{"lossless": &b.Lossless, "lossless-headroom": &b.LosslessHeadroom,
			"lossy": &b.Lossy, "egress-lossless": &b.EgressLossless, "egress-multicast": &b.EgressMulticast,
			"egress-lossy": &b.EgressLossy}[name]
		if share == nil {
			bad = append(bad, fmt.Errorf("unknown key %.100q (want memory, ingress-dedicated, egress-dedicated, "+
				"lossless, lossless-headroom, lossy, egress-lossless, egress-multicast, egress-lossy)", name))
			continue
		}
		n, err := unit.ParsePercent(value)
		*share, bad = n, append(bad, err)
	}
	if err := errors.Join(bad...); err != nil {
		return b, err
	}
	return b, b.Validate()
}

// anyAlpha decides where Junos's default dynamic-threshold is needed and not given: the answer holds if it is the same
// for the smallest and the largest alpha, because a larger one never pauses earlier. Else the alpha is needed.
func (q *ECNQuestion) anyAlpha() error {
	groups := q.Groups.Or(1)
	with := func(a thresholds.Alpha) ecn.Check { c := q.Check; c.Alpha = a; return c }
	least, most := with(thresholds.MinAlpha), with(thresholds.MaxAlpha)
	if least.MarksFirst(groups) == most.MarksFirst(groups) {
		q.Check, q.EveryAlpha = most, true
		return nil
	}
	needed := q.name("alpha") + ": needed, because Junos's default dynamic-threshold was not found: the queue " +
		"marks first with an alpha of "
	for a := thresholds.MinAlpha; a < thresholds.MaxAlpha; a++ {
		if c := with(a); c.MarksFirst(groups) {
			return fmt.Errorf("%s%v or more", needed, a)
		}
	}
	return fmt.Errorf("%s%v", needed, thresholds.MaxAlpha)
}
