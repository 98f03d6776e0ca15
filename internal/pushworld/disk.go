package pushworld

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/cellwarden/cellwarden/backend/journal"
)

// computer is a machine that pushes: its processes die with its power, and its disk
// keeps what was written to it, as far as it was.
type computer struct {
	*World
	name  string
	files map[string]*inode
	made  int  // files so far
	lies  bool // its disk says that it has written, and has not

	locks  bool     // it has a place for the lock of a switch
	pushes *process // the process that has the lock of the switch; nil: none had it yet
}

// lock takes the lock of the switch for a process, as journal.LockTarget does. The lock of a process that has ended,
// however it did, is free.
func (c *computer) lock(p *process) bool {
	if c.locks && c.pushes != nil && c.pushes != p && !c.pushes.dead {
		return false
	}
	c.pushes = p
	return true
}

// later returns the journal of a push that replaces another, as the directory of the journals shows it: with those of
// another switch, or without.
func (c *computer) later(p *journal.Push, all bool) string {
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		if strings.HasSuffix(name, besides) && !all {
			continue
		}
		if other, err := c.files[name].read(); err == nil && name != p.File && other.Replaces(p) {
			return name
		}
	}
	return ""
}

// inode is a file. What was written is seen by every process; what was synced is there after a loss of power.
type inode struct {
	name     string
	data     []byte
	synced   int  // bytes that are on the disk
	named    bool // its name is on the disk
	locked   *process
	reader   *process // the last that has opened it
	rotten   bool     // a digit of it was changed
	rottenAt int      // where, the first of them
	lost     bool     // something of it was lost that fsync said was on the disk

	clock, ahead time.Duration // by which the clock was set since the file was made, and how far ahead of a line at most
	low          time.Duration // the least of clock at which a line was written

	judged  string // the text that was last read for the model
	push    *journal.Push
	pushErr error
}

// read reads the journal for the model, which reads it after each operation: one that has not changed is read once.
func (n *inode) read() (*journal.Push, error) {
	if n.push == nil && n.pushErr == nil || n.judged != string(n.data) {
		n.judged = string(n.data)
		n.push, n.pushErr = reader.Read(n.data)
	}
	return n.push, n.pushErr
}

// does has a process wait as long as its disk takes, and then does something with the disk. The
// process can be killed before.
func (c *computer) does(p *process, do func()) {
	p.wait(func() {
		c.after(c.between(10*time.Microsecond, 2*time.Millisecond), p.unlessDead(func() {
			do()
			p.proceed()
		}))
	})
}

// opened is a file that a process has opened.
type opened struct {
	*computer
	*inode
	process *process
	op      *operation
	closed  bool
}

// continuation is a journal that is continued, as journal.Options has it.
type continuation = interface {
	journal.File
	Lock() error
	Size() (int64, error)
	Truncate(int64) error
}

var _ continuation = (*opened)(nil)

// create makes a journal, as journal.Create does: a new file that is locked, whose name is on the disk.
func (c *computer) create(o *operation) (journal.File, error) {
	var n *inode
	c.does(o.process, func() {
		if c.faults.happens(diskFull) {
			c.note(c.name, "has a full disk")
			return
		}
		c.made++
		n = &inode{name: fmt.Sprintf("%s-%d.jsonl", c.name, c.made), locked: o.process}
		c.files[n.name] = n
	})
	if n == nil {
		return nil, &fs.PathError{Op: "open", Path: "journals", Err: syscall.ENOSPC}
	}
	var err error
	c.does(o.process, func() {
		if c.faults.happens(syncFails) {
			c.note(c.name, "cannot have the name of %s on the disk", n.name)
			err = &fs.PathError{Op: "sync", Path: "journals", Err: syscall.EIO}
			delete(c.files, n.name)
			return
		}
		n.named = !c.lies
	})
	if err != nil {
		return nil, err
	}
	return &opened{computer: c, inode: n, process: o.process, op: o}, nil
}

// open opens an existing journal.
func (c *computer) open(o *operation, name string) (*opened, error) {
	n := c.files[name]
	if n == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	n.reader = o.process
	return &opened{computer: c, inode: n, process: o.process, op: o}, nil
}

func (o *opened) Name() string { return o.inode.name }

// Lock takes the file for its process.
func (o *opened) Lock() error {
	if o.locked != nil && o.locked != o.process && !o.locked.dead && !o.locked.ended {
		return journal.ErrUnderWay
	}
	o.locked = o.process
	return nil
}

func (o *opened) Size() (int64, error) { return int64(len(o.data)), nil }

func (o *opened) Truncate(size int64) error {
	o.does(o.process, func() { o.data, o.synced = o.data[:size:size], min(o.synced, int(size)) })
	return nil
}

func (o *opened) Write(data []byte) (n int, err error) {
	o.does(o.process, func() {
		if n = len(data); o.faults.happens(diskFull) {
			n = o.IntN(len(data))
			o.note(o.computer.name, "has a full disk after %d of %d bytes", n, len(data))
			err = &fs.PathError{Op: "write", Path: o.inode.name, Err: syscall.ENOSPC}
		}
		o.data = append(o.data, data[:n]...)
		o.low = min(o.low, o.clock)
	})
	if err != nil {
		o.op.full = err
	}
	return n, err
}

// Sync may fail. Whether what was written is on the disk is not known then.
func (o *opened) Sync() (err error) {
	o.does(o.process, func() {
		switch {
		case o.faults.happens(syncFails):
			o.note(o.computer.name, "cannot write %s to the disk", o.inode.name)
			err = &fs.PathError{Op: "sync", Path: o.inode.name, Err: syscall.EIO}
		case !o.lies:
			o.synced = len(o.data)
		}
	})
	if err != nil {
		o.op.full = err
	}
	return err
}

func (o *opened) Close() error {
	if o.closed {
		return errors.New("closed twice")
	}
	if o.closed = true; o.locked == o.process {
		o.locked = nil
	}
	return nil
}

// Remove takes the file away.
func (o *opened) Remove() error {
	delete(o.computer.files, o.inode.name)
	return nil
}

// losesPower kills the processes of a computer. Of what was not synced, any part may be on the disk.
func (c *computer) losesPower() {
	c.note(c.name, "loses power")
	for _, o := range c.operations {
		if o.computer == c {
			o.kill()
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		n := c.files[name]
		if !n.named && c.oneIn(2) {
			delete(c.files, name)
			continue
		}
		kept := n.synced
		if rest := len(n.data) - kept; rest > 0 {
			kept += c.IntN(rest + 1)
		}
		n.lost = n.lost || c.lies && kept < len(n.data)
		n.rotten = n.rotten && n.rottenAt <= bytes.LastIndexByte(n.data[:kept], '\n')
		n.data, n.synced, n.named = slices.Clone(n.data[:kept]), kept, true
	}
}
