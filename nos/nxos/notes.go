package nxos

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/internal/rendering"
	"github.com/cellwarden/cellwarden/pg"
)

// own is why limits that follow the pool are not written.
const own = "a class without drops has a buffer of its own, of a fixed size"

// byTag is what a lossless priority without a DSCP means.
const byTag = "packets come into them by the 802.1p value of their VLAN tag, and untagged packets, such as RoCEv2 on " +
	"routed ports, are in the default class, which drops"

// omitted says what the configuration does not have. A class without drops has PFC, its headroom and a fixed threshold
// in place of a shared limit, so that it loses nothing; but with a threshold below a frame it is always paused.
func (w *writer) omitted() []nos.Omission {
	why := map[buffer.Kind]string{
		buffer.PoolShared:    "the shared pool is what the buffers of the classes without drops leave",
		buffer.PoolHeadroom:  own + ", with the whole of its headroom",
		buffer.PortMinimum:   "no statement for the minimum of a port was found",
		buffer.GroupAlpha:    own + "; it is paused at its minimum. No statement for other classes was found",
		buffer.QueueReserved: "queue-limit is a largest size; no statement for the minimum of a queue was found",
		buffer.ClassIdleSlope: "no statement for a credit-based shaper was found; shape has a rate, and not the credit of " +
			"802.1Q",
	}
	if len(w.plan.Intent.ETS) > 0 {
		why[buffer.QueueWeight] = "the share of each queue, with that of its group in it, is written in its place"
	}
	out := append(w.plan.Omit(rendering.Reasons(why, "", "no statement for credit-based flow control (CBFC) was found")),
		w.plan.OmitPFC()...)
	for i := range out {
		if o := &out[i]; o.What == "" && !o.Kind.OfCredits() { // nothing of the others is needed beside the buffers
			o.Critical = false
		}
	}
	if len(w.low) > 0 {
		out = append(out, nos.Omission{What: "pause-threshold of at least one frame", Critical: true,
			Why: fmt.Sprintf("a group is paused at its minimum and static limit, and with less than a frame it is paused "+
				"always: %s; give its class reserved or static_limit", first(w.low))})
	}
	if w.tagged != 0 && w.plan.Intent.Trust != pg.TrustPCP {
		out = append(out, nos.Omission{What: "dscp of lossless priorities " + w.tagged.String(), Critical: true,
			Why: byTag + "; give them dscp, or say trust: pcp where all their packets have a tag"})
	}
	return append(out, w.lossy()...)
}

// lossy are the minima and limits of groups that drop, and the XON offsets that are larger than the threshold.
func (w *writer) lossy() (out []nos.Omission) {
	l := w.plan.Layout
	of := func(kind buffer.Kind, what, why string, is func(port string, group int) bool) {
		o := nos.Omission{Kind: kind, What: what, Why: why}
		for _, s := range l {
			if s.Kind == kind && is(s.Port, s.Index) {
				o.Count++
			}
		}
		if o.Count > 0 {
			out = append(out, o)
		}
	}
	drops := func(port string, group int) bool {
		return l.Value(buffer.Register{Kind: buffer.GroupLossless, Port: port, Index: group}) != 1
	}
	for _, kind := range []buffer.Kind{buffer.GroupReserved, buffer.GroupStatic} {
		of(kind, kind.String()+" of groups that drop",
			"no statement for the buffer of a class that drops was found at the ingress", drops)
	}
	of(buffer.GroupXONOffset, "xon offset above the pause-threshold",
		"resume-threshold is not below 0: the group resumes when it is empty", func(port string, group int) bool {
			return w.above[buffer.Register{Kind: buffer.GroupXONOffset, Port: port, Index: group}]
		})
	return out
}

// first is the first of a list, with the number of the others.
func first(list []string) string {
	if len(list) == 1 {
		return list[0]
	}
	return fmt.Sprintf("%s and %d more", list[0], len(list)-1)
}

// portName is the form of a port's name: Ethernet1/1, and with lanes of its own Ethernet1/3/1.
var portName = once.Pattern(`^Ethernet\d+(/\d+)+$`)

// notes are what the operator has to know.
func (w *writer) notes() []string {
	chip := &w.plan.Intent.Chip
	out := []string{
		"NX-OS is rendered only: cellwarden does not send this configuration",
		"the syntax is that of Nexus 9000 switches with a Cloud Scale ASIC and eight queues (Nexus 9300-EX, -FX, -FX2, " +
			"-FX3, -GX, -GX2; 9500 with such line cards); it was not tried on a switch",
		"not read in Cisco's guide, so look there first: that list of platforms, the range of mtu (1500 to 9216), and " +
			"bytes as the unit of random-detect",
		"changes of queuing and network-qos policies are disruptive (Cisco's guide, 10.5(x))",
		"mtu of a network-qos class is the longest frame of its priority in the plan, with which its headroom was computed",
		fmt.Sprintf("sizes are those of the chip of the plan, %s, in its cells of %v", chip.Name, chip.Cell),
		"the commands remove nothing: a policy that an interface has and the plan does not stays",
	}
	if w.tagged != 0 && w.plan.Intent.Trust == pg.TrustPCP {
		out = append(out, fmt.Sprintf("lossless priorities %v: %s", w.tagged, byTag))
	}
	if len(w.frames) > 0 {
		out = append(out, fmt.Sprintf("%s: mtu is %d to %d. The headroom was computed with the plan's frames: where the "+
			"class may receive longer ones, set the mtu of the class in the topology", strings.Join(w.frames, "; "), leastMTU,
			mostMTU))
	}
	if w.unserved {
		out = append(out, "packets that no class of the plan matches are in queue 0, which has 0 percent of the bandwidth")
	}
	if len(w.rounded) > 0 {
		out = append(out, "rounded to whole percents: "+strings.Join(w.rounded, "; "))
	}
	return append(out, w.plan.NamedOtherwise(title, "Ethernet1/1", portName())...)
}
