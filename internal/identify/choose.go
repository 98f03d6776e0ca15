package identify

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"github.com/cellwarden/cellwarden/internal/rules"
)

// particle is a possible switch while a session goes on.
type particle struct {
	point  *rules.Point
	state  *rules.Model
	weight float64
	wrong  int // readings that it does not give
}

// particles returns the possible switches, each hypothesis with the same weight, after the steps of a session that
// goes on.
func (e *Identification) particles(s Session) (out []particle) {
	for _, h := range e.left {
		for i := range h.points {
			p := particle{point: &h.points[i], state: rules.NewModel(&h.points[i]), weight: 1 / float64(len(h.points))}
			if e.o.Outliers > 0 {
				for _, old := range e.Sessions[:e.closed()] {
					p.state.Reset(p.point)
					p.wrong += old.unlike(p.state, e.o.Outliers)
				}
			}
			p.state.Reset(p.point)
			p.wrong += s.unlike(p.state, math.MaxInt)
			out = append(out, p)
		}
	}
	return out
}

// clones copies possible switches.
func clones(all []particle) []particle {
	out := slices.Clone(all)
	for i := range out {
		out[i].state = out[i].state.Clone()
	}
	return out
}

// foretell does a step with possible switches. It returns what they answer: how many packets are not dropped, or of a
// release, how many groups stay paused.
func foretell(all []particle, x *Step) rules.Span {
	out := rules.Span{Lo: Far}
	for _, p := range all {
		n := int64(0)
		if x.Release {
			p.state.Release(x.Dst)
			for _, g := range x.Paused {
				n += rules.One(p.state.Paused(g.Port, g.PG))
			}
		} else {
			n = x.Packets - p.state.Send(x.Port, x.PG, x.Dst, x.Packets, x.Length).Dropped
		}
		out.Lo, out.Hi = min(out.Lo, n), max(out.Hi, n)
	}
	return out
}

// reads is what is read of a possible switch after a step: packets that are not dropped, pauses as bits, watermarks.
type reads [2 + len(rules.Marks{})]int64

// predict advances a possible switch by a step.
func (e *Identification) predict(m *rules.Model, x *Step) (a reads) {
	if x.Release {
		m.Release(x.Dst)
	} else {
		stops := m.Hold(x.Dst)
		got := m.Send(x.Port, x.PG, x.Dst, x.Packets, x.Length)
		switch {
		case e.o.Coarse: // only whether there were drops
			a[0] = rules.One(got.Dropped > 0)
		case !stops || e.o.Stray == 0: // else some may leak out
			a[0] = x.Packets - got.Dropped
		}
		a[1] = rules.One(e.features&pauses != 0 && got.Paused)
		if e.o.Marks && !e.released() {
			copy(a[2:], got.Marks[:])
		}
	}
	for _, p := range x.Paused {
		a[1] = a[1]<<1 | rules.One(m.Paused(p.Port, p.PG))
	}
	return a
}

// gain returns the entropy of the answers to steps, in bits.
func (e *Identification) gain(all []particle, steps []Step) float64 {
	weights := map[string]float64{}
	total := 0.0
	key := make([]byte, 0, 64)
	m := &e.state
	for _, p := range all {
		m.Become(p.state)
		key = key[:0]
		e.work += int64(len(steps))
		for i := range steps {
			for _, n := range e.predict(m, &steps[i]) {
				key = binary.LittleEndian.AppendUint32(key, uint32(n))
			}
		}
		weights[string(key)] += p.weight
		total += p.weight
	}
	bits := 0.0
	for _, k := range slices.Sorted(maps.Keys(weights)) { // one order of additions, so that equal runs choose equally
		w := weights[k] / total
		bits -= w * math.Log2(w)
	}
	return bits
}

// option is a way to go on.
type option struct {
	steps Session
	fresh bool // in a new session
	value float64
}

// better keeps the option with the most bits for its cost.
func (e *Identification) better(best *option, all []particle, o option) {
	cost := 0.0
	if o.fresh { // what waits in the end is drained
		cost += drainCost
	}
	for i := range o.steps {
		if o.steps[i].Release {
			cost += drainCost + readingCost*float64(len(o.steps[i].Paused))
		} else {
			cost += readingCost + float64(o.steps[i].Packets)/1e6
		}
	}
	g := e.gain(all, o.steps)
	if g < 1e-6 {
		return
	}
	if o.value = g / cost; o.value > best.value {
		*best = o
	}
}

// group returns the group of a port that is filled first, for one of the egress ports: a step without packets.
func (e *Identification) group(port, dst int) Step {
	return Step{Port: e.o.Ports[port], PG: e.o.PGs[0], Dst: e.o.Dsts[dst]}
}

// targets lists the groups to fill next in a session, with the features in use.
func (e *Identification) targets(s Session) (out []Step) {
	add := func(port, pg int) (fresh bool) {
		used := func(x Step) bool { return x.Port == port && x.PG == pg }
		if fresh = !slices.ContainsFunc(s, used) && !slices.ContainsFunc(out, used); fresh {
			out = append(out, Step{Port: port, PG: pg, Dst: e.o.Dsts[0]})
		}
		return fresh
	}
	if len(s) > 0 {
		last := s[len(s)-1]
		out = append(out, Step{Port: last.Port, PG: last.PG, Dst: last.Dst})
		if e.features&samePort != 0 {
			add(last.Port, e.o.PGs[0])
			add(last.Port, e.o.PGs[1])
		}
		if e.features&several == 0 {
			return out
		}
	}
	for i := 0; i < len(e.o.Ports); i += 4 { // of one slice, whatever the number of slices
		if add(e.o.Ports[i], e.o.PGs[0]) {
			break
		}
	}
	if e.features&ports != 0 {
		for i := 1; i < min(3, len(e.o.Ports)); i++ {
			add(e.o.Ports[i], e.o.PGs[0])
		}
	}
	return out
}

// lengths lists the lengths of packets to send: the shortest, and those about which possible switches differ.
func (e *Identification) lengths(all []particle) []int64 {
	out := []int64{shortest}
	if e.features&long == 0 {
		return out
	}
	for range 6 {
		a, b := &all[e.random.IntN(len(all))].point.Numbers, &all[e.random.IntN(len(all))].point.Numbers
		for try := int64(1); try < 40; try++ {
			// A packet that fills try cells of the one.
			if n := try*a[rules.Cell] - a[rules.Overhead]; n > shortest && n < longest && a.Cells(n) != b.Cells(n) {
				out = append(out, n)
				break
			}
		}
	}
	return append(out, 200, 1000)
}

// The lengths of packets.
const shortest, longest = rules.Shortest, 9000

// everything is more packets than any group takes, for a prediction.
const everything = 1 << 22

// mostRungs is how many steps a switch that does not count is filled in.
const mostRungs = 16

// rungs tells whether groups are filled in steps, because nothing says how full they are.
func (e *Identification) rungs() bool { return e.o.Coarse && !e.o.Marks }

// counts lists the numbers of packets that tell possible switches apart: at the quantiles of their pauses and drops,
// and more than any takes.
func (e *Identification) counts(all []particle, t Step, length int64) (out []int64) {
	var at []int64
	most := int64(0)
	e.work += int64(len(all))
	for _, p := range all {
		e.state.Become(p.state)
		got := e.state.Send(t.Port, t.PG, t.Dst, everything, length)
		taken := everything - got.Dropped
		most = max(most, taken)
		if e.features&pauses != 0 && got.XOFF > 0 {
			at = append(at, got.XOFF)
		}
		if e.rungs() {
			at = append(at, taken+1)
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)
	if len(at) > 1 {
		n := 8
		if e.rungs() {
			n = mostRungs
		}
		for q := range n {
			out = append(out, at[len(at)*q/n])
		}
	}
	if !e.rungs() || len(at) <= 1 {
		out = append(out, most+1+most/64)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// choose returns what tells the most for its cost, in a new session. No steps: all possible switches answer alike.
func (e *Identification) choose() (best option) {
	all := e.particles(nil)
	if len(all) == 0 {
		return best
	}
	before := e.prologue(all, 1)
	e.fills(&best, all, before, true)
	if e.features&release != 0 {
		other := e.particles(nil)
		e.releases(&best, other, e.prologue(other, len(e.o.Dsts)), true)
	}
	if len(best.steps) == 0 {
		e.pairs(&best, all)
	}
	if len(best.steps) > 0 && !best.steps.releases() {
		best.steps = append(slices.Clone(before), best.steps...)
	}
	return best
}

// prologue advances possible switches by the steps that a session begins with if it is not known how many packets
// leak out: a group that is filled until it drops is full, however many left before, and no packet of it is stored
// any more, so that those for another egress port leak out and change nothing.
func (e *Identification) prologue(all []particle, dsts int) (out []Step) {
	if e.o.Stray == 0 {
		return nil
	}
	packets := e.overfill()
	for i := range dsts {
		out = append(out, e.group(0, i).send(packets, shortest))
		foretell(all, &out[i])
		packets = e.o.Known[rules.Leak].Hi + e.o.Stray + 1
	}
	return out
}

// fills looks at one more group to fill.
func (e *Identification) fills(best *option, all []particle, s Session, fresh bool) {
	for _, t := range e.targets(s) {
		for _, length := range e.lengths(all) {
			counts := e.counts(all, t, length)
			if e.rungs() && len(counts) > 1 {
				e.better(best, all, option{steps: ladder(t, counts, length), fresh: fresh})
				continue
			}
			for _, n := range counts {
				if n > 0 && !e.Spent() {
					e.better(best, all, option{steps: Session{t.send(n, length)}, fresh: fresh})
				}
			}
		}
	}
}

// ladder sends more packets step by step: a switch that does not count tells between which steps it pauses and drops.
func ladder(t Step, counts []int64, length int64) (out []Step) {
	sent := int64(0)
	for _, n := range counts {
		if n > sent {
			out = append(out, t.send(n-sent, length))
			sent = n
		}
	}
	return out
}

// pairs looks at one more group after some that tell nothing and get more packets than they take.
func (e *Identification) pairs(best *option, all []particle) {
	if e.features&several == 0 {
		return
	}
	for _, groups := range []int{1, 2, 4, 24} {
		var prefix Session
		after := clones(all)
		for g := range min(groups, (len(e.o.Ports)+3)/4) {
			t := e.group(4*g, 0)
			counts := e.counts(after, t, shortest)
			prefix = append(prefix, t.send(counts[len(counts)-1], shortest))
			foretell(after, &prefix[g])
		}
		var inner option
		e.fills(&inner, after, prefix, false)
		if len(inner.steps) > 0 {
			e.better(best, all, option{steps: append(prefix, inner.steps...), fresh: true})
		}
	}
}
