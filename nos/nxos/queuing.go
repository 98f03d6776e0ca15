package nxos

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/internal/rendering"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/unit"
)

// queues writes the classes of the output policy of a port: how each queue is served, and from which filling on its
// packets are marked. Where the plan has a schedule, all eight queues are named: a queue without a class has no part.
func (w *writer) queues(p *nos.Port) string {
	strict, shared := w.schedule(p)
	scheduled := len(strict)+len(shared) > 0
	percent := map[int]int{}
	if scheduled {
		for n := range pg.PerPort {
			percent[n] = 0
		}
		if len(shared) == 0 { // what the strict queues leave goes to the default queue
			percent[0] = 100
		}
		for n, r := range shared {
			percent[n] = r.Number
		}
		w.unserved = w.unserved || percent[0] == 0 && !slices.Contains(strict, 0)
	}
	var b strings.Builder
	for n := pg.PerPort - 1; n >= 0; n-- {
		q := p.Queues[n]
		if !scheduled && !q.Marks() {
			continue
		}
		fmt.Fprintf(&b, "  class type queuing %s\n", class("c-out-8q-q", n))
		if level := slices.Index(strict, n); level >= 0 {
			fmt.Fprintf(&b, "    priority level %d\n", level+1)
		} else if scheduled {
			fmt.Fprintf(&b, "    bandwidth remaining percent %d\n", percent[n])
		}
		if q.Marks() {
			whole, exact := rendering.WholePercent(q.PMax)
			if !exact {
				w.round(fmt.Sprintf("drop-probability of queue %d is %d for %v", n, whole, q.PMax))
			}
			fmt.Fprintf(&b, "    random-detect minimum-threshold %d bytes maximum-threshold %d bytes drop-probability %d "+
				"weight 0 ecn\n", int64(q.KMin), int64(q.KMax), whole)
		}
	}
	return b.String()
}

// schedule returns the strict queues of a port, that which sends first as the first, and the percentages of the others.
func (w *writer) schedule(p *nos.Port) (strict []int, shared map[int]ets.Rounded) {
	var queues []int
	var shares []ets.Share
	parts := portions(p)
	for n := pg.PerPort - 1; n >= 0; n-- {
		if parts[n] < 0 {
			strict = append(strict, n)
		}
	}
	for n, part := range parts {
		if part > 0 {
			queues, shares = append(queues, n), append(shares, ets.Share{Part: part})
		}
	}
	shared = map[int]ets.Rounded{}
	for i, r := range ets.Percents.Round(shares) {
		shared[queues[i]] = r
		if off := r.Off(); off > 0 && !p.Queues[queues[i]].Classed {
			w.round(fmt.Sprintf("bandwidth remaining percent of queue %d is %d for %v, off by %v of the share", queues[i],
				r.Number, r.Asked.Percent(), off))
		}
	}
	return strict, shared
}

// portions are the parts that the queues of a port have of what the strict queues leave: -1 is strict, 0 none. Without
// groups they are the weights. With groups (ETS) a queue has a part of its group's; the parts are scaled by the product
// of the sums of weights, which is at most 200^4, so that they are whole.
func portions(p *nos.Port) (out [pg.PerPort]int64) {
	sums, product := [pg.PerPort]int64{}, int64(1)
	weight := func(n int) int64 {
		q := &p.Queues[n]
		for _, m := range p.QueuesOf(q.Class) {
			if p.Queues[m].Share <= 0 {
				return 1 // a queue of the group is strict in it, which one level of queues does not have
			}
		}
		return int64(q.Share)
	}
	for c := range p.Classes {
		for _, n := range p.QueuesOf(c) {
			sums[c] += weight(n)
		}
		if sums[c] > 0 && p.Classes[c].Bandwidth > 0 {
			product *= sums[c]
		}
	}
	for n := range p.Queues {
		q := &p.Queues[n]
		switch {
		case q.Classed && p.Classes[q.Class].Bandwidth > 0:
			out[n] = int64(p.Classes[q.Class].Bandwidth) * weight(n) * (product / sums[q.Class])
		case q.Classed || q.Weight == buffer.Strict:
			out[n] = -1
		default:
			out[n] = int64(q.Weight)
		}
	}
	return out
}

// round notes a rounding, once.
func (w *writer) round(text string) {
	w.rounded = grouped.Add(w.rounded, text)
}

// threshold is the filling at which a class without drops is paused: all that the group has before its headroom.
func threshold(g nos.Group) unit.Bytes { return g.Reserved + g.Static }

// buffers writes the classes of the input policy: pause and resume thresholds, and the size of the buffer.
func (w *writer) buffers(p *nos.Port, lossless []int) string {
	var b strings.Builder
	for _, n := range lossless {
		g := p.Groups[n]
		pause := threshold(g)
		fmt.Fprintf(&b, "  class type queuing %s\n    pause buffer-size %d pause-threshold %d resume-threshold %d\n",
			class("c-in-q", n), int64(pause+g.Headroom), int64(pause), int64(max(0, pause-g.XONOffset)))
		if g.XONOffset > pause {
			w.above[buffer.Register{Kind: buffer.GroupXONOffset, Port: p.Name, Index: n}] = true
		}
		if frame := w.plan.MTU(p, n); pause < frame {
			w.low = append(w.low, fmt.Sprintf("priority %d of %s (%v, a frame has %v)", n, p.Name, pause, frame))
		}
	}
	return b.String()
}

// reserved returns why the buffers of this configuration do not fit into the chip; "": they fit. A plan with its own
// headroom for each group and without static limits reserves the same, and was admitted with it. Else the ports are
// planned again: with no shared headroom, and with the minimum of each class as large as its largest pause threshold.
func (w *writer) reserved() string {
	in := w.plan.Intent
	in.Pool.SharedHeadroom, in.Pool.SharedHeadroomRatio, in.SharedFloor = 0, 0, 0
	if in.Pool == w.plan.Intent.Pool && !slices.ContainsFunc(in.Classes, func(c buffer.Class) bool {
		return c.Lossless && c.StaticLimit > 0
	}) {
		return ""
	}
	in.Classes, in.Ports = slices.Clone(in.Classes), nil
	for i := range in.Classes {
		c := &in.Classes[i]
		if !c.Lossless {
			continue
		}
		most := unit.Bytes(0)
		for k := range w.ports {
			for _, n := range c.Priorities {
				if g := w.ports[k].Groups[n]; g.Lossless {
					most = max(most, threshold(g))
				}
			}
		}
		c.Reserved, c.StaticLimit = unit.Given(most), 0
	}
	for i := range w.ports {
		in.Ports = append(in.Ports, w.ports[i].Port)
	}
	plan, err := buffer.New(in)
	if err == nil {
		err = plan.Err()
	}
	if err == nil {
		return ""
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}

// undone lists what the switch may not take, or may not keep.
func (w *writer) undone() (out []nos.Undone) {
	if why := w.reserved(); why != "" {
		out = append(out, nos.Undone{What: "pause buffer-size", Why: "each class without drops has a buffer of its " +
			"own at each port, and no headroom is shared: planned in this way, the ports do not fit: " + why})
	}
	if len(w.some) > 0 {
		out = append(out, nos.Undone{What: "pause pfc-cos", Why: "all ports with PFC have all classes without " +
			"drops, and the plan has only some of them at " + buffer.FoldPorts(w.some) + ": the switch gives the others a " +
			"buffer there, whose size is not published: all may not fit"})
	}
	if w.noDrop.Has(0) {
		out = append(out, nos.Undone{What: "pause pfc-cos 0", Why: "priority 0 is the default class, and no source " +
			"says whether the switch accepts it without drops"})
	}
	return out
}
