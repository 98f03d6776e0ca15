package sonic

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
)

// poolInputs is what the dynamic manager computes the pools from, with the plan's profiles;
// false: SONiC has no numbers of the chip.
func (w *writer) poolInputs() (PoolInputs, bool) {
	in, err := PoolInputsOf(w.plan.Intent)
	if err != nil {
		return in, false
	}
	in.Pools, in.Profiles = 1, nil
	if ingress, _ := w.computedPools(); ingress != 1 {
		in.Pools = 2 // what is left is halved, where no ingress pool is computed, too
	}
	for _, p := range w.plan.Ports() {
		if p.State == buffer.PortAdminDown {
			continue
		}
		in.add(PoolProfile{Size: egressLossyBytes})
		for n, g := range p.Groups {
			if g.Empty() || !w.expressible(g) {
				continue
			}
			b := w.bytesOf(&p, n, g)
			profile := PoolProfile{Size: w.sizeOf(b), Lossy: !g.Lossless}
			if g.Lossless {
				profile.XON, profile.XOFF = b.xon, b.xoff
			}
			in.add(profile)
		}
		for _, q := range p.Queues {
			in.add(PoolProfile{Size: q.Reserved})
		}
	}
	return in, true
}

// computedPools are the numbers of ingress and egress pools whose size the dynamic manager computes: those without a
// size. One ingress pool if the switch's configuration is not known.
func (w *writer) computedPools() (ingress, egress int) {
	if len(w.now["BUFFER_POOL"]) == 0 {
		return 1, 0
	}
	for _, e := range w.now["BUFFER_POOL"] {
		switch _, fixed := e["size"]; {
		case fixed:
		case e["type"] == "ingress":
			ingress++
		case e["type"] == "egress":
			egress++
		}
	}
	return ingress, egress
}

// poolNote says what the dynamic manager computes for the pools without a size. Egress pools get what ingress pools get
// (sonic-swss e6b0c5b5d, buffer_pool_mellanox.lua).
func (w *writer) poolNote() string {
	ingress, egress := w.computedPools()
	in, known := w.poolInputs()
	if !known || ingress+egress == 0 {
		return ""
	}
	var pools []string
	for _, p := range []struct {
		count int
		kind  string
	}{{ingress, "ingress pool"}, {egress, "egress pool"}} {
		switch {
		case p.count == 1:
			pools = append(pools, "1 "+p.kind)
		case p.count > 1:
			pools = append(pools, fmt.Sprintf("%d %ss", p.count, p.kind))
		}
	}
	text := fmt.Sprintf("the manager computes %v for %s without a size", in.Sizes().Pool, strings.Join(pools, " and "))
	if ingress+egress > 1 {
		text += ", for each"
	}
	text += " (by its formula"
	if ingress != 1 {
		text += ", half of what is left: it gives all of it only where one ingress pool has no size"
	}
	text += ")"
	if ingress > 0 {
		shared, _ := w.plan.Pools()
		text += fmt.Sprintf("; the plan's groups share %v", shared)
	}
	return text
}
