package scenario

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/internal/document"
)

// waiting is the flows that an entry waits for. The lists are shared by all flows that have the same: n hosts that
// all send to each other have n*n flows and n lists.
type waiting struct {
	by       *reader
	key      *document.Value // after, for complaints
	arriving map[int][]int   // flows of the entries in after, by the host at which they arrive; nil: no key after
	all      []int           // flows of the entries in after_all
	merged   map[int][]int   // both, by host: made once, so that the flows of a host share the list
}

// waiting reads after and after_all: the names of earlier entries.
// A flow waits for the flows of after that arrive at its own host, and for all
// flows of after_all.
func (r *reader) waiting(f map[string]*document.Value) *waiting {
	w := &waiting{by: r, key: f["after"], merged: map[int][]int{}}
	if f["after"] != nil {
		w.arriving = map[int][]int{}
		for _, i := range r.entriesNamed(f["after"]) {
			to := r.s.Network.Flows[i].To
			w.arriving[to] = append(w.arriving[to], i)
		}
	}
	if f["after_all"] != nil {
		w.all = r.entriesNamed(f["after_all"])
	}
	return w
}

// entriesNamed reads a name of an entry, or a list of names, and returns their
// flows. An entry can name only those above it, so no flow waits for itself, however long the chain.
func (r *reader) entriesNamed(v *document.Value) (flows []int) {
	for _, n := range oneOrMore(v) {
		of, ok := r.entries[n.Text()]
		if !ok {
			n.Refuse("the name of an entry of flows or collectives further up")
		}
		flows = append(flows, of...)
	}
	return flows
}

// at returns the flows that a flow from a host waits for. It complains if the
// host is to wait for arrivals and no flow arrives.
func (w *waiting) at(host int) []int {
	if w.arriving == nil {
		return w.all
	}
	if list, ok := w.merged[host]; ok {
		return list
	}
	// A flow that waits for nothing would start at once, which is not what the file says. After other complaints the
	// flows may be missing for that reason.
	if len(w.arriving[host]) == 0 && w.by.Total() == 0 {
		w.key.Fail(fmt.Sprintf("none of its flows arrives at %s: want entries that send to the host, or after_all",
			w.by.s.Network.Hosts[host].Name))
	}
	list := slices.Concat(w.arriving[host], w.all)
	w.merged[host] = list
	return list
}
