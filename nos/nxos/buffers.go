package nxos

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/unit"
)

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
