package capacity

import (
	"errors"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
)

// This file answers what planning an intent would, for intents whose ports are those of the question but for an
// entry. A switch whose ports are named one by one has as many entries as ports. Planning each step of each search
// anew cost 9 s of CPU for 256 of them.

// without names up to two limits that an intent does not have.
type without [2]Limit

// of returns the intent without the limits.
func (w without) of(in buffer.Intent) buffer.Intent {
	for _, l := range lifts {
		if slices.Contains(w[:], l.limit) {
			l.from(&in)
		}
	}
	return in
}

// and adds a limit; false if the intent does not have it then.
func (w without) and(in buffer.Intent, limit Limit) (without, bool) {
	i := slices.IndexFunc(lifts, func(l lift) bool { return l.limit == limit })
	if i < 0 {
		return w, false
	}
	less := w.of(in)
	return without{limit, w[0]}, lifts[i].from(&less)
}

// world is an intent without some limits, admitted.
type world struct {
	*buffer.Admission
	sized bool // the pool has a configured size
	// alone: every port is admitted, and the headroom pool does not depend on the ports. One port can change then and
	// no other matters.
	alone bool
}

// world returns the intent without some limits; nil if it is no valid intent.
func (k *asker) world(w without) *world {
	out, known := k.worlds[w]
	if known {
		return out
	}
	in := w.of(k.in)
	if a, err := k.admission.Under(in); err == nil {
		out = &world{a, in.Pool.Size > 0, a.Fits() && in.Pool.SharedHeadroomRatio == 0}
	}
	k.worlds[w] = out
	return out
}

func newAsker(in buffer.Intent, a *buffer.Admission) *asker {
	return &asker{in: in, admission: a, worlds: map[without]*world{}, known: map[step]bool{},
		groups: map[likeness]int{}, stop: func() error { return nil }}
}

// ended tells whether the one who asks has stopped.
func (k *asker) ended() bool {
	if k.err == nil {
		k.err = k.stop()
	}
	return k.err != nil
}

// likeness is what entries of one port have in common if the same answers fit: an intent fits or not in every order of
// its ports, so that two of them can change places.
type likeness struct {
	question Question
	port     buffer.Port // without name and pipe
	pipe     int
	given    bool // the pipe
}

// step is a value of a search for an entry of a group.
type step struct {
	group   int
	without without
	value   int64
}

// group returns the number of an entry's group; 0 for an entry of several ports, whose order matters.
func (k *asker) group(q Question, e Entry) int {
	if e.Count != 1 {
		return 0
	}
	l := likeness{q, k.in.Ports[e.First].Nameless(), k.in.PipeOf(e.First), k.in.Ports[e.First].Pipe != nil}
	if k.groups[l] == 0 {
		k.groups[l] = len(k.groups) + 1
	}
	return k.groups[l]
}

// quick asks admissions that are there, in place of new ones.
type quick struct {
	group int
	// ports returns the ports of a value as buffer.Admission.Trial has them.
	ports func(n int64) (like, pipe []int, p *buffer.Port)
	only  int // the one port that changes; -1: there are several, or none
	name  func(i int) string
}

// fits tells whether a value fits; known is false if it has to be planned.
func (q *quick) fits(k *asker, w without, n int64) (fits, known bool) {
	x := q.world(k, w)
	if x == nil {
		return false, k.ended()
	}
	at := step{q.group, w, n}
	if fits, known = k.known[at]; !known || q.group == 0 {
		fits = !k.ended() && q.tried(x, n)
		k.known[at] = fits
	}
	return fits, true
}

// world is where values are tried; nil: they have to be planned.
func (q *quick) world(k *asker, w without) *world {
	if q == nil || k.slow {
		return nil
	}
	return k.world(w)
}

// tried tells whether a value fits by admitting its ports.
func (q *quick) tried(x *world, n int64) bool {
	like, pipe, p := q.ports(n)
	if q.only >= 0 && x.alone {
		short, err := x.WhatIf(q.only, *p)
		return err == nil && short.Fits()
	}
	first, _, err := x.Trial(like, pipe, p)
	return err == nil && first < 0
}

// refusal returns what refuses a value; known is false if it has to be planned.
func (q *quick) refusal(k *asker, w without, n int64) (c Constraint, known bool) {
	x := q.world(k, w)
	if x == nil || k.ended() {
		return c, k.ended()
	}
	first, short, err := x.Trial(q.ports(n))
	var invalid *buffer.InvalidError
	switch {
	case errors.As(err, &invalid) && invalid.Complaints[0].Path == "ports":
		return Constraint{chipPorts, invalid.Complaints[0].String()}, true
	case err != nil: // its text names the place of the port
		return c, false
	case first < 0:
		return c, true
	}
	return denial(x.sized, buffer.Denied{Index: first, Port: q.name(first), Shortfall: short}), true
}
