package intent

import (
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/unit"
)

// trimming takes how the switch trims packets. A topology has a queue and a DSCP of its own: what maps of the switch
// say is a difference, and then the topology has no trimming.
func (b *builder) trimming() {
	t, trims := b.sw.Trimming, b.Intent.Trims()
	if t == nil {
		if len(trims) > 0 {
			b.differs(nil, "SWITCH_TRIMMING", b.reading.Source.Place(),
				"queues trim, and the configuration does not say to what length and queue: the topology has no trimming")
			b.trimNothing()
		}
		return
	}
	why := ""
	queue := int(t.Queue.Value)
	switch of := b.classOf(queue); {
	case t.FromClass || t.Dynamic:
		why = "the DSCP or the queue is one of a map"
	case !t.Size.Given || !t.DSCP.Given || !t.Queue.Given:
		why = "a field is missing"
	case t.Size.Value < 1 || t.Size.Value > mostTrim:
		why = "the size is that of no packet"
	case queue >= priorities:
		why = "the queue is that of no priority"
	case of != nil && (of.Trim || of.Lossless):
		why = "the queue for what is left of packets trims itself, or is lossless"
	}
	if why != "" {
		b.differs(nil, t.Object, t.At, "%s: the topology has no trimming", why)
		b.trimNothing()
		return
	}
	b.Intent.Trimming = buffer.Trimming{Size: unit.Bytes(t.Size.Value), Queue: queue, DSCP: int(t.DSCP.Value)}
	b.source("trimming", "%s %v", t.Object, t.At)
}

// mostTrim is the longest rest of a packet that a topology has.
const mostTrim = 16384

// classOf is the class of a priority; nil: it has none.
func (b *builder) classOf(priority int) *buffer.Class {
	i := slices.IndexFunc(b.Intent.Classes, func(c buffer.Class) bool { return slices.Contains(c.Priorities, priority) })
	if i < 0 {
		return nil
	}
	return &b.Intent.Classes[i]
}

// trimNothing takes trimming from all classes.
func (b *builder) trimNothing() {
	for i := range b.Intent.Classes {
		b.Intent.Classes[i].Trim = false
	}
}
