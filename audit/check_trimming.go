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

// ofTrimming are the codes of packet trimming.
var ofTrimming = []finding.Meaning{
	{Code: "trim-no-settings", Severity: finding.Warning, Certain: true,
		Rule: "A queue has a profile with packet_discard_action trim, and SWITCH_TRIMMING says neither length nor queue " +
			"nor DSCP.",
		Effect: "SAI's defaults hold: 128 bytes with DSCP 0 by queue 0 (saiswitch.h), where they wait with other packets.",
		Repair: "add SWITCH_TRIMMING|GLOBAL with size, dscp_value and queue_index"},
	{Code: "trim-incomplete", Severity: finding.Error, Certain: true,
		Rule: "SWITCH_TRIMMING|GLOBAL lacks size, dscp_value or queue_index, or tc_value beside the DSCP from-tc.",
		Effect: "orchagent logs an error and sets nothing (SONiC, doc/packet_trimming, 1.2.3.2: missing parameters): " +
			"trimmed packets go where SAI's defaults say.",
		Repair: "add the field"},
	{Code: "trim-refused", Severity: finding.Error, Certain: true,
		Rule: "A profile with packet_discard_action trim is that of a priority group, or in the list of profiles of a port.",
		Effect: "orchagent refuses it: trimming is prohibited for these (sonic-swss, bufferorch.cpp, " +
			"isTrimmingProhibited). The group or the port has not the buffer that the configuration says.",
		Repair: "give the trimming profile to queues alone"},
	{Code: "trim-lossless", Severity: finding.Error, Certain: true,
		Rule: "A queue with PFC, or with a lossless profile, has packet_discard_action trim.",
		Effect: "Packets of a class that must lose nothing are cut where the egress refuses them, and nothing says so but " +
			"the trim counters.",
		Repair: "set packet_discard_action to drop for lossless queues, and give them what the ingress can hold"},
	{Code: "trim-queue", Severity: finding.Error, Certain: true,
		Rule: "The queue for trimmed packets (queue_index) has no profile in BUFFER_QUEUE, is lossless, or trims itself.",
		Effect: "What is left of packets has no buffer, fills a queue that pauses and must not drop, or waits with the " +
			"packets that it was to overtake.",
		Repair: "name a lossy queue with a profile of its own, served before the others"},
	{Code: "trim-size", Severity: finding.Warning,
		Rule: "The size of trimmed packets is none that the tests of SONiC accept for the chip: 256 to 4084 bytes, and 206 " +
			"alone on Tomahawk 5 (sonic-mgmt, tests/packet_trimming/packet_trimming_config.py).",
		Effect: "The SDK refuses the size, and the switch trims with its default.",
		Repair: "write a size that the chip accepts"},
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
		if c.sw.codes(p, PriorityToQueue).leads(n, n) == queue && p.lossless(n) {
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
