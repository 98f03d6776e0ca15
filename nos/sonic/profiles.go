package sonic

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/internal/rendering"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// This file writes the groups of a port and the profiles that they refer to.

// groups writes the groups of a port, those with the same profile together.
func (w *writer) groups(p *nos.Port) {
	with := map[string][]int{}
	for n, g := range p.Groups {
		switch {
		case g.Empty():
		case !w.expressible(g):
			w.dropped = true
		default:
			name := w.profile(p, n, g)
			with[name] = append(with[name], n)
		}
	}
	switch why := w.left[p.Name]; {
	case why != "":
		if w.leaves == nil {
			w.leaves = map[string][]string{}
		}
		w.leaves[why] = append(w.leaves[why], p.Name)
	case len(p.Lossless()) > 0:
		w.follows = append(w.follows, p.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(with)) {
		for part := range strings.SplitSeq(rendering.Range(with[name]), ",") {
			w.db.Set("BUFFER_PG", p.Name+"|"+part, Entry{"profile": name})
		}
	}
}

// profile returns the name of a profile with the group's content, and sets a missing one. A lossless profile that the
// traditional manager binds has the name that the manager gives it. The others are named by their content, because the
// switch's own profiles have other users.
func (w *writer) profile(p *nos.Port, n int, g nos.Group) string {
	fields := w.fields(p, n, g)
	switch {
	case !g.Lossless:
		return w.reuse("BUFFER_PROFILE", ownLossy+contentName(fields), fields, w.current("BUFFER_PG", p.Name, n)["profile"])
	case w.manager.model != Dynamic && w.left[p.Name] == "":
		w.db.Set("BUFFER_PROFILE", managedName(p), fields)
		return managedName(p)
	}
	name := ownLossless + contentName(fields)
	w.db.Set("BUFFER_PROFILE", name, fields)
	return name
}

// contentName is the content of a profile as part of its name.
func contentName(fields Entry) string {
	out := fields["size"] + "_alpha" + fields["dynamic_th"]
	if v, static := fields["static_th"]; static {
		out = fields["size"] + "_static" + v
	}
	for _, name := range []string{"xoff", "xon", "xon_offset"} {
		if v, there := fields[name]; there {
			out += "_" + strings.ReplaceAll(name, "_", "") + v
		}
	}
	if trims(fields) {
		out += "_trim"
	}
	return out
}

// fields are the fields of a group's profile. With a shared headroom pool the size is
// the reserved part alone; without, it includes the headroom.
func (w *writer) fields(p *nos.Port, n int, g nos.Group) Entry {
	b := w.bytesOf(p, n, g)
	out := Entry{"pool": w.poolOf(p, n, g), "size": number(w.sizeOf(b))}
	maps.Copy(out, w.limit(n, g))
	if g.Lossless {
		maps.Copy(out, Entry{"xoff": number(b.xoff), "xon": number(b.xon)})
		if w.manager.vendor != nvidia {
			out["xon_offset"] = number(b.offset)
		}
	}
	return out
}

// poolOf is the pool of a group. A lossy group stays in the pool in which the switch counts it: a plan has one pool of
// the ingress, and the memory of another one would be nobody's.
func (w *writer) poolOf(p *nos.Port, n int, g nos.Group) string {
	if g.Lossless {
		return pool
	}
	now := w.now["BUFFER_PROFILE"][w.current("BUFFER_PG", p.Name, n)["profile"]]["pool"]
	if now == "" || now == pool || w.now["BUFFER_POOL"][now] == nil {
		return pool
	}
	w.otherPools = grouped.Add(w.otherPools, now)
	return now
}

// limit is the field with a group's shared limit. A static limit may be in a dynamic pool: sonic-buffer-profile.yang
// does not couple them, and SONiC's own templates for Broadcom have static limits in dynamic pools.
func (w *writer) limit(n int, g nos.Group) Entry {
	if g.Static > 0 {
		return Entry{"static_th": number(w.inBytes(n, g.Static, func(c *buffer.Class) unit.Bytes { return c.StaticLimit },
			w.plan.Intent.Chip.StaticGranted))}
	}
	if g.Limit == thresholds.Static(0) {
		return Entry{"dynamic_th": strconv.Itoa(leastTh)} // CONFIG_DB has no limit of 0; plans have none either
	}
	asked := g.Limit.Alpha().DynamicTh()
	alpha := min(max(asked, leastTh), mostTh)
	w.outside = w.outside || alpha != asked
	return Entry{"dynamic_th": strconv.Itoa(alpha)}
}
