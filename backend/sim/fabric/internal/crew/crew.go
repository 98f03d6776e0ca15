// Package crew shares work among goroutines that wait for each other as little as they can.
//
// The work is pieces that are done step by step. A step of a piece may be done when its neighbours have done the step
// before: no piece waits for one that it does not touch, and neighbours are never more than one step apart. So all
// that a piece has written in a step can be read by its neighbours in their next step, and must stay until the step
// after that.
//
// Each worker has pieces of its own, so that what it works on stays in the cache of its processor. A worker that has
// waited for a while does a step of the others' pieces. Workers stay awake for some time, because a step takes less
// than it takes to wake a goroutine.
package crew

import (
	"runtime"
	"sync/atomic"
)

// How long a worker waits before it sleeps: so many looks, and then so many turns for other goroutines. A machine that
// has other things to do is so left to them. To look for a piece takes longer than to look for a round.
const (
	looks      = 2000
	pieceLooks = 30
	turns      = 50
	pieceTurns = 10
)

// helpAfter is how many looks at its own pieces a worker takes before it looks at those of the others, for the rest of
// the round: a piece costs more on another processor, and mostly what it waits for is done soon.
const helpAfter = 8

// Crew is workers, of which the caller is the first. It is not safe for concurrent use.
type Crew struct {
	do         func(piece, step int)
	neighbours [][]int32
	workers    []worker
	started    int       // workers that have a goroutine; the caller is one
	lists      [][]int32 // pieces of each worker
	steps      int32
	asleep     atomic.Int32 // workers that sleep
	// of each piece, twice the steps that it has done, and one more while a worker does the next one
	turn    []atomic.Int32
	left    atomic.Int64  // pieces that have steps to do
	round   atomic.Uint64 // number of the round, times mostWorkers, plus its workers beside the caller; over: the end
	working atomic.Int64  // workers beside the caller that have not finished the round
}

// worker is a worker. Each has a line of the cache.
type worker struct {
	asleep atomic.Bool
	wake   chan struct{}
	next   int   // place in its list of the piece that it looks at first
	got    int32 // piece of which it has begun a step; -1: none
	looked int   // times that it has looked for one
	helps  bool  // it does steps of the others' pieces too
	_      [16]byte
}

// mostWorkers is more than a crew can have.
const mostWorkers = 1 << 16

// over is the round after which there is none.
const over = ^uint64(0)

// New returns a crew of up to so many workers, 1 to 65,535, for pieces with these neighbours. It starts no goroutine
// before the first round that needs it. do does a step of a piece.
func New(workers int, neighbours [][]int32, do func(piece, step int)) *Crew {
	c := &Crew{do: do, neighbours: neighbours, turn: make([]atomic.Int32, len(neighbours)), started: 1,
		workers: make([]worker, min(max(workers, 1), mostWorkers-1))}
	for i := range c.workers {
		c.workers[i].wake = make(chan struct{}, 1)
	}
	return c
}

// Round does so many steps of pieces, and returns when they are done. There is a list of pieces for each worker, at
// most as many as the crew has. A piece that is in no list must have no neighbour in one, unless there is one step.
func (c *Crew) Round(lists [][]int32, steps int) {
	if len(lists) == 1 {
		for step := range steps {
			for _, piece := range lists[0] {
				c.do(int(piece), step)
			}
		}
		return
	}
	pieces := 0
	for _, list := range lists {
		pieces += len(list)
		for _, piece := range list {
			c.turn[piece].Store(0)
		}
	}
	c.left.Store(int64(pieces))
	c.lists, c.steps = lists, int32(steps)
	for ; c.started < len(lists); c.started++ {
		go c.work(c.started, c.round.Load())
	}
	// The number of the round is stored last: a worker that sees it sees the lists and the number of workers too.
	others := len(lists) - 1
	c.working.Store(int64(others))
	c.round.Store((c.round.Load()/mostWorkers+1)*mostWorkers + uint64(others))
	c.rouse()
	c.share(0)
	c.wait(&c.workers[0], looks, turns, func() bool { return c.working.Load() == 0 })
}

// Stop ends the goroutines. There must be no round after it.
func (c *Crew) Stop() {
	c.round.Store(over)
	c.rouse()
}

// rouse wakes the workers that sleep. It must be called after what makes it so that one of them can go on.
func (c *Crew) rouse() {
	if c.asleep.Load() == 0 {
		return
	}
	for i := range c.workers {
		if w := &c.workers[i]; w.asleep.Load() && w.asleep.CompareAndSwap(true, false) {
			w.wake <- struct{}{}
		}
	}
}

// work does a worker's part of all rounds after one.
func (c *Crew) work(n int, seen uint64) {
	w := &c.workers[n]
	begun := func() bool { return c.round.Load() != seen }
	for {
		c.wait(w, looks, turns, begun)
		if seen = c.round.Load(); seen == over {
			return
		}
		if n <= int(seen%mostWorkers) {
			c.share(n)
			if c.working.Add(-1) == 0 {
				c.rouse()
			}
		}
	}
}

// share does steps of a worker's pieces, and of those of the others, until all are done.
func (c *Crew) share(n int) {
	w := &c.workers[n]
	ready := func() bool {
		w.helps = w.helps || w.looked > helpAfter
		w.looked++
		return w.got >= 0 || c.find(n, w.helps) || c.left.Load() == 0
	}
	for w.next, w.helps = 0, false; ; {
		w.looked, w.got = 0, -1
		if c.wait(w, pieceLooks, pieceTurns, ready); w.got < 0 {
			return
		}
		turn := &c.turn[w.got]
		step := turn.Load() / 2
		c.do(int(w.got), int(step))
		turn.Store(2 * (step + 1))
		if step+1 == c.steps {
			c.left.Add(-1)
		}
		c.rouse()
	}
}

// find begins a step of a piece that is ready: of the worker's own pieces, or of anyone's.
func (c *Crew) find(n int, anyones bool) bool {
	w := &c.workers[n]
	if k, ok := c.begin(w, c.lists[n], w.next); ok {
		w.next = k + 1
		return true
	}
	if !anyones {
		return false
	}
	for i, list := range c.lists {
		if i != n {
			if _, ok := c.begin(w, list, 0); ok {
				return true
			}
		}
	}
	return false
}

// begin begins a step of the first piece of a list that is ready, from a place on, and returns its place.
func (c *Crew) begin(w *worker, list []int32, from int) (place int, ok bool) {
	for k := range list {
		place := from + k
		if place >= len(list) {
			place -= len(list)
		}
		piece := list[place]
		turn := c.turn[piece].Load()
		if turn&1 == 0 && turn < 2*c.steps && c.ready(piece, turn) && c.turn[piece].CompareAndSwap(turn, turn+1) {
			w.got = piece
			return place, true
		}
	}
	return 0, false
}

// ready tells whether the neighbours of a piece have done as many steps as it has.
func (c *Crew) ready(piece, turn int32) bool {
	for _, n := range c.neighbours[piece] {
		if c.turn[n].Load() < turn {
			return false
		}
	}
	return true
}

// wait returns when something is so. What makes it so must call rouse afterwards.
func (c *Crew) wait(w *worker, looks, turns int, so func() bool) {
	for range looks {
		if so() {
			return
		}
	}
	for range turns {
		if runtime.Gosched(); so() {
			return
		}
	}
	c.asleep.Add(1)
	defer c.asleep.Add(-1)
	for {
		w.asleep.Store(true)
		// It may have become so just now, and who made it so may not have seen that this worker sleeps.
		if so() && w.asleep.CompareAndSwap(true, false) {
			return
		}
		if <-w.wake; so() {
			return
		}
	}
}
