package library

import (
	"sync"
	"sync/atomic"
)

// MaxSwitches is the most switches at one time.
const MaxSwitches = 4096

// slot is a place for a switch. A handle is the slot's number, from 1, and the
// generation of its switch, which no later switch has.
type slot struct {
	made  atomic.Pointer[made]
	last  uint32 // generation; the slot is not used again after the last one
	taken bool
}

// made is a switch with its generation.
type made struct {
	generation uint32
	busy       atomic.Bool
	broken     bool // by a fault: no call uses the switch again
	s          *Switch
}

// Table is the switches of a program. The zero Table is empty. It is safe for concurrent use.
type Table struct {
	mu    sync.Mutex
	slots [MaxSwitches]slot
	next  int // where the search for a free slot begins
}

// Add returns the handle of a switch, or [TooMany].
func (t *Table) Add(s *Switch) (handle uint64, code Code) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.slots {
		at := (t.next + i) % len(t.slots)
		if p := &t.slots[at]; !p.taken && p.last < 1<<32-1 {
			p.last++
			p.taken = true
			p.made.Store(&made{generation: p.last, s: s})
			t.next = at + 1
			return uint64(p.last)<<32 | uint64(at+1), OK
		}
	}
	return 0, TooMany
}

// find returns the switch of a handle, which nobody else uses until done.
func (t *Table) find(handle uint64) (*made, Code) {
	at := uint32(handle) - 1
	if at >= MaxSwitches {
		return nil, BadHandle
	}
	m := t.slots[at].made.Load()
	switch {
	case m == nil || m.generation != uint32(handle>>32):
		return nil, BadHandle
	case !m.busy.CompareAndSwap(false, true):
		return nil, Busy
	}
	return m, OK
}

// Remove forgets a switch.
func (t *Table) Remove(handle uint64) Code {
	m, code := t.find(handle)
	if code != OK {
		return code
	}
	// It stays busy, so that a call that has found it meanwhile does nothing.
	t.mu.Lock()
	defer t.mu.Unlock()
	p := &t.slots[uint32(handle)-1]
	if p.made.Load() != m {
		return BadHandle
	}
	p.made.Store(nil)
	p.taken = false
	return OK
}

// Use calls a function with a switch. A fault of the function becomes [Fault], and the switch is not used again.
func (t *Table) Use(handle uint64, call func(*Switch) Code) (code Code) {
	m, code := t.find(handle)
	if code != OK {
		return code
	}
	defer m.done(&code)
	if m.broken {
		return Fault
	}
	return call(m.s)
}

// done ends a use.
func (m *made) done(code *Code) {
	if recover() != nil {
		m.broken, *code = true, Fault
	}
	m.busy.Store(false)
}
