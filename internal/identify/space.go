package identify

import (
	"math/rand/v2"
	"slices"

	"github.com/cellwarden/cellwarden/internal/rules"
)

// Far is a number that no probe reaches: a limit of it is none.
const Far = 1 << 30

// Prior is the interval of each number before anything is read.
type Prior [len(rules.Numbers{})]rules.Span

// feature is something that a session does, and on which a choice or a number depends. As long as no session has it,
// all values of the choice predict the same, so that only the first one is looked at. They come into use from the first
// to the last, the cheapest first.
type feature uint8

const (
	several  feature = 1 << iota // groups
	pauses                       // pauses are read
	samePort                     // two groups of one port
	ports                        // ports that may be of several slices
	long                         // packets of several cells
	release                      // an egress port is started while another is stopped
)

// shown are the values of choices that differ from the first one, which is 0, with a feature in use. The first one can
// do what they do without the feature. What ends before the cells is not looked for: see Egress, Control.
var shown = []struct {
	choice rules.Choice
	value  uint8
	by     feature
}{
	{rules.Limit, rules.LimitAfter, several},
	{rules.Last, rules.LastStraddles, long},
	{rules.XOFF, rules.XOFFRefused, pauses},
	{rules.XOFF, rules.XOFFHeadroom, pauses},
	{rules.XON, rules.XONLatched, release},
	{rules.XON, rules.XONLevel, release},
	{rules.Owner, rules.OwnerPool, several},
	{rules.Owner, rules.OwnerShared, several},
	{rules.Owner, rules.OwnerPort, several},
	{rules.Minimum, rules.MinimumCounted, several},
	{rules.Minimum, rules.MinimumLast, several},
	{rules.Form, rules.FormOthers, several},
	{rules.Form, rules.FormStatic, several},
	{rules.Form, rules.FormPort, samePort},
	{rules.Slices, rules.SlicesTwo, ports},
	{rules.Slices, rules.SlicesFour, ports},
}

// values lists the values of a choice, but the first, that some of the features show.
func values(c rules.Choice, f feature) (out []uint8) {
	for _, x := range shown {
		if x.choice == c && x.by&f != 0 {
			out = append(out, x.value)
		}
	}
	return out
}

// used tells whether a number matters with features in use.
func used(r *rules.Rule, n rules.Number, f feature) bool {
	switch n {
	case rules.Offset:
		return f&release != 0
	case rules.Cell, rules.Overhead:
		return f&long != 0
	}
	return r.Uses(n)
}

// hypothesis is a rule and a dynamic threshold, with the boxes of its numbers that are left.
type hypothesis struct {
	rule   rules.Rule
	alpha  int8
	pieces []piece
	points []rules.Point // some switches that give every reading; none: no switch was found, and none excluded
}

// piece is a box that the first sessions do not exclude.
type piece struct {
	box   rules.Box
	seen  int // of these sessions
	clear int // no size of cells and overheads was excluded by that many steps
}

// hull returns the box around all pieces.
func (h *hypothesis) hull() rules.Box {
	b := h.pieces[0].box
	for i := range h.pieces {
		b.Join(&h.pieces[i].box)
	}
	return b
}

// ownedByPort is how many groups' headroom a port may own.
const ownedByPort = 8

// start returns the box of a rule before anything is read.
func start(r rules.Rule, alpha int8, p *Prior, f feature) rules.Box {
	b := rules.Box{Rule: r, Alpha: alpha}
	for _, n := range rules.AllNumbers() {
		switch {
		case used(&r, n, f):
			b.Lo[n], b.Hi[n] = p[n].Lo, p[n].Hi
			if n == rules.Headroom && r[rules.Owner] == rules.OwnerPort { // a port owns what its groups are configured
				b.Hi[n] *= ownedByPort
			}
		case n == rules.Cell: // a packet of the shortest length takes one
			b.Lo[n], b.Hi[n] = 1<<16, 1<<16
		}
	}
	return b
}

// grow returns the hypotheses that a hypothesis becomes with more features in use, and itself among them.
func grow(h *hypothesis, before, now feature, o *Options) (out []*hypothesis) {
	all := []rules.Rule{h.rule}
	for _, c := range rules.Choices() {
		for _, r := range slices.Clone(all) {
			for _, v := range values(c, now&^before) {
				if h.rule[c] == 0 {
					r[c] = v
					all = append(all, r)
				}
			}
		}
	}
	for _, r := range all {
		if !r.Meaning() || r[rules.Minimum] != rules.MinimumFirst && o.Known[rules.Reserved].Hi == 0 {
			continue // without a minimum, its order has no meaning
		}
		if r[rules.Owner] == rules.OwnerPool && o.Known[rules.Pool].Lo >= Far {
			continue // a pool that no probe reaches is none
		}
		a := h.alpha
		if r[rules.Form] == rules.FormStatic {
			a = 0
		} else if before&several == 0 && now&several != 0 {
			a = o.Th
		}
		b := start(r, a, &o.Known, now)
		x := &hypothesis{rule: r, alpha: a, pieces: []piece{{box: b}}}
		// On what was asked, values that differ only with the new features answered like the one that stood for them.
		if before&several != 0 || r == h.rule && a == h.alpha {
			x.pieces = slices.Clone(h.pieces)
			if now&^before&long != 0 { // sizes of cells are looked for once
				x.pieces = []piece{{box: h.hull()}}
			}
			for i := range x.pieces {
				x.pieces[i].clear = 0
				old := &x.pieces[i].box
				old.Rule, old.Alpha = r, a
				for _, n := range rules.AllNumbers() {
					if !used(&h.rule, n, before) || !used(&r, n, now) {
						old.Lo[n], old.Hi[n] = b.Lo[n], b.Hi[n]
					}
				}
			}
		}
		x.inherit(h, &b, before, now)
		out = append(out, x)
	}
	return out
}

// inherit takes over the switches of the hypothesis that another one grew from. Numbers that come into use begin in
// the middle of what is possible.
func (x *hypothesis) inherit(from *hypothesis, b *rules.Box, before, now feature) {
	for i, p := range from.points {
		p.Rule, p.Alpha = x.rule, x.alpha
		for _, n := range rules.AllNumbers() {
			if lo, hi := b.Lo[n], b.Hi[n]; used(&p.Rule, n, now) && !used(&from.rule, n, before) {
				p.Numbers[n] = lo + (hi-lo)*int64(2*i+1)/int64(2*len(from.points))
			}
		}
		x.points = append(x.points, p)
	}
}

// evidence is what was read, and how much of it may be wrong.
type evidence struct {
	o        Options
	Sessions []Session     // what was asked, with its answers
	running  int           // 1: the last session goes on
	work     int64         // steps of switches that were computed
	most     int64         // of these
	stopped  error         // what Until returned
	state    rules.Model   // memory
	bounds   *rules.Bounds // memory
}

// closed is how many sessions are over.
func (e *evidence) closed() int { return len(e.Sessions) - e.running }

// Spent tells whether no more may be computed.
func (e *evidence) Spent() bool {
	if e.stopped == nil && e.o.Until != nil {
		e.stopped = e.o.Until()
	}
	return e.stopped != nil || e.work > e.most
}

// possible tells whether a box may have a switch that gives every reading but for the outliers. Sessions that are
// known not to exclude it are left out.
func (e *evidence) possible(b *rules.Box, seen int) bool {
	if rules.Shortest+b.Lo[rules.Overhead] > b.Hi[rules.Cell] ||
		b.Rule.Uses(rules.Stage) && b.Lo[rules.Stage] >= b.Hi[rules.Headroom] {
		return false
	}
	if e.Spent() {
		return true
	}
	if e.o.Outliers > 0 {
		seen = 0
	}
	return e.agree(e.bounds, func() { e.bounds.Reset(b) }, seen)
}

// agree tells whether a model, which is emptied for each session behind those that were seen, gives every reading but
// for the outliers.
func (e *evidence) agree(m model, empty func(), seen int) bool {
	left := e.o.Outliers
	for i := len(e.Sessions) - 1; i >= seen; i-- {
		e.work += int64(len(e.Sessions[i]))
		empty()
		if left -= e.Sessions[i].unlike(m, left); left < 0 {
			return false
		}
	}
	return true
}

// given tells whether a switch gives every reading but for the outliers.
func (e *evidence) given(p *rules.Point) bool {
	x := &p.Numbers
	if rules.Shortest+x[rules.Overhead] > x[rules.Cell] ||
		p.Rule.Uses(rules.Stage) && (x[rules.Stage] >= x[rules.Headroom] || x[rules.Offset] > x[rules.Stage]+1) {
		return false
	}
	return e.agree(&e.state, func() { e.state.Reset(p) }, 0)
}

// Possible is possible of all sessions: the evidence of package rules.
func (e *evidence) Possible(b *rules.Box) bool { return e.possible(b, 0) }

// squeezed are the numbers of a box that are cut; sizes of cells are left to classes. That is done up to rounds times.
var squeezed = rules.AllNumbers()[:rules.Cell]

const rounds = 5

// mostFound is how many switches are looked for at once.
const mostFound = 4

// finder looks for switches of a box that give every reading.
type finder struct {
	*evidence
	random *rand.Rand
	nodes  int // boxes that may still be looked at
	found  []rules.Point
	rest   []piece // what is left, switches that were found among it
	// verdicts are whether classes of cells were excluded.
	verdicts map[class]bool
}

// first are the numbers that are halved before the pool, the sizes of cells and the offset.
var first = []rules.Number{rules.Reserved, rules.Headroom, rules.Pool, rules.Stage, rules.Static, rules.Leak}

// few is how many pools are looked at one by one: single switches have exact answers.
const few = 48

// each looks at each pool of a box.
func (f *finder) each(b rules.Box, clear int) {
	for x := b; x.Lo[rules.Shared] <= b.Hi[rules.Shared]; x.Lo[rules.Shared]++ {
		if f.nodes < 0 || len(f.found) >= mostFound {
			f.rest = append(f.rest, piece{box: x, clear: clear})
			return
		}
		one := x
		one.Hi[rules.Shared] = one.Lo[rules.Shared]
		f.look(one, clear)
	}
}

// point takes a switch of a box of which only the sizes of cells may be open.
func (f *finder) point(b rules.Box, clear int) {
	p, last := b.Point()
	for _, n := range []rules.Number{rules.Cell, rules.Overhead} {
		p.Numbers[n] += f.random.Int64N(b.Hi[n] - b.Lo[n] + 1)
	}
	given := f.given(&p)
	if given {
		f.found = append(f.found, p)
	}
	if given || !last {
		f.rest = append(f.rest, piece{b, f.closed(), clear})
	}
}

// look searches a box.
func (f *finder) look(b rules.Box, clear int) {
	if f.nodes--; f.nodes < 0 || len(f.found) >= mostFound {
		f.rest = append(f.rest, piece{box: b, clear: clear})
		return
	}
	if !f.possible(&b, 0) {
		return
	}
	// What a group takes depends on the first numbers alone. The pool is cut best when these are known, and what
	// depends on it comes last.
	widest, width := b.Widest(first...)
	if width == 0 {
		widest, width = b.Widest(rules.Shared)
	}
	switch {
	case clear != f.steps() && (width == 0 || b.Rule[rules.Form] == rules.FormStatic): // which the pool seldom matters to
		for _, x := range f.classes(&b) {
			f.look(x.box, x.clear)
		}
		return
	case widest == rules.Shared && width > 0 && width <= few:
		f.each(b, clear)
		return
	case widest == rules.Shared && width > 0:
		if !rules.Cut(f, &b, rules.Shared) {
			return
		}
		if b.Hi[rules.Shared]-b.Lo[rules.Shared] <= few {
			f.look(b, clear)
			return
		}
	case width == 0:
		widest, width = rules.Offset, b.Hi[rules.Offset]-b.Lo[rules.Offset]
	}
	if width == 0 {
		f.point(b, clear)
		return
	}
	m := rules.Middle(b.Lo[widest], b.Hi[widest])
	if b.Hi[widest] == Far && b.Lo[widest] < Far { // none is simpler than a limit that was not seen
		m = Far - 1
	}
	low, high := b.Halves(widest, m)
	if b.Hi[widest] == Far || f.random.IntN(2) == 0 {
		low, high = high, low
	}
	f.look(low, clear)
	f.look(high, clear)
}

// The sizes of cells and overheads matter only by the cells that packets of the lengths that were sent take. So pairs
// of sizes fall into classes that answer alike, and one of each class is looked at.

// sent lists the lengths of packets of several cells that were sent.
func (e *evidence) sent() (out []int64) {
	for _, s := range e.Sessions {
		for i := range s {
			if x := &s[i]; !x.Release && x.Length > shortest && !slices.Contains(out, x.Length) {
				out = append(out, x.Length)
			}
		}
	}
	return out
}

// steps counts the steps of all sessions.
func (e *evidence) steps() (n int) {
	for _, s := range e.Sessions {
		n += len(s)
	}
	return n
}

// class is the cells of packets of each length that was sent, with all numbers but the sizes of cells and overheads.
type class struct {
	box   rules.Box
	cells string
}

// classes divides a box, of which nothing else is open but the offset, into those whose cells and overheads are not
// excluded.
func (f *finder) classes(b *rules.Box) (out []piece) {
	lengths := f.sent()
	same := class{box: *b}
	for _, n := range []rules.Number{rules.Cell, rules.Overhead} {
		same.box.Lo[n], same.box.Hi[n] = 0, 0
	}
	key := make([]byte, len(lengths))
	var above []piece // of the overhead before
	for o := b.Lo[rules.Overhead]; o <= b.Hi[rules.Overhead]; o++ {
		var row []piece
		for c := max(b.Lo[rules.Cell], shortest+o); c <= b.Hi[rules.Cell]; {
			last := b.Hi[rules.Cell]
			for i, l := range lengths {
				n := (l + o + c - 1) / c
				key[i] = byte(n)
				if n > 1 {
					last = min(last, (l+o+n-2)/(n-1)-1)
				}
			}
			one := *b
			one.Lo[rules.Cell], one.Hi[rules.Cell] = c, c
			one.Lo[rules.Overhead], one.Hi[rules.Overhead] = o, o
			same.cells = string(key)
			fits, known := f.verdicts[same]
			if !known {
				fits = f.possible(&one, 0)
				f.verdicts[same] = fits
			}
			if n := len(row); fits && n > 0 && row[n-1].box.Hi[rules.Cell] == c-1 {
				row[n-1].box.Hi[rules.Cell] = last
			} else if fits {
				one.Hi[rules.Cell] = last
				row = append(row, piece{one, f.closed(), f.steps()})
			}
			c = last + 1
			f.work++
		}
		for i := range row {
			j := slices.IndexFunc(above, func(x piece) bool {
				return x.box.Lo[rules.Cell] == row[i].box.Lo[rules.Cell] && x.box.Hi[rules.Cell] == row[i].box.Hi[rules.Cell]
			})
			if j >= 0 {
				row[i].box.Lo[rules.Overhead] = above[j].box.Lo[rules.Overhead]
				above = slices.Delete(above, j, j+1)
			}
		}
		out, above = append(out, above...), row
	}
	return append(out, above...)
}
