package fabric

import (
	"slices"

	"github.com/cellwarden/cellwarden/fabric/internal/dependency"
	"github.com/cellwarden/cellwarden/internal/document"
)

// This file has the switches that change the priority of frames: Tagger's rules by tag, port of arrival and port of
// departure (Hu et al., CoNEXT 2017), and SONiC's mapping for frames that a ToR of a pair sends to the other one
// (SONiC's tunnel_dscp_remapping). A rule names neighbours in place of ports.

// maxRewrites is the largest number of rules of a file. Each is compared at each turn of each frame.
const maxRewrites = 256

// lossy is what a frame becomes that may be dropped from a switch on: it can pause nothing.
const lossy = -1

// rewrite is one rule: frames of a priority that come to one of some switches from one of some nodes, and leave it to
// one of others, leave with another priority.
type rewrite struct {
	at, from, to      map[int]bool // nil from or to: any node
	priority, becomes int
}

// rewritesOf reads the list of rules.
func (r *reader) rewritesOf(list *document.Value) {
	for _, v := range list.Items() {
		if len(r.rewrites) == maxRewrites {
			v.Fail("too many rules: want at most 256, with patterns for switches that are alike")
			return
		}
		f := v.Fields("at", "from", "to", "priority", "becomes")
		v.Need(f, "at", "priority", "becomes")
		w := rewrite{at: r.set(f["at"]), from: r.set(f["from"]), to: r.set(f["to"]),
			priority: int(f["priority"].Integer(0, 7)), becomes: lossy}
		if f["becomes"] != nil && f["becomes"].Raw() != "lossy" {
			before := v.Complaints()
			if w.becomes = int(f["becomes"].Integer(0, 7)); v.Complaints() == before && w.becomes == w.priority {
				f["becomes"].Refuse("another priority, or lossy")
			}
		}
		r.rewrites = append(r.rewrites, w)
	}
}

// set is the nodes that a list of names and patterns names; nil without a list.
func (r *reader) set(v *document.Value) map[int]bool {
	if v == nil {
		return nil
	}
	return setOf(r.named(v))
}

// setOf returns a list as a set.
func setOf(list []int) map[int]bool {
	out := make(map[int]bool, len(list))
	for _, n := range list {
		out[n] = true
	}
	return out
}

// becomes is the priority of a frame behind a switch; lossy if it may be dropped there. The first rule that fits
// decides.
func (f *File) becomes(at, from, to, priority int) int {
	for i := range f.rewrites {
		w := &f.rewrites[i]
		if w.priority == priority && w.at[at] && (w.from == nil || w.from[from]) && (w.to == nil || w.to[to]) {
			return w.becomes
		}
	}
	return priority
}

// rewriter is becomes for the numbers of a network; nil without rules.
func (q *question) rewriter() func(node, in, out, layer int) int {
	if len(q.rewrites) == 0 {
		return nil
	}
	// Most nodes have no rule, and are asked as often as the others.
	some := make([]bool, len(q.nodes))
	for i := range q.rewrites {
		for n := range q.rewrites[i].at {
			some[n] = true
		}
	}
	return func(node, in, out, layer int) int {
		if !some[node] {
			return layer
		}
		ports := q.net.Ports[node]
		return q.layer(q.becomes(node, ports[in].Node, ports[out].Node, q.priorities[layer]))
	}
}

// layer is the number of a priority in the graph; that of lossy is -1.
func (q *question) layer(priority int) int { return slices.Index(q.priorities, priority) }

// rewritten gives the priorities on the cables of a path whose file does not list them: the rules change them, and
// behind a switch at which frames become lossy there is nothing more to look at.
func (f *File) rewritten(p *route) []int {
	out := slices.Clone(p.priorities)
	// The switch between cables i-1 and i is node i: it sees the node before, the node behind, and the priority as
	// received.
	for i := 1; i < len(out) && !p.fixed && len(f.rewrites) > 0; i++ {
		out[i] = f.becomes(p.nodes[i], p.nodes[i-1], p.nodes[i+1], out[i-1])
		if out[i] == lossy {
			return out[:i]
		}
	}
	return out
}

// flood adds the dependencies of frames that switches flood.
func (q *question) flood(g *dependency.Graph) {
	for i := range q.routes {
		if r := &q.routes[i]; r.rule == ruleFlood {
			q.net.Flood(g, q.layer(r.priority), r.from)
		}
	}
}
