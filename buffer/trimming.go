package buffer

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

// Packet trimming is what fabrics do that are not lossless: of a packet that a queue refuses, the beginning goes on over
// another queue, so that the receiver learns at once what is lost (SAI pull 2077; SONiC, doc/packet_trimming).

// Trimming is how a switch trims packets. The zero Trimming is none.
type Trimming struct {
	// Size is how many bytes are left of a packet, from destination address on (SAI_SWITCH_ATTR_PACKET_TRIM_SIZE). A
	// shorter packet goes on whole.
	Size unit.Bytes
	// Queue is the egress queue, 0 to 7, that they leave by (PACKET_TRIM_QUEUE_INDEX). It may be in a class, which loses
	// packets and does not trim.
	Queue int
	DSCP  int // of what is left, 0 to 63 (PACKET_TRIM_DSCP_VALUE)
}

// longestTrim is more than any switch leaves of a packet.
const longestTrim = unit.Bytes(16384)

// Trims names the classes whose packets are trimmed.
func (in *Intent) Trims() (classes []string) {
	for i := range in.Classes {
		if in.Classes[i].Trim {
			classes = append(classes, in.Classes[i].Name)
		}
	}
	return classes
}

// validateTrimming refuses numbers that no switch has, a class that trims and must not, and a queue for the rest that
// trims itself or loses nothing.
func (in *Intent) validateTrimming(bad *fielderr.List) {
	t := in.Trimming
	if t.Size < 0 || t.Size > longestTrim {
		bad.Add("trimming.size", t.Size.String(), fmt.Sprintf("0B (no trimming) to %v", longestTrim))
	}
	if t.Queue < 0 || t.Queue >= pg.PerPort || t.Size == 0 && t.Queue != 0 {
		bad.Add("trimming.queue", fmt.Sprint(t.Queue), fmt.Sprintf("0 to %d, beside a size", pg.PerPort-1))
	}
	if t.DSCP < 0 || t.DSCP > 63 || t.Size == 0 && t.DSCP != 0 {
		bad.Add("trimming.dscp", fmt.Sprint(t.DSCP), "0 to 63, beside a size")
	}
	for i := range in.Classes {
		c := &in.Classes[i]
		own := t.Size > 0 && slices.Contains(c.Priorities, t.Queue)
		switch refuse := func(want string) { bad.Add(classPath(i)+".trim", "true", want) }; {
		case own && c.ownGroups():
			bad.Add("trimming.queue", fmt.Sprint(t.Queue), fmt.Sprintf("a queue of no lossless class; class %q has this one",
				c.Name))
		case !c.Trim:
		case t.Size == 0:
			refuse("trimming, with a size and a queue, beside it")
		case c.ownGroups():
			refuse("false: a lossless class drops nothing that could be trimmed")
		case own:
			refuse("false: the rests leave by one of its queues")
		}
	}
}

// trimRow is what the rests of trimmed packets are for ports of one speed, if all other ports send to one of them.
type trimRow = struct {
	Speed unit.BitRate
	Ports int
	// Minimum is the cells of the queue for the rests that nothing else uses, in each slice: those of its class. They are
	// among the reserved cells of the bill.
	Minimum cells.Count
	Rest    cells.Count // what is left of one packet
	// AtOnce is the rests of a packet from every other port that are refused at one time.
	AtOnce cells.Count
	// Load is the rests of the longest packets of all other ports, at full rate, as a share of the port's rate: above
	// 100% its queue for the rests grows until it refuses some.
	Load unit.Percent
}

// wireOverhead is preamble and gap of IEEE 802.3.
const wireOverhead = 20

// trimRows counts the cells of the queues for the rests, by the speeds of the ports.
func (a *Admission) trimRows() (out []trimRow) {
	if a.in.Trimming.Size == 0 || len(a.in.Trims()) == 0 {
		return nil
	}
	chip, minimum := &a.in.Chip, cells.Count(0)
	if i := a.in.classOf(a.in.Trimming.Queue); i >= 0 {
		minimum = chip.Cell.Holding(a.in.Classes[i].QueueReserved)
	}
	rest := chip.Cell.Packet(a.in.Trimming.Size, chip.Overhead)
	var all int64 // bit/s of the rests of all ports
	var senders int
	for i := range a.in.Ports {
		if frame := a.in.trimmedFrame(&a.in.Ports[i]); frame > 0 {
			senders++
			all += restsOf(&a.in.Ports[i], frame, a.in.Trimming.Size)
		}
	}
	for i := range a.in.Ports {
		p := &a.in.Ports[i]
		frame := a.in.trimmedFrame(p)
		if frame == 0 {
			continue
		}
		k := slices.IndexFunc(out, func(r trimRow) bool { return r.Speed == p.Rate })
		if k < 0 {
			k, out = len(out), append(out, trimRow{Speed: p.Rate, Minimum: minimum, Rest: rest,
				AtOnce: cells.Count(senders-1) * rest})
		}
		out[k].Ports++
		others := all - restsOf(p, frame, a.in.Trimming.Size)
		out[k].Load = max(out[k].Load, unit.Percent(others/max(int64(p.Rate)/int64(unit.Whole), 1)))
	}
	return out
}

// trimmedFrame is the longest frame of a port of a class that trims; 0: it carries none.
func (in *Intent) trimmedFrame(p *Port) (longest unit.Bytes) {
	for i := range in.Classes {
		if c := &in.Classes[i]; c.Trim && in.carries(p, i) {
			longest = max(longest, c.frame(p.MTU))
		}
	}
	return longest
}

// restsOf is the rate of the rests of frames that arrive at the full rate of a port, preamble and gap included, in bit/s.
func restsOf(p *Port, frame, size unit.Bytes) int64 {
	return int64(p.Rate) / int64(frame+wireOverhead) * int64(min(size, frame)+wireOverhead)
}

// classOf is the index of the class of a priority; -1: it is in none.
func (in *Intent) classOf(priority int) int {
	return slices.IndexFunc(in.Classes, func(c Class) bool { return slices.Contains(c.Priorities, priority) })
}

// warnTrimming says where rests are lost, or wait behind other packets.
func (a *Admission) warnTrimming(p *Plan, warn func(string)) {
	if len(p.Trim) == 0 {
		return
	}
	queue := a.in.Trimming.Queue
	switch i := a.in.classOf(queue); {
	case i < 0:
		warn(fmt.Sprintf("trimming: no class has priority %d: the plan has no minimum and no schedule for the queue of the "+
			"rests", queue))
	case !a.in.Classes[i].Strict:
		warn(fmt.Sprintf("trimming: class %s is not strict: the rests of queue %d wait while other queues send",
			a.in.Classes[i].Name, queue))
	}
	worst := slices.MaxFunc(p.Trim, func(r, s trimRow) int { return cmp.Compare(r.Load, s.Load) })
	if worst.Load > unit.Whole {
		warn(fmt.Sprintf("trimming: if all other ports send at full rate to one of %v, the rests of their longest packets are "+
			"%v of its rate, and queue %d loses some; a shorter rest or longer packets lessen that", worst.Speed, worst.Load,
			queue))
	}
}
