package topology

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

// peerKind is a kind of neighbour that ports name: a switch model or a NIC of
// which the time to obey a pause frame is known.
type peerKind struct {
	name     string
	response unit.Time
}

// maxPeers is more kinds of neighbours than one switch has.
const maxPeers = 256

// peers reads the kinds of neighbours.
func (r *reader) peers(v *document.Value) (kinds []peerKind) {
	if v == nil {
		return nil
	}
	if v.Len() > maxPeers {
		v.Refuse(fmt.Sprintf("at most %d kinds of peers", maxPeers))
		return nil
	}
	// A kind without a response time would say nothing: a port that names no peer has the time of the headroom
	// method.
	for _, item := range v.Items() {
		f := item.Fields("name", "response_delay")
		item.Need(f, "name", "response_delay")
		k := peerKind{f["name"].Label(), document.Quantity(f["response_delay"], unit.ParseTime)}
		// Of two kinds with one name the first would count and the second would be dead text.
		same := func(o peerKind) bool { return o.name == k.name }
		if f["name"] != nil && (k.name == "" || slices.ContainsFunc(kinds, same)) {
			f["name"].Refuse("a name that no other kind of peer has")
			continue
		}
		kinds = append(kinds, k)
	}
	return kinds
}

// response returns the response time of a port's neighbour: its own, or that of
// the kind that the port names; absent if neither is given. Without either, the headroom method decides how long the
// neighbour takes.
func response(own, peer *document.Value, kinds []peerKind) (t unit.Optional[unit.Time]) {
	// The time is that in which the neighbour obeys a pause (IEEE 802.3, 31B.3.7; docs/headroom.md). An explicit 0 is
	// a value, so absence is not the zero.
	switch {
	case own != nil && peer != nil:
		peer.Refuse("peer or response_delay, not both")
	case own != nil:
		return unit.Given(document.Quantity(own, unit.ParseTime))
	case peer != nil:
		var names []string
		for _, k := range kinds {
			if k.name == peer.Text() {
				return unit.Given(k.response)
			}
			names = append(names, k.name)
		}
		peer.Refuse(fmt.Sprintf("one of the peers of this file: %s", fielderr.Names(names)))
	}
	return t
}
