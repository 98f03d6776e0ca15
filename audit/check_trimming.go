package audit

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/finding"
)

// trimming is what a configuration says of packet trimming: SWITCH_TRIMMING of SONiC.
type trimming = struct {
	Size, DSCP, Class, Queue Number
	// FromClass says that the DSCP is that of the traffic class Class at the egress port, and Dynamic that the queue is
	// that of the DSCP.
	FromClass, Dynamic bool
	// Lacks are the fields that have to be there and are not. One that is there and is refused is not among them.
	Lacks  []string
	At     finding.Place
	Object string
}

// trims checks packet trimming. Ports with the same fault are one finding.
func (c *check) trims() {
	f := &folds{}
	some, t := false, c.sw.Trimming
	for _, p := range c.sw.Profiles {
		if p.Trims && p.Listed != "" {
			c.add("trim-refused", p.At, p.object(), nil, "it trims, and %s has it", p.Listed)
		}
	}
	for _, p := range c.sw.Ports {
		for n, b := range p.Groups {
			if b != nil && b.Profile != nil && b.Profile.Trims {
				f.note("trim-refused", b.At, p, fmt.Sprintf("group %d", n), "the group has %s, which trims", b.Name)
			}
		}
		trims := false
		for n, b := range p.Queues {
			if b == nil || b.Profile == nil || !b.Profile.Trims {
				continue
			}
			trims, some = true, true
			if c.neverDrops(p, n) {
				f.note("trim-lossless", b.At, p, fmt.Sprintf("queue %d", n), "the queue is lossless and has %s, which trims",
					b.Name)
			}
		}
		if trims && t != nil && t.Queue.Given {
			c.trimQueue(f, p, int(t.Queue.Value))
		}
	}
	switch {
	case some && t == nil && (!c.Part || c.sw.Tables["PORT"]):
		c.add("trim-no-settings", c.Place(), "SWITCH_TRIMMING|GLOBAL", nil, "queues trim, and there is no entry")
	case t != nil:
		c.trimFields()
	}
	f.report(c.collector)
}

// neverDrops tells whether a queue is of traffic that must lose nothing.
func (c *check) neverDrops(p *Port, queue int) bool {
	if b := p.Queues[queue]; b != nil && b.Profile != nil && b.Profile.losslessQueue() {
		return true
	}
	for n := range groupsPerPort {
		if p.Maps[PriorityToQueue].leads(n, n) == queue && p.lossless(n) {
			return true
		}
	}
	return false
}

// trimQueue checks the queue for trimmed packets at a port with queues that trim.
func (c *check) trimQueue(f *folds, p *Port, queue int) {
	at, object := c.sw.Trimming.Queue.At, c.sw.Trimming.Object
	switch {
	case queue >= queuesPerPort:
		f.note("trim-queue", at, p, object, "queue_index is %d: want a queue, 0 to %d", queue, queuesPerPort-1)
	case p.Queues[queue] == nil:
		if c.hasQueues() {
			f.note("trim-queue", at, p, object, "queue_index is %d, and the queue has no profile in BUFFER_QUEUE", queue)
		}
	case c.neverDrops(p, queue):
		f.note("trim-queue", at, p, object, "queue_index is %d, a lossless queue", queue)
	case p.Queues[queue].Profile != nil && p.Queues[queue].Profile.Trims:
		f.note("trim-queue", at, p, object, "queue_index is %d, whose own profile %s trims", queue, p.Queues[queue].Name)
	}
}

// trimFields checks the settings of the whole switch.
func (c *check) trimFields() {
	t := c.sw.Trimming
	if len(t.Lacks) > 0 {
		c.add("trim-incomplete", t.At, t.Object, nil, "there is no %s", strings.Join(t.Lacks, ", "))
	}
	least, most := int64(256), int64(4084)
	if c.Chip.Name == "tomahawk5" {
		least, most = 206, 206
	}
	if known := c.Chip.Name == "tomahawk5" || c.Chip.Spectrum(); known && t.Size.Given &&
		(t.Size.Value < least || t.Size.Value > most) {
		want := fmt.Sprintf("%d to %d", least, most)
		if least == most {
			want = fmt.Sprint(most)
		}
		c.add("trim-size", t.Size.At, t.Object, numbers{"size": t.Size.Value}, "size is %d: the tests of SONiC have %s "+
			"on %s", t.Size.Value, want, c.Chip.Name)
	}
}
