package scenario

import (
	"fmt"

	"github.com/cellwarden/cellwarden/backend/sim/fabric"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/buffer/mmu"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/pg"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// build makes a switch from its spec. All sizes become cells here, because the
// size of a cell is known only after all keys are read. It runs only for a spec without complaints, and gives a
// switch of package fabric that is complete but for its links.
func (r *reader) build(i int) {
	p, w := &r.specs[i], &r.s.Network.Switches[i]
	if p.plan != nil {
		r.buildPlanned(i)
		return
	}
	// Neither has a default: every number of the result would rest on a memory that nobody chose.
	if p.cell <= 0 || p.pool == (amount{}) {
		r.Fail(p.line, p.path, fmt.Sprintf(
			"switch %s has no cell or no pool: want cell, such as 208B, and pool, such as 16MiB", w.Name))
		return
	}
	w.Quanta, w.LinkPause, w.OwnXON, w.ReleaseAtStart = p.quanta, p.linkPause, p.ownXON, p.atStart
	w.MMU = mmu.Config{Cell: p.cell, Overhead: p.overhead, Rule: p.behaviour.Rule,
		Pools: []mmu.Pool{{Shared: p.pool.in(p.cell)}}}
	if p.sharedHeadroom != nil {
		w.MMU.HeadroomPools = []cells.Count{p.sharedHeadroom.in(p.cell)}
	}
	// Without the key the egress has no limit of its own, and the ingress decides about every frame.
	if p.egressPool != nil {
		w.MMU.EgressPools = []mmu.Pool{{Shared: p.egressPool.in(p.cell)}}
	}
	for j := range w.Ports {
		r.buildPort(i, j)
	}
	r.trims(i)
}

// portFromSpec sets everything of a port except its groups and queues. A port
// has PFC for the priorities that the file or the switch's plan gives. What the
// file leaves out is taken from the plan. The entry of the port comes first, then those of the switch and of all
// switches, and then the plan.
func (r *reader) portFromSpec(i, j int) {
	p, w := &r.specs[i], &r.s.Network.Switches[i]
	spec, own := p.ports[j]
	if !own {
		spec = p.port
	}
	sp, planned := &w.Ports[j], w.Ports[j]
	*sp = spec.SwitchPort
	sp.Name, sp.Groups, sp.Queues, sp.Cells = planned.Name, planned.Groups, planned.Queues, planned.Cells
	sp.PFC |= planned.PFC
	// Trust belongs to the map: a map of code points says nothing about a port that trusts PCP.
	if sp.Map == nil && planned.Map != nil {
		sp.Trust, sp.Map = planned.Trust, planned.Map
	}
	if sp.ETS == (fabric.Scheduler{}) {
		sp.ETS = planned.ETS
	}
	if sp.ECN == ([fabric.Priorities]fabric.Marking{}) {
		sp.ECN = planned.ECN
	}
	// A port that never obeys a pause has no response time; one would be a value without effect.
	if spec.response.IsGiven() || sp.PFC != 0 || sp.DCBX != nil || sp.Link != pfc.LinkIgnored {
		sp.Resp = r.response("switch", fabric.AtSwitch(i, j), spec.response)
	}
}

// buildPort gives a port one group and one queue per class, and one of each for
// all priorities without a class. Groups and queues of all ports are in one
// list, so the first one of the port is their offset.
func (r *reader) buildPort(i, j int) {
	r.portFromSpec(i, j)
	p, w := &r.specs[i], &r.s.Network.Switches[i]
	sp := &w.Ports[j]
	// A group per class and one more, in the order of the classes of the file. Numbers of groups are those of the whole
	// switch, and the MMU has them in one list.
	first := len(w.MMU.Groups)
	for c := range p.groups {
		w.MMU.Groups = append(w.MMU.Groups, r.group(p, c, fabric.AtSwitch(i, j)))
		if p.egressPool != nil {
			q := &p.queues[c]
			w.MMU.Queues = append(w.MMU.Queues,
				mmu.Queue{Reserved: q.reserved.in(p.cell), Limit: q.limit.limit(p.cell)})
		}
	}
	// Every priority begins in the last group; the classes then take theirs out of it. Queues have the number of the
	// priority, because a class has one.
	for prio := range fabric.Priorities {
		sp.Groups[prio], sp.Cells[prio] = first+len(r.s.Classes), first+len(r.s.Classes)
		sp.Queues[prio] = prio
	}
	for c, class := range r.s.Classes {
		sp.Groups[class.Priority], sp.Cells[class.Priority] = first+c, first+c
	}
}

// group makes the group of a class on a port.
func (r *reader) group(p *switchSpec, class int, at fabric.End) mmu.Group {
	g := &p.groups[class]
	out := mmu.Group{Reserved: g.reserved.in(p.cell), Limit: g.limit.limit(p.cell),
		XON: thresholds.XON{Floor: g.xonFloor.in(p.cell), Offset: g.xonOffset.in(p.cell), Latched: p.behaviour.Latched}}
	// The last group of a port is that of priorities without a class. It is lossy.
	if class == len(r.s.Classes) || !r.s.Classes[class].Lossless {
		return out
	}
	if n := r.credited(at, r.s.Classes[class].Priority); n > 0 {
		// A cell for each credit, and none that is shared: what the neighbour has no credits for is dropped.
		return mmu.Group{Reserved: max(out.Reserved, n), Limit: thresholds.Static(0)}
	}
	out.Lossless, out.Headroom = true, g.headroom.in(p.cell)
	if g.sizer != nil {
		out.Headroom = r.sized(p, g, at)
	}
	// The headroom of the group is then its limit in the pool, and not cells of its own.
	if p.sharedHeadroom != nil {
		out.HeadroomPool = 1
	}
	return out
}

// sized returns the headroom that a sizing method gives for the port's link.
// The link has a delay in place of a cable, and a method needs one above 0.
func (r *reader) sized(p *switchSpec, g *groupSpec, at fabric.End) cells.Count {
	i, ok := r.links[at]
	if !ok {
		return 0
	}
	l := &r.s.Network.Links[i]
	h, err := g.sizer.Size(thresholds.Link{Rate: l.Rate, Delay: unit.Given(l.Delay), MTU: g.mtu,
		LosslessMTU: g.losslessMTU}, thresholds.Memory{Cell: p.cell, Overhead: p.overhead})
	if err != nil {
		r.Fail(p.line, p.path, err.Error())
	}
	return h.Cells
}

// trimming reads how a switch trims the frames that its queues with `trim` refuse. size is bytes of a trimmed frame,
// and class the one in whose queue these wait.
func (r *reader) trimming(v *document.Value, p *switchSpec) {
	if v == nil {
		return
	}
	f := v.Fields("size", "class")
	v.Need(f, "size", "class")
	// A class that is not known is -1, and trims refuses it.
	p.trimSize, p.trimClass = document.Quantity(f["size"], unit.ParseBytes), r.classOf(f["class"])
	if f["size"] != nil && (p.trimSize < 1 || p.trimSize > fabric.LongestFrame) {
		f["size"].Refuse(fmt.Sprintf("1B to %v", fabric.LongestFrame))
	}
}

// trims completes the queues of a switch that trim. What is left of a frame goes to the queue of the class for it, with
// the DSCP of that class. Queues are in one list, with a queue for each class on each port. A Trim of 0 is none, so
// the number counts from 1.
func (r *reader) trims(i int) {
	p, w := &r.specs[i], &r.s.Network.Switches[i]
	// A port has a queue for each class, and one for the priorities without a class.
	each := len(p.queues)
	for c := range p.queues {
		if !p.queues[c].trim {
			continue
		}
		switch {
		case p.egressPool == nil:
			r.Fail(p.line, p.path, "queues with trim: want an egress_pool, without which no queue refuses a frame")
			return
		case p.trimSize == 0 || p.trimClass < 0:
			r.Fail(p.line, p.path, "queues with trim: want trimming, such as {size: 256B, class: rests}")
			return
		case c == p.trimClass:
			r.Fail(p.line, p.path, "the class of trimming: want one whose queue does not trim")
			return
		}
		// What is left waits in the queue of the same port.
		for j := range w.Ports {
			w.MMU.Queues[j*each+c].Trim = 1 + j*each + p.trimClass
		}
		w.MMU.Trim, w.TrimDSCP = p.trimSize, r.s.Classes[p.trimClass].DSCP
	}
}

// trimPlanned makes the queues of a planned switch trim as its topology says. Queues of a planned switch are those of
// eight priorities on each port, also where the file has fewer classes.
func trimPlanned(in *buffer.Intent, w *fabric.Switch) {
	t := in.Trimming
	for i := range in.Classes {
		if !in.Classes[i].Trim {
			continue
		}
		for port := range w.Ports {
			for _, queue := range in.Classes[i].Priorities {
				w.MMU.Queues[port*pg.PerPort+queue].Trim = 1 + port*pg.PerPort + t.Queue
			}
		}
		w.MMU.Trim, w.TrimDSCP = t.Size, t.DSCP
	}
}
